#!/bin/bash
# Formats the C++ in place, and checks what a formatter of BUILD files would, and
# that no two types share a name.
#
#   tools/dev/format.sh           # format
#   tools/dev/format.sh --check   # only say what is not formatted; exit 1 if any
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

# New files, too.
mapfile -t sources < <(git ls-files --cached --others --exclude-standard '*.cc' '*.h')
if [[ "${1:-}" == --check ]]; then
  clang-format --dry-run --Werror "${sources[@]}"
else
  clang-format -i "${sources[@]}"
fi
git ls-files --cached --others --exclude-standard '*BUILD.bazel' | xargs python3 tools/dev/check_build_files.py
git ls-files --cached --others --exclude-standard '*.h' | xargs python3 tools/dev/check_type_names.py
