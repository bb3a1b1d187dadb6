import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sparsest as sp
from sparsest.penalties import L0, L1, MCP, SCAD, QuasiMCP
from tests.laws import finite_differences

sizes = st.floats(0.05, 5.0)
points = st.floats(-10, 10)
SOFT = [L1(0.7), QuasiMCP(0.7, 0.4), QuasiMCP(0.2, 3.0), MCP(0.5, 2.0), SCAD(0.4, 3.0), SCAD(0.2)]


@pytest.mark.parametrize("penalty", SOFT)
def test_a_soft_penalty_is_its_kink_plus_its_remainder(penalty):
    t = np.linspace(-4, 4, 81)
    value, _ = penalty.remainder(t)
    assert penalty.value(t) == pytest.approx(penalty.slope * np.abs(t) + value, abs=1e-12)


@pytest.mark.parametrize("penalty", SOFT)
def test_the_slopes_of_kink_and_remainder_add_up_to_the_derivative_of_the_penalty(penalty):
    t = np.array([-4.0, -0.41, -0.3, 0.01, 0.2, 1.5, 3.1])
    expected = finite_differences(lambda x: penalty.value(x).sum(), t)
    assert penalty.slope * np.sign(t) + penalty.remainder(t)[1] == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("penalty", SOFT)
def test_the_remainder_is_smooth_also_where_the_pieces_meet(penalty):
    kinks = np.array([0.0, 0.4, -0.4, 3.0, -3.0, 1.0, 1.2, -1.2, 0.2, 0.74])
    _, slope = penalty.remainder(kinks)
    expected = finite_differences(lambda x: penalty.remainder(x)[0].sum(), kinks, step=1e-7)
    assert slope == pytest.approx(expected, abs=1e-6)


@given(lam=sizes, t=points)
def test_quasi_mcp_tends_to_l1_as_delta_grows(lam, t):
    wide, limit = QuasiMCP(lam, 1e9), L1(lam)
    assert wide.value(np.array([t])) == pytest.approx(limit.value(np.array([t])), abs=1e-6)


@given(cost=sizes, t=points.filter(lambda t: abs(t) > 1e-3))
def test_quasi_mcp_tends_to_l0_as_delta_shrinks_at_equal_cost(cost, t):
    narrow = QuasiMCP(2 * cost / 1e-4, 1e-4)
    assert narrow.cost == pytest.approx(cost)
    assert narrow.value(np.array([t])) == pytest.approx(L0(cost).value(np.array([t])))


@given(lam=sizes, delta=sizes, t=points)
def test_quasi_mcp_is_symmetric_and_flat_from_delta_on(lam, delta, t):
    penalty = QuasiMCP(lam, delta)
    value = penalty.value(np.array([t, -t]))
    assert value[0] == value[1]
    assert penalty.value(np.array([delta, 2 * delta])) == pytest.approx([lam * delta / 2] * 2)
    assert value[0] <= penalty.cost * (1 + 1e-12)


def test_the_paper_plots_quasi_mcp_with_a_plateau_of_one():
    assert QuasiMCP(2, 1).value(np.array([0.0, 0.5, 1.0, 7.0])) == pytest.approx([0, 0.75, 1, 1])


@pytest.mark.parametrize(("lam", "delta"), [(0, 1), (1, 0), (-1, 1), (float("nan"), 1), (1, float("inf"))])
def test_parameters_that_are_not_positive_are_refused_by_name(lam, delta):
    with pytest.raises(sp.OptionError, match=r"QuasiMCP needs (lam|delta) > 0"):
        QuasiMCP(lam, delta)


@given(lam=sizes, a=sizes, t=points)
def test_mcp_is_quasi_mcp_reparametrised(lam, a, t):
    """Appendix C.5: p^MCP_{λ,a} = p_{λ,aλ}, with MCP as it is printed there."""
    printed = lam * abs(t) - t**2 / (2 * a) if abs(t) < a * lam else lam**2 * a / 2
    assert MCP(lam, a).value(np.array([t])) == pytest.approx(printed, rel=1e-9, abs=1e-12)
    assert MCP(lam, a).cost == QuasiMCP(lam, a * lam).cost
    assert MCP(lam, a).a == pytest.approx(a)


@given(lam=sizes, a=st.floats(2.01, 6.0), t=points)
def test_scad_is_the_printed_formula_and_levels_off(lam, a, t):
    size = abs(t)
    if size < lam:
        printed = lam * size
    elif size < a * lam:
        printed = (2 * a * lam * size - size**2 - lam**2) / (2 * (a - 1))
    else:
        printed = lam**2 * (a + 1) / 2
    assert SCAD(lam, a).value(np.array([t])) == pytest.approx(printed, rel=1e-9, abs=1e-12)
    assert SCAD(lam, a).value(np.array([a * lam, 9 * a * lam])) == pytest.approx([SCAD(lam, a).cost] * 2)


def test_scad_tends_to_l1_as_a_grows():
    t = np.linspace(-3, 3, 41)
    assert SCAD(0.5, 1e9).value(t) == pytest.approx(L1(0.5).value(t), abs=1e-6)


@pytest.mark.parametrize(
    ("make", "words"), [(lambda: SCAD(1, 2), "a > 2"), (lambda: MCP(1, 0), "MCP needs a > 0")]
)
def test_impossible_shapes_are_refused(make, words):
    with pytest.raises(sp.OptionError, match=words):
        make()
