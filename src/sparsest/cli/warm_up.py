"""`sparsest warm-up`: compile now what the first runs would compile."""

from __future__ import annotations

import time

from sparsest._core.writing import header
from sparsest.cli.folder import Force, Targets
from sparsest.cli.terminal import Json, Quiet, tell


def warm_up(quiet: Quiet = False, json: Json = None, force: Force = False) -> None:
    """Compile the searches and keep them, so that later runs start at once.

    Takes about a minute the first time, for example when an image for a cluster is built.

    Example: sparsest warm-up && sparsest fit table.csv
    """
    Targets({"--json": json}, force=force)
    import numpy as np

    from sparsest.fit import fit

    started = time.perf_counter()
    rng = np.random.default_rng(0)
    numbers = rng.normal(size=(60, 6))
    numbers[:, 5] += numbers[:, 0]
    binary = (numbers > 0).astype(float)
    for table, options in (
        (numbers, {}), (numbers, {"solver": "order"}), (numbers, {"solver": "ges"}),
        (binary, {}), (np.column_stack([numbers[:, :3], binary[:, 3:]]), {"solver": "order"}),
    ):  # fmt: skip
        fit(table, **options)  # type: ignore[arg-type]
    seconds = time.perf_counter() - started
    tree = {**header("sparsest-warm-up", 1), "seconds": seconds}
    tell(f"compiled in {seconds:.0f} s", tree, json, quiet=quiet)
