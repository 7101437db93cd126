#!/bin/bash
# Runs the installed lit on one test file of the runfiles tree.
set -euo pipefail
cd "${TEST_SRCDIR}/octopipe"
exec python3 "${TEST_SRCDIR}/llvm/bin/lit" -v "$@"
