#!/bin/bash
# Prints where the Python environment of a requirements file lies:
#
#   tools/bazel/python_env.sh REQUIREMENTS
#
# In the user's cache, named after the file's contents. tools/dev/setup.sh makes
# it, and python_env.bzl looks for it there.
set -euo pipefail

hash=$(sha256sum "$1")
echo "${XDG_CACHE_HOME:-${HOME}/.cache}/octopipe-python-${hash:0:16}"
