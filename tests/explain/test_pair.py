"""The explanation of a pair is what plain regressions say."""

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sparsest as sp
from tests.export.results import GARDEN
from tests.test_fit import simulated


def objective(X, dag, cost):
    """NLL + c · edges by least squares on the rows."""
    centred, nll = X - X.mean(axis=0), 0.0
    for j in range(X.shape[1]):
        residual, parents = centred[:, j].copy(), np.flatnonzero(dag[:, j])
        if parents.size:
            residual -= centred[:, parents] @ np.linalg.lstsq(centred[:, parents], residual, rcond=None)[0]
        nll += 0.5 * np.log(np.mean(residual**2))
    return nll + cost * dag.sum()


def with_edge(dag, i, j, edge, names):
    changed = dag.copy()
    changed[i, j] = changed[j, i] = 0
    if edge != "none":
        tail, head = edge.split(" -> ")
        changed[names.index(tail), names.index(head)] = 1
    return changed


@given(seed=st.integers(0, 2**32 - 1), p=st.integers(2, 7))
@settings(max_examples=20, deadline=None)
def test_the_change_of_the_objective_is_that_of_the_changed_graph(seed, p):
    X = simulated(seed, p, n=200).data
    result = sp.fit(X)
    dag = result.dag.to_numpy()
    for i in range(p):
        for j in range(i):
            pair = result.explain(i, j)
            assert len(pair.alternatives) == 2
            for other in pair.alternatives:
                changed = with_edge(dag, i, j, other.edge, result.names)
                if other.change is None:
                    assert not sp.graph.is_dag(changed)
                    assert "cycle" in other.obstacle
                elif not (pair.edge == f"x{i} -- x{j}" and other.edge != "none"):
                    expected = objective(X, changed, result.cost) - result.objective
                    assert other.change == pytest.approx(expected, abs=1e-9)
                    assert other.change == pytest.approx(other.likelihood + other.cost)
                    assert other.change > -1e-9  # the exact search found the best graph


@given(seed=st.integers(0, 2**32 - 1), p=st.integers(2, 7))
@settings(max_examples=20, deadline=None)
def test_an_edge_that_the_class_leaves_open_costs_nothing_to_turn(seed, p):
    result = sp.fit(simulated(seed, p, n=200).data)
    for a, b in result.cpdag.undirected_edges:
        pair = result.explain(a, b)
        assert pair.edge == f"{a} -- {b}"
        turned = next(each for each in pair.alternatives if each.edge != "none")
        assert turned.change == 0
        assert turned.edge != pair.in_dag
        assert not pair.reasons
        # There is such a graph, and it explains the data as well.
        members = [
            m for m in sp.graph.mec_members(result.cpdag) if turned.edge.split(" -> ") in map(list, m.edges)
        ]
        assert members


@given(seed=st.integers(0, 2**32 - 1), p=st.integers(2, 7))
@settings(max_examples=20, deadline=None)
def test_the_gain_in_likelihood_is_that_of_the_partial_correlation(seed, p):
    X = simulated(seed, p, n=200).data
    result = sp.fit(X)
    for i in range(p):
        for j in range(i):
            pair = result.explain(i, j)
            gain = -0.5 * math.log1p(-(pair.partial**2))
            assert (gain > result.cost) == (abs(pair.partial) > pair.threshold)
            if pair.edge == "none":
                assert abs(pair.partial) <= pair.threshold + 1e-9
                adding = [each for each in pair.alternatives if each.change is not None]
                assert any(each.likelihood == pytest.approx(-gain, abs=1e-9) for each in adding)
            else:
                without = next(each for each in pair.alternatives if each.edge == "none")
                assert without.likelihood == pytest.approx(gain, abs=1e-9)


