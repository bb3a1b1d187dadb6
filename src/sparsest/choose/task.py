"""choose(): options that stand for themselves are checked, the others go where their model is."""

from __future__ import annotations

from sparsest._core.errors import OptionError
from sparsest._core.validation import whole
from sparsest.choose.common import Choices, Task, price_of, threads
from sparsest.choose.gaussian import gaussian_task
from sparsest.choose.models import model_task
from sparsest.choose.rows import rows_task
from sparsest.data import Moments
from sparsest.likelihoods import ROW_MODELS, Rows
from sparsest.modelled import ModelRows

_MODELS = ("auto", "gaussian", *ROW_MODELS, "mlp")


def choose(choices: Choices, source: Moments | Rows | ModelRows) -> Task:
    """The solver and the problem for these moments, or for these rows."""
    if isinstance(choices.model, str) and choices.model not in _MODELS:
        known = ", ".join(map(repr, _MODELS))
        raise OptionError(f"unknown model {choices.model!r}: use one of {known}")
    whole("seed", choices.seed)
    threads(choices.n_jobs)  # refused here for models that have no use for it, too
    if choices.standardize not in ("auto", True, False):
        raise OptionError(f"standardize must be 'auto', True or False, not {choices.standardize!r}")
    price = price_of(choices.penalty, source)
    if isinstance(source, Rows):
        return rows_task(choices, source, price)
    if isinstance(source, ModelRows):
        return model_task(choices, source, price)
    return gaussian_task(choices, source, price)
