"""What `fit` returns: a graph, its class, the fitted model, and the evidence behind them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sparsest._core.progress import Status
from sparsest.data.audit.findings import Audit
from sparsest.data.columns.account import Account
from sparsest.data.moments.moments import Moments
from sparsest.fitted.base import Fitted
from sparsest.graph import dag_to_cpdag, mec_size
from sparsest.graph.types import Cpdag, Dag
from sparsest.knowledge.masks import Masks
from sparsest.models.traits import Traits
from sparsest.result._outputs import Outputs
from sparsest.result._questions import Questions
from sparsest.result.evidence import Evidence

if TYPE_CHECKING:
    import polars

    from sparsest.confidence import Confidence

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class Result(Questions, Outputs):
    """A learned graph, its Markov equivalence class, and everything else that was learned.

    Results are returned by `fit` and `load`; there is no need to create one directly.

    Attributes
    ----------
    dag : Dag
        The learned DAG.
    cpdag : Cpdag
        Its Markov equivalence class, refined by the background knowledge if there is any.
    weights : array of shape (p, p)
        The direct effect of column i on column j in `dag`, in the units of the table; 0 where there is no
        edge. Other members of the class have other weights: `effect` has the total effects in all of them.
        For a user-defined likelihood, the entries of its adjacency matrix.
    noise_variances : array of shape (p,)
        The variance of each column given its parents; NaN for a user-defined likelihood.
    objective : float
        ``nll + cost · parameters of the edges``, with the likelihood refitted on the graph. The definition is
        the same for every solver, so solvers can be compared by this number.
    nll : float
        The average negative log-likelihood of a row, refitted on the graph, without constants.
    cost : float
        The cost of an edge, per parameter.
    n : float
        The number of rows, or the effective number of weighted rows; infinite for a population.
    solver : str
        The name of the solver that was used.
    status : Status
        How the solver stopped.
    evidence : Evidence
        How the solver arrived at the graph, and the warnings that were issued.
    seconds : float
        The time that `fit` took, without compiling kernels (`evidence.compile_seconds`).
    moments : Moments, optional
        Mean and covariance, where the model is Gaussian.
    audit : Audit, optional
        What was found in the data before learning.
    settings : dict
        The options of `fit` and the versions of the software used.
    knowledge : Masks, optional
        The edges that were allowed and required; None if there was no background knowledge.
    model : str
        The name of the model.
    fitted : Fitted, optional
        The model with its parameters, used for predictions and samples; None for a user-defined likelihood.
    traits : Traits
        What the likelihood identifies, whether it is Gaussian, and the units of its weights.
    confidence : Confidence, optional
        How often each edge came again in resamples of the rows, where `fit` was asked for them.
    account : Account
        What was done with each column of the table; `columns` shows it.
    inquiry : object, optional
        The table as `fit` prepared it, for what needs the rows: some intervals of effects, refutations. It is
        never saved, and None in a result that was loaded.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsest as sp
    >>> rng = np.random.default_rng(0)
    >>> rain, sprinkler = rng.normal(size=(2, 500))
    >>> wet = rain + sprinkler + 0.5 * rng.normal(size=500)
    >>> result = sp.fit(np.column_stack([rain, sprinkler, wet]))
    >>> result
    <Result: 2 edges on 3 columns, objective -0.7..., optimal, solver 'exact'>
      strongest: x0 -> x2, x1 -> x2
      identified is not sure: resamples=100 (--resamples 100) says how often each edge comes again
      more: .summary() .plot() .report('report.html') .effect(cause, outcome)
    >>> result.dag.edges
    [('x0', 'x2'), ('x1', 'x2')]
    >>> result.weights.round(1)
    array([[0., 0., 1.],
           [0., 0., 1.],
           [0., 0., 0.]])
    >>> result.class_size  # every direction is identified
    1
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
    moments: Moments | None = None
    audit: Audit | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    knowledge: Masks | None = None
    model: str = "gaussian"
    fitted: Fitted | None = None
    traits: Traits = Traits("class", gaussian=True)  #: what the likelihood identifies, and its units
    confidence: Confidence | None = None
    account: Account = Account()
    inquiry: Any = field(default=None, repr=False)

    def __getstate__(self) -> dict[str, Any]:
        """What a copy in another process gets: everything but the rows."""
        return {**self.__dict__, "inquiry": None}

    @property
    def names(self) -> tuple[str, ...]:
        """The columns' names."""
        return self.dag.names

    @property
    def columns(self) -> polars.DataFrame:
        """Every column of the table: its kind and why, how it is modelled, and what was done with it.

        Columns that were left out are listed too. Empty where `fit` was given moments.
        """
        return self.account.table()

    @property
    def identifies(self) -> str:
        """What the model can identify: "class" (all DAGs of a class fit equally well) or "dag".

        If it is "dag", the DAG is the estimate, and the CPDAG a cautious summary that does not rely on the
        form of the likelihood.
        """
        return self.traits.identifies

    @property
    def class_size(self) -> int:
        """The number of DAGs in the class; 1 means that every direction is identified."""
        return mec_size(self.cpdag)

    @property
    def arrows_from_knowledge(self) -> list[tuple[str, str]]:
        """The edges whose direction follows only from the background knowledge, not from the data."""
        known = set(dag_to_cpdag(self.dag).directed_edges)
        return [edge for edge in self.cpdag.directed_edges if edge not in known]
