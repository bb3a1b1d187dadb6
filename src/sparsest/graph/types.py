"""Dag, Cpdag and Mpdag: immutable graphs, each a 0/1 matrix with names, validated on construction.

The matrix is stored as read-only int8 (`.matrix`), one byte per pair. `to_numpy()` and `np.asarray` return
int64 copies: products of int8 matrices would silently overflow beyond 127.
"""

from __future__ import annotations

import operator
import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from sparsest._core.display import text_html
from sparsest._core.errors import GraphError
from sparsest._core.words import count, listed, nearest, printable
from sparsest.graph._conversions import Conversions
from sparsest.graph._effect_questions import EffectQuestions
from sparsest.graph._links import Links, links_of
from sparsest.graph._matrix import IntMatrix, Matrix, Pattern, check_names, edge_pattern, refuse_loops
from sparsest.graph._path_questions import PathQuestions


class Graph(PathQuestions, EffectQuestions, Conversions, ABC):
    """Common base of Dag and Cpdag; users construct one of these.

    Parameters
    ----------
    matrix : (p, p) array_like or graph object
        Adjacency matrix of zeros and ones; matrix[i, j] == 1 means i -> j.
    names : iterable of str, optional
        One distinct name per node; x0, x1, ... by default.
    """

    __slots__ = ("_derived", "_matrix", "_names")
    _matrix: npt.NDArray[np.int8]
    _names: tuple[str, ...]
    _derived: dict[str, Any]  # what follows from the other two, once it has been asked for

    def __init__(self, matrix: Matrix | Graph, names: Iterable[object] | None = None) -> None:
        if isinstance(matrix, Graph):
            names = matrix.names if names is None else names
            pattern = matrix.pattern
        else:
            pattern = edge_pattern(matrix)
        checked = check_names(names, len(pattern))
        refuse_loops(pattern, checked)
        self._validate(pattern, checked)
        self._keep(pattern, checked)

    @classmethod
    def from_edges(
        cls, edges: Iterable[str | Sequence[str | int]] | Any, names: Iterable[object] | None = None
    ) -> Self:
        """Graph with these edges.

        Parameters
        ----------
        edges : iterable of tuple or str, or data frame
            Pairs (a, b) for a -> b, triples (a, mark, b) with mark "->", "<-" or "--" as in `edges`, or text
            such as "a -> b". Nodes are given by name, or by position. A data frame has columns `source` and
            `target` (or `from` and `to`, `cause` and `effect`), and perhaps `mark`.
        names : iterable of str, optional
            Names of all nodes, those without edges too; by default the nodes in the order in which the edges
            mention them.

        Returns
        -------
        Dag, Cpdag or Mpdag
            A graph of the class on which this is called.

        Raises
        ------
        GraphError
            If something is not an edge, an edge is given twice with different marks, or the graph is not of
            this kind.
        """
        from sparsest.graph.edge_lists import edge_list_pattern

        pattern, checked = edge_list_pattern(edges, names)
        refuse_loops(pattern, checked)
        cls._validate(pattern, checked)
        return cls._trusted(pattern, checked)

    @staticmethod
    @abstractmethod
    def _validate(pattern: Pattern, names: tuple[str, ...]) -> None:
        """Raise GraphError unless the pattern is a graph of this kind."""

    @classmethod
    def _trusted(cls, pattern: Pattern, names: tuple[str, ...]) -> Self:
        """Graph from a pattern that an algorithm of this package has produced, without validation."""
        graph = object.__new__(cls)
        graph._keep(pattern, names)
        return graph

    def _keep(self, pattern: Pattern, names: tuple[str, ...]) -> None:
        self._matrix = pattern.astype(np.int8)
        self._matrix.flags.writeable = False
        self._names = names
        self._derived = {}

    @property
    def _links(self) -> Links:
        """Lists of neighbours."""
        if "links" not in self._derived:
            self._derived["links"] = links_of(self.pattern)
        links: Links = self._derived["links"]
        return links

    @property
    def _member_links(self) -> Links:
        """Lists of neighbours in one DAG of the class; in a DAG, its own."""
        return self._links

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the nodes, in the order of the rows and columns of the matrix."""
        return self._names

    @property
    def matrix(self) -> npt.NDArray[np.int8]:
        """The stored adjacency matrix, int8 and read-only; use `to_numpy()` for arithmetic."""
        return self._matrix

    @property
    def pattern(self) -> Pattern:
        """Boolean view of `matrix`, read-only."""
        return self._matrix.view(np.bool_)

    def to_numpy(self) -> IntMatrix:
        """Adjacency matrix as a new array.

        Returns
        -------
        (p, p) array of int64
            Entry [i, j] is 1 for i -> j; both [i, j] and [j, i] are 1 for i -- j.
        """
        return self._matrix.astype(np.int64)

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> npt.NDArray[Any]:
        """int64 by default; the stored read-only array if int8 is requested."""
        wanted = np.dtype(np.int64 if dtype is None else dtype)
        if wanted == self._matrix.dtype and not copy:
            return self._matrix
        if copy is False:
            raise ValueError(f"{type(self).__name__} is stored as int8; {wanted} needs a copy")
        return self._matrix.astype(wanted)

    def plot(self, path: str | os.PathLike[str] | None = None, ax: Any = None, **how: Any) -> Any:
        """Draw the graph: arrows, and plain lines where the direction is not identified.

        Parameters
        ----------
        path : str or path, optional
            The file to save the picture to; its ending, .png, .svg or .pdf, decides the format.
        ax : matplotlib.axes.Axes, optional
            Axes to draw into, instead of a figure of its own.
        **how
            `weights` (colours show signs), `top`, `around`, `truth`, `confidence`, `title`, `size`, `view`
            and `theme`, as for `Result.plot`.

        Returns
        -------
        matplotlib.figure.Figure
            Shown by a notebook as it is, by a script with ``.show()``.
        """
        from sparsest.plot.figure import draw

        return draw(self, how.pop("weights", None), path, ax=ax, **how)  # type: ignore[arg-type]

    def parents(self, node: str | int) -> list[str]:
        """Parents of a node: the nodes with an arrow into it.

        Parameters
        ----------
        node : str or int
            Name or position of a node.

        Returns
        -------
        list of str
            Names of the parents, in the order of `names`.
        """
        k = self.position(node)
        return self._named(self.pattern[:, k] & ~self.pattern[k])

    def children(self, node: str | int) -> list[str]:
        """Children of a node: the nodes to which it has an arrow.

        Parameters
        ----------
        node : str or int
            Name or position of a node.

        Returns
        -------
        list of str
            Names of the children, in the order of `names`.
        """
        k = self.position(node)
        return self._named(self.pattern[k] & ~self.pattern[:, k])

    def position(self, node: str | int) -> int:
        """Position of a node: its row and column in the matrix.

        Parameters
        ----------
        node : str or int
            Name or position of a node.

        Returns
        -------
        int
            The position, counted from 0.

        Raises
        ------
        GraphError
            If there is no such node.
        """
        if isinstance(node, str):
            if "places" not in self._derived:
                self._derived["places"] = {name: k for k, name in enumerate(self._names)}
            place: int | None = self._derived["places"].get(node)
            if place is None:
                raise GraphError(f"no node is called {node!r}; {nearest(node, self._names, 'names')}")
            return place
        k = operator.index(node)
        if not 0 <= k < len(self):
            raise GraphError(f"no node has position {k}; positions run from 0 to {len(self) - 1}")
        return k

    def _named(self, chosen: npt.NDArray[np.bool_]) -> list[str]:
        return [self._names[k] for k in np.flatnonzero(chosen)]

    def _pairs(self, chosen: Pattern) -> list[tuple[str, str]]:
        return [(self._names[i], self._names[j]) for i, j in np.argwhere(chosen)]

    def __len__(self) -> int:
        """Number of nodes."""
        return len(self._names)

    def __eq__(self, other: object) -> bool:
        """Whether both are of the same kind and have the same names, in the same order, and edges."""
        if not isinstance(other, Graph):
            return NotImplemented
        same = type(self) is type(other) and self._names == other._names
        return same and np.array_equal(self._matrix, other._matrix)

    def __hash__(self) -> int:
        """Equal graphs have equal hashes."""
        return hash((type(self), self._names, self._matrix.tobytes()))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle and copy by way of `_trusted`: the default would restore a writable matrix."""
        return type(self)._trusted, (self._matrix != 0, self._names)

    def _repr_html_(self) -> str:
        from sparsest.plot.picture import embedded

        return text_html(repr(self)) + embedded(self.plot, len(self))

    def _describe(self, edges: list[str]) -> str:
        counts = f"{count(len(self), 'node')}, {count(len(edges), 'edge')}"
        return printable(f"{type(self).__name__}({counts}{': ' * bool(edges)}{listed(edges, 4)})")


