"""The problem: minimise score(ψ) + penalty(B(ψ)) over the ψ whose graph is acyclic (Equation 14).

This is the one place where score, penalty, constraint and background knowledge meet. It owns what all solvers
must agree on: which edges are allowed, required or free of charge, what each edge costs, how many parents a
node may have, and which differences between objectives are rounding. Continuous solvers see a smooth function
plus kinks (`solvers/objective.py`); discrete searches see local scores and the price of each edge.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from sparsest._core.errors import OptionError
from sparsest._core.progress import Status, Watch
from sparsest._core.words import default_names
from sparsest.acyclicity import Constraint
from sparsest.graph.acyclicity import path_matrix, refuse_cycle
from sparsest.penalties import Penalty
from sparsest.scores import Score
from sparsest.scores.base import parameters_of

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

#: Objectives of whole graphs that differ by less than this are equal.
SAME_OBJECTIVE = 1e-9
#: A change of one node's score by less than this is rounding, not an improvement.
ROUNDING = 1e-10


class Remembering:
    """A function of ψ that keeps its last answer: a path asks again where its inner solver stopped.

    With a thousand columns one answer takes seconds, and after a time limit each counts.
    """

    def __init__(self, function: Callable[[Array], tuple[float, Array] | None]):
        self._function = function
        self._last: tuple[Array, tuple[float, Array] | None] | None = None

    def __call__(self, psi: Array) -> tuple[float, Array] | None:
        """The answer at ψ, not to be changed."""
        last = self._last
        if last is None or not np.array_equal(last[0], psi):
            last = self._last = psi.copy(), self._function(psi)
        return last[1]


@dataclass(frozen=True, eq=False, init=False)
class Problem:
    """A score and a penalty over a set of admissible graphs.

    Inside, a mask is always a mask: None stands for "no restriction" in the constructor only.

    Parameters
    ----------
    score : Score
        How well parameters, or a graph, explain the data.
    penalty : Penalty
        What edges cost.
    allowed : (p, p) array of bool, optional
        ``[i, j]`` is False where the edge i → j is ruled out. All edges are allowed by default.
    required : (p, p) array of bool, optional
        ``[i, j]`` is True where the edge i → j must be present. Soft penalties do not charge for these edges.
    unpenalised : (p, p) array of bool, optional
        ``[i, j]`` is True where the edge i → j costs nothing.
    max_parents : int, optional
        The largest number of parents of any node. By default there is no limit, that is, p − 1.
    names : sequence of str, optional
        Names of the nodes, for messages; x0, x1, ... by default.

    Attributes
    ----------
    allowed : (p, p) array of bool
        The edges that a graph may have: off the diagonal, not ruled out, and closing no cycle with the
        required edges.
    required, unpenalised : (p, p) array of bool
        As given, or False everywhere.
    max_parents : int
        At most p − 1.

    Raises
    ------
    OptionError
        If the masks contradict each other, or a node has more required parents than `max_parents`.
    GraphError
        If the required edges form a cycle.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsest.penalties import L0
    >>> from sparsest.scores import GaussianScore
    >>> required = np.zeros((3, 3), dtype=bool)
    >>> required[0, 1] = True
    >>> problem = Problem(GaussianScore(np.eye(3)), L0(0.1), required=required)
    >>> problem.allowed.astype(int)
    array([[0, 1, 1],
           [0, 0, 1],
           [1, 1, 0]])
    >>> problem.max_parents
    2
    """

    score: Score
    penalty: Penalty
    allowed: Mask
    required: Mask
    unpenalised: Mask
    max_parents: int
    names: tuple[str, ...]

    def __init__(
        self,
        score: Score,
        penalty: Penalty,
        allowed: Mask | None = None,
        required: Mask | None = None,
        unpenalised: Mask | None = None,
        max_parents: int | None = None,
        names: Sequence[str] | None = None,
    ):
        p = score.p
        known = default_names(p) if names is None else tuple(names)
        must = _mask("required", required, p, default=False)
        refuse_cycle(must, known)
        may = _mask("allowed", allowed, p, default=True) & ~np.eye(p, dtype=bool)
        if must.any():
            may &= ~path_matrix(must).T
        free_of_charge = _mask("unpenalised", unpenalised, p, default=False)
        _refuse_ruled_out(must, may, known, "required")
        _refuse_ruled_out(free_of_charge, may, known, "listed as unpenalised")
        fields = {
            "score": score,
            "penalty": penalty,
            "allowed": may,
            "required": must,
            "unpenalised": free_of_charge,
            "max_parents": _parent_limit(max_parents, must, known),
            "names": known,
        }
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    @property
    def p(self) -> int:
        """The number of nodes."""
        return self.score.p

    @property
    def constrained(self) -> bool:
        """Whether some edge is ruled out or required."""
        return int(self.allowed.sum()) < self.p * (self.p - 1)

    def refuse_violation(self, graph: Mask, solver: str) -> None:
        """Raise an OptionError that names the edge or node where a solver's graph is not admissible."""
        for wrong, words in ((graph & ~self.allowed, "has"), (self.required & ~graph, "lacks")):
            if wrong.any():
                i, j = np.argwhere(wrong)[0]
                raise OptionError(
                    f"solver {solver!r} does not obey the knowledge: its graph {words} {self.names[i]!r} -> "
                    f"{self.names[j]!r}; a solver must respect `problem.allowed` and `problem.required`"
                )
        if (counts := graph.sum(axis=0)).max(initial=0) > self.max_parents:
            node = self.names[int(counts.argmax())]
            raise OptionError(
                f"solver {solver!r} does not obey max_parents = {self.max_parents}: its graph gives {node!r} "
                f"{int(counts.max())} parents; a solver must respect `problem.max_parents`"
            )

    @property
    def penalised(self) -> Mask:
        """The edges that pay a soft penalty, (p, p)."""
        return ~self.unpenalised & ~self.required

    @property
    def groups(self) -> NDArray[np.int64] | None:
        """The edge i·p + j of every parameter, −1 for none; None where ψ is B itself."""
        return getattr(self.score, "groups", None)

    @property
    def movable(self) -> Mask:
        """The parameters that may differ from zero: those of allowed edges and of no edge, (m,)."""
        return parameters_of(self.score, self.allowed)

    @property
    def cost(self) -> float:
        """The cost per edge c, for solvers that count edges."""
        if not math.isfinite(self.penalty.cost):
            raise OptionError(
                f"a discrete search counts edges, and {self.penalty!r} has no cost per edge: "
                "pass a number, 'bic' or QuasiMCP(lam, delta), whose cost is lam * delta / 2"
            )
        return self.penalty.cost

    def single_cost(self, solver: str) -> float:
        """The cost per edge, for a solver that must charge the same for every edge."""
        if self.unpenalised.any():
            raise OptionError(
                f"{solver} charges the same for every edge, and `unpenalised` says that some cost nothing: "
                "use LocalExactSearch, LocalOrderSearch or a single differentiable solver such as "
                "METHODS['logll-dagma']"
            )
        return self.cost

    def covariance_for(self, solver: str) -> Array:
        """The covariance behind the score, for a solver that works on it."""
        covariance = getattr(self.score, "covariance", None)
        if covariance is None:
            raise OptionError(f"{solver} needs a score of a covariance, not {type(self.score).__name__}")
        return np.asarray(covariance)

    @cached_property
    def prices(self) -> Array:
        """The price of each edge, (p, p): the cost times its parameters, and 0 where it is unpenalised."""
        prices: Array = self.cost * self._edge_parameters * ~self.unpenalised
        return prices

    def price(self, dag: Mask) -> float:
        """The price of all edges of a DAG."""
        return self.cost * float(self._edge_parameters[dag & ~self.unpenalised].sum())

    @cached_property
    def _edge_parameters(self) -> Array:
        return np.asarray(getattr(self.score, "edge_parameters", np.ones((self.p, self.p))))

    def with_score(self, score: Score, penalty: Penalty) -> Problem:
        """Another score and penalty over the same graphs."""
        return replace(self, score=score, penalty=penalty)

    def among(self, nodes: NDArray[np.intp]) -> Problem:
        """The same problem for some of the nodes alone, for scores of a covariance."""
        here = np.ix_(nodes, nodes)
        score = type(self.score)(self.covariance_for("a part of a problem")[here])  # type: ignore[call-arg]
        return Problem(
            score,
            self.penalty,
            self.allowed[here],
            self.required[here],
            self.unpenalised[here],
            self.max_parents,
            [self.names[node] for node in nodes],
        )

    @cached_property
    def scored(self) -> Remembering:
        """Value and gradient of the score at ψ; None outside its domain."""
        return Remembering(self.score.value_and_grad)

    def constrained_by(self, constraint: Constraint) -> Remembering:
        """Value and gradient, in the squares, of an acyclicity constraint at ψ; None outside its domain."""
        last = self._last_constraint
        if not last or last[0] is not constraint:
            own = Remembering(lambda psi: constraint.value_and_grad(self.score.squares(psi)))
            last[:] = [constraint, own]
        found: Remembering = last[1]
        return found

    @cached_property
    def _last_constraint(self) -> list[Any]:
        return []

    def nll(self, psi: Array) -> float:
        """The score alone; infinite outside its domain."""
        scored = self.scored(psi)
        return math.inf if scored is None else scored[0]

    def value(self, psi: Array) -> float:
        """Score plus penalty."""
        strengths = psi if self.groups is None else np.sqrt(self.score.squares(psi).reshape(-1))
        return self.nll(psi) + float(self.penalty.value(strengths)[self.penalised.reshape(-1)].sum())

    def h(self, psi: Array, constraint: Constraint) -> float:
        """The value of an acyclicity constraint; infinite outside its domain."""
        constrained = self.constrained_by(constraint)(psi)
        return math.inf if constrained is None else constrained[0]


