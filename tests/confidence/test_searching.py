from dataclasses import replace

from sparsest._core.progress import Watch
from sparsest.confidence.asking import given_options, inquired
from sparsest.confidence.drawing import Drawing, units_of
from sparsest.confidence.searching import in_resamples
from sparsest.problem import SAME_OBJECTIVE
from sparsest.simulate.designs import Design, simulate


def test_a_head_start_leads_to_no_worse_graphs_than_a_search_from_scratch():
    table = simulate(Design(graph="ER2", p=24, n=400), 3).X
    inquiry = inquired(table, given_options("fit", {"model": "gaussian"}, ()), Watch())
    answer = inquiry.answer(Watch()).dag.matrix != 0
    quick = in_resamples(inquiry.prepared, inquiry.choices, answer)
    draws = Drawing.checked("half", units_of(len(table), None, None), 0, 24)
    for k in range(6):
        half = draws.resample(inquiry.prepared, k)[0]
        scratch = inquiry.learn(half, Watch(), replace(inquiry.choices, solver="order")).objective
        assert inquiry.learn(half, Watch(), quick).objective <= scratch + SAME_OBJECTIVE
