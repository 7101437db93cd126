#!/usr/bin/env python3
"""Feeds broken input to every command.

Each run must exit with 0 or 1, never by a signal; an error must say something,
without the words of a crash; a failure must leave the folder as it was.

Usage: hostile_input_test.py OCTOPIPE OCTOPIPE_OPT FITTED MEASURED PROFILE CLUSTER
"""

import concurrent.futures
import os
import pathlib
import random
import subprocess
import sys
import tempfile

CRASH_WORDS = (
    b"AddressSanitizer",
    b"runtime error",
    b"Assertion",
    b"Stack dump",
    b"terminate called",
    b"LLVM ERROR",
    b"PLEASE submit a bug report",
)
GARBAGE_NUMBERS = ("", "x", "-1", "1.5", "1e9", "0x10", "99999999999999999999",
                   "-99999999999999999999", "nan", "1 2", "\x01", "\u0661")
NUMBER_FLAGS = ("--devices", "--micro-batches", "--stages", "--round-ns",
                "--memory-bytes", "--hop-latency-ns", "--bytes-per-us",
                "--launch-overhead-ns", "--backward-split-permille",
                "--activation-bytes-per-layer", "--param-bytes-per-layer",
                "--output-bytes-per-layer")
TIMEOUT_SECONDS = 120


class Checker:
    """Runs commands, each in an empty folder of its own, and collects faults."""

    def __init__(self, octopipe, octopipe_opt):
        self._tools = {"octopipe": octopipe, "octopipe-opt": octopipe_opt}
        self._pool = concurrent.futures.ThreadPoolExecutor(os.cpu_count())
        self._runs = []

    def expect(self, codes, tool, *args, files=None, stdin=None):
        """Schedules a run; `files` (name: bytes) lie in its folder."""
        self._runs.append(
            self._pool.submit(self._run, codes, tool, args, files or {}, stdin))

    def fails(self, tool, *args, **kwargs):
        self.expect((1,), tool, *args, **kwargs)

    def survives(self, tool, *args, **kwargs):
        self.expect((0, 1), tool, *args, **kwargs)

    def finish(self):
        faults = [fault for run in self._runs for fault in [run.result()] if fault]
        print(f"{len(self._runs)} runs, {len(faults)} faults")
        for fault in faults[:20]:
            print(fault)
        return 1 if faults or not self._runs else 0

    def _run(self, codes, tool, args, files, stdin):
        with tempfile.TemporaryDirectory() as folder:
            for name, contents in files.items():
                (pathlib.Path(folder) / name).write_bytes(contents)
            try:
                done = subprocess.run(
                    [self._tools[tool], *args], cwd=folder, input=stdin or b"",
                    capture_output=True, timeout=TIMEOUT_SECONDS, check=False)
            except subprocess.TimeoutExpired:
                return f"{tool} {args}: no end after {TIMEOUT_SECONDS} s"
            left = {p.name: p.read_bytes() for p in pathlib.Path(folder).iterdir()}
        problems = []
        if done.returncode not in codes:
            problems.append(f"exit code {done.returncode}, expected {codes}")
        problems += [f"says {word}" for word in CRASH_WORDS if word in done.stderr]
        if done.returncode != 0 and not done.stderr.strip():
            problems.append("fails without a word")
        if done.returncode != 0 and tool == "octopipe" and b"error:" not in done.stderr:
            problems.append("fails without an error")
        if done.returncode != 0 and left != files:
            problems.append(f"leaves {sorted(set(left) ^ set(files)) or 'a changed file'}")
        if not problems:
            return None
        shown = {n: c[:80] for n, c in files.items()}
        return f"{tool} {args} {shown}: {'; '.join(problems)}\n  {done.stderr[-600:]}"


def readers(name):
    """Every command that reads a file `name`, with an output to keep."""
    return (
        ("octopipe", "plan", name, "--devices=2", "--policy=1f1b", "-q", "-o", "out"),
        ("octopipe", "import", "profile", name, "-o", "out"),
        ("octopipe", "simulate", name, "--metrics=out"),
        ("octopipe", "show", name),
        ("octopipe-opt", name, "-o", "out"),
        ("octopipe-opt", name, "--emit=schedule", "-o", "out"),
    )


