"""The least makespan of a layout over all orders, as a CP-SAT model."""

import collections
import itertools

from ortools.sat.python import cp_model


class _Item:
    """A work item: an interval, and who it is."""

    def __init__(self, kind, stage, micro_batch, start, end, interval):
        self.kind = kind
        self.stage = stage
        self.micro_batch = micro_batch
        self.start = start
        self.end = end
        self.interval = interval


class _Model:
    """Minimises the makespan of `layout` below `limit`.

    Micro-batches are alike, so each task takes them in turn: sorting the starts
    of a task breaks no rule.

    Of a backward that may be split, split is never worse without launch overhead;
    with it, each micro-batch chooses.

    What a device holds follows from the order of its items alone, but the model
    knows it by time. The two agree if no item is empty: where memory counts, time
    is stretched and an empty item gets one tick, all of them together less than
    one tick of before.
    """

    def __init__(self, layout, limit):
        self.layout = layout
        self.stages = layout.stages
        self.micro_batches = layout.problem.micro_batches
        self.model = cp_model.CpModel()
        self.stretch = 1
        if any(free is not None for free in layout.free):
            empty = sum([stage.f, stage.b, stage.w].count(0) for stage in self.stages)
            self.stretch = 1 + empty * self.micro_batches
        self.limit = limit * self.stretch - 1
        self.items = {}
        self.whole = {}
        self._add_items()
        self._add_devices()
        self._add_messages()
        self._add_memory()
        makespan = self.model.new_int_var(0, self.limit, "")
        for item in self.items.values():
            if item.kind != "F":
                self.model.add(makespan >= item.end)
        self.model.minimize(makespan)

    def _duration(self, time):
        return time * self.stretch if time > 0 else (1 if self.stretch > 1 else 0)

    def _start(self, kind, s):
        head = self.layout.head[kind, s] * self.stretch
        return self.model.new_int_var(head, max(head, self.limit), "")

    def _add_items(self):
        model = self.model
        overhead = self.layout.problem.overhead
        for s, stage in enumerate(self.stages):
            for m in range(self.micro_batches):
                start = self._start("F", s)
                end = start + self._duration(stage.f)
                interval = model.new_fixed_size_interval_var(start, self._duration(stage.f), "")
                self.items["F", s, m] = _Item("F", s, m, start, end, interval)

                start = self._start("B", s)
                whole = model.new_bool_var("")
                if not stage.splittable:
                    model.add(whole == 1)
                elif overhead == 0:
                    model.add(whole == 0)
                self.whole[s, m] = whole
                split_time, whole_time = self._duration(stage.b), self._duration(stage.bw)
                end = model.new_int_var(0, self.limit, "")
                size = split_time + (whole_time - split_time) * whole
                interval = model.new_interval_var(start, size, end, "")
                self.items["B", s, m] = _Item("B", s, m, start, end, interval)
                if not stage.splittable:
                    continue
                start = self._start("W", s)
                interval = model.new_optional_fixed_size_interval_var(
                    start, self._duration(stage.w), whole.negated(), "")
                w_end = model.new_int_var(0, self.limit, "")
                # Where there is no W, its end is that of the backward.
                model.add(w_end == start + self._duration(stage.w)).only_enforce_if(whole.negated())
                model.add(w_end == end).only_enforce_if(whole)
                model.add(start >= end).only_enforce_if(whole.negated())
                self.items["W", s, m] = _Item("W", s, m, start, w_end, interval)
        for (kind, s, m), item in self.items.items():
            if kind == "B":
                model.add(item.start >= self.items["F", s, m].end)
            for later in range(m + 1, self.micro_batches):
                constraint = model.add(item.end <= self.items[kind, s, later].start)
                if kind == "W":
                    constraint.only_enforce_if(self.whole[s, m].negated(), self.whole[s, later].negated())

    def _add_devices(self):
        for d in range(len(self.layout.problem.devices)):
            self.model.add_no_overlap([i.interval for i in self.items.values() if self.stages[i.stage].device == d])

    def _add_messages(self):
        channels = collections.defaultdict(list)
        for kind, messages in (("F", self.layout.activations), ("B", self.layout.gradients)):
            for message in messages:
                if message.channel is None:
                    for m in range(self.micro_batches):
                        self.model.add(
                            self.items[kind, message.target, m].start >= self.items[kind, message.source, m].end)
                else:
                    channels[message.channel].append((kind, message))
        for messages in channels.values():
            self._add_channel(messages)

    def _add_channel(self, messages):
        """First in first out, in the order of the producers on their device."""
        model = self.model
        sent = []
        for number, (kind, message) in enumerate(messages):
            for m in range(self.micro_batches):
                producer = self.items[kind, message.source, m]
                consumer = self.items[kind, message.target, m]
                start = model.new_int_var(0, self.limit, "")
                end = start + message.transfer * self.stretch
                model.add(start >= producer.end)
                model.add(consumer.start >= end + message.latency * self.stretch)
                sent.append((number, producer, start, end))
        if len(messages) > 1:
            model.add_no_overlap([
                model.new_fixed_size_interval_var(start, messages[number][1].transfer * self.stretch, "")
                for number, _, start, _ in sent])
        orders = {}
        for first, second in itertools.combinations(sent, 2):
            number_a, a, start_a, end_a = first
            number_b, b, start_b, end_b = second
            if a is b or number_a == number_b:
                model.add(end_a <= start_b)
                continue
            if (a.kind, a.stage) == (b.kind, b.stage):
                if a.micro_batch < b.micro_batch:
                    model.add(end_a <= start_b)
                else:
                    model.add(end_b <= start_a)
                continue
            key = (id(a), id(b))
            if key not in orders:
                orders[key] = model.new_bool_var("")
                model.add(a.end <= b.start).only_enforce_if(orders[key])
                model.add(b.end <= a.start).only_enforce_if(orders[key].negated())
            model.add(end_a <= start_b).only_enforce_if(orders[key])
            model.add(end_b <= start_a).only_enforce_if(orders[key].negated())

    def _add_memory(self):
        model = self.model
        for d, free in enumerate(self.layout.free):
            if free is None:
                continue
            intervals, demands = [], []

            def hold(start, end, demand):
                size = model.new_int_var(0, self.limit, "")
                intervals.append(model.new_interval_var(start, size, end, ""))
                demands.append(demand)

            for (kind, s, m), item in self.items.items():
                stage = self.stages[s]
                if stage.device != d:
                    continue
                workspace = stage.f_workspace if kind == "F" else stage.b_workspace
                intervals.append(item.interval)
                demands.append(workspace)
                if kind == "F":
                    backward = self.items["B", s, m]
                    hold(item.start, backward.end, stage.saved_b)
                    hold(item.start, self.items.get(("W", s, m), backward).end, stage.saved_w)
            model.add_cumulative(intervals, demands, free)


    def programs(self, solver):
        """The items of each device in their order, as WorkItem texts."""
        programs = [[] for _ in self.layout.problem.devices]
        for (kind, s, m), item in self.items.items():
            whole = kind != "F" and solver.boolean_value(self.whole[s, m])
            if kind == "W" and whole:
                continue
            # Empty items go before what starts with them, in the data flow's order.
            flow = ("FBW".index(kind), s if kind == "F" else -s, m)
            text = f"{'BW' if whole else kind}{s}.{m}"
            key = (solver.value(item.start), solver.value(item.end), flow)
            programs[self.stages[s].device].append((key, text))
        return [[text for _, text in sorted(program)] for program in programs]


def solve_order(layout, limit):
    """The least makespan and its programs, if it is below `limit`; else None."""
    model = _Model(layout, limit)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = 1
    status = solver.solve(model.model)
    if status == cp_model.INFEASIBLE:
        return None
    assert status == cp_model.OPTIMAL, solver.status_name(status)
    return round(solver.objective_value) // model.stretch, model.programs(solver)
