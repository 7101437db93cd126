#!/bin/bash
# Installs the Debian packages that OctoPipe builds and tests with. Safe to run
# again: what is installed already is left alone, and then nothing is fetched.
set -euo pipefail

packages=(
  # Build.
  bazel-bootstrap g++ pkg-config python3
  # Compiler.
  libmlir-22-dev mlir-22-tools llvm-22-dev llvm-22-tools
  libabsl-dev libprotobuf-dev protobuf-compiler
  libxxhash-dev libcli11-dev nlohmann-json3-dev
  # Tests and benchmarks.
  libgtest-dev libgmock-dev libbenchmark-dev
  # Formatting.
  clang-format
)

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query --show --showformat='${db:Status-Status}' "${package}" 2>/dev/null || true)
  [[ "${status}" == installed ]] || missing+=("${package}")
done

if ((${#missing[@]} == 0)); then
  echo "setup: all ${#packages[@]} packages are installed"
  exit 0
fi

echo "setup: installing ${missing[*]}"
as_root=()
if ((EUID != 0)); then
  command -v sudo >/dev/null || {
    echo "setup: run as root, or install sudo" >&2
    exit 1
  }
  as_root=(sudo)
fi
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
  apt-get install -y -qq --no-install-recommends "${missing[@]}"
