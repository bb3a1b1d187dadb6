"""A graph as a tikzpicture for LaTeX, with the layout of the drawing."""

from __future__ import annotations

from sparsest._core.errors import GraphError
from sparsest.graph.types import Cpdag, Dag
from sparsest.plot.arranging import arranged
from sparsest.plot.drawn_edges import edges_of
from sparsest.plot.figure import SPACING, boxes_of, curve_of
from sparsest.plot.selection import Drawing

_CENTIMETRES = 2.54
_ESCAPES = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%",
    "_": r"\_", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", '"': r"\textquotedbl{}",
}  # fmt: skip


def write_tikz(graph: Dag | Cpdag) -> str:
    """A tikzpicture, which needs the package tikz and its library arrows.meta."""
    if not len(graph):
        raise GraphError("the graph has no nodes: there is nothing to draw")
    edges = edges_of(graph)
    drawing = Drawing(graph.names, tuple(edges))
    names, widths, tall = boxes_of(drawing)
    layout = arranged(edges, widths, tall, SPACING)
    lines = [
        "% needs \\usepackage{tikz} and \\usetikzlibrary{arrows.meta}",
        "\\begin{tikzpicture}[>={Stealth},",
        "  column/.style={draw, rounded corners, align=center, font=\\small}]",
    ]
    for k, (x, y) in enumerate(layout.centres * _CENTIMETRES):
        words = "\\\\".join(escaped(line) for line in names[k])
        lines.append(f"  \\node[column] (n{k}) at ({x:.2f}, {y:.2f}) {{{words}}};")
    for edge in edges:
        style = "[->]" if edge.directed else ""
        bends = curve_of(edge, layout)[1:-1:8] * _CENTIMETRES
        way = " .. ".join(f"controls ({x:.2f}, {y:.2f})" for x, y in bends[len(bends) // 2 :][:1])
        middle = f".. {way} .." if way else "--"
        lines.append(f"  \\draw{style} (n{edge.tail}) {middle} (n{edge.head});")
    return "\n".join([*lines, "\\end{tikzpicture}"]) + "\n"


def escaped(text: str) -> str:
    """Text in which nothing is a command of LaTeX."""
    return "".join(_ESCAPES.get(letter, letter) for letter in text)
