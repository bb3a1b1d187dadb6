"""The scikit-learn face of fit()."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils.validation import (
    _check_feature_names,
    _check_n_features,
    check_array,
    check_is_fitted,
)

from sparsest._core.progress import Step
from sparsest.data import TableOptions
from sparsest.data.read.sheets import positions, read_sheet
from sparsest.fit import fit
from sparsest.knowledge import Knowledge
from sparsest.models.base import Model
from sparsest.penalties import Penalty
from sparsest.problem import Solver
from sparsest.scores.autodiff import Likelihood


class StructureLearner(BaseEstimator):  # type: ignore[misc]
    """Learns a causal graph from a table: `sparsest.fit` as a scikit-learn estimator.

    The parameters are those of `sparsest.fit`.

    Attributes:
        dag_: The learned DAG.
        cpdag_: Its Markov equivalence class.
        weights_: (p, p), the effect of column i on column j, in the table's units.
        noise_variances_: (p,).
        objective_: Refitted negative log-likelihood plus the cost of the edges.
        result_: The whole `Result`.
        n_features_in_: The number of columns of the table, also those that were left out.
        feature_names_in_: Their names, where the table has names.
    """

    def __init__(
        self,
        *,
        model: str | Model | Likelihood = "auto",
        solver: str | Solver = "auto",
        penalty: str | float | Penalty = "auto",
        knowledge: Knowledge | str | os.PathLike[str] | None = None,
        standardize: bool | str = "auto",
        seed: int = 0,
        n_jobs: int | None = None,
        time_limit: float | None = None,
        progress: Callable[[Step], None] | None = None,
        columns: Sequence[str] | None = None,
        drop_constant: bool = False,
        kinds: Mapping[str, str | Sequence[str]] | None = None,
        missing: str = "error",
        weights: str | ArrayLike | None = None,
        max_parents: int | None = None,
        threshold: float | None = None,
        check: bool = False,
    ):
        self.model = model
        self.solver = solver
        self.penalty = penalty
        self.knowledge = knowledge
        self.standardize = standardize
        self.seed = seed
        self.n_jobs = n_jobs
        self.time_limit = time_limit
        self.progress = progress
        self.columns = columns
        self.drop_constant = drop_constant
        self.kinds = kinds
        self.missing = missing
        self.weights = weights
        self.max_parents = max_parents
        self.threshold = threshold
        self.check = check

    def fit(self, X: Any, y: Any = None) -> StructureLearner:  # noqa: ARG002 (scikit-learn's signature)
        """Learn the graph of the table X."""
        sheet = read_sheet(X, TableOptions())
        self.result_ = fit(sheet, **self.get_params(deep=False))
        _check_feature_names(self, X, reset=True)
        self.n_features_in_ = len(sheet.names)
        self._used = positions(self.result_.names, sheet.names)
        self.dag_ = self.result_.dag
        self.cpdag_ = self.result_.cpdag
        self.weights_ = self.result_.weights
        self.noise_variances_ = self.result_.noise_variances
        self.objective_ = self.result_.objective
        return self

    def score(self, X: Any, y: Any = None) -> float:  # noqa: ARG002 (scikit-learn's signature)
        """The mean log-likelihood of the rows of X: higher is better, so that parameters can be searched."""
        check_is_fitted(self)
        _check_feature_names(self, X, reset=False)
        levels = getattr(self.result_.fitted, "levels", ())
        if any(words is not None for words in levels):
            return float(self.result_.log_likelihood(X).mean())
        # Rows to be judged need not vary, and one is enough.
        rows = check_array(X, dtype=np.float64, estimator=self)
        _check_n_features(self, rows, reset=False)
        return float(self.result_.log_likelihood(rows[:, self._used]).mean())
