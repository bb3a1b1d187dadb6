"""A fitted model of a DAG: predictions, likelihoods of new rows, and samples."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsest._core.errors import OptionError
from sparsest.data.columns.transforms import Transform, scale_words, transform_from
from sparsest.graph import topological_order
from sparsest.scores.bases import Basis, Linear
from sparsest.scores.families import FAMILIES, Column, Family, centre_and_scale

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Node:
    """One node: the linear predictors are `intercepts + features of the parents @ coefficients`.

    Those of a Gaussian node are in units of its standard deviation. `variance` is the noise variance in the
    user's units; for other likelihoods it is the average conditional variance.
    """

    parents: tuple[int, ...]
    intercepts: Array
    coefficients: Array
    variance: float


@dataclass(frozen=True, eq=False)
class Fitted:
    """A model with its parameters, one `Node` per column; `levels` are the words that codes stand for.

    `transforms` are the scales of its columns where these are not the user's; empty if all are.
    """

    columns: tuple[Column, ...]
    nodes: tuple[Node, ...]
    levels: tuple[tuple[str, ...] | None, ...]
    transforms: tuple[Transform | None, ...] = field(default=(), kw_only=True)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns' names."""
        return tuple(column.name for column in self.columns)

    def forward(self, values: Array) -> Array:
        """Rows on the scales of the model, from the user's."""
        found = values.copy() if self.transforms else values
        for j, each in enumerate(self.transforms):
            if each is not None:
                found[:, j] = each.forward(values[:, j])
        return found

    def backward(self, values: Array) -> Array:
        """Rows on the user's scales."""
        found = values.copy() if self.transforms else values
        for j, each in enumerate(self.transforms):
            if each is not None:
                found[:, j] = each.backward(values[:, j])
        return found

    def scale(self, j: int) -> str:
        """The name of a column, or words for the scale it is on, such as log(x)."""
        return scale_words(self.transforms, self.names, j)

    @property
    def weights(self) -> Array:
        """(p, p): the coefficient of i in the linear predictor of j, in the user's units.

        If an edge has several parameters (splines, categories), it is the standard deviation of the
        contribution of i to the predictor of j, without a sign.
        """
        weights = self.effects * [self.unit(j) for j in range(len(self.nodes))]
        for j, node in enumerate(self.nodes):
            for parent, part in self.parts(node):
                basis = self.columns[parent].basis
                if isinstance(basis, Linear) and part.shape[1] == 1:
                    weights[parent, j] /= basis.scale
        return weights

    @property
    def effects(self) -> Array:
        """(p, p): comparable weights, the change in the predictor of j per standard deviation of i.

        Gaussian predictors are in standard deviations of j, the others are log-odds and log-rates.
        """
        effects, signed = np.zeros((len(self.nodes), len(self.nodes))), self.signed
        for j, node in enumerate(self.nodes):
            for parent, part in self.parts(node):
                spread = self.columns[parent].basis.spread(part)
                effects[parent, j] = part[0, 0] if signed[parent, j] else math.sqrt(spread)
        return effects

    def contrasts(self, i: int, j: int) -> str:
        """What the weight of an edge i → j is about where one of its ends has levels; "" for numbers."""
        from sparsest.fitted.level_contrasts import contrasts

        return contrasts(self, i, j)

    @property
    def signed(self) -> NDArray[np.bool_]:
        """(p, p): whether the weight of i in j has a sign: one parameter, of a number or two values."""
        signed = np.zeros((len(self.nodes), len(self.nodes)), dtype=bool)
        for j, node in enumerate(self.nodes):
            for parent, part in self.parts(node):
                signed[parent, j] = isinstance(self.columns[parent].basis, Linear) and part.shape[1] == 1
        return signed

    @property
    def noise_variances(self) -> Array:
        """(p,): the average variance that the parents leave unexplained."""
        return np.array([node.variance for node in self.nodes])

    def means(self, values: Array) -> list[Array]:
        """The conditional mean of each column given its parents; for categories (n, levels) probabilities."""
        return [self.mean(j, values) for j in range(len(self.nodes))]

    def mean(self, j: int, values: Array) -> Array:
        """The conditional mean of column j given its parents."""
        return self.columns[j].family.mean(self._predictors(j, values), self.columns[j].basis)

    def log_likelihood(self, values: Array) -> Array:
        """The log-likelihood of each row."""
        total: Array = np.sum([self._log_likelihood(j, values) for j in range(len(self.nodes))], axis=0)
        return total

    def sample(self, n: int, rng: np.random.Generator, do: Mapping[int, float] | None = None) -> Array:
        """Random rows from the model, with the columns in `do` fixed regardless of their parents."""
        held = do or {}
        dag = np.zeros((len(self.nodes), len(self.nodes)), dtype=bool)
        for j, node in enumerate(self.nodes):
            dag[list(node.parents), j] = True
        values = np.zeros((n, len(self.nodes)))
        for j in topological_order(dag):
            values[:, j] = held[j] if j in held else self._drawn(j, values, rng)
        return values

    def state(self) -> dict[str, Any]:
        """The model as plain numbers, strings and lists that can be written as JSON."""
        scales = [None if each is None else each.state() for each in self.transforms]
        return {
            "columns": [
                {"name": c.name, "family": c.family.name, "levels": c.levels, "basis": c.basis.state()}
                for c in self.columns
            ],
            "nodes": [
                {
                    "parents": list(node.parents),
                    "intercepts": node.intercepts.tolist(),
                    "coefficients": node.coefficients.tolist(),
                    "variance": node.variance,
                }
                for node in self.nodes
            ],
            "levels": [None if words is None else list(words) for words in self.levels],
            **({"transforms": scales} if any(scales) else {}),
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Fitted:
        """The model from its `state()`."""
        columns = []
        for each in state["columns"]:
            family = FAMILIES[each["family"]]
            columns.append(
                Column(each["name"], family, cls.basis_from(family, each["basis"]), each["levels"])
            )
        nodes = []
        for node in state["nodes"]:
            intercepts = np.array(node["intercepts"], dtype=float)
            coefficients = np.array(node["coefficients"], dtype=float).reshape(-1, len(intercepts))
            nodes.append(Node(tuple(node["parents"]), intercepts, coefficients, node["variance"]))
        levels = tuple(None if words is None else tuple(words) for words in state["levels"])
        transforms = tuple(transform_from(each) for each in state.get("transforms", ()))
        return cls(tuple(columns), tuple(nodes), levels, transforms=transforms)

    @classmethod
    def basis_from(cls, family: Family, state: Mapping[str, Any]) -> Basis:
        """The features that `state` was taken from."""
        return next(basis for basis in family.bases if basis.kind == state["kind"]).from_state(state)

    def unit(self, j: int) -> float:
        """The standard deviation of a Gaussian column, 1 for others."""
        column = self.columns[j]
        return centre_and_scale(column.basis)[1] if column.family.has_units else 1.0

    def parts(self, node: Node) -> list[tuple[int, Array]]:
        """The parents, each with its block of coefficients."""
        parts, first = [], 0
        for parent in node.parents:
            width = self.columns[parent].basis.width
            parts.append((parent, node.coefficients[first : first + width]))
            first += width
        return parts

    def _predictors(self, j: int, values: Array) -> Array:
        node = self.nodes[j]
        predictors = np.tile(node.intercepts, (len(values), 1))
        for parent, part in self.parts(node):
            predictors += self.columns[parent].basis.features(values[:, parent]) @ part
        return predictors

    def _log_likelihood(self, j: int, values: Array) -> Array:
        variance = self.nodes[j].variance
        return self.columns[j].family.log_likelihood(values[:, j], self.mean(j, values), variance)

    def _drawn(self, j: int, values: Array, rng: np.random.Generator) -> Array:
        column, variance = self.columns[j], self.nodes[j].variance
        return column.family.draw(self.mean(j, values), variance, rng, column.name)


def held_columns(fitted: Fitted, do: Mapping[str, Any] | None) -> dict[int, float]:
    """The interventions `do={"x": 1.0}` by position; words are replaced by their codes."""
    held: dict[int, float] = {}
    for name, value in (do or {}).items():
        if name not in fitted.names:
            raise OptionError(f"do={{{name!r}: ...}}: there is no column {name!r}")
        j = fitted.names.index(name)
        words = fitted.levels[j]
        if words is not None and str(value) in words:
            value = words.index(str(value))
        elif words is not None and isinstance(value, float) and f"{value:.15g}" in words:
            value = words.index(f"{value:.15g}")
        elif words is not None and not fitted.columns[j].family.has_units:
            raise OptionError(f"do={{{name!r}: {value!r}}}: its values are {', '.join(map(repr, words))}")
        if not isinstance(value, (int, float, np.number)) or not math.isfinite(value):
            raise OptionError(
                f"do={{{name!r}: {value!r}}}: a column can be set to a number, or to one of its categories"
            )
        _refuse_impossible(fitted.columns[j], float(value))
        held[j] = _on_scale(fitted, j, float(value))
    return held


def _on_scale(fitted: Fitted, j: int, value: float) -> float:
    """A value on the scale of the model."""
    each = fitted.transforms[j] if fitted.transforms else None
    if each is None:
        return value
    found = float(each.forward(np.array([value]))[0])
    if math.isnan(found):
        raise OptionError(f"do={{{fitted.names[j]!r}: {value:g}}}: {fitted.scale(j)} is not defined there")
    return found


def _refuse_impossible(column: Column, value: float) -> None:
    """Refuse a value that a column cannot have: a fraction of a count, a third value of two."""
    if column.levels and value not in range(column.levels):
        raise OptionError(f"do={{{column.name!r}: {value:g}}}: it has the values 0 to {column.levels - 1}")
    if column.family.name == "poisson" and (value < 0 or value != int(value)):
        raise OptionError(f"do={{{column.name!r}: {value:g}}}: it is a count, a non-negative whole number")
