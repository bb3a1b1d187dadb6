"""Laws of the choice of solvers, penalties and limits: refused before any work, in the same words for all."""

import numpy as np
import pytest

import sparsest as sp
from sparsest._core.progress import Watch
from sparsest.models.choosing import Choices
from sparsest.models.registry import MODELS, SOLVERS, fitted_types, imported, solver_names
from tests.models.tables import TABLES, Heavy

NAMED = [name for name in MODELS if name != "auto"]


def offered(model):
    table = TABLES[model]
    from sparsest.data import Source, TableOptions
    from sparsest.models.choosing import chosen_model

    return chosen_model(model, "auto").prepare(Source(table, TableOptions(), Watch()), 0).offers


@pytest.mark.parametrize("model", NAMED)
def test_every_model_takes_the_solvers_whose_needs_it_offers_and_refuses_the_others_with_a_list(model):
    usable = {entry.name for entry in SOLVERS if entry.needs in offered(model)}
    for solver in set(solver_names()) - usable - {"auto"}:
        with pytest.raises(sp.OptionError, match=f"solver '{solver}'.*model is '{model}'.*'auto'") as refused:
            sp.fit(TABLES[model], model=model, solver=solver)
        assert all(repr(name) in str(refused.value) for name in usable)


@pytest.mark.parametrize("entry", SOLVERS, ids=lambda entry: f"{entry.name}-{entry.needs}")
def test_every_entry_makes_a_solver(entry):
    solver = entry.make({"seed": 3, "n_jobs": 1})
    assert isinstance(solver.returns_dag, bool)
    assert isinstance(solver.standardizes, bool)
    assert entry.sentence
    assert entry.paragraph


@pytest.mark.parametrize("entry", MODELS.values(), ids=lambda entry: entry.name)
def test_every_entry_names_a_model_that_knows_its_name(entry):
    assert imported(entry.home)().name == entry.name
    assert imported(entry.fitted) in fitted_types()


@pytest.mark.parametrize("model", NAMED)
def test_a_limit_below_the_required_parents_is_refused_by_every_model_and_names_the_column(model):
    known = sp.Knowledge(required=[("x0", "x2"), ("x1", "x2")])
    for solver in {entry.name for entry in SOLVERS if entry.needs in offered(model)}:
        with pytest.raises(sp.OptionError, match=r"'x2' has 2 required parents.*max_parents = 1"):
            sp.fit(TABLES[model], model=model, solver=solver, knowledge=known, max_parents=1)


@pytest.mark.parametrize("model", ["gaussian", "logistic", "mlp"])
def test_discrete_searches_refuse_a_penalty_that_counts_no_edges(model):
    with pytest.raises(sp.OptionError, match="has no cost per edge"):
        sp.fit(TABLES[model], model=model, penalty=sp.L1(0.1))


class Untouched:
    """A solver that returns a DAG and must not be called."""

    standardizes = returns_dag = True

    def solve(self, problem, watch):
        raise AssertionError("no work before the options are checked")


def test_a_threshold_for_a_search_is_refused_before_the_search():
    with pytest.raises(sp.OptionError, match="returns a graph, not soft weights: leave threshold out"):
        sp.fit(TABLES["gaussian"], solver=Untouched(), threshold=0.3)


def test_a_search_object_is_refused_where_there_are_no_local_scores():
    with pytest.raises(sp.OptionError, match="one likelihood for all"):
        sp.fit(TABLES["gaussian"], model=Heavy(3), solver=Untouched())


def test_a_solver_object_obeys_the_limit_on_parents():
    rng = np.random.default_rng(0)
    data = rng.normal(size=(300, 5))
    data[:, 4] = data[:, :4].sum(axis=1) + 0.1 * rng.normal(size=300)
    from sparsest.search import OrderSearch

    assert sp.fit(data, solver=OrderSearch()).dag.to_numpy().sum(axis=0).max() == 4
    assert sp.fit(data, solver=OrderSearch(), max_parents=2).dag.to_numpy().sum(axis=0).max() == 2


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"solver": "nonsense"}, "unknown solver 'nonsense': use one of 'auto', 'exact'"),
        ({"solver": 3}, "must be a name or a solver object, not 3"),
        ({"seed": -1}, "seed"),
        ({"n_jobs": 0}, "n_jobs"),
        ({"max_parents": 1.5}, "max_parents"),
        ({"threshold": -0.1}, "threshold"),
        ({"standardize": "maybe"}, "standardize must be"),
    ],
)
def test_impossible_choices_are_named(options, words):
    with pytest.raises(sp.OptionError, match=words):
        Choices(**options)


SOFT = ["notears", "golem-ev", "golem-nv", "dagma", "logll-notears", "logll-dagma", "differentiable"]


@pytest.mark.parametrize("solver", SOFT)
def test_a_threshold_does_not_overrule_the_limit_on_parents(solver):
    rng = np.random.default_rng(0)
    data = rng.normal(size=(300, 5))
    data[:, 4] = data[:, :4].sum(axis=1) + 0.1 * rng.normal(size=300)
    for threshold in (None, 0.05, 0.3):
        dag = sp.fit(data, solver=solver, max_parents=2, threshold=threshold).dag.to_numpy()
        assert dag.sum(axis=0).max() <= 2


class Greedy(Untouched):
    """A solver that takes all edges, whatever the problem says."""

    def solve(self, problem, watch):
        from sparsest._core.progress import Status
        from sparsest.problem import Solution

        return Solution(np.triu(np.ones((problem.p, problem.p)), 1), 0.0, Status.CONVERGED, 1, 0.0)


def test_a_solver_that_ignores_the_limit_is_found_out():
    with pytest.raises(sp.OptionError, match="'Greedy' does not obey max_parents = 1: its graph gives 'x2'"):
        sp.fit(TABLES["gaussian"], solver=Greedy(), max_parents=1)


def test_a_solver_made_for_one_model_implies_it():
    assert sp.fit(TABLES["additive"], solver="cam").model == "additive"
    assert sp.fit(TABLES["mlp"], solver="greedy").model == "mlp"


def test_a_whole_number_may_be_written_as_a_float_and_a_class_is_no_solver():
    from sparsest.search import OrderSearch

    assert sp.fit(TABLES["gaussian"], seed=2.0).settings["seed"] == 2
    with pytest.raises(sp.OptionError, match="solver object, not <class"):
        sp.fit(TABLES["gaussian"], solver=OrderSearch)
