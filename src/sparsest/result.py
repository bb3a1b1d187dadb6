"""What the user gets."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sparsest._core.errors import OptionError
from sparsest._core.progress import Status
from sparsest._core.words import count
from sparsest.data.audit.findings import Audit
from sparsest.data.moments.moments import Moments
from sparsest.fitted.base import Fitted
from sparsest.graph import dag_to_cpdag, mec_size
from sparsest.graph.types import Cpdag, Dag
from sparsest.knowledge.masks import Masks
from sparsest.models.registry import model_entry
from sparsest.problem import Stage

if TYPE_CHECKING:
    from sparsest.explain import PairExplanation, Sortability

Array = NDArray[np.float64]

_TIE = 1e-7  # likelihoods closer than this are equal: about what the ridge of separated fits moves them by


@dataclass(frozen=True)
class Evidence:
    """What a sceptic needs to judge how far to trust the optimum.

    `solver_objective` is the solver's own final objective: the soft one (likelihood plus penalty of the
    weights) for differentiable solvers, on the columns as the solver saw them. `agreed` counts, of the
    solver's descents, those that ended at the best objective. `h` is the acyclicity constraint there and
    `violation` the largest entry of the least subgradient.
    """

    stages: tuple[Stage, ...]
    steps: int
    solver_objective: float
    agreed: int
    h: float
    violation: float
    standardized: bool
    graph_from: str  #: "search" (already a DAG), "score" (pruned by score) or "threshold"
    warnings: tuple[str, ...] = ()
    same_when_rescaled: bool | None = None  #: what `fit(check=True)` found; None where it was not asked
    model_because: str = ""  #: how the model came to be chosen, where there was a choice


@dataclass(frozen=True, eq=False)
class Result:
    """A learned graph with everything that was learned about it.

    `weights[i, j]` is the effect of column i on column j in the user's units, 0 where there is no edge. Of
    a model of the user's own it is the entry of its adjacency; `noise_variances` are NaN then, `fitted` None.
    `objective` is `nll + cost · edges`, with the likelihood refitted on the graph: the same definition for
    every solver, so that solvers can be compared by this number.
    """

    dag: Dag
    cpdag: Cpdag
    weights: Array
    noise_variances: Array
    objective: float
    nll: float
    cost: float
    n: float
    solver: str
    status: Status
    evidence: Evidence
    seconds: float
    moments: Moments | None = None  #: what the Gaussian model saw of the data
    audit: Audit | None = None  #: what was found in the data before learning
    settings: Mapping[str, Any] = field(default_factory=dict)  #: the options of `fit` and the versions used
    knowledge: Masks | None = None  #: which edges were allowed and required; None where nothing was known
    model: str = "gaussian"  #: the likelihood behind the graph
    fitted: Fitted | None = None  #: the model with its parameters: predictions and samples come from it

    @property
    def names(self) -> tuple[str, ...]:
        """The columns' names."""
        return self.dag.names

    @property
    def identifies(self) -> str:
        """What the model can tell from data: "class" (Gaussian: its DAGs fit equally well) or "dag".

        Where it is "dag", the DAG is the estimate, and the CPDAG the cautious summary that does not lean on
        the form of the likelihood.
        """
        return model_entry(self.model).identifies

    @property
    def class_size(self) -> int:
        """How many DAGs the class has: all explain the data equally well. 1 says every direction is known."""
        return mec_size(self.cpdag)

    @property
    def arrows_from_knowledge(self) -> list[tuple[str, str]]:
        """The edges whose direction comes from knowledge: the class alone leaves it open."""
        known = set(dag_to_cpdag(self.dag).directed_edges)
        return [edge for edge in self.cpdag.directed_edges if edge not in known]

    def __repr__(self) -> str:
        return (
            f"<Result: {count(len(self.dag.edges), 'edge')} on {count(len(self.names), 'column')}, "
            f"objective {self.objective:.6g}, {self.status.value}, solver {self.solver!r}>"
        )

    def summary(self) -> str:
        """A few lines of plain text: what was found, how, and how sure the solver is."""
        from sparsest.export.text import summary

        return summary(self)

    def explain(self, a: str | int, b: str | int) -> PairExplanation:
        """Why there is no edge between two columns, or why there is one and why it has its direction.

        The columns are given by name or by position. Print what comes back.
        """
        from sparsest.explain import explain

        return explain(self, a, b)

    def sortability(self) -> Sortability:
        """How far variances, or how well columns are explained, would give the learned order away."""
        from sparsest.explain import sortability

        return sortability(self)

    def methods(self) -> str:
        """A paragraph of methods in plain words, with the citation, for a paper."""
        from sparsest.export.methods_paragraph import methods

        return methods(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Keep everything in one file, from which `sparsest.load` makes the same result."""
        from sparsest.export.archive import save

        save(self, path)

    def predict(self, rows: Any) -> dict[str, Array]:
        """The conditional mean of every column given its parents, for rows with all columns.

        Of a categorical column, the probabilities of its categories, (n, levels).
        """
        from sparsest.fitted.new_rows import predict

        return predict(self._model(), rows)

    def log_likelihood(self, rows: Any) -> Array:
        """The log-likelihood of each row under the fitted model: higher is better."""
        from sparsest.fitted.new_rows import log_likelihood

        return log_likelihood(self._model(), rows)

    def sample(self, n: int, rng: np.random.Generator, do: Mapping[str, Any] | None = None) -> Array:
        """Rows from the fitted model, (n, p), categories as codes.

        `do={"x": 1.0}` holds columns at a value whatever their parents say: samples under an intervention,
        if the DAG is the causal one.
        """
        from sparsest.fitted.new_rows import sample

        return sample(self._model(), n, rng, do)

    def _model(self) -> Fitted:
        if self.fitted is None:
            raise OptionError(
                "this result has no fitted model to predict or sample from: with a likelihood of your own "
                "only you can do that, and a result of any other model has one when it comes from fit()"
            )
        return self.fitted

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers, strings, lists and dictionaries, ready for JSON."""
        from sparsest.export.json import to_dict

        return to_dict(self)

    def plot(self, path: str | Path | None = None) -> Any:
        """A picture of the CPDAG; saved where a path is given. Returns the matplotlib figure."""
        from sparsest.plot.figure import draw

        return draw(self.cpdag, self.weights, path, noise_variances=self.noise_variances)


def same_answer(result: Result, again: Result, order: NDArray[np.intp], shift: float) -> bool:
    """Whether two results say the same, the second learned from the columns in another order.

    Where the model identifies the class, they must have the same class. Where it identifies the DAG, the same
    DAG, or two of one class with the same objective: for two binary columns both directions fit equally well.
    `shift` is by how much the other units raise every NLL.
    """
    among = np.ix_(order, order)
    if not np.array_equal(again.cpdag.to_numpy(), result.cpdag.to_numpy()[among]):
        return False
    if result.identifies == "class" or np.array_equal(again.dag.to_numpy(), result.dag.to_numpy()[among]):
        return True
    return abs(again.objective - shift - result.objective) < _TIE
