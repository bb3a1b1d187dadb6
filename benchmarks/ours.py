"""Our own methods, run as the peers are: in a process of their own, by the Python that runs the benchmark."""

from __future__ import annotations

from typing import Any

from benchmarks.worker import serve

REQUIREMENTS = None  # the current Python has what we need
METHODS: dict[str, dict[str, Any]] = {
    "auto": {},
    "exact": {"solver": "exact"},
    "order": {"solver": "order"},
    "logll-dagma": {"solver": "logll-dagma"},
    "logll-dagma@0.3": {"solver": "logll-dagma", "threshold": 0.3},  # as published
}


def fit(X: Any, **options: Any) -> tuple[str, Any]:
    """sp.fit with the options of a method; all else as it comes."""
    import sparsest as sp

    return "dag", sp.fit(X, **options).dag.to_numpy()


if __name__ == "__main__":
    serve(fit, METHODS)
