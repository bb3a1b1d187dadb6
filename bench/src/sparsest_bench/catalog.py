"""The experiments that ship with the project, by the names that `sparsest reproduce` takes."""

from __future__ import annotations

import re
from difflib import get_close_matches
from importlib import resources

from sparsest._core.errors import OptionError
from sparsest_bench.experiment import Experiment, parse_experiment


def names() -> list[str]:
    """Names of all experiments: those of the paper first, then those beyond it."""
    files = (file.name for file in resources.files("sparsest_bench.experiments").iterdir())
    found = [name.removesuffix(".toml") for name in files if name.endswith(".toml")]
    return sorted(found, key=lambda name: (name.startswith("beyond-"), _natural(name)))


def _natural(name: str) -> list[str]:
    """Numbers in a name sort as numbers: 50 columns before 100."""
    return [part.zfill(9) if part.isdigit() else part for part in re.split(r"(\d+)", name)]


def load(name: str, scale: str) -> Experiment:
    """A shipped experiment at a scale."""
    if name not in names():
        near = get_close_matches(name, names(), 1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise OptionError(f"there is no experiment {name!r}{hint} (there are {', '.join(names())})")
    file = resources.files("sparsest_bench.experiments") / f"{name}.toml"
    return parse_experiment(file.read_text(encoding="utf-8"), f"{name}.toml", name, scale)
