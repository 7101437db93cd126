#!/bin/bash
# Solves the small problems of tests/oracles/exact anew and writes their optima.
# Needed when the problems change; what is proven does not.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

tools/dev/setup.sh
python=$(tools/bazel/python_env.sh tests/oracles/requirements.txt)/bin/python
folder=tests/oracles/exact
work=$(mktemp -d)
trap 'rm -rf "${work}"' EXIT

bazel build -c opt "//${folder}:write_small_problems"
# A good plan of each leaves the solver little to refute.
"bazel-bin/${folder}/write_small_problems" 20000 >"${work}/problems.jsonl"
"${python}" -B "${folder}/exact_optimum.py" "${work}/problems.jsonl" >"${work}/optima.txt"
mv "${work}/optima.txt" "${folder}/exact_optima.txt"
