"""Repositories for libraries that the system's packages provide.

Nothing here names a path: pkg-config and PATH answer at configuration time.
"""

def _run(ctx, arguments, remedy):
    result = ctx.execute(arguments)
    if result.return_code != 0:
        fail("%s failed (%s); %s" % (" ".join(arguments), result.stderr.strip(), remedy))
    return result.stdout.strip()

def _pkg_config_repository_impl(ctx):
    remedy = "run tools/dev/setup.sh to install what is missing"
    pkg_config = ctx.which("pkg-config")
    if not pkg_config:
        fail("pkg-config is not on PATH; " + remedy)
    cflags = _run(ctx, [str(pkg_config), "--cflags"] + ctx.attr.packages, remedy).split(" ")
    libs = _run(ctx, [str(pkg_config), "--libs"] + ctx.attr.packages, remedy).split(" ")

    # Headers lie in the compiler's own search path on every system that we
    # support; a directory flag would be an absolute path in the build graph.
    defines = [flag[2:] for flag in cflags if flag.startswith("-D") and flag != "-DNOMINMAX"]
    lines = [
        "cc_library(",
        "    name = %r," % ctx.name,
        "    defines = %r," % defines,
        "    linkopts = %r," % [flag for flag in libs if flag],
        "    visibility = %r," % ctx.attr.visible_to,
        ")",
    ]
    for program in ctx.attr.programs:
        path = ctx.which(program)
        if not path:
            fail("%s is not on PATH; %s" % (program, remedy))
        ctx.symlink(path, program)
        lines.append("exports_files([%r])" % program)
    ctx.file("BUILD.bazel", "\n".join(lines) + "\n")

pkg_config_repository = repository_rule(
    implementation = _pkg_config_repository_impl,
    attrs = {
        "packages": attr.string_list(mandatory = True, doc = "pkg-config modules to link"),
        "programs": attr.string_list(doc = "executables of the same package, exported as files"),
        "visible_to": attr.string_list(default = ["//visibility:public"]),
    },
    environ = ["PATH", "PKG_CONFIG_PATH"],
    local = True,
    doc = "A cc_library with the repository's name, from pkg-config.",
)
