import itertools
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

import sparsest as sp
from sparsest.cli.main import app
from sparsest.effects.effect import Case
from sparsest.effects.g_formula import contrast, expected
from sparsest.effects.hidden_cause import bounding_factor, e_value, largest_bias, robustness_value
from sparsest.effects.intervals import hull
from sparsest.effects.linear import implied_covariance


def binary(n=1500, seed=0):
    rng = np.random.default_rng(seed)

    def drawn(logit):
        return (rng.random(n) < 1 / (1 + np.exp(-logit))).astype(float)

    z = drawn(np.zeros(n))
    x = drawn(1.5 * z - 0.7)
    y = drawn(x + 1.5 * z - 1)
    return np.column_stack([z, x, y, drawn(2.5 * y - 1)])


ORDER = sp.Knowledge(tiers=[["x0"], ["x1"], ["x2"], ["x3"]])
LOGISTIC = sp.fit(binary(), knowledge=ORDER, resamples=10)


def test_exact_sums_agree_with_simulation():
    fitted = LOGISTIC.fitted
    for cause, outcome in ((0, 2), (1, 2), (1, 3), (0, 3)):
        high, low = (expected(fitted, {cause: setting}, outcome) for setting in (1.0, 0.0))
        assert high.exact
        rows = [fitted.sample(100_000, np.random.default_rng(1), {cause: setting}) for setting in (1.0, 0.0)]
        drawn = rows[0][:, outcome].mean() - rows[1][:, outcome].mean()
        assert contrast(high, low)[0] == pytest.approx(drawn, abs=0.01)


def test_a_risk_difference_is_that_of_standardising_over_the_parents():
    data, found = binary(), LOGISTIC.effect("x1", "x2")
    z, x, y = data.T[:3]
    means = [sum((z == k).mean() * y[(x == setting) & (z == k)].mean() for k in (0, 1)) for setting in (1, 0)]
    assert found.identified
    assert found.value == pytest.approx(means[0] - means[1], abs=0.02)
    assert found.ratios[0] == pytest.approx(means[0] / means[1], abs=0.05)
    assert found.interval[0] < found.value < found.interval[1]
    assert found.how == "resampled"
    assert "raises the probability that x2 is 1" in str(found)


def test_without_knowledge_the_dag_comes_first_and_members_after_it():
    result = sp.fit(binary())
    found = result.effect("x1", "x2", interval="naive")
    assert found.cases[0].dag
    assert not found.identified
    assert found.shares.sum() == pytest.approx(1)
    assert found.tied  # another DAG of the class fits as well
    assert found.value is None
    assert found.interval == hull([case.interval for case in found.cases])  # directions may be wrong


def test_two_binary_columns_have_no_single_effect_because_both_directions_fit_the_same():
    rng = np.random.default_rng(0)
    treated = rng.random(800) < 0.5
    better = rng.random(800) < np.where(treated, 0.7, 0.5)
    result = sp.fit(np.column_stack([treated, better]).astype(int), model="logistic")
    found = result.effect("x0", "x1")
    assert found.tied
    assert found.value is None
    assert sorted(found.values)[0] == 0
    assert found.how == "resampled"  # small results account for the choice of the graph unasked
    low, high = found.interval
    assert low <= 0 < 0.2 < high
    assert "are not told apart" in str(found)
    assert "by" in str(found).splitlines()[0]
    assert "or not at all" in str(found).splitlines()[0]


def test_a_saved_result_has_the_value_of_the_dag_and_says_what_is_missing(tmp_path):
    path = tmp_path / "one.sparsest"
    LOGISTIC.save(path)
    loaded = sp.load(path)
    found = loaded.effect("x1", "x2")
    assert found.value == LOGISTIC.effect("x1", "x2").value
    assert found.interval is None
    assert "needs the rows" in str(found)
    assert "they need the rows" in str(found.refute())
    with pytest.raises(sp.OptionError, match="needs the rows"):
        loaded.effect("x1", "x2", interval="naive")


def curved(n=400):
    rng = np.random.default_rng(3)
    a = rng.normal(size=n)
    b = np.tanh(2 * a) + 0.3 * rng.normal(size=n)
    return np.column_stack([a, b, b**2 + 0.3 * rng.normal(size=n)])


def test_dose_response_curves_follow_the_function_and_are_drawn(tmp_path):
    result = sp.fit(curved(), model="additive", knowledge=ORDER_OF_THREE)
    found = result.effect("x0", "x1")
    curve = found.curve(9)
    assert curve.shape == (9, 1 + len(found.cases))
    assert np.abs(curve[:, 1] - np.tanh(2 * curve[:, 0])).max() < 0.4
    found.plot(tmp_path / "curve.png")
    assert (tmp_path / "curve.png").stat().st_size > 1000
    through = result.effect("x0", "x2")
    assert 0 < through.error < 0.05
    assert "Monte Carlo error" in str(through)


ORDER_OF_THREE = sp.Knowledge(tiers=[["x0"], ["x1"], ["x2"]])


