"""Refuses two types of one name in the headers of a namespace.

The linker takes one of the two for both and the program writes past its end;
neither compiler nor linker says so.

  git ls-files '*.h' | xargs python3 tools/dev/check_type_names.py
"""

import re
import sys

_NAMESPACE = re.compile(r"^namespace (\S+) \{")
_TYPE = re.compile(r"^(?:struct|class|enum class|enum) (\w+)\b[^;]*$")


def main() -> int:
    first = {}
    status = 0
    for path in sys.argv[1:]:
        namespace = ""
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                if match := _NAMESPACE.match(line):
                    namespace = match[1]
                elif match := _TYPE.match(line):
                    name = f"{namespace}::{match[1]}"
                    place = f"{path}:{number}"
                    if name in first:
                        print(f"{place}: {name} is defined in {first[name]} too; rename one", file=sys.stderr)
                        status = 1
                    first.setdefault(name, place)
    return status


if __name__ == "__main__":
    sys.exit(main())
