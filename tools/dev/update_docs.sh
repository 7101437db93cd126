#!/bin/bash
# Writes the reference documents that are generated from TableGen. A test
# compares them with what it would write.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

bazel build //dialects/pipeline/ir:pipeline_dialect.md //compiler/passes:pipeline_passes.md
install -m 644 bazel-bin/dialects/pipeline/ir/pipeline_dialect.md \
  bazel-bin/compiler/passes/pipeline_passes.md dialects/pipeline/docs/