def test_categories_are_compared_with_the_first_and_by_name():
    rng = np.random.default_rng(0)
    colour = rng.integers(3, size=600)
    height = np.array([0.0, 1.0, 3.0])[colour] + rng.normal(size=600)
    size = np.clip(np.floor(height + 0.5 * rng.normal(size=600)), 0, 2).astype(int)
    table = pl.DataFrame(
        {"colour": [["blue", "green", "red"][k] for k in colour], "height": height,
         "size": [["large", "medium", "small"][2 - k] for k in size]}
    )  # fmt: skip
    result = sp.fit(table, knowledge=sp.Knowledge(tiers=[["colour"], ["height"], ["size"]]))
    found = result.effect("colour", "height")
    assert found.contrasts["green"] == pytest.approx(1, abs=0.3)
    assert found.value == pytest.approx(3, abs=0.3)
    back = result.effect("colour", "height", change=("red", "green"))
    assert back.value == pytest.approx(found.contrasts["green"] - found.contrasts["red"])
    with pytest.raises(sp.OptionError, match="its values are blue, green, red"):
        result.effect("colour", "height", change=("red", "pink"))
    with pytest.raises(sp.OptionError, match="category="):
        result.effect("colour", "size")
    shares = [result.effect("colour", "size", category=one).value for one in ("large", "medium", "small")]
    assert sum(shares) == pytest.approx(0, abs=1e-9)
    (row,) = result.effects().filter(cause="colour", outcome="height").to_dicts()
    assert row["change"] == "changing colour from blue to red"
    assert (row["low"], row["low_per_sd"]) == (pytest.approx(found.value), None)


def test_effects_are_sorted_by_strength_whatever_the_units():
    rng = np.random.default_rng(1)
    coin, dose = rng.integers(0, 2, 400), rng.normal(size=400)
    weak = 1000 * (0.5 * coin + rng.normal(size=400))  # large numbers, a small effect
    table = pl.DataFrame(
        {"coin": coin, "weak": weak, "dose": dose, "strong": dose + 0.1 * rng.normal(size=400)}
    )
    order = sp.Knowledge(tiers=[["coin", "dose"], ["weak", "strong"]])
    found = sp.fit(table, knowledge=order).effects()
    assert found["cause"].to_list() == ["dose", "coin"]


def test_summaries_leave_out_what_says_nothing():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 300))
    result = sp.fit(np.column_stack([a, b, a + 0.5 * rng.normal(size=300)]), model="additive")
    said = str(result.effect("x1", "x0", interval="naive"))
    assert "[0, 0]" not in said
    assert "fit(resamples=50)" in said
    found = result.effect("x0", "x2", interval=None)
    assert "Monte Carlo error 0.1" in str(replace(found, cases=(Case(1.0, (1.0,), ((),), error=0.1),)))
    assert "Monte Carlo" not in str(replace(found, cases=(Case(1.0, (1.0,), ((),), error=1e-9),)))


def test_mixed_samples_have_the_mean_over_members():
    rng = np.random.default_rng(0)
    a = rng.normal(size=400)
    result = sp.fit(np.column_stack([a, a + rng.normal(size=400)]))
    found = result.effect(0, 1, interval=None)
    rows = result.sample(20_000, rng, do={"x0": 2.0}, member="all")
    centre = result.fitted.columns[0].basis.centre, result.fitted.columns[1].basis.centre
    wanted = centre[1] + (2.0 - centre[0]) * float(found.values @ found.shares)
    assert rows[:, 1].mean() == pytest.approx(wanted, abs=0.05)
    with pytest.warns(sp.DataWarning, match="member='all'"):
        result.sample(10, rng, do={"x0": 2.0})
    with pytest.raises(sp.OptionError, match="member"):
        result.sample(10, rng, do={"x0": 2.0}, member="some")


def test_members_of_a_linear_class_have_one_distribution():
    rng = np.random.default_rng(1)
    x = rng.normal(size=(300, 3))
    x[:, 1] += x[:, 0]
    x[:, 2] += x[:, 1]
    from sparsest.effects.sampling import member_model

    result = sp.fit(x)
    likelihoods = [member_model(result, one.pattern).log_likelihood(x).sum()
                   for one in sp.graph.mec_members(result.cpdag)]  # fmt: skip
    assert np.ptp(likelihoods) < 1e-6


def test_strength_of_a_hidden_cause_is_as_published():
    assert robustness_value(4.18, 783) == pytest.approx(0.139, abs=1e-3)  # Cinelli & Hazlett, Darfur
    assert e_value(3.9) == pytest.approx(7.26, abs=0.01)  # VanderWeele & Ding, breastfeeding
    assert e_value(1 / 3.9) == pytest.approx(e_value(3.9))
    assert bounding_factor(e_value(3.9)) == pytest.approx(3.9)  # that strong, and nothing is left


