"""mlir-tblgen as a build rule."""

def mlir_tblgen(name, td_file, outs, td_deps = [], visibility = None):
    """Generates one file per entry of `outs` from `td_file`.

    Args:
      name: a filegroup of the outputs.
      td_file: the TableGen file.
      outs: output file -> mlir-tblgen flags.
      td_deps: .td files that `td_file` includes from this workspace.
      visibility: of the outputs; None is the package's default.
    """
    for out, flags in outs.items():
        native.genrule(
            name = out.replace(".", "_").replace("/", "_") + "_gen",
            srcs = [td_file, "@llvm//:mlir_td_files"] + td_deps,
            outs = [out],
            cmd = " ".join([
                "$(location @llvm//:bin/mlir-tblgen)",
                flags,
                "-I .",
                "-I $$(dirname $(location @llvm//:bin/mlir-tblgen))/../include",
                "$(location %s)" % td_file,
                "-o $@",
            ]),
            tools = ["@llvm//:bin/mlir-tblgen"],
            visibility = visibility,
        )
    native.filegroup(name = name, srcs = outs.keys(), visibility = visibility)
