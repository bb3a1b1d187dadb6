"""Methods of graphs that hand them to other tools, and make graphs of what other tools have."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

import numpy.typing as npt

from sparsest._core.errors import GraphError, OptionError
from sparsest._core.writing import written_whole

if TYPE_CHECKING:
    import networkx
    import polars

    from sparsest.graph._matrix import Pattern

_Method = TypeVar("_Method", bound=Callable[..., Any])


def _gives_text(about: str = "") -> Callable[[_Method], _Method]:
    """What `to_` of a text format returns, below its summary."""
    return _with_sections("Returns\n-------\nstr" + f"\n    {about}" * bool(about))


def _takes_text(about: str) -> Callable[[_Method], _Method]:
    """What `from_` of a text format takes and returns, below its summary."""
    return _with_sections(
        f"Parameters\n----------\ntext : str\n    {about}\n\n"
        "Returns\n-------\nDag, Cpdag or Mpdag\n    A graph of the class on which this is called."
    )


def _with_sections(sections: str) -> Callable[[_Method], _Method]:
    def described(method: _Method) -> _Method:
        if method.__doc__:  # python -OO has none
            method.__doc__ += f"\n\n{sections}\n"
        return method

    return described


class Conversions:
    """Text and objects of other tools. Every `to_` has a `from_` that gives the same graph again."""

    __slots__ = ()

    def to_networkx(self, weights: npt.ArrayLike | None = None) -> networkx.DiGraph:
        """Graph as a networkx object whose nodes are the names.

        Parameters
        ----------
        weights : (p, p) array_like, optional
            Weights of the edges, such as `result.weights`.

        Returns
        -------
        networkx.DiGraph or networkx.MultiDiGraph
            A DiGraph for a DAG. For a class a MultiDiGraph whose arcs have their mark as key and attribute:
            an arrow is one arc with "->", an edge without a direction two opposite arcs with "--".
        """
        from sparsest.graph.formats.live import to_networkx

        return to_networkx(self, weights)  # type: ignore[arg-type]

    @classmethod
    def from_networkx(cls, graph: Any) -> Self:
        """Graph of a networkx object; two opposite arcs have no direction, nor have the edges of a Graph.

        Parameters
        ----------
        graph : networkx.DiGraph, networkx.MultiDiGraph or networkx.Graph
            The names are its nodes, as text.

        Returns
        -------
        Dag, Cpdag or Mpdag
            A graph of the class on which this is called.
        """
        from sparsest.graph.formats.live import from_networkx

        return cls._of(*from_networkx(graph))

    def to_pgmpy(self) -> Any:
        """Graph as an object of pgmpy.

        Returns
        -------
        pgmpy.base.DAG or pgmpy.base.PDAG
            Both are networkx graphs: `from_networkx` takes them.
        """
        from sparsest.graph.formats.live import to_pgmpy

        return to_pgmpy(self)  # type: ignore[arg-type]

    def to_causallearn(self) -> Any:
        """Graph as an object of causal-learn.

        Returns
        -------
        causallearn.graph.GeneralGraph.GeneralGraph
        """
        from sparsest.graph.formats.live import to_causallearn

        return to_causallearn(self)  # type: ignore[arg-type]

    @classmethod
    def from_causallearn(cls, graph: Any) -> Self:
        """Graph of what causal-learn returns.

        Parameters
        ----------
        graph : GeneralGraph or CausalGraph
            Its edges must be arrows or have no direction.

        Returns
        -------
        Dag, Cpdag or Mpdag
            A graph of the class on which this is called.
        """
        from sparsest.graph.formats.live import from_causallearn

        return cls._of(*from_causallearn(graph))

    def to_dowhy(self) -> networkx.DiGraph:
        """Graph for ``dowhy.CausalModel(graph=...)``, which takes one DAG.

        Returns
        -------
        networkx.DiGraph

        Raises
        ------
        GraphError
            If this is a class with edges without a direction.
        """
        return self._one_dag("DoWhy").to_networkx()

    def to_lavaan(self) -> str:
        """Graph in the syntax of lavaan, a regression per node; it takes one DAG.

        Returns
        -------
        str
            Names that lavaan does not take are replaced, and comments say by what.

        Raises
        ------
        GraphError
            If this is a class with edges without a direction.
        """
        from sparsest.graph.formats.lavaan import write_lavaan

        return write_lavaan(self._one_dag("lavaan"))

    @_gives_text()
    def to_dot(self) -> str:
        """Graph as text for Graphviz."""
        return self._text("dot")

    @classmethod
    @_takes_text("Nodes and edges; a graph, a digraph, or a digraph with `dir=none` at some edges.")
    def from_dot(cls, text: str) -> Self:
        """Graph in the plain form of DOT."""
        return cls._parsed("dot", text)

    @_gives_text()
    def to_dagitty(self) -> str:
        """Graph as text for DAGitty."""
        return self._text("dagitty")

    @classmethod
    @_takes_text("``dag { ... }`` or ``pdag { ... }``.")
    def from_dagitty(cls, text: str) -> Self:
        """Graph in the text of DAGitty."""
        return cls._parsed("dagitty", text)

    @_gives_text("White space, semicolons and commas in names are written as %20, %3B and %2C.")
    def to_tetrad(self) -> str:
        """Graph as text for Tetrad."""
        return self._text("tetrad")

    @classmethod
    @_takes_text('"Graph Nodes:" and "Graph Edges:".')
    def from_tetrad(cls, text: str) -> Self:
        """Graph in the text of Tetrad."""
        return cls._parsed("tetrad", text)

    @_gives_text()
    def to_caugi(self) -> str:
        """Graph as the JSON of caugi (R)."""
        return self._text("caugi")

    @classmethod
    @_takes_text("The content of a .caugi.json file.")
    def from_caugi(cls, text: str) -> Self:
        """Graph in the JSON of caugi (R)."""
        return cls._parsed("caugi", text)

    @_gives_text()
    def to_graphml(self) -> str:
        """Graph as GraphML, for Gephi, Cytoscape, yEd and igraph."""
        return self._text("graphml")

    @classmethod
    @_takes_text("One graph with nodes and edges.")
    def from_graphml(cls, text: str) -> Self:
        """Graph in the plain form of GraphML."""
        return cls._parsed("graphml", text)

    @_gives_text()
    def to_gml(self) -> str:
        """Graph as GML."""
        return self._text("gml")

    @classmethod
    @_takes_text("One graph with nodes and edges.")
    def from_gml(cls, text: str) -> Self:
        """Graph in the text of GML."""
        return cls._parsed("gml", text)

    def to_tikz(self) -> str:
        """Graph as a picture for LaTeX: a tikzpicture with the nodes where `plot` puts them.

        Returns
        -------
        str
        """
        from sparsest.plot.tikz import write_tikz

        return write_tikz(self)  # type: ignore[arg-type]

    def to_frame(self, weights: npt.ArrayLike | None = None) -> polars.DataFrame:
        """Edges as a table.

        Parameters
        ----------
        weights : (p, p) array_like, optional
            Weights of the edges, such as `result.weights`.

        Returns
        -------
        polars.DataFrame
            `source`, `mark` ("->" or "--") and `target`, and the `weight` if there are weights. Nodes
            without edges are not in it: `from_edges(frame, names=...)` takes them from `names`.
        """
        import numpy as np
        import polars

        from sparsest.graph.formats.dot import marked_triples

        triples = list(marked_triples(self))  # type: ignore[arg-type]
        columns: dict[str, Any] = {
            name: polars.Series([one[k] for one in triples], dtype=polars.String)
            for k, name in enumerate(("source", "mark", "target"))
        }
        if weights is not None:
            size, place = np.asarray(weights, dtype=float), self.position  # type: ignore[attr-defined]
            ends = [(place(a), place(b)) for a, _, b in triples]
            columns["weight"] = polars.Series(
                [size[end] or size[end[::-1]] for end in ends], dtype=polars.Float64
            )
        return polars.DataFrame(columns)

    def write(self, path: str | os.PathLike[str], format: str | None = None) -> None:  # noqa: A002
        """Write the graph to a file that other programs, and `sparsest.graph.read`, read.

        Parameters
        ----------
        path : str or path
            The file; its ending decides the format: .dot, .dagitty, .txt (Tetrad), .caugi.json, .graphml,
            .gml, and .tex (TikZ), .lavaan and .json (of sparsest).
        format : str, optional
            The format, if the ending does not say.
        """
        from sparsest.graph.files import write_any

        text = write_any(self, Path(path), format)  # type: ignore[arg-type]
        with written_whole(path) as draft:
            try:
                draft.write_text(text, encoding="utf-8", newline="")
            except UnicodeEncodeError:
                raise OptionError(
                    "a name has half of a character (a lone surrogate): rename that column"
                ) from None

    def _text(self, name: str) -> str:
        from sparsest.graph.formats.known_formats import format_called

        return format_called(name).write(self)  # type: ignore[arg-type]

    @classmethod
    def _parsed(cls, name: str, text: str) -> Self:
        from sparsest.graph.formats.known_formats import format_called
        from sparsest.graph.tables import UnreadableError

        if not isinstance(text, str):
            raise GraphError(f"from_{name} takes text, not a {type(text).__name__}: read the file first")
        try:
            found = format_called(name).parse(text)
        except UnreadableError as error:
            raise GraphError(f"the text {error}") from None
        return cls._of(found.matrix != 0, found.names)

    @classmethod
    def _of(cls, pattern: Pattern, names: Iterable[str]) -> Self:
        """Graph of this class, if it is one."""
        return cls(pattern, names)  # type: ignore[call-arg]

    def _one_dag(self, tool: str) -> Any:
        from sparsest.graph.types import Dag

        if isinstance(self, Dag):
            return self
        open_edges = len(self.undirected_edges)  # type: ignore[attr-defined]
        if open_edges:
            raise GraphError(
                f"{tool} takes one DAG, and this is a class: {open_edges} of its edges have no direction. "
                "graph.to_dag() is one member, sparsest.graph.mec_members(graph) has them all"
            )
        return self.to_dag()  # type: ignore[attr-defined]
