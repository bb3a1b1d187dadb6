"""The fitted networks behind a graph."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from sparsest.fitted.base import Fitted
from sparsest.scores.network import NetworkFit

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class FittedNetworks(Fitted):
    """A fitted model with one network per column."""

    networks: tuple[NetworkFit, ...] = ()

    @property
    def weights(self) -> Array:
        """(p, p): norms of the first-layer weights of input i in the network of j, at unit variances."""
        weights = np.zeros((len(self.nodes), len(self.nodes)))
        for j, network in enumerate(self.networks):
            weights[list(network.parents), j] = np.linalg.norm(network.first[:-1], axis=1)
        return weights

    @property
    def effects(self) -> Array:
        """(p, p): the norms, which are of columns of unit variance."""
        return self.weights

    @property
    def signed(self) -> NDArray[np.bool_]:
        """(p, p): none, as a network may bend either way."""
        return np.zeros((len(self.nodes), len(self.nodes)), dtype=bool)

    def state(self) -> dict[str, Any]:
        """The model as plain numbers, strings and lists that can be written as JSON."""
        networks = [
            {"first": one.first.tolist(), "second": one.second.tolist(), "score": one.score}
            for one in self.networks
        ]
        return super().state() | {"networks": networks}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> FittedNetworks:
        """The model from its `state()`."""
        plain = Fitted.from_state(state)
        networks = tuple(
            NetworkFit(node.parents, np.array(one["first"]), np.array(one["second"]), one["score"])
            for node, one in zip(plain.nodes, state["networks"], strict=True)
        )
        return cls(plain.columns, plain.nodes, plain.levels, networks, transforms=plain.transforms)

    def mean(self, j: int, values: Array) -> Array:
        """The output of the network of column j."""
        network = self.networks[j]
        columns = [self.columns[parent].basis.features(values[:, parent]) for parent in network.parents]
        inputs = np.column_stack([*columns, np.ones(len(values))])
        basis: Any = self.columns[j].basis
        mean: Array = expit(inputs @ network.first) @ network.second[:-1] + network.second[-1]
        scaled: Array = basis.centre + basis.scale * mean
        return scaled
