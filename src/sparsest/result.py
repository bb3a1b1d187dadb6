"""The result of `fit`: a graph, its class, the fitted model, and the evidence behind them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sparsest._core.arithmetic import usual_arithmetic
from sparsest._core.display import text_html
from sparsest._core.errors import OptionError
from sparsest._core.progress import Status
from sparsest.data.audit.findings import Audit
from sparsest.data.columns.account import Account
from sparsest.data.moments.moments import Moments
from sparsest.fitted.base import Fitted
from sparsest.graph import dag_to_cpdag, mec_size
from sparsest.graph.types import Cpdag, Dag
from sparsest.knowledge.masks import Masks
from sparsest.models.traits import Traits
from sparsest.problem import Stage

if TYPE_CHECKING:
    import polars

    from sparsest.confidence import Confidence
    from sparsest.costs import Path as Costs
    from sparsest.effects import Effect
    from sparsest.explain import PairExplanation, Sortability

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Evidence:
    """How the solver arrived at a graph, to judge how far to trust it.

    Attributes
    ----------
    stages : tuple of Stage
        The stages of the optimisation, each with its objective, steps and seconds.
    steps : int
        The number of steps in all.
    solver_objective : float
        The solver's own final objective, on the columns as the solver saw them: for differentiable solvers,
        the likelihood plus the penalty of the weights.
    agreed : int
        How many of the solver's descents ended at the best objective.
    bound : float, optional
        No DAG has a lower objective than this. It equals `Result.objective` where the graph is proved to be
        the best, and is None where nothing was proved.
    h : float
        The acyclicity constraint at the solution.
    violation : float
        The largest entry of the smallest subgradient at the solution.
    standardized : bool
        Whether the solver saw columns of unit variance.
    graph_from : {"search", "score", "threshold"}
        How the DAG was obtained: by a discrete search, or from soft weights by score or by a threshold.
    warnings : tuple of str
        The warnings that were issued.
    same_when_rescaled : bool, optional
        What `fit(check=True)` found; None if no check was requested.
    model_because : str
        Why the model was chosen, where there was a choice.
    penalty_because : str
        Why an edge costs what it does, where that was chosen from a path over costs.
    compile_seconds : float
        How long kernels were compiled, which happens once per machine; not part of `result.seconds`.
    searched_rows : int, optional
        The number of rows that the search saw, where it saw a sample of them; None if it saw all.
    """

    stages: tuple[Stage, ...]
    steps: int
    solver_objective: float
    agreed: int
    h: float
    violation: float
    standardized: bool
    graph_from: str
    warnings: tuple[str, ...] = ()
    same_when_rescaled: bool | None = None
    model_because: str = ""
    penalty_because: str = ""
    compile_seconds: float = 0.0
    bound: float | None = None
    searched_rows: int | None = None


@dataclass(frozen=True, eq=False)
class Result:
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

    def __repr__(self) -> str:
        from sparsest.export.text import brief

        return brief(self)

    def _repr_html_(self) -> str:
        from sparsest.plot.picture import embedded

        return text_html(self.summary()) + embedded(self.plot, len(self.names))

    def show(self) -> Any:
        """The graph as a widget in a notebook: move, search and filter it, draw knowledge and fit again.

        Returns
        -------
        anywidget.AnyWidget
            Its `result` is this one, or the one learned last after knowledge was drawn. Needs
            ``pip install 'sparsest[notebook]'``.
        """
        from sparsest.report.widget import widget_of

        return widget_of(self)

    def summary(self) -> str:
        """A few lines of plain text: what was found, how, and how certain it is.

        Returns
        -------
        str

        Examples
        --------
        >>> import numpy as np
        >>> import sparsest as sp
        >>> result = sp.fit(np.random.default_rng(0).normal(size=(100, 2)))
        >>> print(result.summary())
        2 columns, 100 rows: no edges: ...
        """
        from sparsest.export.text import summary

        return summary(self)

    @usual_arithmetic
    def explain(self, a: str | int, b: str | int) -> PairExplanation:
        """Why two columns are joined by an edge, or are not, and what decides its direction.

        Only for Gaussian models.

        Parameters
        ----------
        a, b : str or int
            The two columns, by name or by position.

        Returns
        -------
        PairExplanation
            Prints as text; its fields hold the numbers.

        Examples
        --------
        >>> import numpy as np
        >>> import sparsest as sp
        >>> x = np.random.default_rng(0).normal(size=(300, 2))
        >>> result = sp.fit(np.column_stack([x[:, 0], x.sum(axis=1)]))
        >>> explanation = result.explain("x0", "x1")
        >>> explanation.edge
        'x0 -- x1'
        >>> print(explanation)
        x0 and x1: an edge whose direction is open (the DAG shows x0 -> x1)
        ...
        """
        from sparsest.explain import explain

        return explain(self, a, b)

    @usual_arithmetic
    def effect(
        self,
        cause: str | int | Sequence[str | int],
        outcome: str | int,
        *,
        interval: str | None = "auto",
        level: float = 0.95,
        change: Any = None,
        category: Any = None,
    ) -> Effect:
        """What happens to one column if others are changed, over all graphs that explain the data.

        Parameters
        ----------
        cause : str, int or list of them
            The column that is changed, by name or position; several for a joint intervention.
        outcome : str or int
            The column that responds.
        interval : {"auto", "resampled", "split", "naive"}, optional
            What the interval accounts for: "resampled" the choice of the graph, by way of the resamples of
            ``fit(resamples=...)`` or of 50 that are learned now; "split" learns from half of the rows and
            estimates on the other; "naive" takes the graph for granted. "auto" is "resampled" where the
            result has resamples or is small (up to 15 columns in linear models, up to 8 columns and 5000 rows
            in others), otherwise "naive"; `effect.how` and the text say which. None for no interval.
        level : float
            The coverage of the interval.
        change : pair, optional
            The values that the cause is changed from and to; with several causes, one pair each. By default
            effects of linear models are per unit, as are those of continuous causes in others, averaged over
            one standard deviation around the mean; a discrete cause is changed from its first to its last
            value.
        category : str, optional
            For a categorical outcome, the category whose probability is meant.

        Returns
        -------
        Effect
            Prints as text; `values`, `shares`, `bounds`, `identified`, `interval` and `adjustment_set` hold
            the answer.

        Examples
        --------
        >>> import numpy as np
        >>> import sparsest as sp
        >>> rng = np.random.default_rng(1)
        >>> a = rng.normal(size=500)
        >>> b = 0.8 * a + rng.normal(size=500)
        >>> result = sp.fit(np.column_stack([a, b]))
        >>> print(result.effect("x0", "x1"))
        raising x0 by 1 raises x1 by ... at most, or not at all
        2 graphs explain the data equally well:
        ...
        """
        from sparsest.effects.estimating import effect

        return effect(self, cause, outcome, interval=interval, level=level, change=change, category=category)

    @usual_arithmetic
    def effects(self, interval: str | None = None, level: float = 0.95) -> polars.DataFrame:
        """The effects of all columns on each other, as a table.

        Parameters
        ----------
        interval : {"auto", "resampled", "split", "naive"}, optional
            As for `effect`; None, the default, for no intervals.
        level : float
            The coverage of the intervals.

        Returns
        -------
        polars.DataFrame
            One row per cause and outcome with a directed path between them in some graph, strongest first:
            `cause`, `outcome`, `low` and `high` (the bounds), `identified`, `values` (how many), and where
            columns have units `low_per_sd` and `high_per_sd`; with intervals `interval_low`,
            `interval_high`.

        Examples
        --------
        >>> import numpy as np
        >>> import sparsest as sp
        >>> rng = np.random.default_rng(0)
        >>> rain, sprinkler = rng.normal(size=(2, 500))
        >>> wet = rain + sprinkler + 0.5 * rng.normal(size=500)
        >>> table = sp.fit(np.column_stack([rain, sprinkler, wet])).effects()
        >>> table.select("outcome", "identified").rows()
        [('x2', True), ('x2', True)]
        """
        from sparsest.effects.all_pairs import effects

        return effects(self, interval, level)

    def sortability(self) -> Sortability:
        """Varsortability and R²-sortability: how far variances alone would reveal the learned order.

        Returns
        -------
        Sortability
            Prints as text; its fields are shares between 0 and 1.

        Examples
        --------
        >>> import numpy as np
        >>> import sparsest as sp
        >>> x = np.random.default_rng(0).normal(size=(300, 2))
        >>> sp.fit(np.column_stack([x[:, 0], x.sum(axis=1)])).sortability().variance
        1.0
        """
        from sparsest.explain import sortability

        return sortability(self)

    def methods(self) -> str:
        """A methods paragraph for a paper, with the citation.

        Returns
        -------
        str

        Examples
        --------
        >>> import numpy as np
        >>> import sparsest as sp
        >>> result = sp.fit(np.random.default_rng(0).normal(size=(100, 2)))
        >>> print(result.methods())
        A directed acyclic graph was learned from 100 observations of 2 variables ...
        """
        from sparsest.export.methods_paragraph import methods

        return methods(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save the result to a file that `sparsest.load` reads.

        Parameters
        ----------
        path : str or path
            The file to write; an existing one is replaced.

        Examples
        --------
        >>> import numpy as np
        >>> import sparsest as sp
        >>> result = sp.fit(np.random.default_rng(0).normal(size=(100, 2)))
        >>> result.save("learned.sparsest")
        >>> sp.load("learned.sparsest").objective == result.objective
        True
        """
        from sparsest.export.archive import save

        save(self, path)

    @usual_arithmetic
    def predict(self, rows: Any) -> dict[str, Array]:
        """The conditional mean of every column given its parents in `result.dag`.

        Other members of the class have other parents, and predict from those as well. These are predictions
        for rows that came about as the table did, not for interventions: see `effect`.

        Parameters
        ----------
        rows : array, data frame or path
            New rows with all columns of the model. Data frames are matched by name and may have further
            columns; arrays are matched by position.

        Returns
        -------
        dict of str to array
            By column, one conditional mean per row; for a categorical column the probabilities of its
            categories, (n, levels), and for ``model="rank"`` conditional medians.

        Examples
        --------
        >>> import numpy as np
        >>> import sparsest as sp
        >>> x = np.random.default_rng(0).normal(size=(300, 2))
        >>> result = sp.fit(np.column_stack([x[:, 0], 2 * x[:, 0] + 0.1 * x[:, 1]]))
        >>> result.predict(np.array([[1.0, 0.0]]))["x1"].round(1)
        array([2.])
        """
        from sparsest.fitted.new_rows import predict

        return predict(self._model(), rows)

    @usual_arithmetic
    def log_likelihood(self, rows: Any) -> Array:
        """The log-likelihood of each row under the fitted model; higher is better.

        Parameters
        ----------
        rows : array, data frame or path
            New rows, as for `predict`.

        Returns
        -------
        array of shape (n,)

        Examples
        --------
        >>> import numpy as np
        >>> import sparsest as sp
        >>> x = np.random.default_rng(0).normal(size=(300, 2))
        >>> usual, unusual = sp.fit(x).log_likelihood(np.array([[0.0, 0.0], [5.0, 5.0]]))
        >>> bool(usual > unusual)
        True
        """
        from sparsest.fitted.new_rows import log_likelihood

        return log_likelihood(self._model(), rows)

    @usual_arithmetic
    def sample(
        self,
        n: int,
        rng: np.random.Generator,
        do: Mapping[str, Any] | None = None,
        member: str | None = None,
    ) -> polars.DataFrame:
        """Random rows from the fitted model, optionally under an intervention.

        Parameters
        ----------
        n : int
            The number of rows.
        rng : numpy.random.Generator
            The source of randomness.
        do : dict, optional
            Values at which columns are fixed regardless of their parents, such as ``{"x": 1.0}``. These are
            samples under an intervention if the DAG is the causal one.
        member : {"dag", "all"}, optional
            Under an intervention, whether rows come from `result.dag` alone, or from all members of its
            class, as many from each. By default from the DAG, with a warning where members differ in
            what follows.

        Returns
        -------
        polars.DataFrame
            One column each, with the words of categories.

        Examples
        --------
        >>> import numpy as np
        >>> import sparsest as sp
        >>> rng = np.random.default_rng(0)
        >>> x = rng.normal(size=(300, 2))
        >>> result = sp.fit(np.column_stack([x[:, 0], 2 * x[:, 0] + 0.1 * x[:, 1]]))
        >>> result.sample(1000, rng, do={"x0": 3.0}, member="dag").to_numpy().mean(axis=0).round(1)
        array([3., 6.])

        The data do not tell x0 -> x1 from x1 -> x0, so half of the graphs have no effect:

        >>> mixed = result.sample(1000, rng, do={"x0": 3.0}, member="all")
        >>> bool(2.5 < mixed["x1"].mean() < 3.5)
        True
        """
        self._model()
        from sparsest.effects.sampling import sample

        return sample(self, n, rng, do, member)

    def _model(self) -> Fitted:
        if self.fitted is None:
            raise OptionError(
                "this result has no fitted model to predict or sample from: its model offers none (a "
                "user-defined likelihood does not say how)"
            )
        return self.fitted

    def to_dict(self) -> dict[str, Any]:
        """The result as plain numbers, strings, lists and dictionaries that can be written as JSON.

        Returns
        -------
        dict

        Examples
        --------
        >>> import numpy as np
        >>> import sparsest as sp
        >>> x = np.random.default_rng(0).normal(size=(300, 2))
        >>> sp.fit(np.column_stack([x[:, 0], x.sum(axis=1)])).to_dict()["cpdag"]
        [{'source': 'x0', 'mark': '--', 'target': 'x1'}]
        """
        from sparsest.export.json import to_dict

        return to_dict(self)

    def report(
        self, path: str | os.PathLike[str], *, title: str | None = None, costs: Costs | None = None
    ) -> Path:
        """Write a page about the result: one HTML file with the graph to explore, tables and the evidence.

        Parameters
        ----------
        path : str or path
            The file to write, ending in .html; an existing one is replaced.
        title : str, optional
            The heading of the page.
        costs : Path, optional
            A path over costs of an edge, from `sparsest.path`, to show as well.

        Returns
        -------
        pathlib.Path
            The file.

        Examples
        --------
        >>> import numpy as np
        >>> import sparsest as sp
        >>> x = np.random.default_rng(0).normal(size=(300, 2))
        >>> result = sp.fit(np.column_stack([x[:, 0], x.sum(axis=1)]))
        >>> result.report("report.html").name
        'report.html'
        """
        from sparsest.report.page import write_report

        return write_report(self, path, title, costs)

    def plot(
        self,
        path: str | Path | None = None,
        ax: Any = None,
        *,
        top: int | None = None,
        around: str | Sequence[str] | None = None,
        truth: Dag | Cpdag | None = None,
        confidence: Confidence | None = None,
        title: str | None = None,
        size: tuple[float, float] | None = None,
        view: str = "auto",
        theme: str = "auto",
    ) -> Any:
        """Draw the CPDAG; with `confidence`, each edge with the share of resamples in which it comes again.

        Parameters
        ----------
        path : str or path, optional
            The file to save the picture to; its ending, .png, .svg or .pdf, decides the format.
        ax : matplotlib.axes.Axes, optional
            Axes to draw into, instead of a figure of its own.
        top : int, optional
            Draw only so many edges, the strongest ones.
        around : str or list of str, optional
            Draw only these columns and those joined to them.
        truth : Dag or Cpdag, optional
            A graph to compare with: colours then show what differs.
        confidence : Confidence, optional
            Shares to write beside the edges; those of the result by default.
        title : str, optional
            A line above the drawing.
        size : (float, float), optional
            Width and height in inches; by default as large as the graph needs.
        view : {"auto", "layers", "springs", "matrix", "modules"}
            "auto" draws a matrix in causal order, or modules, where lines could not be followed, and says so.
        theme : {"auto", "light", "dark"}
            Colours; "auto" is dark where matplotlib's own figures are.

        Returns
        -------
        matplotlib.figure.Figure
            Shown by a notebook as it is, by a script with ``.show()``.

        Examples
        --------
        >>> import numpy as np
        >>> import sparsest as sp
        >>> x = np.random.default_rng(0).normal(size=(300, 2))
        >>> figure = sp.fit(np.column_stack([x[:, 0], x.sum(axis=1)])).plot("graph.png")
        """
        from sparsest.export.strength import strengths_of
        from sparsest.plot.figure import draw

        found = strengths_of(self)
        return draw(
            self.cpdag, found.effects, path, comparable=found.comparable, signed=found.signed, ax=ax, top=top,
            around=around, truth=truth, confidence=self.confidence if confidence is None else confidence,
            title=title, size=size, view=view, theme=theme,
        )  # fmt: skip
