import io
import math
import sys
import warnings

import pytest

from sparsest._core.errors import SparsestWarning
from sparsest._core.progress import Step
from sparsest.cli.terminal import PlainProgress, ascii_only, reporting, say


class Terminal(io.TextIOWrapper):
    """A terminal with the given encoding that remembers what it was sent."""

    def __init__(self, encoding):
        super().__init__(io.BytesIO(), encoding=encoding, write_through=True)

    def isatty(self):
        return True

    def sent(self):
        return self.buffer.getvalue().decode(self.encoding)


def ascii_terminal(monkeypatch, kind="xterm"):
    terminal = Terminal("ascii")
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", kind)
    return terminal


def test_what_an_encoding_lacks_is_escaped(monkeypatch):
    terminal = ascii_terminal(monkeypatch)
    say("a → b", err=True)
    assert terminal.sent() == "a \\u2192 b\n"


@pytest.mark.parametrize(("encoding", "plain"), [("utf-8", False), ("ascii", True), ("cp1252", True)])
def test_only_encodings_with_all_our_signs_get_them(encoding, plain):
    assert ascii_only(Terminal(encoding)) is plain


def test_a_terminal_gets_a_live_line_in_what_it_can_show(monkeypatch):
    terminal = ascii_terminal(monkeypatch)
    with reporting() as on_step:
        on_step(Step("order search", 3, -1.5, 0.2))
        assert terminal.sent() == ""  # nothing in the first second
        on_step(Step("order search", 4, -1.5, 3.0, 3.0))
    assert "##########---------- 50%  order search, step 4" in terminal.sent().replace("\x1b[0m", "")


def test_a_dumb_terminal_gets_plain_lines(monkeypatch):
    terminal = ascii_terminal(monkeypatch, "dumb")
    with reporting() as on_step:
        assert isinstance(on_step, PlainProgress)
    assert terminal.sent() == ""


def test_quiet_asks_for_no_progress():
    with reporting(quiet=True) as on_step:
        assert on_step is None


def test_plain_progress_is_a_line_a_stage_and_one_every_ten_seconds(capsys):
    on_step = PlainProgress()
    for stage, seconds in (("a", 0.5), ("a", 1.5), ("a", 2.0), ("b", 3.0), ("b", 12.9), ("b", 13.0)):
        on_step(Step(stage, 7, -1.25, seconds))
    said = capsys.readouterr().err.splitlines()
    assert [line.split(",")[0] for line in said] == ["sparsest: a", "sparsest: b", "sparsest: b"]
    assert said[0] == "sparsest: a, step 7, best so far -1.25, 2 s"


def test_only_the_command_that_writes_an_account_refers_to_its_file(capsys):
    for given, words in (({}, "`sparsest audit` says more"), ({"columns": "a.csv says"}, "a.csv says more")):
        with reporting(**given):
            warnings.warn("left out 'id': result.columns says more", SparsestWarning, stacklevel=1)
        assert words in capsys.readouterr().err


def test_nothing_done_yet_is_not_counted(capsys):
    PlainProgress()(Step("compiling for this machine, once", 0, math.nan, 2.0))
    assert capsys.readouterr().err == "sparsest: compiling for this machine, once, 2 s\n"
