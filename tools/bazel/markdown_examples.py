#!/usr/bin/env python3
"""markdown_examples.py <octopipe-opt> <file.md>...

Runs each ```mlir block of the files through octopipe-opt, and what it prints
once more: both runs must succeed and print the same.
"""

import pathlib
import re
import subprocess
import sys

_BLOCK = re.compile(r"^( *)```mlir\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)


def blocks(text):
    """Yields (line, block) for each mlir block of a Markdown text."""
    for match in _BLOCK.finditer(text):
        yield text.count("\n", 0, match.start()) + 1, match.group(2)


def run(tool, source):
    return subprocess.run(
        [tool], input=source, capture_output=True, text=True, check=False
    )


def error_of(tool, block):
    """What is wrong with a block, or None."""
    once = run(tool, block)
    if once.returncode != 0:
        return once.stderr
    twice = run(tool, once.stdout)
    if twice.returncode != 0:
        return "what it prints does not parse:\n" + twice.stderr
    if twice.stdout != once.stdout:
        return "what it prints is printed otherwise the next time"
    return None


def main(tool, *paths):
    failures = 0
    for path in paths:
        examples = list(blocks(pathlib.Path(path).read_text(encoding="utf-8")))
        if not examples:
            print(f"{path}: no mlir block; expected at least 1")
            failures += 1
        for line, block in examples:
            error = error_of(tool, block)
            if error:
                print(f"{path}:{line}: {error}")
                failures += 1
        print(f"{path}: {len(examples)} examples")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
