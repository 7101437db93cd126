"""Solves small problems to proven optimality with OR-Tools CP-SAT.

    exact_optimum.py PROBLEMS > OPTIMA             solves
    exact_optimum.py PROBLEMS OPTIMA [SHARD/SHARDS]   checks that none is better

PROBLEMS has the lines of write_small_problems.cc, with a plan of each to solve
them: what is sought is a shorter one, on every layout. OPTIMA has a line for each, of
fields apart by spaces: index, fingerprint of the problem, least makespan in ns of
any partition, placement and order, and a plan that takes it: the first layers of
its stages, their devices, and each device's program, as lists with commas ("-" if
empty).

Written from the model of the work in ARCHITECTURE.md alone; it shares no code
with the compiler.
"""

import json
import sys

from layouts import Problem, layouts
from order_model import solve_order


def _joined(values):
    return ",".join(map(str, values)) or "-"


def least(problem, makespan):
    """The least makespan below `makespan` and the text of its plan; else None."""
    best = None
    for layout in sorted(layouts(problem), key=lambda layout: layout.floor):
        if layout.floor >= makespan:
            break
        found = solve_order(layout, makespan)
        if found is None:
            continue
        makespan, programs = found
        best = makespan, " ".join(map(_joined, [layout.begins, layout.devices] + programs))
    return best


def solve(problems):
    for entry in problems:
        known = entry["makespan_ns"], entry["plan"]
        makespan, plan = least(Problem(entry["problem"]), known[0]) or known
        print(entry["index"], entry["fingerprint"], makespan, plan, flush=True)


def check(problems, optima, shard, shards):
    if len(problems) != len(optima):
        print(f"{len(problems)} problems, but {len(optima)} optima")
        return 1
    wrong = 0
    for entry, line in zip(problems, optima):
        index, fingerprint, makespan, _ = line.split(maxsplit=3)
        if (entry["index"], entry["fingerprint"]) != (int(index), fingerprint):
            print(f"{index}: not the problem that was solved; run tools/dev/update_exact_optima.sh")
            wrong += 1
        elif int(index) % shards == shard:
            better = least(Problem(entry["problem"]), int(makespan))
            if better is not None:
                print(f"{index}: {makespan} is not the least makespan:", *better)
                wrong += 1
    return 1 if wrong else 0


def main(problems, optima=None, shard="0/1"):
    with open(problems, encoding="utf-8") as lines:
        entries = [json.loads(line) for line in lines]
    if optima is None:
        return solve(entries)
    with open(optima, encoding="utf-8") as lines:
        return check(entries, lines.readlines(), *map(int, shard.split("/")))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