def sweep_numbers(check, good):
    for flag in NUMBER_FLAGS:
        for value in GARBAGE_NUMBERS:
            check.fails("octopipe", "plan", "good.json", "--devices=2", "-q",
                        "-o", "out", f"{flag}={value}", files=good)
    for value in ("0", "-3", "2049", "1000000000"):
        check.fails("octopipe", "plan", "good.json", f"--devices={value}", "-q",
                    "-o", "out", files=good)
    for value in ("0", "-1", "1000000000", str(2**63 - 1)):
        check.fails("octopipe", "plan", "good.json", "--devices=2", "-q",
                    f"--micro-batches={value}", "-o", "out", files=good)
    for flag in NUMBER_FLAGS:
        check.survives("octopipe", "plan", "good.json", "--policy=1f1b", "-q",
                       "-o", "out", "--stages=2", f"{flag}={2**60}", files=good)
    for value in ("-1", "99", "0,x", "0,1,-1", "0,1,2", "," * 99, "0," * 5000):
        for flag in ("--map", "--boundaries"):
            check.fails("octopipe", "plan", "good.json", "--devices=2",
                        f"{flag}={value}", "-o", "out", files=good)


def sweep_words(check, good):
    for flag in ("--policy", "--objective", "--strategy", "--split-backward",
                 "--cluster"):
        for value in ("", "x", "4x", "x8", "99999999999x8xh100", "0x8xh100",
                      "2x8xh101", "%s%n", "../..", "a" * 5000):
            check.fails("octopipe", "plan", "good.json", f"{flag}={value}", "-q",
                        *(() if flag == "--cluster" else ("--devices=2",)),
                        "-o", "out", files=good)
    for args in ((), ("frob",), ("--frob",), ("plan",), ("plan", "good.json"),
                 ("import",), ("import", "frob"), ("simulate",), ("show",),
                 ("show", "good.json", "--frob"), ("plan", "good.json", "more"),
                 ("policies", "more")):
        check.fails("octopipe", *args, files=good)
    for args in (("--frob",), ("good.json", "more"), ("--emit=frob",),
                 ("--pipeline-plan=frob=1",), ("--pipeline-partition=num-stages=x",)):
        check.fails("octopipe-opt", *args, files=good)


def sweep_paths(check, good):
    for command in readers("absent") + readers(".") + readers("good.json/x"):
        check.fails(*command, files=good)
    for out in ("absent/out", ".", "good.json/out", "/proc/out", "a" * 300):
        check.fails("octopipe", "plan", "good.json", "--devices=2", "-q", "-o",
                    out, files=good)
        check.fails("octopipe", "import", "profile", "good.json", "-o", out,
                    files=good)


def sweep_contents(check, good_files):
    """Nothing, noise, and every good file cut off and damaged."""
    randomness = random.Random(1)
    broken = [b"", b"\n", b"\0", b"\xff" * 64, b"{", b"[" * 20000, b"{\"a\":" * 20000,
              b"(" * 20000, b"pipeline.model", b"ML\xefR", b"-1", b"kinds {" * 5000]
    for size in (1, 7, 64, 1000, 30000):
        broken += [randomness.randbytes(size) for _ in range(3)]
        broken.append(bytes(randomness.choices(b"{}[]()<>:,\"# \n0123abc", k=size)))
        broken.append(b"ML\xefR" + randomness.randbytes(size))
    suffixes = (".mlir", ".json", ".pb", ".textproto")
    for i, contents in enumerate(broken):
        name = "in" + suffixes[i % len(suffixes)]
        for command in readers(name):
            # To MLIR, blank text is an empty module.
            blank = command[0] == "octopipe-opt" and not contents.strip(b" \n\0")
            (check.survives if blank else check.fails)(
                *command, files={name: contents, "out": b"good"})
    for name, contents in good_files.items():
        for damaged in damage(contents, randomness):
            for command in readers(name):
                check.survives(*command, files={name: damaged, "out": b"good"})


