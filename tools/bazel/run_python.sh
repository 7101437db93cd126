#!/bin/bash
# Runs a Python script as a test: the interpreter, the script, its arguments.
exec "$1" -B "${@:2}"
