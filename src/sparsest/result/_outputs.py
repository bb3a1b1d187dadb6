"""Methods of a result that show it, write it, or hand it over."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sparsest._core.display import text_html
from sparsest.graph.types import Cpdag, Dag

if TYPE_CHECKING:
    from sparsest.confidence import Confidence
    from sparsest.costs import Path as Costs


class Outputs:
    """Text, pictures, pages and files."""

    cpdag: Cpdag
    confidence: Confidence | None

    def __repr__(self) -> str:
        from sparsest.export.text import brief

        return brief(self)  # type: ignore[arg-type]

    def _repr_html_(self) -> str:
        from sparsest.plot.picture import embedded

        return text_html(self.summary()) + embedded(self.plot, len(self.cpdag))

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

        return summary(self)  # type: ignore[arg-type]

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

        return methods(self)  # type: ignore[arg-type]

    def show(self) -> Any:
        """The graph as a widget in a notebook: move, search and filter it, draw knowledge and fit again.

        Returns
        -------
        anywidget.AnyWidget
            Its `result` is this one, or the one learned last after knowledge was drawn. Needs
            ``pip install 'sparsest[notebook]'``.
        """
        from sparsest.report.widget import widget_of

        return widget_of(self)  # type: ignore[arg-type]

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

        found = strengths_of(self)  # type: ignore[arg-type]
        return draw(
            self.cpdag, found.effects, path, comparable=found.comparable, signed=found.signed, ax=ax, top=top,
            around=around, truth=truth, confidence=self.confidence if confidence is None else confidence,
            title=title, size=size, view=view, theme=theme,
        )  # fmt: skip

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

        return write_report(self, path, title, costs)  # type: ignore[arg-type]

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

        save(self, path)  # type: ignore[arg-type]

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

        return to_dict(self)  # type: ignore[arg-type]