@given(st.floats(0.05, 0.9), st.floats(-1.5, 1.5))
def test_a_hidden_cause_of_given_strength_moves_the_coefficient_by_its_largest_bias(share, slope):
    root = np.sqrt(share / (1 - share))  # x = root h + e: h explains the share of x, and of y given x
    weights = np.zeros((3, 3))
    weights[0, 1], weights[1, 2] = root, slope
    weights[0, 2] = root * np.sqrt(1 / (1 - share))  # of h, the part 1 - share is left given x
    covariance = implied_covariance(weights, np.ones(3))
    partial = np.linalg.inv(covariance)
    assert partial[0, 2] ** 2 / (partial[0, 0] * partial[2, 2]) == pytest.approx(share)
    moved = covariance[1, 2] / covariance[1, 1] - slope
    residual = covariance[2, 2] - covariance[1, 2] ** 2 / covariance[1, 1]
    error = np.sqrt(residual / covariance[1, 1])  # times the root of the degrees of freedom
    assert moved == pytest.approx(largest_bias(error, 1, share), rel=1e-6)


def test_a_given_strength_is_said_and_checked():
    said = LOGISTIC.effect("x1", "x2").refute(hidden=1.5)["hidden common cause"].words
    assert "one that changes both 1.5-fold leaves a ratio of risks between" in said
    with pytest.raises(sp.OptionError, match="greater than 1"):
        LOGISTIC.effect("x1", "x2").refute(hidden=0.5)
    rng = np.random.default_rng(0)
    x = rng.normal(size=300)
    linear = sp.fit(np.column_stack([x, x + rng.normal(size=300)])).effect("x0", "x1")
    assert "one that explains 10 % leaves between" in str(linear.refute(hidden=0.1))
    with pytest.raises(sp.OptionError, match="between 0 and 1"):
        linear.refute(hidden=2)


def test_counter_checks_pass_for_a_real_effect():
    checks = LOGISTIC.effect("x1", "x2").refute()
    assert [check.passed for check in checks.checks] == [True, True, True, None]
    assert len(str(checks).splitlines()) == 5


def test_hand_over_is_plain():
    rng = np.random.default_rng(0)
    z = rng.normal(size=500)
    x = z + rng.normal(size=500)
    data = np.column_stack([z, x, x + z + rng.normal(size=500)])
    found = sp.fit(data, knowledge=ORDER_OF_THREE).effect("x1", "x2")
    assert found.to_doubleml() == {"y_col": "x2", "d_cols": "x1", "x_cols": ["x0"]}
    assert set(found.to_dowhy()["graph"].edges) == {("x0", "x1"), ("x0", "x2"), ("x1", "x2")}
    handed = found.to_econml(data)
    assert (handed["W"] == data[:, :1]).all()
    assert (handed["T"] == data[:, 1]).all()


def test_the_command_prints_and_draws_the_same(tmp_path):
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 200))
    frame = pl.DataFrame({"a": a, "b": b, "c": a + b + rng.normal(size=200)})
    frame.write_csv(tmp_path / "table.csv")
    picture = tmp_path / "effect.png"
    asked = ["effect", str(tmp_path / "table.csv"), "--cause", "a", "--outcome", "c"]
    done = CliRunner().invoke(app, [*asked, "--refute", "-o", str(picture)])
    assert done.exit_code == 0, done.output
    assert str(sp.fit(frame).effect("a", "c")) in done.output
    assert "hidden common cause" in done.output
    assert picture.exists()
    wrong = CliRunner().invoke(app, ["effect", str(tmp_path / "table.csv"), "--cause", "d", "--outcome", "c"])
    assert wrong.exit_code == 2


def test_all_ordered_pairs_of_a_nonlinear_model_are_in_the_table():
    table = LOGISTIC.effects(interval="naive")
    pairs = set(zip(table["cause"], table["outcome"], strict=True))
    assert pairs <= set(itertools.permutations(LOGISTIC.names, 2))
    assert table["interval_low"].null_count() == 0


def test_other_kinds_of_models_answer_in_their_own_units():
    rng = np.random.default_rng(0)
    a = rng.poisson(2, size=400)
    counts = np.column_stack([a, rng.poisson(np.exp(0.2 * a))]).astype(float)
    known = sp.Knowledge(required=["x0 -> x1"])
    found = sp.fit(counts, model="poisson", knowledge=known).effect(0, 1)
    assert found.value == pytest.approx(0.3, abs=0.1)
    assert found.curve(5)[0, 0] == 0
    ranks = sp.fit(counts, model="rank", knowledge=known)
    assert "(in normal scores)" in str(ranks.effect(0, 1))
    with pytest.raises(sp.OptionError, match="normal score"):
        ranks.effect(0, 1, change=(0, 1))
    x = rng.normal(size=300)
    network = sp.fit(
        np.column_stack([x, np.cos(x) + 0.2 * rng.normal(size=300)]), model=sp.models.MLP(hidden=3)
    )
    assert "no intervals for networks" in str(network.effect(0, 1))
