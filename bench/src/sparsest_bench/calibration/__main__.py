"""Fits the maps anew: `python -m sparsest_bench.calibration FILE` (about an hour of CPU time)."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path

from sparsest._core.errors import DataError
from sparsest_bench.calibration.collecting import RESAMPLES, Example, drawn, example
from sparsest_bench.calibration.designs import FITTED
from sparsest_bench.calibration.fitting import RIDGE, fitted_maps

SEEDS = (*range(76), *range(1000, 1051))


def examples(seeds: tuple[int, ...]) -> Iterator[Example]:
    """One table of each family for each seed; those with a column that does not vary are left out."""
    for seed in seeds:
        for number, family in enumerate(FITTED):
            try:
                yield example(family, drawn(family, number, seed, 0))
            except DataError as error:
                print(f"{family.name}, seed {seed}: {error}", file=sys.stderr)  # noqa: T201


def write(found: list[Example], path: Path) -> None:
    """Write the coefficients with what they rest on."""
    about = {"tables": len(found), "resamples": RESAMPLES, "ridge": RIDGE}
    path.write_text(json.dumps({"fitted on": about} | fitted_maps(found), indent=1) + "\n", encoding="utf-8")


def main() -> None:
    """Fit and write."""
    parser = argparse.ArgumentParser(prog="python -m sparsest_bench.calibration", description=__doc__)
    parser.add_argument("file", type=Path, help="where to write the coefficients")
    write(list(examples(SEEDS)), parser.parse_args().file)


if __name__ == "__main__":
    main()
