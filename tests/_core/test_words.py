from hypothesis import given
from hypothesis import strategies as st

from sparsest._core.words import clipped


@given(st.text(max_size=60), st.integers(5, 30), st.sampled_from(["…", "..."]))
def test_a_clipped_name_is_short_on_one_line_and_keeps_both_ends(name, most, ellipsis):
    line = " ".join(name.split())
    short = clipped(name, most, ellipsis)
    assert len(short) <= most
    assert len(short.splitlines()) <= 1
    if len(line) <= most:
        assert short == line
    else:
        assert short[0] == line[0]
        assert short[-1] == line[-1]
        assert ellipsis in short
