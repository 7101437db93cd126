"""lit + FileCheck tests, one Bazel target a file."""

_LLVM_TOOLS = ["FileCheck", "not", "split-file"]

def lit_test_suite(name, srcs, tools = [], data = [], tags = [], size = "small"):
    """One sh_test `<file>.test` for each of `srcs`, and a test_suite `name`.

    Args:
      name: of the suite.
      srcs: test files with RUN lines.
      tools: binaries on the tests' PATH, beside FileCheck, not and split-file.
      data: files that the tests read; %{workspace} in a test is the root
        under which they lie.
      tags: of every test.
      size: of every test.
    """
    tests = []
    for src in srcs:
        test = src + ".test"
        native.sh_test(
            name = test,
            size = size,
            srcs = ["//tools/bazel:run_lit.sh"],
            args = ["$(location %s)" % src],
            data = [src, "//tests/lit:lit.cfg.py", "@llvm//:bin/lit"] + tools + data +
                   ["@llvm//:bin/" + tool for tool in _LLVM_TOOLS],
            tags = tags,
        )
        tests.append(test)
    native.test_suite(name = name, tests = tests)