def _mask(name: str, given: Mask | None, p: int, default: bool) -> Mask:
    """A private copy of a mask argument, or `default` everywhere for None."""
    if given is None:
        return np.full((p, p), default)
    if given.shape != (p, p):
        raise OptionError(f"{name} must be a ({p}, {p}) matrix, not {given.shape}")
    return np.array(given, dtype=bool)


def _refuse_ruled_out(edges: Mask, allowed: Mask, names: Sequence[str], what: str) -> None:
    if (where := np.argwhere(edges & ~allowed)).size:
        i, j = where[0]
        raise OptionError(f"the edge {names[i]!r} -> {names[j]!r} is not allowed, and yet {what}")


def _parent_limit(max_parents: int | None, required: Mask, names: Sequence[str]) -> int:
    """The limit on parents as a number; never below the number of required parents of a node."""
    most = max(len(required) - 1, 0)
    if max_parents is None:
        return most
    if max_parents < 0:
        raise OptionError(f"max_parents must not be negative, but max_parents = {max_parents}")
    counts = required.sum(axis=0)
    if (needed := int(counts.max(initial=0))) > max_parents:
        node = int(counts.argmax())
        causes = ", ".join(repr(names[k]) for k in np.flatnonzero(required[:, node]).tolist())
        raise OptionError(
            f"{names[node]!r} has {needed} required parents ({causes}), but max_parents = {max_parents}: "
            "raise it, or require fewer edges"
        )
    return min(int(max_parents), most)


