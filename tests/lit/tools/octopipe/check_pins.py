"""Whether a plan has the stages and devices that plan_pins.test asks for."""

import json
import sys

with open(sys.argv[1]) as file:
    stages = json.load(file)["stages"]
first = 0
ranges = {}
device = {}
for stage in stages:
    last = first + len(stage["layers"]) - 1
    ranges[(first, last)] = stage["device"]
    for layer in range(first, last + 1):
        device[layer] = stage["device"]
    first = last + 1
assert first == 34, first
assert (0, 2) in ranges, ranges
assert (20, 25) in ranges, ranges
assert device[33] == "gpu0", device
assert [device[layer] for layer in (3, 4, 5)] == ["gpu2"] * 3, device
