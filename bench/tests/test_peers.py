import ast
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sparsest as sp
from sparsest.penalties.criteria import cost_per_edge
from sparsest.simulate.designs import Design, simulate
from sparsest_bench import peers
from sparsest_bench.contenders import is_rival, known_contenders
from sparsest_bench.peers import causal_learn, null, ours, tetrad


@given(st.integers(3, 10**6), st.integers(2, 10**4))
def test_at_our_cost_an_edge_costs_causal_learn_what_it_costs_us(n, p):
    # its score, over -n: half the log variance, and λ log(n) / n for each parent
    assert causal_learn.our_lambda(n, p) * np.log(n) / n == pytest.approx(cost_per_edge("auto", n, p))


@given(st.integers(3, 10**6), st.integers(2, 10**4))
def test_at_our_cost_an_edge_costs_tetrad_what_it_costs_us(n, p):
    # its score, over -2n: half the log variance, and discount · log(n) / 2n for each parent
    assert tetrad.our_discount(n, p) * np.log(n) / (2 * n) == pytest.approx(cost_per_edge("auto", n, p))


# From a sample, and not by the enumeration of all sparsest models, which has no time limit.
FROM_A_SAMPLE = {
    name: options
    for name, options in ours.METHODS.items()
    if not options.get("population") and not options.get("every_sparsest")
}


@pytest.mark.parametrize("method", FROM_A_SAMPLE)
def test_each_of_our_methods_answers_with_a_dag_however_little_time_it_has(method):
    arrays, options = simulate(Design("ER1", 5, 100), 0).arrays, FROM_A_SAMPLE[method]
    if options.get("model") == "logistic":
        arrays["X"] = arrays["X"] > 0
    kind, matrix = ours.fit(arrays, time_limit=0.05, **options)
    assert kind == "dag"
    assert sp.graph.is_dag(matrix)


def test_causal_learn_endpoints_become_arrows_and_lines():
    tail, arrow = -1, 1
    graph = np.zeros((3, 3))
    graph[0, 1], graph[1, 0] = tail, arrow  # 0 -> 1
    graph[1, 2] = graph[2, 1] = tail  # 1 -- 2
    assert causal_learn.to_matrix(graph).astype(int).tolist() == [[0, 1, 0], [0, 0, 1], [0, 1, 0]]
    graph[1, 2] = graph[2, 1] = arrow  # 1 <-> 2
    with pytest.raises(ValueError, match="no CPDAG"):
        causal_learn.to_matrix(graph)


def test_tetrad_endpoints_become_arrows_and_lines():
    edges = [(0, "TAIL", 1, "ARROW"), (2, "ARROW", 1, "TAIL"), (2, "TAIL", 3, "TAIL")]
    wanted = [[0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1], [0, 0, 1, 0]]  # 0 -> 1 -> 2 -- 3
    assert tetrad.to_matrix(edges, 4).astype(int).tolist() == wanted
    with pytest.raises(ValueError, match="no CPDAG"):
        tetrad.to_matrix([(0, "ARROW", 1, "ARROW")], 2)


def test_peers_are_found_and_need_neither_us_nor_their_package_to_be_read():
    known = known_contenders()
    assert {"auto", "dagma", "boss@ours", "pc", "gcastle-notears", "varsort"} <= set(known)
    for file in Path(peers.__path__[0]).glob("*.py"):
        if file.stem == "ours":
            continue
        nodes = ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        imported = [ast.unparse(node) for node in nodes if isinstance(node, ast.Import | ast.ImportFrom)]
        assert not [line for line in imported if "sparsest" in line]


def test_sparsest_is_compared_with_other_methods_and_not_with_itself_or_null_methods():
    assert not any(map(is_rival, ("auto", "ges", "mlp", "empty", "random", "logll-dagma-population@0.3")))
    assert all(map(is_rival, ("dagma", "our-dagma@0.3", "logll-dagma@0.3", "cam", "boss@ours", "a user's")))
    named = {name for peer in (ours, null) for name in peer.NOT_RIVALS}
    assert named <= set(known_contenders())
