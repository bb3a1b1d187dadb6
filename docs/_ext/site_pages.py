"""What the site adds to the pages as they stand in the repository.

- The benchmarks' tables in bench/results become pages under generated/measurements, and links to them follow.
- Pictures of pages are drawn anew (docs/images/make_pictures.py), and take the place of the committed ones.
- The index of results gets a list of its pages for the navigation.
"""

from __future__ import annotations

import re
import runpy
import shutil
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parents[1]
BENCH = DOCS.parent / "bench" / "results"
GENERATED = DOCS / "generated"
_MEASUREMENT = re.compile(r"\]\((?:\.\./)+bench/results/([\w.-]+)")
_INCLUDE = re.compile(r"```\{include\} (?:\.\./)+([A-Z]+\.md)\n.*?```", re.DOTALL)
_FOLDER = re.compile(r"\[([^\]]+)\]\((?:\.\./)+bench/results/?\)")


def _measurements() -> None:
    """Pages for the tables in bench/results, with their rows to download."""
    target = GENERATED / "measurements"
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    for file in sorted(BENCH.iterdir()):
        if file.suffix in {".csv", ".svg"}:
            shutil.copy(file, target / file.name)
    pages = sorted(BENCH.glob("*.md"))
    for page in pages:
        text = page.read_text(encoding="utf-8")
        text = re.sub(r"\]\((?:\.\./)+docs/", "](../../", text)
        (target / page.name).write_text(text, encoding="utf-8")
    names = "\n".join(page.stem for page in pages)
    (target / "index.md").write_text(
        "# Measurements\n\nTables behind the pages on methods, confidence, effects and models, one "
        f"page each, with the rows they were made from.\n\n```{{toctree}}\n:maxdepth: 1\n\n{names}\n```\n",
        encoding="utf-8",
    )


def _pictures() -> None:
    draw = runpy.run_path(str(DOCS / "images" / "make_pictures.py"))["main"]
    folder = GENERATED / "images"
    folder.mkdir(parents=True, exist_ok=True)
    draw(folder)


def command_help() -> str:
    """The help of every command, as a terminal of 80 columns prints it."""
    import typer.main
    from typer.testing import CliRunner

    from sparsest.cli.main import app as commands

    runner = CliRunner(env={"COLUMNS": "80", "TERMINAL_WIDTH": "80"})
    parts = []
    for name in sorted(typer.main.get_group(commands).commands):
        shown = runner.invoke(commands, [name, "--help"], prog_name="sparsest").stdout
        parts.append(f"\n## {name}\n\n```text\n{shown.strip()}\n```\n")
    return "".join(parts)


def prepare(app: Any) -> None:
    """Everything that pages refer to and that is not kept in the repository."""
    if app.builder.name == "linkcheck":
        return
    _measurements()
    _pictures()


def included(found: re.Match[str], up: str) -> str:
    """A page of the repository's root inside a page of the site; links to other files there become words."""
    text = (DOCS.parent / found[1]).read_text(encoding="utf-8")
    text = re.sub(r"\]\(docs/", f"]({up}", text)
    text = re.sub(r"\[([^\]]+)\]\((?:[A-Z_]+\.\w+|examples)\)", r"\1", text)
    return re.sub(r"^#", "##", text, flags=re.MULTILINE) if "heading-offset" in found[0] else text


def on_read(_: Any, name: str, source: list[str]) -> None:
    """The text of a page as the site needs it."""
    up = "../" * name.count("/") or "./"
    text = _INCLUDE.sub(lambda found: included(found, up), source[0])
    text = _FOLDER.sub(rf"[\1]({up}generated/measurements/index.md)", text)
    text = _MEASUREMENT.sub(rf"]({up}generated/measurements/\1", text)
    text = re.sub(
        r"(?:\.\./)+images/([\w.-]+)",
        lambda found: (
            f"{up}generated/images/{found[1]}" if (GENERATED / "images" / found[1]).exists() else found[0]
        ),
        text,
    )
    if name == "results":
        text += "\n```{toctree}\n:hidden:\n:glob:\n\nresults/*\ngenerated/measurements/index\n```\n"
    if name == "reference/command_line":
        text += command_help()
    source[0] = text


_BARS = re.compile(r"(?<![`|\w])\|([^|`\s][^|`]*)\|")


def escape_bars(_: Any, what: str, name: str, value: Any, options: Any, lines: list[str]) -> None:  # noqa: ARG001
    """|t| in a docstring is a norm, and no substitution."""
    for number, line in enumerate(lines):
        if not line.lstrip().startswith((">>>", "...")) and "``" not in line:
            lines[number] = _BARS.sub(r"\\|\1\\|", line)


def own_figures(block: Any, block_vars: dict[str, Any], gallery_conf: dict[str, Any]) -> str:  # noqa: ARG001
    """For the gallery: the figure that a block assigned to `figure` and that pyplot does not know."""
    import matplotlib.pyplot as plt
    from matplotlib.figure import Figure
    from sphinx_gallery.scrapers import figure_rst

    figure = block_vars["example_globals"].pop("figure", None)
    if not isinstance(figure, Figure) or getattr(figure, "number", None) in plt.get_fignums():
        return ""
    path = next(block_vars["image_path_iterator"])
    figure.savefig(path, dpi=110, bbox_inches="tight")
    return str(figure_rst([path], gallery_conf["src_dir"]))


def setup(app: Any) -> dict[str, Any]:
    """Called by Sphinx."""
    app.connect("builder-inited", prepare, priority=100)  # before the gallery and the reference
    app.connect("source-read", on_read)
    app.connect("autodoc-process-docstring", escape_bars)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
