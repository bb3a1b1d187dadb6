"""Designs × seeds × methods: one task is one method on one simulated table."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from sparsest.simulate.designs import Design, simulate
from sparsest.simulate.factors import FACTORS
from sparsest_bench.contenders import Contender, known_contenders, unchanged
from sparsest_bench.experiment import Experiment
from sparsest_bench.judge import NoGraphError, judge
from sparsest_bench.networks import COLUMNS, SACHS_ROWS, network, source
from sparsest_bench.peer_homes import Home
from sparsest_bench.process import FailedError, ask
from sparsest_bench.tasks import Outcome, Task


def needed(experiment: Experiment) -> list[Contender]:
    """Everything that may have to be installed: peers, and packages that ship networks."""
    networks = [source(graph) for graph in experiment.settings["graphs"] if graph in COLUMNS]
    return [*methods_of(experiment), *networks]


def methods_of(experiment: Experiment) -> list[Contender]:
    """The methods that an experiment asks for."""
    known = known_contenders(experiment.settings["peers"])
    return [known[name] for name in experiment.settings["methods"]]


def plan(experiment: Experiment, homes: Mapping[str, Home]) -> list[Task]:
    """Every task, small tables first, and then peer by peer so that their processes stay warm."""
    settings, methods = experiment.settings, methods_of(experiment)
    first = settings["first_seed"]
    tasks = []
    for design in designs(settings):
        for method in methods:
            if design.p > settings["largest"].get(method.name, design.p):
                continue
            if design.data != settings["only"].get(method.name, design.data):
                continue
            home = homes[method.peer]
            told, implied = design.split()
            spec = told | {
                "method": method.name,
                "options": method.options,
                "version": home.version,
            }
            call = {
                "python": home.python,
                "file": method.file,
                "digest": method.digest,
                "missing": home.missing,
                "time_limit": settings["time_limit"],
            }
            if design.graph in COLUMNS:
                shipped = homes[source(design.graph).peer]
                spec["network"] = shipped.version
                call["network"] = shipped.python
                if shipped.missing:
                    call["missing"] = f"the network {design.graph} is {shipped.missing}"
            count = min(settings["seeds"], settings["fewer"].get(method.name, settings["seeds"]))
            seeds = range(first, first + count)
            tasks += [Task("grid", spec | {"seed": seed}, call, implied) for seed in seeds]
    order = {method.name: number for number, method in enumerate(methods)}
    peers = {method.name: method.peer for method in methods}
    return sorted(
        tasks,
        key=lambda task: (
            task.spec["p"],
            task.spec["n"],
            peers[task.spec["method"]],
            order[task.spec["method"]],
        ),
    )


def designs(settings: Mapping[str, Any]) -> Iterator[Design]:
    """The product of the lists of an experiment."""
    found = (Design(*values) for values in itertools.product(*(settings[key] for key in FACTORS)))
    yield from dict.fromkeys(_with_own_size(design) for design in found)


def _with_own_size(design: Design) -> Design:
    """The design with the network's own number of columns, and of rows if they are measured."""
    if design.graph not in COLUMNS:
        return design
    return replace(design, p=COLUMNS[design.graph], n=SACHS_ROWS if design.graph == "sachs" else design.n)


def run(task: Task) -> Outcome:
    """Simulate a table, ask the method, judge its answer."""
    if task.call["missing"]:
        return Outcome("missing", error=task.call["missing"])
    spec, call = task.spec, task.call
    if not unchanged(call["file"], call["digest"]):
        return Outcome("failed", error=f"{call['file']!r} was changed during the run: start it again")
    design = Design(**{key: spec[key] for key in Design.__dataclass_fields__ if key in spec})
    draw = network(design.graph, call["network"]).draw if design.graph in COLUMNS else None
    dataset = simulate(design, spec["seed"], draw)
    about = {
        "varsortability": dataset.varsortability,
        "r2": dataset.r2sortability,
        "true_edges": int(dataset.dag.sum()),
    }
    try:
        reply = ask(call["python"], call["file"], spec["method"], dataset.arrays, call["time_limit"])
        metrics = judge(dataset, reply["kind"], reply["answer"], gaussian=design.model == "linear")
    except FailedError as failure:
        return Outcome("timeout" if failure.timeout else "failed", about, str(failure))
    except NoGraphError as failure:
        return Outcome("failed", about, str(failure))
    times = {key: reply[key] for key in ("seconds", "cpu_seconds", "memory_mb")}
    return Outcome("done", about | metrics | times)
