"""lit configuration of every test under tests/lit."""

import os
import pathlib

import lit.formats

config.name = "octopipe"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]

_runfiles = pathlib.Path(os.environ["TEST_SRCDIR"])
_workspace = _runfiles / "octopipe"
config.test_source_root = str(_workspace / "tests" / "lit")
config.test_exec_root = os.environ["TEST_TMPDIR"]

_tools = sorted({str(p) for p in (_workspace / "tools").glob("octopipe*")})
config.environment["PATH"] = os.pathsep.join(
    [str(_runfiles / "llvm" / "bin"), *_tools, os.environ["PATH"]]
)
config.environment["FILECHECK_OPTS"] = "--enable-var-scope --dump-input=fail"
for _name in ("ASAN_OPTIONS", "UBSAN_OPTIONS"):
    if _name in os.environ:
        config.environment[_name] = os.environ[_name]
config.substitutions.append(("%{workspace}", str(_workspace)))
