import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sparsest as sp
from sparsest.penalties import L0, L1, MCP, SCAD, Grouped, QuasiMCP
from tests.laws import finite_differences

sizes = st.floats(0.05, 5.0)
points = st.floats(-10, 10)
SOFT = [L1(0.7), QuasiMCP(0.7, 0.4), QuasiMCP(0.2, 3.0), MCP(0.5, 2.0), SCAD(0.4, 3.0), SCAD(0.2)]


@pytest.mark.parametrize("penalty", SOFT)
def test_derivative_agrees_with_finite_differences(penalty):
    t = np.array([-4.0, -0.41, -0.3, 0.01, 0.2, 1.5, 3.1])
    expected = finite_differences(lambda x: penalty.value(x).sum(), t)
    assert penalty.derivative(t) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("penalty", SOFT)
def test_a_soft_penalty_is_its_kink_plus_its_remainder(penalty):
    t = np.linspace(-4, 4, 81)
    value, slope = penalty.remainder(t)
    assert penalty.value(t) == pytest.approx(penalty.slope * np.abs(t) + value, abs=1e-12)
    assert penalty.derivative(t) == pytest.approx(penalty.slope * np.sign(t) + slope, abs=1e-12)


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
    assert wide.prox(np.array([t]), 0.5) == pytest.approx(limit.prox(np.array([t]), 0.5), abs=1e-6)


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


@given(
    penalty=st.one_of(
        st.builds(L0, sizes),
        st.builds(L1, sizes),
        st.builds(QuasiMCP, sizes, sizes),
        st.builds(MCP, sizes, sizes),
        st.builds(SCAD, sizes, st.floats(2.01, 6.0)),
    ),
    t=points,
    step=st.floats(0.05, 5.0),
)
def test_prox_is_no_worse_than_any_point_of_a_fine_grid(penalty, t, step):
    def objective(z):
        return 0.5 * (z - t) ** 2 + step * penalty.value(z)

    grid = np.append(np.linspace(-11, 11, 4001), [0.0, t])
    assert objective(penalty.prox(np.array([t]), step))[0] <= objective(grid).min() + 1e-9


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


GROUPS = np.array([0, 1, 1, 0, -1, 2, 2, 2])


@pytest.mark.parametrize("penalty", SOFT)
def test_the_gradient_of_a_group_penalty_agrees_with_finite_differences(penalty):
    psi = np.random.default_rng(0).normal(size=8)
    grouped = Grouped(penalty, GROUPS)
    assert grouped.gradient(psi) == pytest.approx(finite_differences(grouped.value, psi), abs=1e-6)


@pytest.mark.parametrize("penalty", SOFT)
def test_groups_of_one_are_the_separable_penalty(penalty):
    psi = np.random.default_rng(0).normal(size=8)
    single = Grouped(penalty, np.arange(8))
    assert single.value(psi) == pytest.approx(penalty.value(psi).sum())
    assert single.gradient(psi) == pytest.approx(penalty.derivative(psi))
    assert single.prox(psi, 0.3) == pytest.approx(penalty.prox(psi, 0.3))


@pytest.mark.parametrize("penalty", SOFT)
@pytest.mark.parametrize("step", [0.3, 3.0])
def test_the_prox_of_a_group_beats_random_points_and_leaves_the_rest_alone(penalty, step):
    rng = np.random.default_rng(0)
    psi, grouped = rng.normal(size=8), Grouped(penalty, GROUPS)

    def objective(z):
        return 0.5 * ((z - psi) ** 2).sum() + step * grouped.value(z)

    found = grouped.prox(psi, step)
    assert found[4] == psi[4]
    others = found + rng.normal(scale=10.0 ** rng.uniform(-4, 0.5, (2000, 1)), size=(2000, 8))
    assert objective(found) <= min(objective(z) for z in others) + 1e-12
