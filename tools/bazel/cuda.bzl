"""The CUDA toolkit with CUPTI and NCCL, as far as the machine has them."""

_PRESENT = """\
cc_library(
    name = "{name}",
    hdrs = ["{name}_include"],
    includes = ["{name}_include"],
)
"""

# Incompatible with every platform: what depends on it is skipped, and the test
# summary says so.
_ABSENT = """\
cc_library(
    name = "{name}",
    target_compatible_with = ["@//tools/bazel:missing_toolkit"],
)
"""

def _toolkit_root(ctx):
    root = ctx.os.environ.get("CUDA_HOME") or ctx.os.environ.get("CUDA_PATH")
    if root:
        return ctx.path(root)
    nvcc = ctx.which("nvcc")
    return nvcc.realpath.dirname.dirname if nvcc else None

def _cuda_repository_impl(ctx):
    root = _toolkit_root(ctx)
    build = ["package(default_visibility = [\"@//tools/bazel:cuda_users\"])\n"]
    for name, header, folders in [
        ("cuda", "cuda_runtime_api.h", ["include"]),
        ("cupti", "cupti.h", ["extras/CUPTI/include", "include"]),
        ("nccl", "nccl.h", ["include"]),
    ]:
        found = None
        for folder in folders if root else []:
            include = ctx.path(str(root) + "/" + folder)
            if include.get_child(header).exists:
                found = include
                break
        if found:
            ctx.symlink(found, name + "_include")
        build.append((_PRESENT if found else _ABSENT).format(name = name))
    ctx.file("BUILD.bazel", "\n".join(build))

cuda_repository = repository_rule(
    implementation = _cuda_repository_impl,
    environ = ["CUDA_HOME", "CUDA_PATH", "PATH"],
    local = True,
    doc = """@cuda//:cuda, @cuda//:cupti and @cuda//:nccl: headers alone. The
libraries are loaded at run time, so nothing links them.""",
)
