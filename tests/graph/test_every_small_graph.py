"""Everything on at most five nodes, against the definition: DAGs grouped by adjacencies and v-structures."""

import numpy as np
import pytest

from sparsest import graph
from sparsest._core.errors import GraphError
from tests.graph.small import code, every_class, every_dag, every_pdag

SIZES = [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize(("p", "dags", "classes"), [(2, 3, 2), (3, 25, 11), (4, 543, 185), (5, 29281, 8782)])
def test_the_enumeration_has_the_known_counts(p, dags, classes):
    assert len(every_dag(p)) == dags
    assert len(every_class(p).sizes) == classes


@pytest.mark.parametrize("p", SIZES)
def test_cpdag_is_the_union_of_the_members_of_the_class(p):
    classes = every_class(p)
    got = np.array([graph.dag_to_cpdag(dag) for dag in classes.dags])
    assert np.array_equal(got, classes.cpdags[classes.label])


@pytest.mark.parametrize("p", SIZES)
def test_members_and_size_are_those_of_the_class(p):
    """For every class on up to four nodes; on five for one of each shape, all else being renaming."""
    classes = every_class(p)
    for k in classes.shapes() if p == 5 else range(len(classes.sizes)):
        group = classes.members(k)
        for graph_of_class in (group[-1], classes.cpdags[k]):
            members = np.array(list(graph.mec_members(graph_of_class)))
            assert sorted(code(members)) == sorted(code(group))
            assert graph.mec_size(graph_of_class) == len(group)


@pytest.mark.parametrize("p", [0, 1, 2, 3, 4])
def test_exactly_the_cpdags_are_recognised_among_all_pdags(p):
    found = [pdag for pdag in every_pdag(p) if graph.is_cpdag(pdag)]
    assert sorted(code(np.array(found))) == sorted(code(every_class(p).cpdags))


def test_every_shape_of_cpdag_on_five_nodes_is_recognised():
    classes = every_class(5)
    assert all(graph.is_cpdag(cpdag) for cpdag in classes.cpdags[classes.shapes()])


@pytest.mark.parametrize("p", [2, 3, 4])
def test_a_pdag_is_extended_exactly_if_some_dag_extends_it(p):
    dags = every_dag(p)
    for pdag in every_pdag(p)[::5]:
        arrows = pdag & ~pdag.T
        same_edges = ((dags | dags.transpose(0, 2, 1)) == (pdag | pdag.T)).all(axis=(1, 2))
        keeps = (dags & arrows == arrows).all(axis=(1, 2))
        extensions = dags[same_edges & keeps & (colliders(dags) == colliders(pdag[None])).all(axis=1)]
        if len(extensions):
            assert code(graph.cpdag_to_dag(pdag)) in code(extensions)
        else:
            with pytest.raises(GraphError):
                graph.cpdag_to_dag(pdag)


def colliders(graphs):
    """v-structures of the arrows, one row of booleans per graph."""
    arrows = graphs & ~graphs.transpose(0, 2, 1)
    joined = graphs | graphs.transpose(0, 2, 1)
    p = graphs.shape[1]
    triples = [(a, b, c) for a in range(p) for b in range(a) for c in range(p)]
    return np.stack([arrows[:, a, c] & arrows[:, b, c] & ~joined[:, a, b] for a, b, c in triples], axis=1)


@pytest.mark.parametrize("p", [2, 3, 4])
def test_equivalent_means_in_the_same_class(p):
    classes = every_class(p)
    rng = np.random.default_rng(p)
    for _ in range(300):
        i, j = rng.integers(len(classes.dags), size=2)
        same = bool(classes.label[i] == classes.label[j])
        assert graph.markov_equivalent(classes.dags[i], classes.dags[j]) is same
        assert graph.markov_equivalent(classes.dags[i], classes.cpdags[classes.label[j]]) is same


@pytest.mark.parametrize("p", [2, 3, 4])
def test_meek_rules_turn_adjacencies_and_v_structures_into_the_cpdag(p):
    classes = every_class(p)
    for dag, k in zip(classes.dags, classes.label, strict=True):
        joined = dag | dag.T
        pdag = joined.copy()
        for c in range(p):
            for a in np.flatnonzero(dag[:, c]):
                if any(b != a and not joined[a, b] for b in np.flatnonzero(dag[:, c])):
                    pdag[c, a] = False
        assert np.array_equal(graph.meek_closure(pdag), classes.cpdags[k])


@pytest.mark.parametrize("p", [2, 3, 4])
def test_meek_rules_find_every_arrow_that_known_arrows_imply(p):
    """Orient some lines of a CPDAG as in a member: the closure is the union of the members that agree."""
    classes = every_class(p)
    for k, cpdag in enumerate(classes.cpdags):
        members = classes.members(k)
        lines = np.argwhere(np.triu(cpdag & cpdag.T))
        for chosen in range(2 ** len(lines)):
            known = lines[[chosen >> bit & 1 == 1 for bit in range(len(lines))]]
            for member in members[:: max(1, len(members) // 3)]:
                pdag = cpdag.copy()
                pdag[known[:, 0], known[:, 1]] = member[known[:, 0], known[:, 1]]
                pdag[known[:, 1], known[:, 0]] = member[known[:, 1], known[:, 0]]
                agree = members[(members <= pdag).all(axis=(1, 2))]
                assert np.array_equal(graph.meek_closure(pdag), agree.any(axis=0))
