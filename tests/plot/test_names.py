"""Names in pictures: whole words, and different names look different."""

from hypothesis import given
from hypothesis import strategies as st

from sparsest._core.words import visible
from sparsest.plot.names import distinct, wrapped


def test_units_and_words_are_not_broken():
    assert wrapped("pressure while sitting (mmHg)", 16) == ("pressure while", "sitting (mmHg)")
    assert wrapped("VeryLongCamelCaseName", 12) == ("VeryLong", "CamelCase", "Name")


def test_names_that_differ_in_the_middle_stay_different():
    names = [f"systolic blood pressure at visit {k}, left arm, sitting (mmHg)" for k in range(12)]
    short = distinct(names, 26)
    assert len(set(short)) == 12
    assert max(map(len, short)) <= 28
    assert all(name.startswith("systolic") for name in short)


@given(st.lists(st.text(max_size=26), unique_by=lambda name: " ".join(visible(name).split())))
def test_names_that_fit_are_left_as_they_are(names):
    shown = [" ".join(visible(name).split()) for name in names]
    assert [a for a, b in zip(distinct(names, 200), shown, strict=True) if a != b] == []