@dataclass(frozen=True)
class Stage:
    """One stage of a solver's work.

    Parameters
    ----------
    name : str
        What was done.
    objective : float
        The solver's objective at the end of the stage.
    steps : int
        How many steps it took.
    seconds : float
        How long it took.
    """

    name: str
    objective: float
    steps: int
    seconds: float


@dataclass(frozen=True)
class Solution:
    """Where a solver stopped.

    Parameters
    ----------
    adjacency : (p, p) array
        B(ψ) for differentiable solvers, a 0/1 matrix for discrete ones; ``[i, j]`` belongs to i → j.
    objective : float
        The solver's own objective: the soft one, or NLL + c · edges.
    status : Status
        Why the solver stopped.
    steps : int
        How many steps it took in all.
    seconds : float
        How long it took in all.
    stages : tuple of Stage
        What was done, in order.
    agreed : int
        How many of the solver's descents or starts ended at the best objective.
    h : float
        The value of the acyclicity constraint; 0 for discrete solvers.
    violation : float
        The largest entry of the least subgradient, 0 at an exact minimum; 0 for discrete solvers.
    bound : float, optional
        No DAG has a lower objective than this; None where nothing was proved.
    psi : array, optional
        The parameters behind `adjacency`, for differentiable solvers.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsest._core.progress import Watch
    >>> from sparsest.penalties import L0
    >>> from sparsest.scores import GaussianScore
    >>> from sparsest.search import ExactSearch
    >>> correlation = np.array([[1.0, 0.8], [0.8, 1.0]])
    >>> solution = ExactSearch().solve(Problem(GaussianScore(correlation), L0(0.1)), Watch())
    >>> solution.adjacency
    array([[0., 1.],
           [0., 0.]])
    >>> solution.status
    <Status.OPTIMAL: 'optimal'>
    """

    adjacency: NDArray[np.float64]
    objective: float
    status: Status
    steps: int
    seconds: float
    stages: tuple[Stage, ...] = ()
    agreed: int = 1
    h: float = 0.0
    violation: float = 0.0
    bound: float | None = None
    psi: NDArray[np.float64] | None = None

    @property
    def parameters(self) -> NDArray[np.float64]:
        """ψ where the solver stopped; for linear models it is the adjacency."""
        return self.adjacency.reshape(-1) if self.psi is None else self.psi


