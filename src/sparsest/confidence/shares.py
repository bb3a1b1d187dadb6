"""`Confidence`: how often each pair of columns was joined, and how, over resamples and models."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sparsest._core.errors import OptionError
from sparsest._core.progress import Status
from sparsest._core.validation import number
from sparsest._core.words import count, percent
from sparsest.confidence.consensus import consensus_dag
from sparsest.graph import refine
from sparsest.graph.types import Cpdag, Dag
from sparsest.knowledge.masks import Masks

if TYPE_CHECKING:
    import polars

    from sparsest.result import Result

Array = NDArray[np.float64]
Counts = NDArray[np.int64]

POSTERIOR = "posterior"  #: `how`, where the numbers are probabilities
SURE = 0.9  #: the share from which on an edge or arrow is called sure


@dataclass(frozen=True, eq=False)
class Confidence:
    """How sure each mark is, over resamples of the rows or a posteriori: what to believe of a learned graph.

    `arrow`, `undirected` and `adjacency` are about marks of equivalence classes: i → j where every graph that
    explains the data equally well has that arrow, i – j where the direction is open. From `confidence`, and
    as `result.confidence`, they are shares of resamples, which are not probabilities; from `posterior` they
    are probabilities: `measure` says which. There is no need to create one directly.

    Attributes
    ----------
    arrows, lines : array of shape (p, p)
        In how many resamples the class has i → j, and i – j; a posteriori, with which probability.
    resamples : int
        How many resamples were learned from; none a posteriori.
    asked : int
        How many were asked for; more than `resamples` where it was stopped.
    how : str
        "half", "bootstrap" or "wishart"; or "posterior".
    answer : Cpdag
        The class learned from all rows.
    by_model : dict of str to Confidence
        The same for each model, where there were several.
    redrawn : int
        How often rows had to be drawn again because a column had lost a value.
    status : Status
        CONVERGED if all resamples are in, otherwise why they are not.
    knowledge : Masks, optional
        The edges that were allowed and required.
    result : Result, optional
        The result of all rows, of the first model.
    edge, ancestor : array of shape (p, p), optional
        A posteriori only: the probability that the DAG has i → j, and a directed path from i to j, under a
        uniform prior over DAGs.
    edge_probability : array of shape (p, p), optional
        A posteriori only: the probability that the DAG has i → j under the order-modular prior, computed
        without sampling. A DAG counts there once for each order of the columns that it agrees with.
    error : array of shape (p, p), optional
        A posteriori only: the Monte Carlo standard error of `arrow`, 0 where all DAGs were listed.
    graphs : int
        How many DAGs were listed or drawn a posteriori.
    effective : float
        How many independent DAGs those drawn are worth; infinite where all were listed.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsest as sp
    >>> rng = np.random.default_rng(0)
    >>> rain, sprinkler = rng.normal(size=(2, 200))
    >>> wet = rain + sprinkler + 0.5 * rng.normal(size=200)
    >>> found = sp.confidence(np.column_stack([rain, sprinkler, wet]), resamples=20)
    >>> found.arrow[0].tolist()
    [0.0, 0.0, 1.0]
    >>> found.graph().edges
    [('x0', '->', 'x2'), ('x1', '->', 'x2')]
    """

    arrows: Counts | Array
    lines: Counts | Array
    resamples: int
    asked: int
    how: str
    answer: Cpdag
    by_model: Mapping[str, Confidence] = field(default_factory=dict)
    redrawn: int = 0
    status: Status = Status.CONVERGED
    knowledge: Masks | None = None
    result: Result | None = None
    edge: Array | None = None
    ancestor: Array | None = None
    edge_probability: Array | None = None
    error: Array | None = None
    graphs: int = 0
    effective: float = math.inf

    @property
    def counts(self) -> str:
        """What `arrow`, `undirected` and `adjacency` are about: marks of classes; `edge` is about DAGs."""
        return "marks of classes"

    @property
    def measure(self) -> str:
        """What the numbers are: "share of resamples" or "posterior probability"."""
        return "posterior probability" if self.how == POSTERIOR else "share of resamples"

    @property
    def _total(self) -> int:
        return 1 if self.how == POSTERIOR else max(self.resamples, 1)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns' names."""
        return self.answer.names

    @property
    def arrow(self) -> Array:
        """(p, p): the share of resamples in which the class has i → j, or its probability."""
        return self.arrows / self._total

    @property
    def undirected(self) -> Array:
        """(p, p): the share of resamples in which the class has i – j, or its probability."""
        return self.lines / self._total

    @property
    def adjacency(self) -> Array:
        """(p, p): the share of resamples in which i and j are joined, or the probability of it."""
        return np.minimum((self.arrows + self.arrows.T + self.lines) / self._total, 1.0)

    @property
    def agreement(self) -> float:
        """The mean share of the marks of the answer from all rows, over its edges; 1 without edges."""
        shares = [self.share(i, j, mark) for i, mark, j in marks_of(self.answer)]
        return float(np.mean(shares)) if shares else 1.0

    def graph(self, threshold: float = 0.5) -> Cpdag:
        """The consensus of all resamples: a class that joins the pairs joined often enough.

        Parameters
        ----------
        threshold : float
            The smallest share of resamples in which a pair must be joined, or the smallest probability.

        Returns
        -------
        Cpdag or Mpdag
            Always a valid class. Its directions agree with the resamples as far as a class can; how often an
            arrow was found is in `arrow`.
        """
        least = number("threshold", threshold)
        if not 0 < least <= 1:
            raise OptionError(f"threshold is a {self.measure}, between 0 and 1, not {threshold!r}")
        known = Masks.unconstrained(len(self.names)) if self.knowledge is None else self.knowledge
        joined = (self.adjacency >= least) | known.required | known.required.T
        dag = consensus_dag(joined, self.arrow, self.undirected, known.allowed, known.required)
        return refine(Dag(dag.astype(int), self.names), known.allowed, known.required)

    def edges(self, least: float = 0.0) -> polars.DataFrame:
        """A table of the pairs that were joined at least once, most often joined first.

        Parameters
        ----------
        least : float
            Leave out pairs that were joined in a smaller share of resamples.

        Returns
        -------
        polars.DataFrame
            `source`, `mark`, `target`: the most frequent mark; `share`: its share; `adjacency`, `forward`,
            `backward`, `undirected`: the shares of being joined and of each mark; `answer`: the mark learned
            from all rows. With several models one column each, with the share of the mark there, and `holds`,
            in words.
        """
        import polars

        rows = [self._row(i, j) for i, j in self._pairs(least)]
        schema = None if rows else {"source": str, "mark": str, "target": str, "share": float}
        return polars.DataFrame(rows, schema=schema)

    def summary(self) -> str:
        """A few lines of plain text: what comes again, and what does not.

        Returns
        -------
        str
        """
        from sparsest.confidence.wording import summary

        return summary(self)

    def __str__(self) -> str:
        return self.summary()

    def __repr__(self) -> str:
        models = f" under {', '.join(self.by_model)}" if self.by_model else ""
        source = POSTERIOR if self.how == POSTERIOR else f"{count(self.resamples, 'resample')} ({self.how})"
        return (
            f"<Confidence: {source} of "
            f"{count(len(self.names), 'column')}{models}, agreement {percent(self.agreement)}>"
        )

    def mark(self, i: int, j: int) -> tuple[int, str, int, float]:
        """The most frequent, or most probable, mark of a pair, and its share.

        Parameters
        ----------
        i, j : int
            The columns, by position.

        Returns
        -------
        tuple
            (source, mark, target, share), the mark "->" or "--".
        """
        found = [
            (self.arrow[i, j], (i, "->", j)), (self.arrow[j, i], (j, "->", i)),
            (self.undirected[i, j], (i, "--", j)),
        ]  # fmt: skip
        share, (source, mark, target) = max(found, key=lambda one: one[0])
        return source, mark, target, float(share)

    def _pairs(self, least: float) -> list[tuple[int, int]]:
        joined = np.triu(self.adjacency)
        pairs = np.argwhere((joined > 0) & (joined >= least))
        order = np.argsort(-joined[tuple(pairs.T)], kind="stable")
        return [(int(i), int(j)) for i, j in pairs[order]]

    def _row(self, i: int, j: int) -> dict[str, Any]:
        source, mark, target, share = self.mark(i, j)
        row = {
            "source": self.names[source],
            "mark": mark,
            "target": self.names[target],
            "share": share,
            "adjacency": float(self.adjacency[source, target]),
            "forward": float(self.arrow[source, target]),
            "backward": float(self.arrow[target, source]),
            "undirected": float(self.undirected[source, target]),
            "answer": _mark_of(self.answer, source, target),
        }
        if self.by_model:
            row |= {name: one.share(source, target, mark) for name, one in self.by_model.items()}
            row["holds"] = self.holds(source, mark, target)
        return row

    def holds(self, source: int, mark: str, target: int) -> str:
        """In words, under which models a mark is found in at least half of the resamples.

        Parameters
        ----------
        source, target : int
            The columns, by position.
        mark : {"->", "--"}
            The mark.

        Returns
        -------
        str
        """
        inside = [name for name, one in self.by_model.items() if one.share(source, target, mark) >= 0.5]
        outside = [name for name in self.by_model if name not in inside]
        if not outside:
            return f"holds under {_and(inside)}"
        return f"holds under {_and(inside)}, not under {_and(outside)}" if inside else "holds under none"

    def share(self, i: int, j: int, mark: str) -> float:
        """The share of resamples in which the class has the mark "->" or "--" between i and j.

        Parameters
        ----------
        i, j : int
            The columns, by position.
        mark : {"->", "--"}
            The mark.

        Returns
        -------
        float
        """
        return float((self.arrow if mark == "->" else self.undirected)[i, j])


def marks_of(graph: Cpdag) -> list[tuple[int, str, int]]:
    """The edges of a class by position."""
    place = {name: k for k, name in enumerate(graph.names)}
    arrows = [(place[a], "->", place[b]) for a, b in graph.directed_edges]
    return arrows + [(place[a], "--", place[b]) for a, b in graph.undirected_edges]


def _mark_of(graph: Cpdag, i: int, j: int) -> str:
    forward, backward = bool(graph.matrix[i, j]), bool(graph.matrix[j, i])
    return {(True, True): "--", (True, False): "->", (False, True): "<-"}.get((forward, backward), "")


def _and(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
