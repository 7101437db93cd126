"""Runs the examples of Markdown files."""

def markdown_examples_test(name, srcs, size = "small"):
    """Every ```mlir block of `srcs` must parse, verify and print to a fixed point.

    Args:
      name: of the test.
      srcs: Markdown files; each must have a block.
      size: of the test.
    """
    native.sh_test(
        name = name,
        size = size,
        srcs = ["//tools/bazel:markdown_examples.py"],
        args = ["$(location //tools/octopipe-opt)"] +
               ["$(location %s)" % src for src in srcs],
        data = ["//tools/octopipe-opt"] + srcs,
    )