@given(seed=st.integers(0, 2**32 - 1), p=st.integers(2, 6))
@settings(max_examples=15, deadline=None)
def test_units_change_nothing_and_the_order_of_the_pair_does_not_matter(seed, p):
    X, units = simulated(seed, p, n=200).data, 10.0 ** np.random.default_rng(seed).uniform(-3, 3, p)
    first, second = sp.fit(X), sp.fit(X * units)
    plain, other = first.explain(0, 1), second.explain(1, 0)
    assert plain.partial_given_all == pytest.approx(other.partial_given_all, abs=1e-9)
    assert plain.correlation == pytest.approx(other.correlation, abs=1e-9)
    if np.array_equal(first.dag.to_numpy(), second.dag.to_numpy()):  # or else two members of one class
        changes = {each.edge: each.change for each in plain.alternatives}
        for each in other.alternatives:
            assert each.change == pytest.approx(changes[each.edge], abs=1e-9)


def collider():
    rng = np.random.default_rng(0)
    a, b, c, d = rng.normal(size=(4, 500))
    wet = a + b + 0.5 * c
    X = np.column_stack([a, b, wet, wet + d])
    return sp.fit(sp.Moments.from_array(X, ["rain", "sprinkler", "wet", "slippery"]))


def test_the_words_answer_why_there_is_no_edge_and_why_this_direction():
    result = collider()
    text = str(result.explain("rain", "slippery"))
    assert text.startswith("rain and slippery: no edge\n")
    assert "given 'wet'" in text
    assert "rain -> slippery: +" in text
    assert "slippery -> rain: not possible, it would close a cycle with rain -> wet -> slippery" in text
    assert "for all rows" in text
    text = str(result.explain("wet", "rain"))
    assert text.startswith("wet and rain: rain -> wet\n")
    assert "rain -> wet <- sprinkler is a collider" in text
    text = str(result.explain("wet", "slippery"))
    assert "direction: decided by the class" in text
    assert "rain -> wet, and rain and slippery are not adjacent" in text
    assert "and rain -> wet: rain -> wet <- sprinkler is a collider" in text
    assert json.dumps(result.explain("wet", "slippery").to_dict(), allow_nan=False)


def test_an_open_direction_is_said_to_be_open():
    rng = np.random.default_rng(0)
    a = rng.normal(size=300)
    result = sp.fit(np.column_stack([a, a + rng.normal(size=300)]))
    text = str(result.explain(0, 1))
    assert "an edge whose direction is open" in text
    assert "not decided by these data" in text
    assert "no edge: +" in text


def test_what_knowledge_decides_and_rules_out_is_said():
    rng = np.random.default_rng(0)
    a, b, c = rng.normal(size=(3, 500))
    X = np.column_stack([a, a + b, a + b + c])
    result = sp.fit(X, knowledge=sp.Knowledge(required=[(0, 1)]))
    text = str(result.explain(0, 1))
    assert "direction: decided by knowledge" in text
    assert "x1 -> x0: +" in text
    assert text.count("ruled out by the knowledge") == 2
    text = str(result.explain(1, 2))
    assert "direction: decided by the class and the knowledge" in text
    assert "x0 -> x1: this follows from the knowledge given to fit, not from the data" in text


def test_a_population_and_more_columns_than_rows_are_explained_too():
    simulation = simulated(5, p=5)
    pair = sp.fit(sp.Moments(simulation.covariance, math.inf), penalty=1e-4).explain(0, 1)
    assert "for all rows" not in str(pair)
    with pytest.warns(sp.DataWarning):
        few = sp.fit(simulated(p=12, n=10).data)
    assert few.explain(0, 1).partial_given_all is None


def test_impossible_questions_are_refused():
    result = collider()
    with pytest.raises(sp.GraphError, match="no node is called 'snow'"):
        result.explain("rain", "snow")
    with pytest.raises(sp.OptionError, match="two different columns"):
        result.explain("rain", 0)
    with pytest.raises(sp.OptionError, match="only for Gaussian models, and this result has no covariance"):
        GARDEN.explain("rain", "wet")
