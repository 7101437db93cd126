"""Checks the order of attributes and lists in BUILD files.

buildifier is not packaged for Debian 12; this checks the part of its style that
reviews would otherwise argue about: attributes stand in the order name, size,
srcs, hdrs, …, deps, and `srcs`, `hdrs`, `deps`, `data` and `tools` are sorted,
files before labels, near before far.

    python3 tools/dev/check_build_files.py BUILD.bazel …
"""

import ast
import sys

_ORDER = ["name", "size", "testonly", "srcs", "hdrs"]
_LAST = ["visibility", "deps"]
_SORTED = {"srcs", "hdrs", "deps", "data", "tools"}


def _label_key(label):
    """Files first, then labels of this package, this workspace, others."""
    ranks = {":": 1, "/": 2, "@": 3}
    return (ranks.get(label[:1], 0), label.replace(":", "!"))


def _offences(tree):
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, (ast.Name, ast.Attribute)):
            continue
        names = [keyword.arg for keyword in node.keywords if keyword.arg]
        if "name" not in names:
            continue
        known = [name for name in names if name in _ORDER]
        if known != sorted(known, key=_ORDER.index) or names[: len(known)] != known:
            yield node.lineno, f"attributes {', '.join(known)} must come first, in this order: {', '.join(_ORDER)}"
        tail = [name for name in names if name in _LAST]
        if tail and names[-len(tail) :] != sorted(tail, key=_LAST.index):
            yield node.lineno, "visibility and deps must come last, in this order"
        for keyword in node.keywords:
            if keyword.arg not in _SORTED or not isinstance(keyword.value, ast.List):
                continue
            labels = [item.value for item in keyword.value.elts if isinstance(item, ast.Constant)]
            if labels != sorted(labels, key=_label_key):
                yield keyword.value.lineno, f"{keyword.arg} is not sorted"


def main(paths):
    found = False
    for path in paths:
        with open(path, encoding="utf-8") as file:
            tree = ast.parse(file.read(), path)
        for line, message in _offences(tree):
            print(f"{path}:{line}: {message}", file=sys.stderr)
            found = True
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
