import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sparsest as sp
from sparsest import graph
from sparsest.graph import Mpdag, refine
from tests.graph.small import every_class
from tests.graph.strategies import dags, law

seeds = st.integers(0, 2**32 - 1)


def random_masks(p, rng, density=0.25):
    allowed = rng.random((p, p)) > density
    required = np.triu(rng.random((p, p)) < density / 2, 1)
    order = rng.permutation(p)
    return allowed | required[np.ix_(order, order)], required[np.ix_(order, order)]


def agreeing(members, allowed, required):
    """The members that obey, by going through all of them."""
    wrong = (members & ~allowed).any(axis=(1, 2)) | (required & ~members).any(axis=(1, 2))
    return members[~wrong]


def as_set(dags):
    return {np.asarray(dag, dtype=bool).tobytes() for dag in dags}


@pytest.mark.parametrize("p", [2, 3, 4, 5])
def test_the_refined_class_is_the_union_of_the_members_that_agree(p):
    classes, rng = every_class(p), np.random.default_rng(p)
    shapes = range(len(classes.cpdags)) if p < 5 else rng.choice(len(classes.cpdags), 300, replace=False)
    refined = 0
    for k in shapes:
        for _ in range(6):
            allowed, required = random_masks(p, rng)
            required &= classes.cpdags[k]
            left = agreeing(classes.members(k), allowed, required)
            if not len(left):
                with pytest.raises(sp.GraphError, match=r"no (member of it|DAG of this class) agrees"):
                    refine(classes.cpdags[k], allowed, required)
                continue
            found = refine(classes.cpdags[k], allowed, required)
            assert np.array_equal(found, left.any(axis=0))
            mpdag = refine(graph.Cpdag(classes.cpdags[k]), allowed, required)
            assert graph.mec_size(mpdag) == len(left)
            listed = [member.to_numpy() for member in graph.mec_members(mpdag)]
            assert len(listed) == len(left)
            assert as_set(listed) == as_set(left)
            assert graph.cpdag_to_dag(mpdag).pattern.tobytes() in as_set(left)
            assert (mpdag.kind == "mpdag") == (found != classes.cpdags[k]).any()
            refined += mpdag.kind == "mpdag"
    assert refined > 0


@law
@given(dags(), seeds)
def test_a_dag_that_agrees_is_in_its_own_refined_class(dag, seed):
    rng = np.random.default_rng(seed)
    known = (rng.random(dag.shape) < 0.3) & (dag == 1)
    refined = refine(dag, ~known.T, known)
    assert ((dag == 1) <= (refined == 1)).all()
    assert any(np.array_equal(member, dag) for member in graph.mec_members(refine(graph.Dag(dag), ~known.T)))


@law
@given(dags(), seeds)
def test_members_and_size_agree_on_larger_classes(dag, seed):
    rng = np.random.default_rng(seed)
    known = (rng.random(dag.shape) < 0.2) & (dag == 1)
    mpdag = refine(graph.Dag(dag), ~known.T)
    members = [member.to_numpy() for member in graph.mec_members(mpdag)]
    whole = [member for member in graph.mec_members(dag) if not (member & known.T).any()]
    assert as_set(members) == as_set(whole)
    assert graph.mec_size(mpdag) == len(members) == len(as_set(members))


def test_all_directions_known_leave_one_member():
    clique = graph.Dag(np.triu(np.ones((12, 12), dtype=int), 1))
    assert graph.mec_size(refine(clique)) == 479001600
    assert graph.mec_size(refine(clique, required=clique)) == 1
    first = np.zeros((12, 12), dtype=int)
    first[0, 1] = 1
    assert graph.mec_size(refine(clique, required=first)) == 479001600 // 2


def test_without_knowledge_the_class_is_its_cpdag():
    dag = graph.Dag([[0, 1, 1], [0, 0, 1], [0, 0, 0]])
    assert refine(dag) == dag.to_cpdag()
    assert refine(dag).kind == "cpdag"


def test_a_distance_sees_the_arrows_of_knowledge_even_where_no_line_is_left():
    dag = graph.Dag([[0, 1], [0, 0]])
    known = refine(dag, required=[[0, 1], [0, 0]])
    other = refine(dag, allowed=[[0, 0], [1, 0]])
    assert graph.cpdag_shd(known, known) == 0
    assert graph.cpdag_shd(known, other) == 1
    assert graph.cpdag_shd(known, dag) == 1  # the truth's class is not refined
    assert graph.compare(known, other).arrows.correct == 0


def test_an_mpdag_is_kept_checked_and_pickled():
    dag = graph.Dag([[0, 1, 0], [0, 0, 1], [0, 0, 0]], ["a", "b", "c"])
    mpdag = refine(dag, required=[[0, 1, 0], [0, 0, 0], [0, 0, 0]])
    assert mpdag.directed_edges == [("a", "b"), ("b", "c")]
    assert mpdag.kind == "mpdag"
    assert pickle.loads(pickle.dumps(mpdag)) == mpdag
    assert Mpdag(mpdag.to_numpy(), mpdag.names) == mpdag
    assert mpdag != dag.to_cpdag()
    assert repr(mpdag) == "Mpdag(3 nodes, 2 edges: a -> b, b -> c)"


BAD = {
    "x1 -> x2 is required, but the two are not adjacent": {"required": [[0, 0, 0], [0, 0, 1], [0, 0, 0]]},
    "x0 and x1 are adjacent in this class": {"allowed": [[0, 0, 1], [0, 0, 1], [1, 1, 0]]},
    r"allowed must have shape \(3, 3\), one row and column per node": {"allowed": [[1]]},
}


@pytest.mark.parametrize("words", BAD)
def test_knowledge_that_no_member_agrees_with_is_refused(words):
    with pytest.raises(sp.GraphError, match=words):
        refine(np.array([[0, 1, 1], [0, 0, 0], [0, 0, 0]]), **BAD[words])


def test_a_pdag_that_leaves_an_implied_arrow_open_is_no_mpdag():
    with pytest.raises(sp.GraphError, match=r"not maximally oriented: here x1 -- x2, but .* x1 -> x2"):
        Mpdag([[0, 1, 0], [0, 0, 1], [0, 1, 0]])
    with pytest.raises(sp.GraphError, match="no DAG has these edges"):
        Mpdag([[0, 1, 0, 1], [1, 0, 1, 0], [0, 1, 0, 1], [1, 0, 1, 0]])
