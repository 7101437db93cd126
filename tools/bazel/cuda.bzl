"""The CUDA toolkit with CUPTI and NCCL, if the machine has one."""

_PRESENT = """\
package(default_visibility = ["@//tools/bazel:cuda_users"])

exports_files(["available.bzl"])

cc_library(
    name = "headers",
    hdrs = ["include"],
    includes = ["include"],
)
"""

_ABSENT = """\
package(default_visibility = ["@//tools/bazel:cuda_users"])

exports_files(["available.bzl"])

# Incompatible with every platform: what depends on it is skipped, visibly.
cc_library(
    name = "headers",
    target_compatible_with = ["@platforms//:incompatible"],
)
"""

def _cuda_repository_impl(ctx):
    root = ctx.os.environ.get("CUDA_HOME") or ctx.os.environ.get("CUDA_PATH")
    if not root:
        nvcc = ctx.which("nvcc")
        if nvcc:
            root = str(nvcc.realpath.dirname.dirname)
    include = ctx.path(root).get_child("include") if root else None
    present = include != None and include.get_child("cuda_runtime_api.h").exists
    if present:
        ctx.symlink(include, "include")
    ctx.file("available.bzl", "CUDA_AVAILABLE = %r\n" % present)
    ctx.file("BUILD.bazel", _PRESENT if present else _ABSENT)

cuda_repository = repository_rule(
    implementation = _cuda_repository_impl,
    environ = ["CUDA_HOME", "CUDA_PATH", "PATH"],
    local = True,
    doc = """@cuda//:headers: the toolkit's headers. The libraries are loaded at run
time, so nothing links them. Where no toolkit is found, the target is
incompatible and Bazel skips what depends on it.""",
)
