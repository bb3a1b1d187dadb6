"""Dag, Cpdag and Mpdag: names and a 0/1 matrix, immutable, checked when made.

The matrix is kept as read-only int8 (`.matrix`), a byte a pair. What leaves by `to_numpy()` or `np.asarray`
is an int64 copy: products of int8 matrices would wrap around silently beyond 127.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from sparsest._core.errors import GraphError
from sparsest._core.words import listed
from sparsest.graph._matrix import IntMatrix, Matrix, Pattern, check_names, edge_pattern, refuse_loops

if TYPE_CHECKING:
    import networkx


class Graph:
    """What Dag and Cpdag share; use one of these."""

    __slots__ = ("_matrix", "_names")
    _matrix: npt.NDArray[np.int8]
    _names: tuple[str, ...]

    def _read(
        self, matrix: Matrix | Graph, names: Iterable[object] | None
    ) -> tuple[Pattern, tuple[str, ...]]:
        """What every graph must be: square, 0/1, without loops, each node with its own name."""
        if isinstance(matrix, Graph):
            names = matrix.names if names is None else names
            pattern = matrix.pattern
        else:
            pattern = edge_pattern(matrix)
        checked = check_names(names, len(pattern))
        refuse_loops(pattern, checked)
        return pattern, checked

    @classmethod
    def _trusted(cls, pattern: Pattern, names: tuple[str, ...]) -> Self:
        """Graph from a pattern that an algorithm of this room made: not checked again."""
        graph = object.__new__(cls)
        graph._keep(pattern, names)
        return graph

    def _keep(self, pattern: Pattern, names: tuple[str, ...]) -> None:
        self._matrix = pattern.astype(np.int8)
        self._matrix.flags.writeable = False
        self._names = names

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the nodes, in the order of rows and columns."""
        return self._names

    @property
    def matrix(self) -> npt.NDArray[np.int8]:
        """The matrix itself, int8 and read-only; take `to_numpy()` for arithmetic."""
        return self._matrix

    @property
    def pattern(self) -> Pattern:
        """The same memory as booleans, read-only."""
        return self._matrix.view(np.bool_)

    def to_numpy(self) -> IntMatrix:
        """The matrix as a new int64 array: [i, j] == 1 for i -> j, both [i, j] and [j, i] for i -- j."""
        return self._matrix.astype(np.int64)

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> npt.NDArray[Any]:
        """int64 unless another dtype is asked for; the kept int8 itself, read-only, if that is."""
        wanted = np.dtype(np.int64 if dtype is None else dtype)
        if wanted == self._matrix.dtype and not copy:
            return self._matrix
        if copy is False:
            raise ValueError(f"{type(self).__name__} is kept as int8; as {wanted} it needs a copy")
        return self._matrix.astype(wanted)

    def to_networkx(self) -> networkx.DiGraph:
        """A networkx.DiGraph over the names; an undirected edge becomes two arcs, as in the matrix."""
        import networkx

        graph = networkx.DiGraph()
        graph.add_nodes_from(self._names)
        graph.add_edges_from(self._pairs(self.pattern))
        return graph

    def parents(self, node: str | int) -> list[str]:
        """Names of the nodes with an arrow into `node` (a name or a position)."""
        k = self.position(node)
        return self._named(self.pattern[:, k] & ~self.pattern[k])

    def children(self, node: str | int) -> list[str]:
        """Names of the nodes to which `node` (a name or a position) has an arrow."""
        k = self.position(node)
        return self._named(self.pattern[k] & ~self.pattern[:, k])

    def position(self, node: str | int) -> int:
        """Row and column of a node given by name or by position."""
        if isinstance(node, str):
            if node not in self._names:
                raise GraphError(f"no node is called {node!r}; the names are {listed(self._names)}")
            return self._names.index(node)
        k = operator.index(node)
        if not 0 <= k < len(self):
            raise GraphError(f"no node has position {k}; positions go from 0 to {len(self) - 1}")
        return k

    def _named(self, chosen: npt.NDArray[np.bool_]) -> list[str]:
        return [self._names[k] for k in np.flatnonzero(chosen)]

    def _pairs(self, chosen: Pattern) -> list[tuple[str, str]]:
        return [(self._names[i], self._names[j]) for i, j in np.argwhere(chosen)]

    def __len__(self) -> int:
        """The number of nodes."""
        return len(self._names)

    def __eq__(self, other: object) -> bool:
        """Same kind of graph, same names in the same order, same edges."""
        if not isinstance(other, Graph):
            return NotImplemented
        same = type(self) is type(other) and self._names == other._names
        return same and np.array_equal(self._matrix, other._matrix)

    def __hash__(self) -> int:
        """Equal graphs have equal hashes."""
        return hash((type(self), self._names, self._matrix.tobytes()))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle and copy through `_trusted`: the default would restore a matrix that can be written to."""
        return type(self)._trusted, (self._matrix != 0, self._names)

    def _describe(self, edges: list[str]) -> str:
        counts = f"{len(self)} node{'s' * (len(self) != 1)}, {len(edges)} edge{'s' * (len(edges) != 1)}"
        return f"{type(self).__name__}({counts}{': ' * bool(edges)}{listed(edges, 4)})"


class Dag(Graph):
    """Directed acyclic graph: `Dag(matrix, names)` with matrix[i, j] == 1 for i -> j.

    A matrix that is not square, has an entry other than 0 and 1, an entry on the diagonal or a cycle, and
    names that are not one a node and distinct, raise GraphError. Names default to x0, x1, ....
    """

    __slots__ = ()

    def __init__(self, matrix: Matrix | Graph, names: Iterable[object] | None = None) -> None:
        from sparsest.graph.acyclicity import refuse_cycle  # the operations import the types

        pattern, checked = self._read(matrix, names)
        refuse_cycle(pattern, checked)
        self._keep(pattern, checked)

    @property
    def edges(self) -> list[tuple[str, str]]:
        """Pairs (a, b) of names, one for each a -> b."""
        return self._pairs(self.pattern)

    def to_cpdag(self) -> Cpdag:
        """The class of this DAG: arrows that all its members share, lines where they differ."""
        from sparsest.graph.cpdag import dag_to_cpdag

        return dag_to_cpdag(self)

    def __repr__(self) -> str:
        """Counts and the first few edges."""
        return self._describe([f"{a} -> {b}" for a, b in self.edges])


class Cpdag(Graph):
    """Completed partially directed acyclic graph: a Markov equivalence class of DAGs.

    `Cpdag(matrix, names)`: [i, j] == 1 alone is i -> j (in every member), [i, j] == [j, i] == 1 is i -- j (in
    some members one way, in some the other). A matrix that is no class's CPDAG raises GraphError.
    """

    __slots__ = ()

    def __init__(self, matrix: Matrix | Graph, names: Iterable[object] | None = None) -> None:
        from sparsest.graph.recognition import refuse_unless_cpdag

        pattern, checked = self._read(matrix, names)
        refuse_unless_cpdag(pattern, checked)
        self._keep(pattern, checked)

    @property
    def kind(self) -> str:
        """What the marks mean; "cpdag": every arrow and every line is what the class alone implies."""
        return "cpdag"

    @property
    def directed_edges(self) -> list[tuple[str, str]]:
        """Pairs (a, b) of names, one for each a -> b."""
        return self._pairs(self.pattern & ~self.pattern.T)

    @property
    def undirected_edges(self) -> list[tuple[str, str]]:
        """Pairs (a, b) of names, one for each a -- b, a before b in `names`."""
        return self._pairs(np.triu(self.pattern & self.pattern.T))

    @property
    def edges(self) -> list[tuple[str, str, str]]:
        """Triples (a, mark, b): ("a", "->", "b") for arrows, then ("a", "--", "b") for lines."""
        arrows = [(a, "->", b) for a, b in self.directed_edges]
        return arrows + [(a, "--", b) for a, b in self.undirected_edges]

    def neighbors(self, node: str | int) -> list[str]:
        """Names of the nodes joined to `node` (a name or a position) by an undirected edge."""
        k = self.position(node)
        return self._named(self.pattern[k] & self.pattern[:, k])

    def to_dag(self) -> Dag:
        """One member of the class, always the same."""
        from sparsest.graph.extension import cpdag_to_dag

        return cpdag_to_dag(self)

    def __repr__(self) -> str:
        """Counts and the first few edges."""
        return self._describe([" ".join(edge) for edge in self.edges])


class Mpdag(Cpdag):
    """Maximally oriented PDAG: the part of a Markov equivalence class that agrees with some knowledge.

    `Mpdag(matrix, names)`: marks as in a Cpdag, but arrows are those that all members that are left share. A
    CPDAG is one, too. A matrix that leaves an arrow undirected which follows from others by Meek's rules, or
    that no DAG extends, raises GraphError. `refine` makes one from a class and knowledge.
    """

    __slots__ = ()

    def __init__(self, matrix: Matrix | Graph, names: Iterable[object] | None = None) -> None:
        from sparsest.graph.recognition import refuse_unless_mpdag

        pattern, checked = self._read(matrix, names)
        refuse_unless_mpdag(pattern, checked)
        self._keep(pattern, checked)

    @property
    def kind(self) -> str:
        """What the marks mean; "mpdag": arrows follow from the class and from knowledge."""
        return "mpdag"
