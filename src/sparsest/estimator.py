"""`fit` as a scikit-learn estimator."""

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
    """Scikit-learn estimator that learns a causal graph from a table.

    The parameters are those of `sparsest.fit`, where they are described in full.

    Parameters
    ----------
    model : str or object
        The likelihood: a name, a model object, or a user-defined likelihood.
    solver : str or Solver
        The name of a solver, or a solver object.
    penalty : str, float or Penalty
        The cost of an edge: a criterion, a number, or a penalty object.
    knowledge : Knowledge, dict or path, optional
        Background knowledge about the edges.
    standardize : bool or "auto"
        Whether the solver sees columns of unit variance.
    seed : int
        Determines the random starts.
    n_jobs : int, optional
        The number of threads; -1 uses all cores.
    time_limit : float, optional
        Seconds after which the best graph so far is returned.
    progress : callable, optional
        Called with a `Step` from time to time.
    columns : list of str, optional
        The columns to use; all by default.
    exclude : list of str, optional
        Columns to leave out.
    drop_constant : bool
        With ``strict=True``, leave out constant columns instead of refusing them.
    kinds : dict, optional
        The kinds of columns, by name, where the automatic guess is wrong.
    missing : {"auto", "error", "drop", "em", "pairwise"}
        How missing values are treated.
    na : str, number, list or dict, optional
        Marks that stand for a missing value.
    strict : bool
        Refuse what cannot be modelled instead of leaving it out.
    weights : str or array, optional
        The name of a column, or one weight per row.
    transforms : {"auto", "log", "rank"} or dict, optional
        `transform` of `fit`, a name that scikit-learn keeps for methods: the scale on which columns of
        numbers are modelled, for all or by name.
    max_parents : int, optional
        The largest number of parents of a column.
    threshold : float, optional
        Keep soft weights above this size, instead of pruning by score.
    search_rows : int, None or "auto"
        The most rows that the search goes through, for models other than the Gaussian ones; the graph is then
        fitted on all rows. None is all rows.
    check : bool
        Learn again in other units and another column order, and compare.

    Attributes
    ----------
    dag_ : Dag
        The learned DAG.
    cpdag_ : Cpdag
        Its Markov equivalence class.
    weights_ : array of shape (p, p)
        The effect of column i on column j, in the units of the table.
    noise_variances_ : array of shape (p,)
        The variance of each column given its parents.
    objective_ : float
        Refitted negative log-likelihood plus the cost of the edges.
    result_ : Result
        The whole result.
    n_features_in_ : int
        The number of columns of the table, including those that were left out.
    feature_names_in_ : array of str
        Their names, if the table has names.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsest as sp
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=(500, 2))
    >>> table = np.column_stack([x, x.sum(axis=1) + rng.normal(size=500)])
    >>> learner = sp.StructureLearner(penalty="bic").fit(table)
    >>> learner.cpdag_.edges
    [('x0', '->', 'x2'), ('x1', '->', 'x2')]
    """

    def __init__(
        self,
        *,
        model: str | Model | Likelihood = "auto",
        solver: str | Solver = "auto",
        penalty: str | float | Penalty = "auto",
        knowledge: Knowledge | Mapping[str, Any] | str | os.PathLike[str] | None = None,
        standardize: bool | str = "auto",
        seed: int = 0,
        n_jobs: int | None = None,
        time_limit: float | None = None,
        progress: Callable[[Step], object] | None = None,
        columns: Sequence[str] | None = None,
        exclude: Sequence[str] | None = None,
        drop_constant: bool = False,
        kinds: Mapping[str, str | Sequence[str]] | None = None,
        missing: str = "auto",
        na: Any = None,
        strict: bool = False,
        weights: str | ArrayLike | None = None,
        transforms: str | Mapping[str, str | None] | None = None,
        max_parents: int | None = None,
        threshold: float | None = None,
        search_rows: int | str | None = "auto",
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
        self.exclude = exclude
        self.drop_constant = drop_constant
        self.kinds = kinds
        self.missing = missing
        self.na = na
        self.strict = strict
        self.weights = weights
        self.transforms = transforms
        self.max_parents = max_parents
        self.threshold = threshold
        self.search_rows = search_rows
        self.check = check

    def __sklearn_tags__(self) -> Any:
        """What scikit-learn's tools may pass: tables with gaps and words, unless `strict`."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing not in ("error", "auto" if self.strict else "error")
        tags.input_tags.string = not self.strict
        return tags

    def fit(self, X: Any, y: Any = None) -> StructureLearner:  # noqa: ARG002 (scikit-learn's signature)
        """Learn the graph of a table.

        Parameters
        ----------
        X : array or data frame of shape (n, p)
            One row per observation.
        y : None
            Ignored; present for compatibility with scikit-learn.

        Returns
        -------
        StructureLearner
            The fitted estimator.
        """
        sheet = read_sheet(X, TableOptions())
        options = self.get_params(deep=False)
        self.result_ = fit(sheet, transform=options.pop("transforms"), **options)
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
        """The mean log-likelihood of rows; higher is better, as model selection in scikit-learn expects.

        Parameters
        ----------
        X : array or data frame of shape (n, p)
            Rows with the columns of the table that the graph was learned from.
        y : None
            Ignored; present for compatibility with scikit-learn.

        Returns
        -------
        float
        """
        check_is_fitted(self)
        _check_feature_names(self, X, reset=False)
        levels = getattr(self.result_.fitted, "levels", ())
        if any(words is not None for words in levels):
            return float(self.result_.log_likelihood(X).mean())
        # Unlike the training table, these rows may be constant, and a single one is enough.
        rows = check_array(X, dtype=np.float64, estimator=self)
        _check_n_features(self, rows, reset=False)
        return float(self.result_.log_likelihood(rows[:, self._used]).mean())