class Solver(Protocol):
    """Protocol for solvers: anything that turns a `Problem` into a `Solution`.

    A solver must keep to ``problem.allowed``, ``problem.required`` and ``problem.max_parents``.

    Examples
    --------
    A solver that returns the required edges and nothing else, used by `fit`:

    >>> import numpy as np
    >>> import sparsest as sp
    >>> class NothingMore:
    ...     standardizes = True
    ...     returns_dag = True
    ...
    ...     def solve(self, problem, watch):
    ...         graph = problem.required.astype(float)
    ...         return Solution(graph, np.nan, sp.Status.CONVERGED, steps=1, seconds=watch.seconds)
    >>> table = np.random.default_rng(0).normal(size=(100, 3))
    >>> sp.fit(table, solver=NothingMore()).dag.edges
    []
    """

    @property
    def standardizes(self) -> bool:
        """Whether the solver wants columns of unit variance unless told otherwise."""

    @property
    def returns_dag(self) -> bool:
        """Whether `adjacency` is a finished DAG rather than soft weights still to be rounded."""

    def solve(self, problem: Problem, watch: Watch) -> Solution:
        """Minimise the problem, polling `watch.stop` between steps."""


class KinkedObjective(Protocol):
    """``smooth(ψ) + Σ_i kinks_i |ψ_i|``, or with norms of groups ``Σ_g kinks_g ‖ψ_g‖``.

    An attribute `groups`, where it exists and is not None, names the group of each parameter.
    """

    kinks: Array

    def value_and_grad(self, psi: Array) -> tuple[float, Array] | None:
        """The smooth part and its gradient; None outside the domain."""


@dataclass(frozen=True)
class Minimum:
    """Where an inner solver stopped; `violation` is the largest entry of the least subgradient."""

    psi: Array
    value: float
    violation: float
    status: Status
    steps: int


class InnerSolver(Protocol):
    """Protocol for minimisers of one smooth function plus weighted absolute values or norms."""

    def minimize(self, objective: KinkedObjective, start: Array, watch: Watch) -> Minimum:
        """A point no higher than `start`, which must lie in the domain of the objective."""
