"""Fits the maps anew: `python -m sparsest_bench.calibration FILE` (about ten minutes of CPU time)."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path

from sparsest._core.errors import DataError
from sparsest_bench.calibration.collecting import RESAMPLES, Example, drawn, example
from sparsest_bench.calibration.fitted_families import FITTED
from sparsest_bench.calibration.fitting import RIDGE, WELL, fitted_maps

SEEDS = range(30)
_TABLES = {True: 3, False: 1}  # per seed of a family: the well-specified ones are fewer
_STREAM = 10  # streams from here on are the fit's


def examples() -> Iterator[Example]:
    """The tables of all families; those with a column that does not vary are left out."""
    for seed in SEEDS:
        for number, family in enumerate(FITTED):
            for stream in range(_STREAM, _STREAM + _TABLES[family.well]):
                try:
                    yield example(family, drawn(family, number, seed, stream))
                except DataError as error:
                    print(f"{family.name}, seed {seed}: {error}", file=sys.stderr)  # noqa: T201


def write(found: list[Example], path: Path) -> None:
    """Write the coefficients with what they rest on."""
    about = {"tables": len(found), "resamples": RESAMPLES, "ridge": RIDGE, "weight of linear": WELL}
    content = {"fitted on": about} | fitted_maps(found)
    path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def main() -> None:
    """Fit and write."""
    parser = argparse.ArgumentParser(prog="python -m sparsest_bench.calibration", description=__doc__)
    parser.add_argument("file", type=Path, help="where to write the coefficients")
    write(list(examples()), parser.parse_args().file)


if __name__ == "__main__":
    main()
