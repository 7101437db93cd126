"""A Python environment that tools/dev/setup.sh has made, if it has."""

_PRESENT = """\
package(default_visibility = ["//visibility:public"])

exports_files(["python"])
"""

# Incompatible with every platform: what depends on it is skipped, and the test
# summary says so.
_ABSENT = """\
package(default_visibility = ["//visibility:public"])

cc_library(
    name = "python",
    target_compatible_with = ["@//tools/bazel:missing_toolkit"],
)
"""

# By name, not by a link: Python finds its packages from where it is started.
_START = """\
#!/bin/sh
exec {python} "$@"
"""

def _python_env_repository_impl(ctx):
    result = ctx.execute([
        ctx.path(Label("//tools/bazel:python_env.sh")),
        ctx.path(ctx.attr.requirements),
    ])
    if result.return_code != 0:
        fail("python_env.sh failed: " + result.stderr)
    python = ctx.path(result.stdout.strip() + "/bin/python")
    if python.exists:
        ctx.file("python", _START.format(python = python), executable = True)
    ctx.file("BUILD.bazel", _PRESENT if python.exists else _ABSENT)

python_env_repository = repository_rule(
    implementation = _python_env_repository_impl,
    attrs = {
        "requirements": attr.label(mandatory = True, allow_single_file = True, doc = "pinned packages"),
    },
    environ = ["HOME", "XDG_CACHE_HOME"],
    # So that setup.sh can ask for another look.
    configure = True,
    local = True,
    doc = "@<name>//:python, the interpreter with the packages of `requirements`.",
)
