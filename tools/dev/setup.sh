#!/bin/bash
# Installs the Debian packages that OctoPipe builds and tests with, and the Python
# environment of the exact solver. Safe to run again: what is installed already is
# left alone, and then nothing is fetched.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

packages=(
  # Build.
  bazel-bootstrap g++ pkg-config python3
  # Compiler.
  libmlir-22-dev mlir-22-tools llvm-22-dev llvm-22-tools
  libabsl-dev libprotobuf-dev protobuf-compiler
  libxxhash-dev libcli11-dev nlohmann-json3-dev
  # Tests and benchmarks.
  libgtest-dev libgmock-dev libbenchmark-dev python3-venv
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
else
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
fi

requirements=tests/oracles/requirements.txt
env=$(tools/bazel/python_env.sh "${requirements}")
if [[ -x "${env}/bin/python" ]]; then
  echo "setup: the Python environment of the exact solver is there"
  exit 0
fi
echo "setup: installing the Python environment of the exact solver"
# It moves to its place whole; tests use it as soon as it is there.
mkdir -p "$(dirname "${env}")"
new=$(mktemp -d "${env}.XXXXXX")
trap 'rm -rf "${new}"' EXIT
if python3 -m venv "${new}" && "${new}/bin/python" -m pip install --quiet \
  --disable-pip-version-check --require-hashes --only-binary :all: \
  --requirement "${requirements}"; then
  mv "${new}" "${env}"
  # A running Bazel remembers that it was not there.
  bazel sync --configure >/dev/null 2>&1 || true
else
  echo "setup: no Python environment; tests against the exact solver are skipped" >&2
fi
