"""A fitted model of a DAG: predictions, likelihoods of new rows, samples, samples under interventions."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsest._core.errors import DataError, OptionError
from sparsest._core.words import quoted
from sparsest.data import Moments
from sparsest.graph import topological_order
from sparsest.likelihoods import Rows
from sparsest.scores.bases import Basis, Levels, Linear
from sparsest.scores.families import Column, Family
from sparsest.scores.gaussian import refit
from sparsest.scores.glm import RIDGE, means
from sparsest.scores.no_intercept import OriginScore
from sparsest.scores.regression import MixedScore
from sparsest.scores.spline import Spline

Array = NDArray[np.float64]

_LARGEST_RATE = 1e15  # counts beyond this are no counts


@dataclass(frozen=True, eq=False)
class Node:
    """One node: the linear predictors are `intercepts + features of the parents @ coefficients`.

    A Gaussian node's are in units of its column's standard deviation; `variance` is that of the noise, in
    the user's units, and for other likelihoods the mean of the conditional variance.
    """

    parents: tuple[int, ...]
    intercepts: Array
    coefficients: Array
    variance: float


@dataclass(frozen=True, eq=False)
class Fitted:
    """A model with its parameters, one `Node` a column. `levels` are the words behind codes."""

    columns: tuple[Column, ...]
    nodes: tuple[Node, ...]
    levels: tuple[tuple[str, ...] | None, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The columns' names."""
        return tuple(column.name for column in self.columns)

    @property
    def weights(self) -> Array:
        """(p, p): the coefficient of i in the linear predictor of j, in the user's units.

        Where an edge has several parameters (splines, categories) it is the standard deviation of what i
        contributes to the predictor of j, without a sign.
        """
        weights = self.effects * [self._unit(j) for j in range(len(self.nodes))]
        for j, node in enumerate(self.nodes):
            for parent, part in self._parts(node):
                basis = self.columns[parent].basis
                if isinstance(basis, Linear) and part.shape[1] == 1:
                    weights[parent, j] /= basis.scale
        return weights

    @property
    def effects(self) -> Array:
        """(p, p): `weights` on one scale, the change of j's predictor per standard deviation of i.

        Gaussian predictors are in standard deviations of j, the others are log-odds and log-rates.
        """
        effects = np.zeros((len(self.nodes), len(self.nodes)))
        for j, node in enumerate(self.nodes):
            for parent, part in self._parts(node):
                basis = self.columns[parent].basis
                signed = isinstance(basis, Linear) and part.shape[1] == 1
                effects[parent, j] = part[0, 0] if signed else math.sqrt(_spread(basis, part))
        return effects

    @property
    def noise_variances(self) -> Array:
        """(p,): the variance that the parents leave, on average."""
        return np.array([node.variance for node in self.nodes])

    def means(self, values: Array) -> list[Array]:
        """For each column its conditional mean given its parents; (n, levels) probabilities of categories."""
        return [self._mean(j, values) for j in range(len(self.nodes))]

    def log_likelihood(self, values: Array) -> Array:
        """The log-likelihood of each row."""
        total: Array = np.sum([self._log_likelihood(j, values) for j in range(len(self.nodes))], axis=0)
        return total

    def sample(self, n: int, rng: np.random.Generator, do: Mapping[int, float] | None = None) -> Array:
        """Rows from the model, with the columns in `do` held at their values, whatever their parents."""
        held = do or {}
        dag = np.zeros((len(self.nodes), len(self.nodes)), dtype=bool)
        for j, node in enumerate(self.nodes):
            dag[list(node.parents), j] = True
        values = np.zeros((n, len(self.nodes)))
        for j in topological_order(dag):
            values[:, j] = held[j] if j in held else self._drawn(j, values, rng)
        return values

    def state(self) -> dict[str, Any]:
        """The model as plain numbers, words and lists, ready for JSON."""
        return {
            "columns": [
                {"name": c.name, "family": str(c.family), "levels": c.levels, "basis": c.basis.state()}
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
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Fitted:
        """The model that `state` was taken from."""
        columns = tuple(
            Column(c["name"], Family(c["family"]), _basis(c["basis"]), c["levels"]) for c in state["columns"]
        )
        nodes = []
        for j, node in enumerate(state["nodes"]):
            outputs = columns[j].outputs
            coefficients = np.array(node["coefficients"], dtype=float).reshape(-1, outputs)
            intercepts = np.array(node["intercepts"], dtype=float)
            nodes.append(Node(tuple(node["parents"]), intercepts, coefficients, node["variance"]))
        levels = tuple(None if words is None else tuple(words) for words in state["levels"])
        return cls(columns, tuple(nodes), levels)

    def _unit(self, j: int) -> float:
        """The standard deviation of a Gaussian column, 1 for others."""
        column = self.columns[j]
        return _centre_and_scale(column.basis)[1] if column.family is Family.GAUSSIAN else 1.0

    def _parts(self, node: Node) -> list[tuple[int, Array]]:
        """The parents, each with its rows of the coefficients."""
        parts, first = [], 0
        for parent in node.parents:
            width = self.columns[parent].basis.width
            parts.append((parent, node.coefficients[first : first + width]))
            first += width
        return parts

    def _predictors(self, j: int, values: Array) -> Array:
        node = self.nodes[j]
        predictors = np.tile(node.intercepts, (len(values), 1))
        for parent, part in self._parts(node):
            predictors += self.columns[parent].basis.features(values[:, parent]) @ part
        return predictors

    def _mean(self, j: int, values: Array) -> Array:
        column, predictors = self.columns[j], self._predictors(j, values)
        if column.family is Family.GAUSSIAN:
            centre, scale = _centre_and_scale(column.basis)
            gaussian: Array = centre + scale * predictors[:, 0]
            return gaussian
        mean = means(int(column.family is Family.POISSON), predictors)
        if column.family is not Family.MULTINOMIAL:
            return mean[:, 0]
        return np.column_stack([1 - mean.sum(axis=1), mean])

    def _log_likelihood(self, j: int, values: Array) -> Array:
        family, mean, given = self.columns[j].family, self._mean(j, values), values[:, j]
        if family is Family.GAUSSIAN:
            variance = self.nodes[j].variance
            gaussian: Array = -0.5 * (np.log(2 * np.pi * variance) + (given - mean) ** 2 / variance)
            return gaussian
        with np.errstate(divide="ignore"):
            if family is Family.POISSON:
                from scipy.special import gammaln, xlogy

                poisson: Array = xlogy(given, mean) - mean - gammaln(given + 1)
                return poisson
            if family is Family.BERNOULLI:
                return np.log(np.where(given == 1, mean, 1 - mean))
            chosen: Array = np.log(mean[np.arange(len(given)), given.astype(int)])
            return chosen

    def _drawn(self, j: int, values: Array, rng: np.random.Generator) -> Array:
        family, mean = self.columns[j].family, self._mean(j, values)
        if family is Family.GAUSSIAN:
            return mean + math.sqrt(self.nodes[j].variance) * rng.standard_normal(len(mean))
        if family is Family.POISSON:
            if mean.max(initial=0) > _LARGEST_RATE:
                raise DataError(
                    f"the fitted rate of the count {self.columns[j].name!r} exceeds {_LARGEST_RATE:g} in a "
                    "sample: its parents take values far from those it was fitted on"
                )
            return rng.poisson(mean).astype(float)
        if family is Family.BERNOULLI:
            return (rng.random(len(mean)) < mean).astype(float)
        drawn: Array = (
            (rng.random(len(mean))[:, None] > np.cumsum(mean, axis=1)[:, :-1]).sum(axis=1).astype(float)
        )
        return drawn


def fitted_gaussian(moments: Moments, dag: NDArray[np.bool_]) -> tuple[Fitted, float]:
    """The linear Gaussian model of a DAG, and its negative log-likelihood (constants dropped)."""
    weights, variances = refit(moments.covariance, dag)
    scales = moments.scales
    centres = np.zeros(moments.p) if moments.mean is None else moments.mean
    columns = tuple(
        Column(name, Family.GAUSSIAN, Linear(float(centres[j]), float(scales[j])))
        for j, name in enumerate(moments.names)
    )
    nodes = []
    for j in range(moments.p):
        parents = np.flatnonzero(dag[:, j])
        coefficients = weights[parents, j] * scales[parents] / scales[j]
        nodes.append(Node(tuple(map(int, parents)), np.zeros(1), coefficients[:, None], float(variances[j])))
    return Fitted(columns, tuple(nodes), (None,) * moments.p), 0.5 * float(np.log(variances).sum())


def fitted_rows(
    rows: Rows, score: MixedScore | OriginScore, dag: NDArray[np.bool_], notices: list[str]
) -> tuple[Fitted, float]:
    """The model of a DAG on rows, and its negative log-likelihood (Gaussian columns in the user's units)."""
    nodes, nll = [], 0.0
    for j, column in enumerate(rows.columns):
        parents = np.flatnonzero(dag[:, j])
        fit = score.fit(j, parents)
        scale = _centre_and_scale(column.basis)[1] if column.family is Family.GAUSSIAN else 1.0
        nll += fit.value + math.log(scale)
        variance = fit.variance * scale**2
        if fit.undetermined:
            notices.append(_separated(column.name, [rows.names[parent] for parent in parents]))
        nodes.append(Node(tuple(map(int, parents)), fit.intercepts, fit.coefficients, variance))
    bare = Fitted(rows.columns, tuple(nodes), rows.levels)
    shares = np.full(len(rows.values), 1 / len(rows.values)) if rows.weights is None else rows.weights
    for j, column in enumerate(rows.columns):
        if column.family is not Family.GAUSSIAN:
            spread = _variances(column.family, bare._mean(j, rows.values))
            variance = float(shares @ spread / shares.sum())
            nodes[j] = Node(nodes[j].parents, nodes[j].intercepts, nodes[j].coefficients, variance)
    return Fitted(rows.columns, tuple(nodes), rows.levels), nll


def _separated(name: str, parents: list[str]) -> str:
    given = f"its parents {quoted(parents)} tell" if parents else "it tells"
    return (
        f"column {name!r}: {given} its value for some rows with certainty (perfect separation, or parents "
        "that say the same), so the likelihood has its maximum at infinite coefficients; they were kept "
        f"finite by a ridge of {RIDGE:g}, and their sizes mean little"
    )


def held_columns(fitted: Fitted, do: Mapping[str, Any] | None) -> dict[int, float]:
    """The interventions `do={"x": 1.0}` by position; a word stands for its code."""
    held: dict[int, float] = {}
    for name, value in (do or {}).items():
        if name not in fitted.names:
            raise OptionError(f"do={{{name!r}: ...}}: there is no column {name!r}")
        j = fitted.names.index(name)
        words = fitted.levels[j]
        if words is not None and str(value) in words:
            value = words.index(str(value))
        if not isinstance(value, (int, float, np.number)) or not math.isfinite(value):
            raise OptionError(
                f"do={{{name!r}: {value!r}}}: the column is held at a number, or at one of its categories"
            )
        held[j] = float(value)
    return held


def _variances(family: Family, mean: Array) -> Array:
    """The conditional variance of each row; of a category, the chance that two draws differ."""
    if family is Family.POISSON:
        return mean
    if family is Family.BERNOULLI:
        return mean * (1 - mean)
    rest: Array = 1 - (mean**2).sum(axis=1)
    return rest


def _spread(basis: Basis, part: Array) -> float:
    """The variance of features @ part, over the outputs together, on the rows the basis was made for."""
    if isinstance(basis, Levels):
        shares = np.array(basis.shares)
        covariance = np.diag(shares) - np.outer(shares, shares)
        return float((part * (covariance @ part)).sum())
    return float((part**2).sum())


def _centre_and_scale(basis: Basis) -> tuple[float, float]:
    assert isinstance(basis, (Linear, Spline))  # Gaussian columns have no other
    return basis.centre, basis.scale


def _basis(state: Mapping[str, Any]) -> Basis:
    if state["kind"] == Linear.kind:
        return Linear(state["centre"], state["scale"])
    if state["kind"] == Levels.kind:
        return Levels(tuple(state["shares"]))
    knots, averages = np.array(state["knots"]), np.array(state["means"])
    return Spline(state["centre"], state["scale"], knots, averages, np.array(state["transform"]))
