"""Designs × seeds × methods: one task is one method on one simulated table."""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from sparsest.bench.designs import Design, simulate
from sparsest.bench.experiment import Experiment
from sparsest.bench.judge import NoGraphError, judge
from sparsest.bench.methods import Home, Method, known_methods
from sparsest.bench.process import FailedError, peer_process
from sparsest.bench.tasks import Outcome, Task


def methods_of(experiment: Experiment) -> list[Method]:
    """The methods that an experiment asks for."""
    return [known_methods()[name] for name in experiment.settings["methods"]]


def plan(experiment: Experiment, homes: Mapping[str, Home]) -> list[Task]:
    """Every task, small tables first, and then peer by peer so that their processes stay warm."""
    settings = experiment.settings
    seeds = range(settings["first_seed"], settings["first_seed"] + settings["seeds"])
    tasks = []
    for design in designs(settings):
        for method in methods_of(experiment):
            if design.p > settings["largest"].get(method.name, design.p):
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
                "missing": home.missing,
                "time_limit": settings["time_limit"],
            }
            tasks += [Task("grid", spec | {"seed": seed}, call, implied) for seed in seeds]
    order = {method.name: number for number, method in enumerate(methods_of(experiment))}
    peers = {method.name: method.peer for method in methods_of(experiment)}
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
    keys = ("graphs", "p", "n", "model", "noise", "hidden", "r2sortability", "data", "weights")
    for values in itertools.product(*(settings[key] for key in keys)):
        yield Design(*values)


def run(task: Task) -> Outcome:
    """Simulate, ask, judge."""
    if task.call["missing"]:
        return Outcome("missing", error=task.call["missing"])
    spec, call = task.spec, task.call
    design = Design(**{key: spec[key] for key in Design.__dataclass_fields__ if key in spec})
    dataset = simulate(design, spec["seed"])
    about = {"varsortability": dataset.varsortability, "r2": dataset.r2sortability}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "table.npz"
        arrays = {"X": dataset.X} | ({} if dataset.covariance is None else {"covariance": dataset.covariance})
        np.savez(file, **arrays)  # type: ignore[arg-type]
        request = {"arrays": str(file), "method": spec["method"]}
        try:
            process = peer_process(call["python"], call["file"])
            reply = process.ask(request, (spec["method"], design.p), call["time_limit"])
            metrics = judge(dataset, reply["kind"], reply["answer"], gaussian=design.model == "linear")
        except FailedError as failure:
            return Outcome("timeout" if failure.timeout else "failed", about, str(failure))
        except NoGraphError as failure:
            return Outcome("failed", about, str(failure))
    times = {key: reply[key] for key in ("seconds", "cpu_seconds", "memory_mb")}
    return Outcome("done", about | metrics | times)
