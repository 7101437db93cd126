#!/bin/bash
# Writes the plans under tests/golden anew. Tests compare them byte for byte, so
# review the difference like code.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

bazel build //tests/golden:generated
for generated in bazel-bin/tests/golden/generated/*/*.{txt,json}; do
  install -D -m 644 "${generated}" \
    "tests/golden/$(basename "$(dirname "${generated}")")/$(basename "${generated}")"
done