class Dag(Graph):
    """Directed acyclic graph.

    Parameters
    ----------
    matrix : (p, p) array_like or graph object
        Adjacency matrix of zeros and ones; matrix[i, j] == 1 means i -> j.
    names : iterable of str, optional
        One distinct name per node; x0, x1, ... by default.

    Raises
    ------
    GraphError
        If the matrix is not square, has an entry other than 0 and 1 or a nonzero diagonal, or contains a
        cycle, or if there is not exactly one distinct name per node.

    Examples
    --------
    >>> import sparsest as sp
    >>> dag = sp.Dag([[0, 1, 0], [0, 0, 1], [0, 0, 0]], names=["rain", "wet", "slippery"])
    >>> dag
    Dag(3 nodes, 2 edges: rain -> wet, wet -> slippery)
    >>> dag.parents("slippery")
    ['wet']
    >>> dag.to_cpdag()
    Cpdag(3 nodes, 2 edges: rain -- wet, wet -- slippery)
    """

    __slots__ = ()

    @staticmethod
    def _validate(pattern: Pattern, names: tuple[str, ...]) -> None:
        from sparsest.graph.acyclicity import refuse_cycle  # the operations import the types

        refuse_cycle(pattern, names)

    @property
    def edges(self) -> list[tuple[str, str]]:
        """Pairs (a, b) of names, one for each a -> b."""
        return self._pairs(self.pattern)

    def to_cpdag(self) -> Cpdag:
        """Markov equivalence class of this DAG.

        Returns
        -------
        Cpdag
            Arrows are shared by all members of the class; undirected edges differ between members.
        """
        from sparsest.graph.cpdag import dag_to_cpdag

        return dag_to_cpdag(self)

    def __repr__(self) -> str:
        """Numbers of nodes and edges, and the first few edges."""
        return self._describe([f"{a} -> {b}" for a, b in self.edges])


