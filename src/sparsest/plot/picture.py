"""Figures that show themselves in notebooks, and how they are saved."""

from __future__ import annotations

import base64
import io
import os
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from sparsest._core.errors import OptionError
from sparsest._core.paths import given_path
from sparsest._core.writing import written_whole

SUFFIXES = (".png", ".svg", ".pdf")
_DPI, _NOTEBOOK_DPI = 200, 110
_QUICKLY_DRAWN = 150  # columns
_LARGEST_SVG = 1_500_000  # bytes; a notebook with larger ones becomes slow
# Text stays text: it can be searched, copied and edited.
_HOW: Any = {"svg.fonttype": "none", "pdf.fonttype": 42, "svg.hashsalt": "sparsest"}


class Picture(Figure):
    """A matplotlib figure that a notebook shows as it is, and `show` in a window."""

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:  # noqa: ARG002
        found: dict[str, Any] = {"image/png": rendered(self, "png")}
        svg = rendered(self, "svg").decode("utf-8")
        if len(svg) <= _LARGEST_SVG:
            found["image/svg+xml"] = svg[svg.index("<svg") :]
        return found

    def show(self, warn: bool = True) -> None:  # noqa: ARG002
        """Show the picture: in the notebook, or in a window.

        Parameters
        ----------
        warn : bool
            Ignored; where no window can be opened an error says so.
        """
        if _in_notebook():
            from IPython.display import display

            display(self)
            return
        import matplotlib.pyplot as plt

        if not _opens_windows(plt.get_backend()):
            raise OptionError(
                "no window can be opened here: save the picture with .plot('picture.png'), or install a "
                "toolkit that matplotlib can use, such as PySide6"
            )
        if self.canvas.manager is None:  # made before pyplot was in use: it gets a window now
            window = plt.figure(figsize=self.get_size_inches())
            window.canvas.figure = self
            self.set_canvas(window.canvas)
        plt.show()


def new_picture(size: tuple[float, float], ground: str, **how: Any) -> Picture:
    """A figure; if pyplot is in use and can open windows, one that `plt.show()` shows."""
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is not None and _opens_windows(pyplot.get_backend()):
        made: Picture = pyplot.figure(FigureClass=Picture, figsize=size, facecolor=ground, **how)
        return made
    figure = Picture(figsize=size, facecolor=ground, **how)
    FigureCanvasAgg(figure)
    return figure


def save_picture(figure: Figure, path: str | os.PathLike[str]) -> None:
    """Save a figure; the suffix of the path determines the format."""
    target = given_path(path, OptionError)
    kind = format_of(target)
    with written_whole(target) as draft:
        draft.write_bytes(rendered(figure, kind, _DPI))


def format_of(path: Path) -> str:
    """The format of a file by its suffix."""
    if path.suffix.lower() not in SUFFIXES:
        raise OptionError(
            f"cannot tell the format of {str(path)!r}: use one of the suffixes {', '.join(SUFFIXES)}"
        )
    return path.suffix.lower()[1:]


def rendered(figure: Figure, kind: str, dpi: int = _NOTEBOOK_DPI) -> bytes:
    """A figure as the content of a file, the same for the same drawing."""
    # Stronger compression would take most of the time and save little space.
    how: dict[str, Any] = {"pil_kwargs": {"compress_level": 3}} if kind == "png" else {}
    date = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(kind)
    buffer = io.BytesIO()
    with warnings.catch_warnings(), mpl.rc_context(_HOW):
        # Characters that the font lacks appear as boxes: one warning per character would not help.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        figure.savefig(buffer, format=kind, dpi=dpi, facecolor=figure.get_facecolor(), metadata=date, **how)
    return buffer.getvalue()


def embedded(plot: Callable[[], Figure], columns: int, what: str = "drawing of the graph") -> str:
    """A drawing as an element of HTML; nothing for graphs whose drawing would take long or has no nodes."""
    if not 0 < columns <= _QUICKLY_DRAWN:
        return ""
    coded = base64.b64encode(rendered(plot(), "svg")).decode("ascii")
    return f'<img alt="{what}" style="max-width: 100%" src="data:image/svg+xml;base64,{coded}">'


def _in_notebook() -> bool:
    ipython = sys.modules.get("IPython")
    return hasattr(ipython.get_ipython() if ipython else None, "kernel")


def _opens_windows(backend: str) -> bool:
    from matplotlib.backends.registry import BackendFilter, backend_registry

    windows: list[str] = backend_registry.list_builtin(BackendFilter.INTERACTIVE)  # type: ignore[no-untyped-call]
    return backend.lower() in windows
