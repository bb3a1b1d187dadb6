import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparsest._core.words import agreeing, clipped, duration, percent, visible


@given(st.text(max_size=60), st.integers(5, 30), st.sampled_from(["…", "..."]))
def test_a_clipped_name_is_short_on_one_line_and_keeps_both_ends(name, most, ellipsis):
    line = visible(" ".join(name.split()))
    short = clipped(name, most, ellipsis)
    assert len(short) <= most
    assert len(short.splitlines()) <= 1
    if len(line) <= most:
        assert short == line
    else:
        assert short[0] == line[0]
        assert short[-1] == line[-1]
        assert ellipsis in short


@given(st.floats(0, 1))
def test_a_share_in_percent_tells_itself_from_none_and_all(share):
    assert (percent(share) == "0 %") == (share == 0)
    assert percent(share) != "100 %" or share > 0.9999
    assert float(percent(share).removesuffix(" %")) == pytest.approx(100 * share, abs=0.5)


def test_a_word_agrees_with_one_thing_or_with_several():
    assert [agreeing(range(n), "holds", "hold") for n in (0, 1, 2)] == ["hold", "holds", "hold"]


@given(st.floats(2, 1e9))
def test_a_duration_is_never_one_of_its_unit_in_the_plural_and_right_to_a_third(seconds):
    _about, number, unit = duration(seconds).split()
    assert number != "1"
    size = {"s": 1, "minutes": 60, "hours": 3600, "days": 86_400, "years": 3.15e7}[unit]
    assert float(number) * size == pytest.approx(seconds, rel=1 / 3)


@given(st.floats(0, 0.99))
def test_a_short_duration_is_not_given_in_digits(seconds):
    assert duration(seconds) == "less than a second"