class Cpdag(Graph):
    """Completed partially directed acyclic graph: a Markov equivalence class of DAGs.

    An arrow i -> j is in every member of the class. An undirected edge i -- j points one way in some members
    and the other way in others.

    Parameters
    ----------
    matrix : (p, p) array_like or graph object
        Matrix of zeros and ones; [i, j] == 1 alone means i -> j, [i, j] == [j, i] == 1 means i -- j.
    names : iterable of str, optional
        One distinct name per node; x0, x1, ... by default.

    Raises
    ------
    GraphError
        If the matrix is not the CPDAG of a Markov equivalence class.

    Examples
    --------
    >>> import sparsest as sp
    >>> cpdag = sp.Cpdag([[0, 1], [1, 0]], names=["a", "b"])
    >>> cpdag.undirected_edges
    [('a', 'b')]
    >>> cpdag.to_dag()
    Dag(2 nodes, 1 edge: a -> b)
    """

    __slots__ = ()

    @staticmethod
    def _validate(pattern: Pattern, names: tuple[str, ...]) -> None:
        from sparsest.graph.recognition import refuse_unless_cpdag

        refuse_unless_cpdag(pattern, names)

    @property
    def kind(self) -> str:
        """Kind of graph; "cpdag" if all its marks follow from the equivalence class alone."""
        return "cpdag"

    @property
    def directed_edges(self) -> list[tuple[str, str]]:
        """Pairs (a, b) of names, one for each a -> b."""
        return self._pairs(self.pattern & ~self.pattern.T)

    @property
    def undirected_edges(self) -> list[tuple[str, str]]:
        """Pairs (a, b) of names, one for each a -- b, where a comes before b in `names`."""
        return self._pairs(np.triu(self.pattern & self.pattern.T))

    @property
    def edges(self) -> list[tuple[str, str, str]]:
        """Triples (a, mark, b) of names: the arrows, with mark "->", then the undirected edges, "--"."""
        arrows = [(a, "->", b) for a, b in self.directed_edges]
        return arrows + [(a, "--", b) for a, b in self.undirected_edges]

    def neighbors(self, node: str | int) -> list[str]:
        """Undirected neighbours of a node.

        Parameters
        ----------
        node : str or int
            Name or position of a node.

        Returns
        -------
        list of str
            Names of the nodes joined to it by an undirected edge, in the order of `names`.
        """
        k = self.position(node)
        return self._named(self.pattern[k] & self.pattern[:, k])

    @property
    def _member_links(self) -> Links:
        if "member" not in self._derived:
            self._derived["member"] = self.to_dag()._links
        links: Links = self._derived["member"]
        return links

    def with_parents(self, node: str | int, parents: str | int | Iterable[str | int]) -> Mpdag:
        """The members in which a node has exactly these parents.

        Parameters
        ----------
        node : str or int
            Name or position of a node.
        parents : str, int or iterable of these
            One of `possible_parent_sets(node)`.

        Returns
        -------
        Mpdag
            The class, refined by these directions and all that follow from them.

        Raises
        ------
        GraphError
            If no member has these parents.
        """
        from sparsest.graph.parent_sets import with_parents

        return with_parents(self, node, parents)

    def to_dag(self) -> Dag:
        """One DAG of the class, the same on every call.

        Returns
        -------
        Dag
            A member of the class.
        """
        from sparsest.graph.extension import cpdag_to_dag

        return cpdag_to_dag(self)

    def __repr__(self) -> str:
        """Numbers of nodes and edges, and the first few edges."""
        return self._describe([" ".join(edge) for edge in self.edges])


