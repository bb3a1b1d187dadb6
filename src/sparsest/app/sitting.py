"""What one person does with the app: a table, its audit, fits, and the result that is shown."""

from __future__ import annotations

import json
import math
import tempfile
import threading
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sparsest._core.errors import OptionError, SparsestError
from sparsest._core.progress import Step
from sparsest._core.progress_bar import step_words
from sparsest._core.words import percent
from sparsest.costs import Path as Costs
from sparsest.costs import path as over_costs
from sparsest.data.audit import audit
from sparsest.export.strength import strengths_of
from sparsest.fit import fit
from sparsest.knowledge import Knowledge
from sparsest.report import sections
from sparsest.report.facts import as_json, facts_of
from sparsest.report.fragment import graph_fragment
from sparsest.report.page import page
from sparsest.report.scene import scene_of
from sparsest.result import Result

_MOST_COLUMNS, _MOST_LEVELS = 1000, 30


class Sitting:
    """The state behind the page. One fit runs at a time, in a thread of its own."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="sparsest-app-")
        self._lock = threading.Lock()
        self._work: threading.Thread | None = None
        self._words = self._error = self._code = ""
        self._share: float | None = None
        self._stopping = False
        self._costs: Costs | None = None
        self.file: Path | None = None
        self.result: Result | None = None

    def close(self) -> None:
        """Remove the copy of the table."""
        self._folder.cleanup()

    def take(self, name: str, content: bytes) -> dict[str, Any]:
        """Keep a table and look at it: its columns with their kinds, and the audit."""
        plain = Path(name).name or "table.csv"
        file = Path(self._folder.name) / plain
        file.write_bytes(content)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = audit(file)
        if found.p > _MOST_COLUMNS:
            raise OptionError(f"{found.p} columns are too many for the app: use sparsest fit")
        self.file, self.result = file, None
        return {
            "name": plain,
            "rows": found.n,
            "partial": any(one.check == "sample" for one in found.findings),
            "columns": [
                {"name": note.name, "kind": str(note.kind), "why": note.why, "done": note.done,
                 "missing": percent(note.missing) if note.missing else "",
                 "levels": list(note.levels)[:_MOST_LEVELS]}
                for note in found.account.notes
            ],
            "audit": [
                {"severity": one.severity, "words": one.words, "advice": one.advice} for one in found.findings
            ],
        }  # fmt: skip

    def start(self, wishes: Mapping[str, Any]) -> None:
        """Fit in the background."""
        if self.file is None:
            raise OptionError("there is no table yet: drop one first")
        options = self._options(wishes)
        with self._lock:
            if self._work is not None and self._work.is_alive():
                raise OptionError("a fit is running: wait for it")
            self._words, self._error, self._share, self._stopping = "starting", "", None, False
            both = self.file, options, bool(wishes.get("costs"))
            self._work = threading.Thread(target=self._fit, args=both, daemon=True)
            self._work.start()

    def stop(self) -> None:
        """Ask the fit to stop with the best so far."""
        self._stopping = True

    def _options(self, wishes: Mapping[str, Any]) -> dict[str, Any]:
        pairs = {key: [(str(a), str(b)) for a, b in wishes.get(key, [])] for key in ("forbidden", "required")}
        options: dict[str, Any] = {}
        if any(pairs.values()):
            options["knowledge"] = Knowledge(forbidden=pairs["forbidden"], required=pairs["required"])
        kinds = {str(key): str(value) for key, value in wishes.get("kinds", {}).items()}
        left_out = [key for key, value in kinds.items() if value == "leave out"]
        if left_out:
            options["exclude"] = left_out
        if len(kinds) > len(left_out):
            options["kinds"] = {key: _kind(value) for key, value in kinds.items() if key not in left_out}
        if wishes.get("resamples"):
            options["resamples"] = int(wishes["resamples"])
        name = self.file.name if self.file else ""
        told = "".join(f", {key}={_python(key, value, pairs)}" for key, value in options.items())
        self._code = (
            f"import sparsest as sp\n\nresult = sp.fit({name!r}{told})\nprint(result.summary())\n"
            "result.report('report.html')\n"
        )
        return options

    def _fit(self, file: Path, options: dict[str, Any], with_costs: bool) -> None:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = fit(file, progress=self._told, **options)
                asked = {key: value for key, value in options.items() if key != "resamples"}
                wanted = with_costs and not self._stopping
                self._costs = over_costs(file, progress=self._told, **asked) if wanted else None
            self.result = found
            self._words = "done"
        except SparsestError as error:
            self._error = str(error)
        except Exception as error:  # whatever it is, the page must say it
            self._error = f"this should not have happened: {type(error).__name__}: {error}"

    def _told(self, step: Step) -> bool:
        self._words = step_words(step)
        total = step.seconds + step.left
        self._share = step.seconds / total if math.isfinite(total) and total > 0 else None
        return self._stopping

    def progress(self) -> dict[str, Any]:
        """What the fit is doing."""
        running = self._work is not None and self._work.is_alive()
        return {"running": running, "words": self._words, "error": self._error, "share": self._share}

    def shown(self) -> dict[str, Any]:
        """The graph and a summary of the result."""
        result = self._done()
        scene = scene_of(result)
        shown_effects, effects = sections.effect_part(result)
        tables = [
            sections.edge_table(result, scene, strengths_of(result).scale), sections.confidence_part(result),
            shown_effects, sections.cost_part(self._costs), sections.limits(),
        ]  # fmt: skip
        return {
            "fragment": graph_fragment(result, scene),
            "tables": "".join(tables),
            "facts": json.loads(as_json(facts_of(result, scene) | {"effects": effects})),
            "summary": sections.overview(result),
            "code": self._code,
        }

    def report(self) -> str:
        """The page about the result."""
        name = "" if self.file is None else self.file.name
        return page(self._done(), f"What causes what in {name}", self._costs)

    def code(self) -> str:
        """The lines that do the same."""
        self._done()
        return self._code

    def _done(self) -> Result:
        if self.result is None:
            raise OptionError("nothing was fitted yet")
        return self.result


def _kind(chosen: str) -> str | list[str]:
    """A kind, or the levels of an ordinal column from low to high."""
    return [level.strip() for level in chosen.split("<")] if "<" in chosen else chosen


def _python(key: str, value: Any, pairs: Mapping[str, Any]) -> str:
    if key == "knowledge":
        told = ", ".join(f"{name}={value!r}" for name, value in pairs.items() if value)
        return f"sp.Knowledge({told})"
    return repr(value)
