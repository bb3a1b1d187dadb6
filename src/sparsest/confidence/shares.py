"""`Confidence`: how often each pair of columns was joined, and how, over resamples and models."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sparsest._core.display import text_html
from sparsest._core.errors import OptionError
from sparsest._core.progress import Status
from sparsest._core.validation import number
from sparsest._core.words import count, percent
from sparsest.confidence.consensus import consensus_dag
from sparsest.confidence.misfit import Misfit
from sparsest.graph import refine
from sparsest.graph.types import Cpdag, Dag, Mpdag
from sparsest.knowledge.masks import Masks

if TYPE_CHECKING:
    import polars

    from sparsest.confidence.calibration import Calibrated
    from sparsest.result import Result

Array = NDArray[np.float64]
Counts = NDArray[np.int64]

POSTERIOR = "posterior"  #: `how`, where the numbers are probabilities
SURE = 0.9  #: the share from which on an edge or arrow is called sure
FEW = 20  #: with fewer resamples none is: nine of ten come again by chance too often


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
    model : str
        The model; the first of several.
    n : float
        The number of rows.
    misfit : Misfit, optional
        How far the rows are from a linear Gaussian model, where there are rows.
    strength : array of shape (p, p), optional
        Partial correlations of the pairs that were ever joined, without their sign, given the parents of both
        columns in the answer; for the models whose shares are calibrated.
    graphs : int
        How many DAGs were listed or independently drawn a posteriori.
    packed : array of shape (k, bytes), optional
        The distinct classes of the resamples, one a row, most frequent first, eight pairs a byte: intervals
        of effects need them. None a posteriori.
    repeats : array of shape (k,), optional
        In how many resamples each of these classes was found.
    lenient : array of shape (k, bytes), optional
        The distinct classes of resamples in which every edge that is significant at the 5 % level is worth
        its cost, packed: intervals of effects need these, too. None unless `fit` made the resamples.
    lenient_repeats : array of shape (k,), optional
        In how many resamples each of these was found.

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
    model: str = ""
    n: float = math.nan
    misfit: Misfit | None = None
    strength: Array | None = None
    packed: NDArray[np.uint8] | None = None
    repeats: Counts | None = None
    lenient: NDArray[np.uint8] | None = None
    lenient_repeats: Counts | None = None

    def classes(self) -> list[tuple[Cpdag, int]]:
        """The distinct classes of the resamples, most frequent first, and how often each was found.

        Returns
        -------
        list of (Cpdag, int)
            Empty a posteriori, and for results saved by version 0.1.
        """
        return self._unpacked(self.packed, self.repeats)

    def lenient_classes(self) -> list[tuple[Cpdag, int]]:
        """The distinct classes of resamples in which edges were cheap, and how often each was found.

        Returns
        -------
        list of (Cpdag, int)
            Empty unless `fit` made the resamples.
        """
        return self._unpacked(self.lenient, self.lenient_repeats)

    def _unpacked(self, packed: NDArray[np.uint8] | None, repeats: Counts | None) -> list[tuple[Cpdag, int]]:
        if packed is None or repeats is None:
            return []
        kind = Cpdag if self.knowledge is None else Mpdag
        p = len(self.names)
        bits = np.unpackbits(packed, axis=1, count=p * p).reshape(-1, p, p).astype(bool)
        graphs = [kind._trusted(one, self.names) for one in bits]
        return list(zip(graphs, repeats.tolist(), strict=True))

    @property
    def counts(self) -> str:
        """What `arrow`, `undirected` and `adjacency` are about: always marks of classes.

        An arrow counts where all members of the class have it. `edge`, `ancestor` and `edge_probability`, a
        posteriori, are about DAGs: there each member of a class counts with its own directions.
        """
        return "marks of classes"

    @property
    def too_few(self) -> bool:
        """Whether there are too few resamples to call anything sure."""
        return self.how != POSTERIOR and self.resamples < FEW

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

    @property
    def models(self) -> tuple[str, ...]:
        """The models that were learned under."""
        return tuple(self.by_model) or (self.model,)

    @property
    def calibrated(self) -> Calibrated:
        """Shares of half-samples as probabilities: `.adjacency` and `.arrow`, of the true DAG.

        Fitted on simulated tables of many designs, under the models gaussian and rank; other shares raise an
        `OptionError`. Where hidden causes are at work they still promise too much.
        """
        from sparsest.confidence.calibration import calibrated

        return calibrated(self)

    @property
    def calibrates(self) -> bool:
        """Whether these shares can be calibrated."""
        from sparsest.confidence.calibration import refusal

        return refusal(self) is None

    def graph(self, threshold: float | None = None) -> Cpdag:
        """The consensus of all resamples: a class that joins the pairs joined often enough.

        Parameters
        ----------
        threshold : float, optional
            The smallest share of resamples in which a pair must be joined, or the smallest posterior
            probability. By default the pairs are joined that are more probably so than not: by calibrated
            probabilities where there are some, else by a threshold of 0.5.

        Returns
        -------
        Cpdag or Mpdag
            Always a valid class. Its directions agree with the resamples as far as a class can, and by
            default also with the answer from all rows, the more the rows can be trusted (`Misfit.trust`); how
            often an arrow was found is in `arrow`.
        """
        least = 0.5 if threshold is None else number("threshold", threshold)
        if not 0 < least <= 1:
            raise OptionError(f"threshold is a {self.measure}, between 0 and 1, not {threshold!r}")
        if threshold is None and self.calibrates:
            from sparsest.confidence.calibration import Evidence, marks_to_trust

            adjacency, (arrow, line) = self.calibrated.adjacency, marks_to_trust(Evidence.of(self))
        else:
            adjacency, arrow, line = self.adjacency, self.arrow, self.undirected
        known = Masks.unconstrained(len(self.names)) if self.knowledge is None else self.knowledge
        joined = (adjacency >= least) | known.required | known.required.T
        dag = consensus_dag(joined, arrow, line, known.allowed, known.required)
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
            from all rows. Where shares are calibrated, `probability`: that the pair is joined in the true
            DAG, and `forward probability`: that it is source → target there. With several models one column
            each, with the share of the mark there, and `holds`, in words.
        """
        import polars

        probable = self.calibrated.arrow if self.calibrates else None
        rows = [self._row(i, j, probable) for i, j in self._pairs(number("least", least))]
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

    def plot(
        self, path: str | Path | None = None, ax: Any = None, *, threshold: float | None = None, **how: Any
    ) -> Any:
        """Draw the answer, or the consensus, with the share of each mark beside it.

        Parameters
        ----------
        path : str or path, optional
            The file to save the picture to; its ending decides the format.
        ax : matplotlib.axes.Axes, optional
            Axes to draw into, instead of a figure of its own.
        threshold : float, optional
            Draw the consensus at this threshold (`graph`) instead of the answer from all rows.
        **how
            `top`, `around`, `truth`, `title`, `size`, `view` and `theme`, as for `Result.plot`.

        Returns
        -------
        matplotlib.figure.Figure
        """
        from sparsest.plot.figure import draw

        graph = self.answer if threshold is None else self.graph(threshold)
        return draw(graph, path=path, ax=ax, confidence=self, **how)

    def __str__(self) -> str:
        return self.summary()

    def __repr__(self) -> str:
        models = f" under {', '.join(self.by_model)}" if self.by_model else ""
        source = POSTERIOR if self.how == POSTERIOR else f"{count(self.resamples, 'resample')} ({self.how})"
        return (
            f"<Confidence: {source} of "
            f"{count(len(self.names), 'column')}{models}, agreement {percent(self.agreement)}>"
        )

    def _repr_html_(self) -> str:
        from sparsest.plot.picture import embedded

        return text_html(self.summary()) + embedded(self.plot, len(self.names))

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

    def _row(self, i: int, j: int, probable: Array | None) -> dict[str, Any]:
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
        if probable is not None:
            forward, backward = float(probable[source, target]), float(probable[target, source])
            row |= {"probability": forward + backward, "forward probability": forward}
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


def packed_classes(essentials: NDArray[np.bool_]) -> tuple[NDArray[np.uint8], Counts]:
    """The distinct ones among classes, packed, most frequent first, and how often each occurs."""
    rows = np.packbits(essentials.reshape(len(essentials), math.prod(essentials.shape[1:])), axis=1)
    distinct, times = np.unique(rows, axis=0, return_counts=True)
    order = np.argsort(-times, kind="stable")
    return distinct[order], times[order].astype(np.int64)


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
