import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.utils.estimator_checks import parametrize_with_checks

import sparsest as sp
from tests.test_fit import simulated


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


def of_kind(model, n=300):
    rng = np.random.default_rng(2)
    weights = sp.simulate.random_weights(sp.simulate.random_dag(5, 1, "ER", rng), rng)
    return {
        "logistic": lambda: sp.simulate.logistic(weights, n, rng).data,
        "additive": lambda: sp.simulate.additive(weights != 0, n, rng).data,
        "mixed": lambda: sp.simulate.mixed(weights != 0, n, rng).data,
    }[model]()


@pytest.mark.parametrize("model", ["logistic", "additive", "mixed"])
def test_models_on_rows_are_learned_scored_and_cloned_as_gaussian_ones(model):
    data = of_kind(model)
    learner = clone(sp.StructureLearner(model=model))
    assert learner.get_params()["model"] == model
    assert learner.fit(data) is learner
    result = sp.fit(data, model=model)
    assert learner.result_.model == model
    assert learner.dag_ == result.dag
    assert (learner.weights_ == result.weights).all()
    assert learner.n_features_in_ == 5
    assert learner.score(data) == pytest.approx(result.log_likelihood(data).mean(), abs=1e-12)
    one_by_one = [learner.score(data[[k]]) for k in range(20)]
    assert np.mean(one_by_one) == pytest.approx(learner.score(data[:20]), abs=1e-9)


def test_the_model_itself_can_be_searched_by_cross_validation():
    search = GridSearchCV(sp.StructureLearner(), {"model": ["gaussian", "additive"]}, cv=3)
    assert search.fit(of_kind("additive")).best_params_ == {"model": "additive"}


def test_a_model_object_is_a_parameter():
    data = of_kind("additive")[:, :3]
    learner = clone(sp.StructureLearner(model=sp.models.MLP(hidden=3))).fit(data)
    assert learner.result_.model == "mlp"
    assert np.isfinite(learner.score(data))


def test_columns_of_words_are_learned_and_scored_with_the_codes_they_had():
    frame = pd.DataFrame(of_kind("logistic")[:, :3], columns=list("abc"))
    words = frame.assign(a=np.where(frame["a"] == 1, "yes", "no"))
    learner = sp.StructureLearner(model="mixed").fit(words)
    plain = sp.StructureLearner(model="logistic").fit(frame)
    assert list(learner.feature_names_in_) == list("abc")
    assert learner.score(words) == pytest.approx(plain.score(frame), abs=1e-9)
    assert learner.score(words[words["a"] == "no"]) == pytest.approx(
        plain.score(frame[frame["a"] == 0]), abs=1e-9
    )
