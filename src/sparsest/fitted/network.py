"""The fitted model behind a graph, for networks and for models of the user's own."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from sparsest._core.progress import Watch
from sparsest.fitted.base import Fitted, Node
from sparsest.modelled import ModelRows
from sparsest.problem import Problem, Solution
from sparsest.rounding import refit_on
from sparsest.scores.autodiff import GeneralScore
from sparsest.scores.bases import Linear
from sparsest.scores.families import Column, Family
from sparsest.scores.network import NetworkFit, NetworkScore
from sparsest.solvers.general import REFIT
from sparsest.solvers.published import parameters

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class FittedNetworks(Fitted):
    """A network for every column: predictions, likelihoods and samples as of any other fitted model."""

    networks: tuple[NetworkFit, ...] = ()

    @property
    def weights(self) -> Array:
        """(p, p): norms of the weights that leave input i in the network of j, at unit variances."""
        weights = np.zeros((len(self.nodes), len(self.nodes)))
        for j, network in enumerate(self.networks):
            weights[list(network.parents), j] = np.linalg.norm(network.first[:-1], axis=1)
        return weights

    def state(self) -> dict[str, Any]:
        """The model as plain numbers, words and lists, ready for JSON."""
        networks = [
            {"first": one.first.tolist(), "second": one.second.tolist(), "score": one.score}
            for one in self.networks
        ]
        return super().state() | {"networks": networks}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> FittedNetworks:
        """The model that `state` was taken from."""
        plain = Fitted.from_state(state)
        networks = tuple(
            NetworkFit(node.parents, np.array(one["first"]), np.array(one["second"]), one["score"])
            for node, one in zip(plain.nodes, state["networks"], strict=True)
        )
        return cls(plain.columns, plain.nodes, plain.levels, networks)

    def _mean(self, j: int, values: Array) -> Array:
        network = self.networks[j]
        columns = [self.columns[parent].basis.features(values[:, parent]) for parent in network.parents]
        inputs = np.column_stack([*columns, np.ones(len(values))])
        basis: Any = self.columns[j].basis
        mean: Array = expit(inputs @ network.first) @ network.second[:-1] + network.second[-1]
        scaled: Array = basis.centre + basis.scale * mean
        return scaled


@dataclass(frozen=True, eq=False)
class FittedOwn:
    """What is known of a model of the user's own: B(ψ) and ψ fitted on the graph. Noise it need not have."""

    weights: Array
    noise_variances: Array
    params: Any


def fitted_model(
    source: ModelRows, problem: Problem, dag: NDArray[np.bool_], solution: Solution, seed: int, watch: Watch
) -> tuple[FittedNetworks | FittedOwn, float]:
    """The model fitted on a DAG, and its score: the NLL with the regulariser, in the user's units."""
    score: Any = problem.score
    local = score if isinstance(score, NetworkScore) else source.local_score(seed)
    if local is not None:
        return _fitted_networks(source, local, dag)
    refitted = refit_on(replace(problem, score=_general(score)), dag, parameters(solution), REFIT, watch)
    weights = np.where(dag, score.adjacency(refitted.psi), 0.0)
    unknown = np.full(source.p, np.nan)
    units = float(np.log(source.scales).sum())
    return FittedOwn(weights, unknown, score.params(refitted.psi)), refitted.score + units


def _general(score: Any) -> GeneralScore:
    if not isinstance(score, GeneralScore):
        raise TypeError(f"a model object is scored as a whole, not by {type(score).__name__}")
    return score


def _fitted_networks(
    source: ModelRows, score: NetworkScore, dag: NDArray[np.bool_]
) -> tuple[FittedNetworks, float]:
    networks = [score.fit(node, np.flatnonzero(parents)) for node, parents in enumerate(dag.T)]
    columns = tuple(
        Column(name, Family.GAUSSIAN, Linear(float(source.centres[j]), float(source.scales[j])))
        for j, name in enumerate(source.names)
    )
    nodes = tuple(
        Node(
            network.parents,
            np.zeros(1),
            np.zeros((len(network.parents), 1)),
            score.variance(node, network) * float(source.scales[node]) ** 2,
        )
        for node, network in enumerate(networks)
    )
    fitted = FittedNetworks(columns, nodes, (None,) * source.p, tuple(networks))
    return fitted, math.fsum(network.score for network in networks) + float(np.log(source.scales).sum())
