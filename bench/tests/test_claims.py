from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparsest_bench import catalog, claims
from sparsest_bench.claims import FAILS, HOLDS, OPEN, Measured
from sparsest_bench.published_rows import read_kept

PAGES = Path(__file__).parents[2] / "docs" / "results"
READINGS = [(claim, reading) for claim in claims.claims() for reading in claim.readings]
numbers = st.floats(-100, 100)


@cache
def rows_of(experiment):
    return read_kept(PAGES / f"{experiment}.csv")


@pytest.mark.parametrize(("claim", "reading"), READINGS, ids=lambda one: getattr(one, "name", None) or "")
def test_the_published_rows_give_the_verdict_that_is_stated(claim, reading):
    found = claims.measured(reading, rows_of(reading.experiment))
    assert found.verdict(reading.expect, reading.bound) == reading.verdict, (claim.name, found.words)


@given(low=numbers, width=st.floats(0, 50), bound=numbers)
def test_above_and_below_are_mirror_images(low, width, bound):
    one, other = Measured(low, low, low + width, ""), Measured(-low, -low - width, -low, "")
    assert one.verdict("below", bound) == other.verdict("above", -bound)


@given(low=numbers, width=st.floats(0.01, 50))
def test_a_verdict_is_open_exactly_where_the_interval_has_the_bound_inside(low, width):
    found = Measured(low, low, low + width, "")
    inside = low <= 0 <= low + width
    assert (found.verdict("below", 0) == OPEN) == inside
    assert found.verdict("equal", 0) == (OPEN if inside else FAILS)


@given(low=numbers, width=st.floats(0, 50))
def test_what_is_not_shown_to_be_better_is_no_better(low, width):
    found = Measured(low, low, low + width, "")
    better = found.verdict("below", 0) == HOLDS
    assert found.verdict("not-below", 0) == (FAILS if better else HOLDS)


def test_every_experiment_of_the_paper_measures_a_claim_or_says_that_there_is_none():
    measuring = {reading.experiment for _, reading in READINGS}
    for name in catalog.names():
        experiment = catalog.load(name, "small")
        if experiment.where and "no claim" not in experiment.verdict:
            assert name in measuring, name


def test_readings_of_a_claim_differ_and_name_experiments_and_methods_that_are_run():
    for claim in claims.claims():
        words = [reading.words for reading in claim.readings]
        assert len(set(words)) == len(words)
        for reading in claim.readings:
            assert reading.experiment in catalog.names()
            run = catalog.load(reading.experiment, "small").settings.get("methods", ())
            asked = [reading.settings.get(key, ()) for key in ("method", "than")]
            for names in asked:
                assert {names} <= set(run) if isinstance(names, str) else set(names) <= set(run)


def test_every_claim_is_looked_at_by_the_smoke_run():
    looked_at = {claim.name for claim, reading in READINGS if reading.smoke is not None}
    assert looked_at == {claim.name for claim in claims.claims()}


def test_a_reading_without_rows_is_left_out_of_a_report():
    kept = rows_of("starts")
    without = replace(kept, records=kept.records[:1])
    assert len(list(claims.claims_of(without))) < len(list(claims.claims_of(kept)))