class Mpdag(Cpdag):
    """Maximally oriented PDAG: the members of a Markov equivalence class that agree with some knowledge.

    Marks are read as in a Cpdag, except that an arrow only has to be in every member that agrees with the
    knowledge. Every CPDAG is also an MPDAG. `refine` constructs one from a class and knowledge.

    Parameters
    ----------
    matrix : (p, p) array_like or graph object
        Matrix of zeros and ones; [i, j] == 1 alone means i -> j, [i, j] == [j, i] == 1 means i -- j.
    names : iterable of str, optional
        One distinct name per node; x0, x1, ... by default.

    Raises
    ------
    GraphError
        If the matrix leaves an edge undirected whose direction follows from others by Meek's rules, or if no
        DAG extends it.

    Examples
    --------
    >>> from sparsest.graph import Mpdag
    >>> mpdag = Mpdag([[0, 1], [0, 0]], names=["age", "pressure"])  # the class alone: age -- pressure
    >>> mpdag.kind
    'mpdag'
    >>> mpdag.directed_edges
    [('age', 'pressure')]
    """

    __slots__ = ()

    @staticmethod
    def _validate(pattern: Pattern, names: tuple[str, ...]) -> None:
        from sparsest.graph.recognition import refuse_unless_mpdag

        refuse_unless_mpdag(pattern, names)

    @property
    def kind(self) -> str:
        """Kind of graph; "mpdag" if arrows follow from the equivalence class and from knowledge."""
        return "mpdag"
