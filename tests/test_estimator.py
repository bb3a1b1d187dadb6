import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.utils.estimator_checks import parametrize_with_checks

import sparsest as sp
from tests.test_learn import simulated


# The one check skipped by scikit-learn needs an environment variable of SciPy's.
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@pytest.mark.filterwarnings("ignore::sparsest.DataWarning")
@parametrize_with_checks([sp.StructureLearner()])
def test_scikit_learn_accepts_the_estimator(estimator, check):
    check(estimator)


def test_the_estimator_is_fit_with_underscores():
    X = simulated().data
    learner, result = sp.StructureLearner().fit(X), sp.fit(X)
    assert learner.dag_ == result.dag
    assert learner.cpdag_ == result.cpdag
    assert (learner.weights_ == result.weights).all()
    assert (learner.noise_variances_ == result.noise_variances).all()
    assert learner.objective_ == learner.result_.objective == result.objective


def test_the_score_of_the_training_rows_is_their_gaussian_log_likelihood():
    X = simulated().data
    learner = sp.StructureLearner().fit(X)
    p = X.shape[1]
    expected = -(learner.result_.nll + p / 2 + p / 2 * np.log(2 * np.pi))
    assert learner.score(X) == pytest.approx(expected, abs=1e-9)


def test_a_single_row_and_columns_that_do_not_vary_can_be_scored():
    frame = pd.DataFrame(simulated().data, columns=list("abcdef"))
    learner = sp.StructureLearner().fit(frame)
    one_by_one = [learner.score(frame.iloc[[k]]) for k in range(50)]
    assert np.mean(one_by_one) == pytest.approx(learner.score(frame.head(50)), abs=1e-9)
    assert np.isfinite(learner.score(frame.assign(a=1.0)))
    with pytest.raises(ValueError, match="NaN"):
        learner.score(frame.assign(a=np.nan))


def test_the_cost_of_an_edge_can_be_searched_by_cross_validation():
    X = simulated().data
    search = GridSearchCV(sp.StructureLearner(), {"penalty": [10.0, 0.01]}, cv=3).fit(X)
    assert search.best_params_ == {"penalty": 0.01}


def test_names_of_a_data_frame_are_kept_and_checked():
    frame = pd.DataFrame(simulated().data, columns=list("abcdef"))
    learner = clone(sp.StructureLearner(solver="order")).fit(frame)
    assert learner.result_.names == tuple("abcdef") == tuple(learner.feature_names_in_)
    with pytest.raises(ValueError, match="feature names"):
        learner.score(frame[list("fedcba")])


@pytest.mark.filterwarnings("ignore::sparsest.DataWarning")
def test_the_options_of_tables_are_parameters_and_the_score_uses_the_same_columns():
    frame = pd.DataFrame(simulated().data, columns=list("abcdef")).assign(same=1.0)
    frame.loc[3, "a"] = np.nan
    learner = sp.StructureLearner(columns=["f", "a", "b", "same"], drop_constant=True, missing="drop")
    learner.fit(frame)
    assert learner.result_.names == ("f", "a", "b")
    assert learner.n_features_in_ == 7
    complete = frame.dropna()
    alone = sp.StructureLearner(model="gaussian").fit(complete[["f", "a", "b"]])
    assert learner.score(complete) == pytest.approx(alone.score(complete[["f", "a", "b"]]))
