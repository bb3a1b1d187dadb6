from dataclasses import replace

import pytest

from sparsest_bench import leaderboard, paired, tables


def test_the_interval_is_that_of_student(kept):
    cell = next(cell for cell in tables.cells(kept.rows) if cell.method == "auto")
    interval = cell.interval("shd")
    # two values, 0 and 2: standard error 1, and t(1) at 97.5 % is 12.706
    assert (interval.mean, interval.count) == (1, 2)
    assert interval.half == pytest.approx(12.706, abs=1e-3)
    assert cell.interval("f1") is None


def test_a_table_shows_the_factors_that_vary_and_what_was_not_done(kept):
    shown = tables.grid_table(kept).splitlines()
    assert [word.strip() for word in shown[0].split("|")[1:5]] == ["p", "data", "method", "SHD"]
    assert len(shown) == 2 + 8
    assert sum("1 timeout" in line for line in shown) == 1
    assert tables.failures(kept) == ["empty: timeout (why)"]


def test_the_leaderboard_says_where_answers_are_lacking(kept):
    lines = {line.split("|")[1].strip(): line for line in leaderboard.leaderboard(kept).splitlines()}
    assert "1.0 / 1.0, 0.5" in lines["auto"]
    assert "11.0 / 10.0, 0.5 (3 of 4)" in lines["empty"]


def test_a_comparison_pairs_the_tables_that_both_answered(kept):
    experiment = replace(kept.experiment, reference="auto")
    records = [
        replace(one, row={**one.row, "objective": one.row.get("shd"), "true_objective": 1.0})
        for one in kept.records
    ]
    lines = paired.comparison(replace(kept, experiment=experiment, records=tuple(records))).splitlines()
    cells = [[word.strip() for word in line.split("|")[1:-1]] for line in lines[2:]]
    # SHD of auto are 0 and 2 on each kind of data, those of empty p more; the last pair has no answer.
    assert cells[0][:7] == ["5", "raw", "ER1", "empty", "2", "1.0", "6.0"]
    assert cells[0][7:] == ["-5.00 ± 0.00", "1", "1 of 2", "0 of 2"]
    # raw and standardised are the same tables, so they are not counted together
    assert cells[-1][:5] == ["10", "standardised", "all", "empty", "1"]


@pytest.mark.parametrize(
    ("value", "shown"), [(2437.0, "2440"), (0.00123456, "0.00123"), (83.04, "83"), (1.5e6, "1500000")]
)
def test_large_numbers_are_written_out(value, shown):
    assert tables.rounded(value) == shown
