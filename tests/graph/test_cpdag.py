import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparsest import graph
from sparsest._core.errors import GraphError
from tests.graph.strategies import dags, law, random_dag, relabel

DATA = Path(__file__).parent / "data"
RELEASES = {"0.1.3.3": "causal-learn", "0.1.4.8": "strict"}  # release: the definition of its SHD


def stored(release):
    """DAGs, CPDAGs and distances; data/make_causal_learn.py made them and says how."""
    with np.load(DATA / f"causal_learn_{release}.npz") as file:
        sizes = file["sizes"].astype(int)
        ends = np.cumsum(sizes**2)

        def unpack(key):
            bits = np.split(np.unpackbits(file[key], count=ends[-1]), ends[:-1])
            return [part.reshape(p, p) for part, p in zip(bits, sizes, strict=True)]

        return unpack("dags"), unpack("cpdags"), file["shd"].astype(int)


@pytest.mark.parametrize("release", RELEASES)
def test_cpdags_are_those_of_causal_learn_on_random_dags(release):
    dags, cpdags, _ = stored(release)
    assert len(dags) == 3000
    for dag, cpdag in zip(dags, cpdags, strict=True):
        assert np.array_equal(graph.dag_to_cpdag(dag), cpdag)


@pytest.mark.parametrize(("release", "definition"), RELEASES.items())
def test_cpdag_distances_are_those_of_causal_learn_on_random_dags(release, definition):
    dags, cpdags, distances = stored(release)
    assert len(distances) == 1500
    for k, distance in enumerate(distances):
        assert graph.cpdag_shd(dags[2 * k], cpdags[2 * k + 1], definition) == distance


@law
@given(dags())
def test_cpdag_is_the_same_for_all_members_of_the_class(dag):
    cpdag = graph.dag_to_cpdag(dag)
    for member, _ in zip(graph.mec_members(dag), range(50), strict=False):
        assert np.array_equal(graph.dag_to_cpdag(member), cpdag)


@law
@given(dags(), st.data())
def test_cpdag_follows_the_labels(dag, data):
    order = data.draw(st.permutations(range(len(dag))))
    assert np.array_equal(graph.dag_to_cpdag(relabel(dag, order)), relabel(graph.dag_to_cpdag(dag), order))


@law
@given(dags())
def test_cpdag_has_the_same_adjacencies_and_keeps_or_frees_each_arrow(dag):
    cpdag = graph.dag_to_cpdag(dag)
    assert np.array_equal(cpdag | cpdag.T, dag | dag.T)
    assert np.all(cpdag >= dag)


def test_answers_come_in_kind():
    matrix = np.array([[0, 1], [0, 0]])
    from_matrix = graph.dag_to_cpdag(matrix)
    assert from_matrix.dtype == np.int64
    from_dag = graph.dag_to_cpdag(graph.Dag(matrix, ["a", "b"]))
    assert from_dag == graph.Cpdag([[0, 1], [1, 0]], ["a", "b"])


def test_a_weighted_matrix_is_read_by_its_nonzero_entries():
    weights = np.array([[0, 0, 0.5], [0, 0, -2.0], [0, 0, 0]])
    assert np.array_equal(graph.dag_to_cpdag(weights), weights != 0)  # a v-structure


def test_a_cycle_is_named():
    with pytest.raises(GraphError, match="x0 -> x1 -> x0"):
        graph.dag_to_cpdag([[0, 1], [1, 0]])


def test_a_thousand_nodes_take_well_under_a_second():
    dag = random_dag(1000, 4000, np.random.default_rng(0))
    start = time.process_time()
    graph.dag_to_cpdag(dag)
    assert time.process_time() - start < 0.5  # measured: about 0.01 s
