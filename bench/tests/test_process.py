import os
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from sparsest_bench import peer_homes, process
from sparsest_bench.process import FailedError, PeerProcess

EDGE = [[0, 1, 0, 0], [0] * 4, [0] * 4, [0] * 4]
PEER = str(Path(__file__).with_name("fake_peer.py"))


@pytest.fixture
def peer(monkeypatch):
    monkeypatch.setattr(process, "STARTING", 60.0)
    started = PeerProcess(sys.executable, PEER)
    yield started
    started.stop()


@pytest.fixture
def table(tmp_path):
    np.savez(tmp_path / "table.npz", X=np.zeros((4, 4)))
    return str(tmp_path / "table.npz")


def ask(peer, table, method, limit=30.0):
    return peer.ask({"arrays": table, "method": method}, limit)


def test_a_peer_answers_whatever_it_prints(peer, table):
    reply = ask(peer, table, "good")
    assert reply["answer"] == EDGE
    assert reply["seconds"] >= 0


def test_a_failure_is_reported_and_the_process_goes_on(peer, table):
    with pytest.raises(FailedError, match="RuntimeError: three is too many"):
        ask(peer, table, "raises")
    assert ask(peer, table, "good")["kind"] == "dag"


def test_a_crash_is_reported_with_its_last_words(peer, table):
    with pytest.raises(FailedError, match="code 7: out of luck"):
        ask(peer, table, "crashes")
    assert not peer.alive


def test_a_peer_out_of_time_is_stopped_at_its_limit_and_not_after_the_time_to_start(peer, table):
    began = time.monotonic()
    with pytest.raises(FailedError, match=r"more than 0.2 s") as failure:
        ask(peer, table, "lingers", limit=0.2)
    assert failure.value.timeout
    assert not peer.alive
    assert time.monotonic() - began < 30  # STARTING is a minute here


def test_entries_that_are_not_0_are_edges_also_weights_below_1(peer, table):
    assert ask(peer, table, "weights")["answer"] == EDGE


def test_weights_that_a_measurement_asks_for_stay_as_they_are(peer, table):
    reply = ask(peer, table, "real-weights")
    assert (reply["kind"], reply["answer"][0][1]) == ("weights", -0.3)


def test_programs_that_a_method_calls_count_in_its_cpu_time(peer, table):
    assert ask(peer, table, "calls")["cpu_seconds"] > 0.25


@pytest.mark.parametrize(
    ("method", "words"),
    [
        ("no-kind", r'fit must return "dag", "cpdag" or "pdag" and a matrix, not list'),
        ("wrong-kind", r'fit must return "dag", "cpdag" or "pdag" and a matrix, not \'DAG\''),
        ("wrong-shape", r"the matrix is 1 x 4, the table has 4 columns"),
        ("nan", r"the matrix has entries that are no numbers"),
        ("loop", r"the matrix joins column 1 to itself"),
        ("raises", r"RuntimeError: three is too many \(fake_peer.py, line \d+\)"),
    ],
)
def test_what_is_no_answer_is_refused_in_words(peer, table, method, words):
    with pytest.raises(FailedError, match=words):
        ask(peer, table, method)
    assert peer.alive


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_a_process_whose_asker_is_gone_ends_in_the_middle_of_an_answer(peer, table):
    assert ask(peer, table, "good")
    peer._process.stdin.write(f'{{"arrays": "{table}", "method": "lingers"}}\n')
    peer._process.stdin.flush()
    peer._process.stdin.close()
    until = time.monotonic() + 20
    while peer.alive and time.monotonic() < until:
        time.sleep(0.05)
    assert not peer.alive


def test_the_cause_of_a_failed_installation_is_told_and_not_the_note_below_it():
    said = "  fatal: unable to access 'x': no host\nerror: subprocess-exited-with-error\nnote: not pip"
    assert peer_homes._why(said) == "fatal: unable to access 'x': no host"
    assert peer_homes._why("ERROR: No matching distribution found for y==1\n") == (
        "ERROR: No matching distribution found for y==1"
    )
    assert peer_homes._why("No module named venv\n") == "No module named venv"