def damage(contents, randomness):
    for share in (0, 1, 10, 50, 90, 99):
        yield contents[: len(contents) * share // 100]
    yield contents[:-1]
    for _ in range(8):
        edited = bytearray(contents)
        edited[randomness.randrange(len(edited))] ^= 1 << randomness.randrange(8)
        yield bytes(edited)
    for number in (b"-1", b"9223372036854775807", b"1e308", b"NaN"):
        digits = [i for i in range(1, len(contents)) if contents[i - 1 : i] in b" :="
                  and contents[i : i + 1].isdigit()]
        if not digits:
            continue
        start = end = randomness.choice(digits)
        while contents[end : end + 1].isdigit():
            end += 1
        yield contents[:start] + number + contents[end:]


def sweep_schedules(check, schedule):
    """A schedule has a checksum: no bit and no byte of it may go unnoticed."""
    for length in [*range(0, len(schedule), 97), len(schedule) - 1]:
        check.fails("octopipe", "simulate", "s.pb", files={"s.pb": schedule[:length]})
    for at in range(0, len(schedule), 53):
        edited = bytearray(schedule)
        edited[at] ^= 1 << at % 8
        check.fails("octopipe", "simulate", "s.pb", files={"s.pb": bytes(edited)})
    check.fails("octopipe", "simulate", "s.pb", files={"s.pb": schedule + b"\0"})
    check.fails("octopipe", "simulate", "s.pb", files={"s.pb": schedule * 2})


def sweep_clusters(check, profile, cluster):
    for contents in [b"", b"groups {}", b"format_version: 1",
                     b"format_version: 1 groups { catalogue: 'toaster' }",
                     b"format_version: 1 groups { nodes: -1 }",
                     b"format_version: 1 groups { nodes: 2000000000 }",
                     b"format_version: 1 devices { name: 'a' memory_bytes: -1 }",
                     b"format_version: 1 devices { name: 'a' } devices { name: 'a' }",
                     b"format_version: 1 devices { name: 'a' }"
                     b" links { from: 'a' to: 'b' }",
                     b"format_version: 9 devices { name: 'a' }",
                     b"\0\1\2", b"{}", cluster[: len(cluster) // 2]]:
        check.fails("octopipe", "plan", "p.textproto", "--cluster=c", "-q", "-o",
                    "out", files={"p.textproto": profile, "c": contents})
    for damaged in damage(cluster, random.Random(2)):
        check.survives("octopipe", "plan", "p.textproto", "--cluster=c", "--policy=1f1b",
                       "-q", "-o", "out",
                       files={"p.textproto": profile, "c": damaged})


def main():
    octopipe, octopipe_opt, *inputs = map(os.path.abspath, sys.argv[1:])
    fitted, measured, profile, cluster = (pathlib.Path(p).read_bytes() for p in inputs)
    make = lambda *args: subprocess.run(
        [octopipe, *args], input=profile, capture_output=True, check=True).stdout
    graph = make("import", "profile", "-")
    planned = make("plan", "-", "--devices=2", "--policy=1f1b", "--mlir=-")
    schedule = make("plan", "-", "--devices=2", "--policy=1f1b", "-o", "-")
    text = make("plan", "-", "--devices=2", "--policy=1f1b", "--textproto", "-o", "-")
    bytecode = subprocess.run([octopipe_opt, "--emit-bytecode"], input=planned,
                              capture_output=True, check=True).stdout

    check = Checker(octopipe, octopipe_opt)
    good = {"good.json": fitted, "out": b"good"}
    sweep_numbers(check, good)
    sweep_words(check, good)
    sweep_paths(check, good)
    sweep_contents(check, {
        "fitted.json": fitted, "measured.json": measured, "p.textproto": profile,
        "graph.mlir": graph, "planned.mlir": planned, "planned.mlirbc": bytecode,
        "s.pb": schedule, "s.textproto": text})
    sweep_schedules(check, schedule)
    sweep_clusters(check, profile, cluster)
    check.survives("octopipe", "plan", "-", "--devices=2", stdin=fitted[:999])
    check.fails("octopipe", "plan", "-", "--devices=2", stdin=b"\0")
    return check.finish()


if __name__ == "__main__":
    sys.exit(main())
