import os
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from sparsest.bench import methods, process
from sparsest.bench.process import FailedError, PeerProcess

PEER = str(Path(__file__).with_name("fake_peer.py"))


@pytest.fixture
def peer(monkeypatch):
    monkeypatch.setattr(process, "STARTING", 60.0)
    started = PeerProcess(sys.executable, PEER)
    yield started
    started.stop()


@pytest.fixture
def table(tmp_path):
    np.savez(tmp_path / "table.npz", X=np.zeros((4, 2)))
    return str(tmp_path / "table.npz")


def ask(peer, table, method, limit=30.0):
    return peer.ask({"arrays": table, "method": method}, (method, 2), limit)


def test_a_peer_answers_whatever_it_prints(peer, table):
    reply = ask(peer, table, "good")
    assert reply["answer"] == [[0, 1], [0, 0]]
    assert reply["seconds"] >= 0


def test_a_failure_is_reported_and_the_process_goes_on(peer, table):
    with pytest.raises(FailedError, match="RuntimeError: three is too many"):
        ask(peer, table, "raises")
    assert ask(peer, table, "good")["kind"] == "dag"


def test_a_crash_is_reported_with_its_last_words(peer, table):
    with pytest.raises(FailedError, match="code 7: out of luck"):
        ask(peer, table, "crashes")
    assert not peer.alive


def test_a_peer_out_of_time_is_stopped(peer, table, monkeypatch):
    assert ask(peer, table, "good")
    monkeypatch.setattr(process, "STARTING", 0.2)
    with pytest.raises(FailedError, match=r"more than 0.2 s") as failure:
        ask(peer, table, "lingers", limit=0.2)
    assert failure.value.timeout
    assert not peer.alive


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
    assert methods._why(said) == "fatal: unable to access 'x': no host"
    assert methods._why("ERROR: No matching distribution found for y==1\n") == (
        "ERROR: No matching distribution found for y==1"
    )
    assert methods._why("No module named venv\n") == "No module named venv"
