"""The graph of a result as a widget: the code of the page, in Jupyter, Colab, VS Code and marimo."""

from __future__ import annotations

from typing import Any

from sparsest._core.errors import OptionError, SparsestError
from sparsest.report.facts import as_json, facts_of
from sparsest.report.fragment import asset, graph_fragment
from sparsest.report.refitting import refitted
from sparsest.report.scene import scene_of
from sparsest.report.sections import effect_part
from sparsest.result import Result

_RENDER = """
export default {
  render({ model, el }) {
    const said = [];
    const draw = () => {
      el.classList.add("sparsest");
      el.innerHTML = model.get("fragment");
      const send = model.get("again") ? (message) => model.send(message) : null;
      mountGraph(el.querySelector(".sparsest-graph"), JSON.parse(model.get("facts")), send, said);
      el.querySelector(".status").textContent = model.get("status");
    };
    model.on("change:fragment", draw);
    model.on("change:status", () => { el.querySelector(".status").textContent = model.get("status"); });
    draw();
  },
};
"""


def widget_of(result: Result) -> Any:
    """The widget of a result; its `result` is the latest one, after knowledge was drawn and fitted again."""
    try:
        import anywidget
        import traitlets
    except ImportError:
        raise OptionError("result.show() needs anywidget: pip install 'sparsest[notebook]'") from None

    class GraphWidget(anywidget.AnyWidget):  # type: ignore[misc]
        _esm = asset("graph.js") + _RENDER
        _css = asset("page.css")
        fragment = traitlets.Unicode().tag(sync=True)
        facts = traitlets.Unicode().tag(sync=True)
        status = traitlets.Unicode().tag(sync=True)
        again = traitlets.Bool().tag(sync=True)

        def __init__(self, first: Result) -> None:
            super().__init__()
            self._first = first
            self.on_msg(lambda _widget, message, _buffers: self.told(message))
            self.take(first)

        def take(self, found: Result) -> None:
            """Show a result."""
            self.result = found
            scene = scene_of(found)
            with self.hold_sync():
                self.facts = as_json(facts_of(found, scene) | {"effects": effect_part(found)[1]})
                self.again = found.inquiry is not None
                self.fragment = graph_fragment(found, scene)

        def told(self, message: Any) -> None:
            """Fit again with all the knowledge that was drawn: what was taken back counts no more."""
            try:
                self.status = "learning"
                found = refitted(self._first, message["forbidden"], message["required"])
                self.take(found)
                self.status = f"learned again: {len(found.dag.edges)} edges, objective {found.objective:.6g}"
            except SparsestError as error:
                self.status = str(error)

    return GraphWidget(result)
