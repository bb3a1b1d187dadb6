"""The scikit-learn face of fit()."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import _check_feature_names, _check_n_features, check_is_fitted

from sparsest.data import Moments, read_table
from sparsest.learn import fit
from sparsest.penalties import Penalty
from sparsest.progress import Step
from sparsest.solution import Solver


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
        mean_: (p,), the columns' means, for `score`.
        n_features_in_: The number of columns.
        feature_names_in_: Their names, where the table has names.
    """

    def __init__(
        self,
        *,
        model: str = "auto",
        solver: str | Solver = "auto",
        penalty: str | float | Penalty = "auto",
        standardize: bool | str = "auto",
        seed: int = 0,
        n_jobs: int | None = None,
        time_limit: float | None = None,
        progress: Callable[[Step], None] | None = None,
        max_parents: int | None = None,
        threshold: float | None = None,
        check: bool = False,
    ):
        self.model = model
        self.solver = solver
        self.penalty = penalty
        self.standardize = standardize
        self.seed = seed
        self.n_jobs = n_jobs
        self.time_limit = time_limit
        self.progress = progress
        self.max_parents = max_parents
        self.threshold = threshold
        self.check = check

    def fit(self, X: Any, y: Any = None) -> StructureLearner:  # noqa: ARG002 (scikit-learn's signature)
        """Learn the graph of the table X."""
        table = read_table(X)
        _check_feature_names(self, X, reset=True)
        _check_n_features(self, table.values, reset=True)
        moments = Moments.from_array(table.values, table.names)
        means: Any = moments.mean
        self.result_ = fit(moments, **self.get_params(deep=False))
        self.mean_ = means
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
        table = read_table(X)
        _check_n_features(self, table.values, reset=False)
        centred = table.values - self.mean_
        residuals = centred - centred @ self.weights_
        squared = (residuals**2 / self.noise_variances_).mean(axis=0)
        return float(-0.5 * (np.log(2 * np.pi * self.noise_variances_) + squared).sum())
