"""The Gaussian network (Appendix D): each column is a small sigmoid network of its parents plus noise."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from sparsest._core.errors import OptionError
from sparsest._core.progress import Watch
from sparsest._core.streams import LIKELIHOOD_START, generator
from sparsest.data import Source
from sparsest.fitted.base import Node
from sparsest.fitted.networks import FittedNetworks
from sparsest.models.base import Array, Mask, Refit
from sparsest.models.offers import Offers
from sparsest.models.scaled_rows import PreparedRows, ScaledRows, read_rows, resampled_rows
from sparsest.problem import Problem, Solution, Solver
from sparsest.rounding import soft_graph
from sparsest.scores import Score
from sparsest.scores.autodiff import AutodiffScore
from sparsest.scores.bases import Linear
from sparsest.scores.families import GAUSSIAN, Column
from sparsest.scores.network import NetworkScore
from sparsest.scores.network_likelihood import NOISES, NetworkLikelihood

if TYPE_CHECKING:
    from sparsest.models.custom import PreparedCustom


@dataclass(frozen=True)
class MLP:
    """Each column a sigmoid network of its parents plus Gaussian noise: `model="mlp"`.

    The networks have one hidden layer. Columns are standardised inside if `noise` is "own".

    Parameters
    ----------
    hidden : int
        The number of hidden units.
    ridge : float, optional
        The weight of the ℓ2 term, `½ ridge · (‖first layer‖² + ‖second layer‖²)`. Default: 1/n, which
        corresponds to a standard normal prior.
    seed : int, optional
        Determines the random starts. Default: the seed of `fit`.
    noise : {"own", "equal", "unit"}
        The variances of the noise: one for each column, one for all columns, or 1, which is least squares.
        The last two depend on units, so they are learned from the columns as given, and they are one
        likelihood of all columns, which only the differentiable solvers take.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsest as sp
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=300)
    >>> data = np.column_stack([x, np.cos(2 * x) + 0.2 * rng.normal(size=300)])
    >>> sp.fit(data, model=sp.models.MLP(hidden=4)).dag.edges
    [('x0', 'x1')]

    One noise variance for all columns, on the columns as given:

    >>> data = np.column_stack([x, 3 * np.tanh(2 * x) + 0.5 * rng.normal(size=300)])
    >>> sp.fit(data, model=sp.models.MLP(hidden=4, noise="equal")).dag.edges
    [('x0', 'x1')]
    """

    hidden: int = 10
    ridge: float | None = None
    seed: int | None = None
    noise: str = "own"

    name = "mlp"

    def __post_init__(self) -> None:
        if self.hidden != int(self.hidden) or self.hidden < 1:
            raise OptionError(f"MLP needs hidden, a positive whole number, not {self.hidden!r}")
        if self.seed is not None and (self.seed != int(self.seed) or self.seed < 0):
            raise OptionError(f"MLP needs seed, a non-negative whole number or None, not {self.seed!r}")
        if self.ridge is not None and not (np.isfinite(self.ridge) and self.ridge > 0):
            raise OptionError(
                f"MLP needs ridge > 0, but ridge = {self.ridge!r}: without it the weights diverge"
            )
        if self.noise not in NOISES:
            raise OptionError(f"MLP needs noise, one of {', '.join(map(repr, NOISES))}, not {self.noise!r}")

    def prepare(self, source: Source, seed: int) -> PreparedNetwork | PreparedCustom:
        """Read the rows, and standardise the columns if each has its own noise variance.

        Parameters
        ----------
        source : Source
            The user's data.
        seed : int
            Determines the random starts, unless the model has a seed.

        Returns
        -------
        PreparedNetwork, or PreparedCustom where all columns share the noise variance
        """
        table = read_rows(source, self.name, seed)
        own = seed if self.seed is None else int(self.seed)
        if self.noise != "own":
            from sparsest.models.custom import prepared_custom  # solvers, which a search does not need

            return prepared_custom(self.likelihood(*table.values.shape), self.name, table, own)
        return PreparedNetwork(ScaledRows.standardized(table), own, table, self)

    def likelihood(self, n: int, p: int) -> NetworkLikelihood:
        """The networks of all columns as one likelihood.

        Parameters
        ----------
        n : int
            The number of rows.
        p : int
            The number of columns.

        Returns
        -------
        NetworkLikelihood
        """
        return NetworkLikelihood(p, self.hidden, 1 / n if self.ridge is None else self.ridge, self.noise)


@dataclass(frozen=True, eq=False)
class PreparedNetwork(PreparedRows):
    """Standardised rows: discrete searches fit one network at a time, differentiable solvers all at once.

    `nearby` has fits from which those of this table may start.
    """

    network: MLP
    nearby: PreparedNetwork | None = None

    model = "mlp"
    most_searched_rows = 20_000
    offers = (Offers.NETWORK, Offers.LOCAL, Offers.GRADIENT)
    default_solver = "greedy"

    def starting_from(self, sample: PreparedNetwork) -> PreparedNetwork:
        """The same, with refits that start from those of a sample of the rows."""
        return replace(self, nearby=sample)

    @property
    def has_units(self) -> Mask:
        """All columns."""
        return np.ones(self.p, dtype=bool)

    @cached_property
    def _local(self) -> NetworkScore:
        return self._new_local()

    def _new_local(self) -> NetworkScore:
        likelihood = self._likelihood
        return NetworkScore(self.rows.values, likelihood.hidden, likelihood.decay, self.seed)

    @property
    def _likelihood(self) -> NetworkLikelihood:
        return self.network.likelihood(*self.rows.values.shape)

    def score(self, solver: Solver, standardize: bool | str) -> tuple[Any, bool]:  # noqa: ARG002
        """Fits of single columns for searches, the likelihood of all columns for differentiable solvers."""
        if solver.returns_dag:
            return self._local, True
        rng = generator(self.seed, LIKELIHOOD_START)
        return AutodiffScore(self._likelihood, self.rows.values, rng, "MLP"), True

    def to_dag(self, problem: Problem, solution: Solution, watch: Watch) -> Mask:
        """The strongest edges, then single changes that lower the score."""
        from sparsest.search import GreedySearch  # compiled searches, which networks themselves do not need

        start = soft_graph(problem, solution.parameters)
        local = problem.with_score(cast(Score, self._new_local()), problem.penalty)
        found = GreedySearch(start=start, patience=0).solve(local, watch)
        refined: Mask = found.adjacency != 0
        return refined

    def refit(self, dag: Mask, start: Array | None, watch: Watch) -> Refit:  # noqa: ARG002 (fits are kept)
        """One network per column; the likelihood includes the ℓ2 term."""
        networks = []
        for node, chosen in enumerate(dag.T):
            parents = np.flatnonzero(chosen)
            near = None if self.nearby is None else self.nearby._local.fit(node, parents)
            networks.append(self._local.fit(node, parents, near))
        centres, scales = self.rows.centres, self.rows.scales
        columns = tuple(
            Column(name, GAUSSIAN, Linear(float(centres[j]), float(scales[j])))
            for j, name in enumerate(self.names)
        )
        nodes = []
        for j, network in enumerate(networks):
            variance = self._local.variance(j, network) * float(scales[j]) ** 2
            shape = (len(network.parents), 1)
            nodes.append(Node(network.parents, np.zeros(1), np.zeros(shape), variance))
        fitted = FittedNetworks(columns, tuple(nodes), (None,) * self.p, tuple(networks))
        return Refit.of(fitted, math.fsum(network.score for network in networks) + self.rows.log_units)

    def resample(self, rows: NDArray[Any] | None = None, *, weights: Array | None = None) -> PreparedNetwork:
        """The same networks on other rows."""
        table = resampled_rows(self.table, rows, weights, self.model)
        return replace(self, rows=ScaledRows.standardized(table), table=table, nearby=None)

    def rearranged(self, order: NDArray[np.intp], units: Array) -> PreparedNetwork:
        """The columns in another order and other units."""
        return replace(self, rows=self.rows.rearranged(order, units), table=None, nearby=None)
