"""Compares a checked-in file with a generated one."""

def diff_test(name, checked_in, generated, size = "small"):
    """An sh_test that fails, with the difference, if the two files differ.

    Args:
      name: of the test.
      checked_in: the file in the source tree.
      generated: the file, or the target of one file, that it must equal.
      size: of the test.
    """
    native.sh_test(
        name = name,
        size = size,
        srcs = ["//tools/bazel:diff_test.sh"],
        args = [
            "$(location %s)" % checked_in,
            "$(location %s)" % generated,
        ],
        data = [
            checked_in,
            generated,
        ],
    )
