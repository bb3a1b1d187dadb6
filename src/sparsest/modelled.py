"""A table under a model object: networks, or a likelihood of the user's own (Section 5)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsest._core.errors import DataError, OptionError
from sparsest.data import Table
from sparsest.models import MLP, Model, Regressions
from sparsest.scores.autodiff import GeneralScore
from sparsest.scores.network import NetworkScore

Array = NDArray[np.float64]

_STREAM = 0x90DE1  # keeps our random numbers apart from those of others with the same seed


@dataclass(frozen=True, eq=False)
class ModelRows:
    """Rows, and the model whose likelihood they have; `values` as the model sees them."""

    model: Model
    name: str
    names: tuple[str, ...]
    values: Array
    centres: Array  # what was subtracted from the user's columns
    scales: Array  # and what they were divided by

    @property
    def n(self) -> float:
        """The number of rows."""
        return len(self.values)

    @property
    def p(self) -> int:
        """The number of columns."""
        return len(self.names)

    @property
    def standardized(self) -> bool:
        """Whether the model sees columns of unit variance."""
        return bool(getattr(self.model, "standardizes", False))

    def score(self, seed: int) -> GeneralScore:
        """The likelihood, differentiated by JAX."""
        own = getattr(self.model, "seed", None)
        rng = np.random.default_rng([seed if own is None else own, _STREAM])
        return GeneralScore(self.model, self.values, rng)

    def local_score(self, seed: int) -> NetworkScore | None:
        """Fits of single columns, for networks; None for other models, whose likelihood need not be a sum."""
        if not isinstance(self.model, MLP):
            return None
        own = seed if self.model.seed is None else self.model.seed
        return NetworkScore(self.values, self.model.hidden, self.model.weight_decay, int(own))

    @property
    def has_units(self) -> NDArray[np.bool_]:
        """(p,): which columns may come in other units."""
        return np.full(self.p, self.standardized)

    def rearranged(self, order: NDArray[np.intp], units: Array) -> ModelRows:
        """The table with its columns in other places and units: the k-th is `order[k]` times `units[k]`."""
        raw = (self.values * self.scales + self.centres)[:, order] * units
        centres, scales = raw.mean(axis=0), raw.std(axis=0)
        names = tuple(self.names[k] for k in order)
        return replace(self, names=names, values=(raw - centres) / scales, centres=centres, scales=scales)


def is_model(model: Any) -> bool:
    """Whether this asks for a likelihood as an object: "mlp", or an object itself."""
    return not isinstance(model, (str, Regressions)) or model == "mlp"


def model_rows(model: Any, table: Table) -> ModelRows:
    """The rows of a table under a model object, or "mlp" for networks at their default size."""
    chosen = MLP() if isinstance(model, str) else model
    name = "mlp" if isinstance(chosen, MLP) else type(chosen).__name__
    if isinstance(chosen, type):
        raise OptionError(
            f"model must be an object, not the class {chosen.__name__}: write {chosen.__name__}(...)"
        )
    if table.weights is not None:
        raise OptionError(f"model {name!r} counts every row once: leave weights out")
    if np.isnan(table.values).any():
        raise OptionError(f"model {name!r} needs every value: pass missing='drop'")
    values, scales = table.values, np.ones(len(table.names))
    centres = np.zeros(len(table.names))
    if len(values) < 2:
        raise DataError(f"model {name!r} needs at least 2 rows, and the table has {len(values)}")
    if hasattr(chosen, "for_table"):
        chosen = chosen.for_table(*values.shape)
    if missing := [
        part for part in ("init", "nll", "adjacency") if not callable(getattr(chosen, part, None))
    ]:
        raise OptionError(
            f"model {name} has no {missing[0]}(): a model is an object with init(rng), nll(params, data) and "
            "adjacency(params)"
        )
    if getattr(chosen, "standardizes", False):
        centres, scales = values.mean(axis=0), values.std(axis=0)
        if not (scales > 0).all():
            constant = table.names[int(np.argmin(scales))]
            raise DataError(f"column {constant!r} is constant: leave it out with drop_constant=True")
        values = (values - centres) / scales
    return ModelRows(chosen, name, table.names, values, centres, scales)
