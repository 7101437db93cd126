"""Whether plans for each target, on four devices, keep to its placements."""

import json
import sys

DEVICES = 4


def devices_of(target):
    with open(f"{sys.argv[1]}.{target}") as file:
        metrics = json.load(file)
    assert metrics["target"] == target, metrics["target"]
    named = target != "native"
    assert (f"target={target} " in metrics["policy"]) == named, metrics["policy"]
    return [int(stage["device"].removeprefix("gpu")) for stage in metrics["stages"]]


def is_loop(devices):
    return len(devices) % DEVICES == 0 and all(
        device == stage % DEVICES for stage, device in enumerate(devices))


def is_v(devices):
    return devices == [0, 1, 2, 3, 3, 2, 1, 0]


devices_of("native")
assert set(devices_of("torch")) == set(range(DEVICES))
titan = devices_of("torchtitan")
assert is_loop(titan) or is_v(titan), titan
megatron = devices_of("megatron")
assert is_loop(megatron), megatron
assert devices_of("deepspeed") == [0, 1, 2, 3]
