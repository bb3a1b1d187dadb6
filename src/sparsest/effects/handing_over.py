"""An effect handed over to DoWhy, EconML and DoubleML: graph, names and adjustment set as plain objects.

They take one graph. Where the effect is identified every member of the class will do; elsewhere it is the
learned DAG, and a warning says so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sparsest._core.errors import OptionError
from sparsest._core.notices import tell
from sparsest.effects.estimating import fitted_of
from sparsest.fitted.new_rows import read_rows

if TYPE_CHECKING:
    from sparsest.effects.effect import Effect
    from sparsest.result import Result


def to_dowhy(found: Effect) -> dict[str, Any]:
    """Keywords of `dowhy.CausalModel`."""
    result = _one_graph(found)
    treatment = list(found.causes) if len(found.causes) > 1 else found.causes[0]
    return {"graph": result.dag.to_networkx(), "treatment": treatment, "outcome": found.outcome}


def to_econml(found: Effect, table: Any) -> dict[str, Any]:
    """Keywords of an EconML estimator's `fit`."""
    result = _one_graph(found)
    rows = read_rows(fitted_of(result), table)
    place = [result.names.index(name) for name in adjusted(found, result)]
    causes = [result.names.index(name) for name in found.causes]
    return {
        "Y": rows[:, result.names.index(found.outcome)],
        "T": rows[:, causes[0]] if len(causes) == 1 else rows[:, causes],
        "W": rows[:, place] if place else None,
    }


def to_doubleml(found: Effect) -> dict[str, Any]:
    """Keywords of `doubleml.DoubleMLData`."""
    result = _one_graph(found)
    causes = list(found.causes) if len(found.causes) > 1 else found.causes[0]
    return {"y_col": found.outcome, "d_cols": causes, "x_cols": adjusted(found, result)}


def adjusted(found: Effect, result: Result) -> list[str]:
    """What to adjust for in the learned DAG."""
    causes, dag = list(found.causes), result.dag
    if dag.may_affect(causes, found.outcome):
        return list(dag.optimal_adjustment_set(causes, found.outcome))
    return sorted({name for cause in causes for name in dag.parents(cause)} - set(causes), key=dag.position)


def _one_graph(found: Effect) -> Result:
    if found.result is None:
        raise OptionError("this effect was taken from its result: ask result.effect again")
    if not found.identified:
        tell(
            [
                f"the effect of {', '.join(found.causes)} on {found.outcome} differs between the graphs that "
                "explain the data: the learned DAG, which is handed over, is one of them"
            ]
        )
    return found.result
