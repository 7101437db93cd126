#!/bin/bash
# diff_test.sh <checked in> <generated>
set -euo pipefail
if ! diff -u "$1" "$2"; then
  echo "$1 is out of date; copy bazel-bin/$2 over it" >&2
  exit 1
fi
