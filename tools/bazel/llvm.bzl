"""The installed LLVM and MLIR as a repository."""

_BUILD = """\
package(default_visibility = ["@//tools/bazel:mlir_users"])

# Source directories, not globs: 4,000 headers would be 4,000 sandbox links.
cc_library(
    name = "mlir",
    hdrs = [
        "include/llvm",
        "include/llvm-c",
        "include/mlir",
        "include/mlir-c",
    ],
    includes = ["include"],
    linkopts = [
        "-L{libdir}",
        "-Wl,-rpath,{libdir}",
        "-lMLIR",
        "-lLLVM",
    ],
)

filegroup(
    name = "mlir_td_files",
    srcs = glob(["include/mlir/**/*.td"]),
)

exports_files(
    ["bin/" + tool for tool in {tools}],
    visibility = ["//visibility:public"],
)
"""

_TOOLS = ["FileCheck", "clang-format", "lit", "mlir-tblgen", "not", "split-file"]

def _llvm_repository_impl(ctx):
    for version in ctx.attr.versions:
        llvm_config = ctx.which("llvm-config-" + version)
        if llvm_config:
            break
    if not llvm_config:
        fail("none of llvm-config-{%s} is on PATH; run tools/dev/setup.sh" % ",".join(ctx.attr.versions))
    answers = {}
    for question in ["includedir", "bindir", "libdir"]:
        result = ctx.execute([str(llvm_config), "--" + question])
        if result.return_code != 0:
            fail("%s --%s failed: %s" % (llvm_config, question, result.stderr))
        answers[question] = result.stdout.strip()
    include = ctx.path(answers["includedir"])
    for folder in ["llvm", "llvm-c", "mlir", "mlir-c"]:
        if not include.get_child(folder).exists:
            fail("%s has no %s headers; run tools/dev/setup.sh" % (include, folder))
        ctx.symlink(include.get_child(folder), "include/" + folder)
    tools = []
    for tool in _TOOLS:
        path = ctx.path(answers["bindir"]).get_child(tool)
        if path.exists:
            ctx.symlink(path, "bin/" + tool)
            tools.append(tool)
    ctx.file("BUILD.bazel", _BUILD.format(libdir = answers["libdir"], tools = repr(tools)))

llvm_repository = repository_rule(
    implementation = _llvm_repository_impl,
    attrs = {"versions": attr.string_list(mandatory = True, doc = "accepted major versions, best first")},
    environ = ["PATH"],
    local = True,
    doc = """@llvm//:mlir (headers and libMLIR, libLLVM), @llvm//:mlir_td_files and the
tools under @llvm//:bin, visible to //tools/bazel:mlir_users alone.""",
)
