"""`Effect`: what happens to an outcome if causes are changed, over all graphs that explain the data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sparsest._core.display import text_html

if TYPE_CHECKING:
    import polars

    from sparsest.effects.refuting import Refutation
    from sparsest.result import Result

Array = NDArray[np.float64]
Interval = tuple[float, float]

#: Graphs whose log-likelihoods differ by less fit equally well.
TIED = 2.0


@dataclass(frozen=True, eq=False)
class Case:
    """One possible value of an effect, and the members of the class that have it.

    Parameters
    ----------
    value : float
        The effect.
    parts : tuple of float
        With several causes, the effect of each while the others are held fixed; they add up to `value`.
    parents : tuple of tuple of str
        The parents of each cause in members with this value: what to adjust for. If several sets of parents
        lead to the value, the first of them.
    members : int, optional
        How many members have it; None if they could not be counted.
    share : float, optional
        Their share of all members.
    interval : (float, float), optional
        The interval given these graphs.
    error : float
        The Monte Carlo standard error of the value; 0 if it was computed exactly.
    ratio : float, optional
        For a binary outcome, the ratio of the two risks.
    dag : bool
        Whether this is the value in `result.dag`.
    behind : float, optional
        Where the model may identify the DAG: by how much the log-likelihood of a refitted member with these
        parents is below that of `result.dag`.
    """

    value: float
    parts: tuple[float, ...]
    parents: tuple[tuple[str, ...], ...]
    members: int | None = None
    share: float | None = None
    interval: Interval | None = None
    error: float = 0.0
    ratio: float | None = None
    dag: bool = False
    behind: float | None = None


@dataclass(frozen=True, eq=False)
class Effect:
    """The possible total effects of causes on an outcome, over the graphs that explain the data equally well.

    Effects are returned by `result.effect`; there is no need to create one directly. They hold if the true
    graph is a member of the class, that is, if no common cause is hidden and the model is right.

    Attributes
    ----------
    causes : tuple of str
        What is changed.
    outcome : str
        What responds.
    cases : tuple of Case
        The possible values, each with its share of members and its parents. Where the model identifies a DAG
        its value comes first; the others are those of the refitted members of its class.
    identified : bool
        Whether all members agree, by a criterion on the class and not by comparing numbers.
    interval : (float, float), optional
        An interval for the effect in the true graph.
    how : str, optional
        What the interval accounts for: "resampled", "split" or "naive".
    level : float
        Its nominal coverage.
    adjustment_set : tuple of str, optional
        What to adjust for, if the effect of one cause is identified: the set with the smallest variance.
    zero : bool
        Whether no member has a directed path from a cause to the outcome.
    members : int, optional
        The number of graphs in the class; None if they could not be counted.
    complete : bool
        False if there were too many possible parents, and a random choice of them was looked at.
    change : str
        What is done to the cause, in words.
    unit : str
        What the values are, in words.
    scales : tuple of float
        Standard deviations: of each cause, then of the outcome.
    identifies : {"class", "dag"}
        What the model can identify.
    notes : tuple of str
        What else there is to know.
    contrasts : dict of str to float
        For a cause with more than two categories, the change against the first one, in `result.dag`.
    levels : tuple, optional
        The two values between which the cause is changed, where there are two.
    result : Result, optional
        The result that was asked.
    resamples : int
        How many resamples the interval rests on.
    category : int, optional
        The category of the outcome whose probability is meant, by its code.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsest as sp
    >>> rng = np.random.default_rng(0)
    >>> rain, sprinkler = rng.normal(size=(2, 500))
    >>> wet = rain + sprinkler + 0.5 * rng.normal(size=500)
    >>> result = sp.fit(np.column_stack([rain, sprinkler, wet]))
    >>> found = result.effect("x0", "x2")
    >>> found.identified, found.values.round(1).tolist(), found.adjustment_set
    (True, [1.0], ('x1',))
    """

    causes: tuple[str, ...]
    outcome: str
    cases: tuple[Case, ...]
    identified: bool
    interval: Interval | None = None
    how: str | None = None
    level: float = 0.95
    adjustment_set: tuple[str, ...] | None = None
    zero: bool = False
    members: int | None = None
    complete: bool = True
    change: str = ""
    unit: str = ""
    scales: tuple[float, ...] = ()
    identifies: str = "class"
    notes: tuple[str, ...] = ()
    contrasts: dict[str, float] = field(default_factory=dict)
    levels: tuple[Any, Any] | None = None
    result: Result | None = field(default=None, repr=False)
    resamples: int = 0
    category: int | None = None

    @property
    def values(self) -> Array:
        """The possible values: those of most members first, or that of the DAG where it is identified."""
        return np.array([case.value for case in self.cases])

    @property
    def shares(self) -> Array | None:
        """The share of members that have each value; None if members could not be counted."""
        shares = [case.share for case in self.cases if case.share is not None]
        return np.array(shares) if len(shares) == len(self.cases) else None

    @property
    def bounds(self) -> Interval:
        """The smallest and the largest of the values."""
        return float(self.values.min()), float(self.values.max())

    @property
    def value(self) -> float | None:
        """The one value if there is one: identified, or that of the DAG where the model identifies it.

        If another member of the class fits as well, to within 2 in the log-likelihood, there is none.
        """
        alone = (self.identifies == "dag" and not self.tied) or len(self.cases) == 1
        return self.cases[0].value if alone else None

    @property
    def tied(self) -> bool:
        """Whether a member with another value fits as well as the DAG, under a model that may identify it."""
        return any(case.behind is not None and case.behind < TIED for case in self.cases if not case.dag)

    @property
    def values_per_sd(self) -> Array | None:
        """The values in standard deviations of the outcome, for one standard deviation of each cause.

        None where the outcome has no units, or the cause is changed between two given values.
        """
        if not self.scales:
            return None
        *causes, outcome = self.scales
        return np.array([np.dot(case.parts, causes) / outcome for case in self.cases])

    @property
    def ratios(self) -> Array | None:
        """The ratio of risks for a binary outcome, by case; None for other outcomes."""
        ratios = [case.ratio for case in self.cases if case.ratio is not None]
        return np.array(ratios) if len(ratios) == len(self.cases) else None

    @property
    def error(self) -> float:
        """The largest Monte Carlo standard error of a value; 0 if all were computed exactly."""
        return max(case.error for case in self.cases)

    def __str__(self) -> str:
        from sparsest.effects.wording_effects import summary

        return summary(self)

    def __repr__(self) -> str:
        low, high = self.bounds
        size = f"{low:.4g}" if low == high else f"{low:.4g} to {high:.4g}"
        known = "identified" if self.identified else "not identified"
        return f"<Effect of {', '.join(self.causes)} on {self.outcome}: {size}, {known}>"

    def _repr_html_(self) -> str:
        from sparsest.plot.picture import embedded

        return text_html(str(self)) + embedded(self.plot, 1, "the possible effects")

    def curve(self, points: int = 21) -> Array:
        """The expected outcome if the cause is set to one value after the other: a dose-response curve.

        Parameters
        ----------
        points : int
            How many values of a continuous cause, between its 2.5th and 97.5th percentile if it were normal.

        Returns
        -------
        array of shape (points, 1 + cases)
            The values of the cause, then the expected outcome in each case.
        """
        from sparsest.effects.dose_response import curve

        return curve(self, points)

    def over_resamples(self) -> polars.DataFrame:
        """The effect in each class that was learned from resamples, refitted on all rows; linear models only.

        Returns
        -------
        polars.DataFrame
            One row per class, most frequent first: `low` and `high` (its bounds), `identified`, `values` (how
            many) and `resamples` (in how many it was found).
        """
        from sparsest.effects.over_resamples import over_resamples

        return over_resamples(self)

    def plot(self, path: Any = None, ax: Any = None, *, theme: str = "auto") -> Any:
        """Draw the possible values with the interval, or the dose-response curves of a nonlinear model.

        Parameters
        ----------
        path : str or path, optional
            The file to save the picture to; its ending decides the format.
        ax : matplotlib.axes.Axes, optional
            Axes to draw into, instead of a figure of its own.
        theme : {"auto", "light", "dark"}
            Colours; "auto" is dark where matplotlib's own figures are.

        Returns
        -------
        matplotlib.figure.Figure
        """
        from sparsest.plot.effects import draw_effect

        return draw_effect(self, path, ax, theme)

    def refute(self, seed: int = 0, hidden: float | None = None) -> Refutation:
        """Counter-checks: what would have to be true for the effect to be something else.

        Parameters
        ----------
        seed : int
            Decides the random columns and rows.
        hidden : float, optional
            The strength of a hidden common cause, to see what it would leave of the effect: for a ratio of
            risks, the factor by which it changes the risks of both cause and outcome; otherwise the share
            that it explains of what the parents leave unexplained of both.

        Returns
        -------
        Refutation
            Prints as text, one line a check; checks that need the rows say so if there are none.
        """
        from sparsest.effects.refuting import refute

        return refute(self, seed, hidden)

    def to_dowhy(self) -> dict[str, Any]:
        """Graph, treatment and outcome as the keywords of ``dowhy.CausalModel(data=table, **...)``.

        Returns
        -------
        dict
            "graph" (a networkx.DiGraph), "treatment" and "outcome".
        """
        from sparsest.effects.handing_over import to_dowhy

        return to_dowhy(self)

    def to_econml(self, table: Any) -> dict[str, Any]:
        """Arrays as the keywords of an EconML estimator's ``fit(**...)``.

        Parameters
        ----------
        table : array, data frame or path
            The rows, as for `result.predict`.

        Returns
        -------
        dict
            "Y", "T" and "W", the columns to adjust for.
        """
        from sparsest.effects.handing_over import to_econml

        return to_econml(self, table)

    def to_doubleml(self) -> dict[str, Any]:
        """Names as the keywords of ``doubleml.DoubleMLData(frame, **...)``.

        Returns
        -------
        dict
            "y_col", "d_cols" and "x_cols".
        """
        from sparsest.effects.handing_over import to_doubleml

        return to_doubleml(self)


def merged(cases: Sequence[Case], tolerance: float, *, dag_first: bool) -> tuple[Case, ...]:
    """Cases with the same value as one, most members first, or that of the DAG."""
    groups: list[list[Case]] = []
    for case in cases:
        for group in groups:
            near = np.abs(np.subtract(group[0].parts, case.parts)).max() <= tolerance
            if near and (group[0].value == 0) == (case.value == 0):
                group.append(case)
                break
        else:
            groups.append([case])
    found = [_together(group) for group in groups]
    return tuple(sorted(found, key=lambda case: (dag_first and not case.dag, -(case.share or 0), case.value)))


def _together(group: Sequence[Case]) -> Case:
    first = next((case for case in group if case.dag), group[0])
    if any(case.members is None or case.share is None for case in group):
        return first
    members = sum(case.members or 0 for case in group)
    return replace(first, members=members, share=sum(case.share or 0.0 for case in group))
