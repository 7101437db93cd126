"""Problems, and all ways to cut them into stages on devices that matter."""

import itertools


def _quantity(message, name):
    """An int64 field of a message in JSON; zero is left out there."""
    return int(message.get(name, 0))


def _times(message):
    return tuple(_quantity(message, name) for name in ("fNs", "bNs", "wNs"))


def _ceil_div(value, divisor):
    return -(-value // divisor)


class Layer:
    def __init__(self, message, index):
        cost = message["ownCost"]
        memory = cost.get("memory", {})
        self.times = _times(cost.get("times", {}))
        self.times_on = {on["deviceKind"]: _times(on.get("times", {})) for on in cost.get("timesOn", [])}
        self.static = sum(_quantity(memory, name) for name in ("paramBytes", "gradBytes", "optimizerBytes"))
        self.saved_b = _quantity(memory, "savedBBytes")
        self.saved_w = _quantity(memory, "savedWBytes")
        self.f_workspace = _quantity(memory, "fWorkspaceBytes")
        self.b_workspace = _quantity(memory, "bWorkspaceBytes")
        self.splittable = not cost.get("unsplittable", False)
        if "inputs" in message:
            self.inputs = message["inputs"].get("layers", [])
        else:
            self.inputs = [index - 1] if index > 0 else []
        self.output = _quantity(message, "outputBytes")
        self.output_grad = _quantity(message, "outputGradBytes") if "outputGradBytes" in message else self.output
        self.needs_grad = not message.get("noGradient", False)
        self.shares = message.get("shares", "")

    def times_of(self, device):
        if device.kind in self.times_on:
            return self.times_on[device.kind]
        return tuple(_ceil_div(time * 1000, device.speed) for time in self.times)


class Device:
    def __init__(self, message):
        self.kind = message.get("kind", "")
        self.memory = _quantity(message, "memoryBytes")
        self.speed = int(message.get("speedPermille", 1000))


class Problem:
    """A message Problem of proto/schedule.proto, as JSON."""

    def __init__(self, message):
        self.layers = [Layer(layer, l) for l, layer in enumerate(message["profile"]["layers"])]
        cluster = message["cluster"]
        self.devices = [Device(device) for device in cluster["devices"]]
        self.micro_batches = int(message["microBatches"])
        self.overhead = _quantity(cluster, "launchOverheadNs")
        # (from, to): latency, bytes a microsecond.
        self.links = {}
        table = cluster.get("linkTable", {})
        for source, target, kind in zip(table.get("from", []), table.get("to", []), table.get("classOf", [])):
            link = table["classes"][kind]
            self.links[source, target] = (_quantity(link, "latencyNs"), _quantity(link, "bytesPerUs"))

    def is_chain(self):
        return all(
            layer.inputs == ([l - 1] if l > 0 else []) and layer.needs_grad for l, layer in enumerate(self.layers)
        )

    def symmetries(self):
        """The permutations of devices that change nothing."""
        def same(permutation):
            return all(
                vars(device) == vars(self.devices[permutation[d]]) for d, device in enumerate(self.devices)
            ) and all(
                self.links.get((permutation[a], permutation[b])) == self.links.get((a, b))
                for a, b in itertools.permutations(range(len(self.devices)), 2)
            )

        return [p for p in itertools.permutations(range(len(self.devices))) if same(p)]


class Stage:
    """What a run of layers costs on its device; see LayerMemory for bytes."""

    def __init__(self, problem, begin, end, device):
        layers = problem.layers[begin:end]
        self.device = device
        f, b, w = (sum(times) for times in zip(*(layer.times_of(problem.devices[device]) for layer in layers)))
        self.f = f + problem.overhead
        self.b = b + problem.overhead
        self.w = w + problem.overhead
        self.bw = b + w + problem.overhead
        self.saved_b = sum(layer.saved_b for layer in layers)
        self.saved_w = sum(layer.saved_w for layer in layers)
        self.f_workspace = max(layer.f_workspace for layer in layers)
        self.b_workspace = max(layer.b_workspace for layer in layers)
        self.splittable = all(layer.splittable for layer in layers)


class Message:
    """What stage `source` sends to stage `target` when its F (or B) ends."""

    def __init__(self, source, target):
        self.source = source
        self.target = target
        self.bytes = 0
        self.channel = None
        self.transfer = 0
        self.latency = 0

    def route(self, links, stages):
        channel = (stages[self.source].device, stages[self.target].device)
        if channel[0] == channel[1] or channel not in links:
            return
        self.channel = channel
        self.latency, bandwidth = links[channel]
        if bandwidth > 0:
            self.transfer = _ceil_div(self.bytes * 1000, bandwidth)

    def least_delay(self):
        return self.transfer + self.latency


class Layout:
    """A partition with a placement: begins of stages, and their devices."""

    def __init__(self, problem, begins, devices):
        self.problem = problem
        self.begins = begins
        self.devices = devices
        ends = begins[1:] + [len(problem.layers)]
        self.stages = [Stage(problem, *run) for run in zip(begins, ends, devices)]
        stage_of = [s for s, (begin, end) in enumerate(zip(begins, ends)) for _ in range(begin, end)]
        self.activations, self.gradients = self._messages(stage_of)
        self.free = self._free_memory(stage_of)
        self._find_heads_and_tails()
        self.floor = self._floor()

    def _messages(self, stage_of):
        forward, backward, sent = {}, {}, set()
        for l, layer in enumerate(self.problem.layers):
            for source in layer.inputs:
                pair = (stage_of[source], stage_of[l])
                if pair[0] == pair[1] or (source, pair[1]) in sent:
                    continue
                # A tensor goes to a stage once, however many layers read it.
                sent.add((source, pair[1]))
                producer = self.problem.layers[source]
                forward.setdefault(pair, Message(*pair)).bytes += producer.output
                if producer.needs_grad:
                    backward.setdefault(pair, Message(*reversed(pair))).bytes += producer.output_grad
        for message in itertools.chain(forward.values(), backward.values()):
            message.route(self.problem.links, self.stages)
        # One producer sends to its lowest partner first.
        return tuple([messages[pair] for pair in sorted(messages)] for messages in (forward, backward))

    def _free_memory(self, stage_of):
        """Bytes for activations and workspaces of each device; None: no limit."""
        static = [{} for _ in self.problem.devices]
        for l, layer in enumerate(self.problem.layers):
            static[self.devices[stage_of[l]]][layer.shares or l] = layer.static
        return [
            device.memory - sum(held.values()) if device.memory else None
            for device, held in zip(self.problem.devices, static)
        ]

    def _find_heads_and_tails(self):
        """Of each task, the least time before its start and from it to the end."""
        count = len(self.stages)
        self.head = {}
        for s, stage in enumerate(self.stages):
            self.head["F", s] = max(
                (self.head["F", m.source] + self.stages[m.source].f + m.least_delay()
                 for m in self.activations if m.target == s), default=0)
        for s in reversed(range(count)):
            stage = self.stages[s]
            self.head["B", s] = max(
                [self.head["F", s] + stage.f]
                + [self.head["B", m.source] + min(self.stages[m.source].b, self.stages[m.source].bw) + m.least_delay()
                   for m in self.gradients if m.target == s])
            self.head["W", s] = self.head["B", s] + stage.b
        self.tail = {}
        for s, stage in enumerate(self.stages):
            self.tail["W", s] = stage.w
            behind = max(
                (m.least_delay() + self.tail["B", m.target] for m in self.gradients if m.source == s), default=0)
            split = stage.b + max(behind, stage.w)
            whole = stage.bw + behind
            if not stage.splittable:
                self.tail["B", s] = whole
            else:
                self.tail["B", s] = min(split, whole)
        for s in reversed(range(count)):
            behind = max(
                [self.tail["B", s]]
                + [m.least_delay() + self.tail["F", m.target] for m in self.activations if m.source == s])
            self.tail["F", s] = self.stages[s].f + behind

    def _floor(self):
        """A makespan that no order is below."""
        floor = max(self.head[task] + self.tail[task] for task in self.tail if task[0] == "F")
        for d in set(self.devices):
            mine = [s for s, stage in enumerate(self.stages) if stage.device == d]
            work = self.problem.micro_batches * sum(self.stages[s].f + self.stages[s].bw for s in mine)
            head = min(self.head["F", s] for s in mine)
            floor = max(floor, head + work)
        return floor


def layouts(problem):
    """All layouts, or, of those that are no better than others, the others.

    Without launch overhead a stage of several layers gains nothing over a stage
    for each of them: each item can run as its layers' items, one after the other,
    which hold no more memory and hand on their tensors no later. In a chain they
    send the same messages; in other graphs only free ones are no more.
    """
    count = len(problem.layers)
    finest = problem.overhead == 0 and (problem.is_chain() or not problem.links)
    symmetries = problem.symmetries()
    for placement in itertools.product(range(len(problem.devices)), repeat=count):
        if any(tuple(p[d] for d in placement) < placement for p in symmetries):
            continue
        choices = [
            (True,) if finest or placement[l - 1] != placement[l] else (True, False) for l in range(1, count)
        ]
        for cuts in itertools.product(*choices):
            begins = [0] + [l for l, cut in enumerate(cuts, 1) if cut]
            layout = Layout(problem, begins, [placement[begin] for begin in begins])
            if all(free is None or free >= 0 for free in layout.free):
                yield layout
