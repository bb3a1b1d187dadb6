import asyncio
import os
import signal
import threading
import time

import numpy as np
import pytest

import sparsest as sp
from sparsest._core.progress import Status, Stopped, Watch
from sparsest._core.threads import for_each


def test_without_a_limit_a_watch_never_says_stop():
    assert Watch().stop is None


def test_a_limit_that_has_passed_says_stop():
    assert Watch(time_limit=0).stop is Status.TIME_LIMIT


def test_the_first_interrupt_asks_to_stop_and_the_second_raises():
    before = signal.getsignal(signal.SIGINT)
    watch = Watch()
    with watch.listening():
        signal.raise_signal(signal.SIGINT)
        assert watch.stop is Status.INTERRUPTED
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before


def test_other_threads_leave_signals_alone():
    seen = []

    def work():
        with Watch().listening():
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [signal.getsignal(signal.SIGINT)]


def test_waiting_ends_with_the_work_or_with_the_watch():
    assert Watch().wait_for(lambda: None)
    release = threading.Event()
    assert not Watch(time_limit=0.01).wait_for(lambda: release.wait(10))
    release.set()


def _compile():
    heard.append("compiled")


def test_what_a_function_of_a_module_compiles_stays():
    heard.clear()
    assert Watch().wait_for(_compile)
    assert Watch(time_limit=0.0).wait_for(_compile)  # nothing is left to do
    assert heard == ["compiled"]
    assert all(Watch().wait_for(lambda: heard.append("again")) for _ in range(2))  # it may be another one
    assert heard == ["compiled", "again", "again"]


def test_an_error_in_the_work_reaches_the_caller():
    with pytest.raises(ZeroDivisionError):
        Watch().wait_for(lambda: 1 / 0)


def test_steps_are_reported_with_the_time_they_were_made_at():
    steps = []
    watch = Watch(on_step=steps.append)
    time.sleep(0.001)
    watch.report("somewhere", 3, 1.5)
    assert (steps[0].stage, steps[0].step, steps[0].objective) == ("somewhere", 3, 1.5)
    assert steps[0].seconds > 0


def test_a_check_raises_once_it_is_time_to_stop():
    Watch().check()
    with pytest.raises(Stopped):
        Watch(time_limit=0).check()


def test_a_start_has_a_third_of_the_time_and_stops_with_the_rest():
    assert Watch().for_a_start().remaining == float("inf")
    assert Watch(time_limit=30).for_a_start().remaining == pytest.approx(10, abs=1)
    assert Watch(time_limit=0).for_a_start().stop is Status.TIME_LIMIT


def test_compiling_is_announced_and_counted_only_where_it_takes_time():
    said = []
    watch = Watch(on_step=lambda step: said.append(step.stage))
    assert watch.wait_for(lambda: None)
    assert (said, watch.compiling) == ([], 0.0)
    assert watch.wait_for(lambda: time.sleep(0.7))
    assert said == ["compiling for this machine, once"]
    assert watch.compiling >= 0.7


@pytest.mark.parametrize("mine", [signal.SIG_IGN, lambda number, frame: heard.append(number)])
def test_a_program_that_handles_ctrl_c_itself_keeps_its_way(mine):
    heard.clear()
    before = signal.signal(signal.SIGINT, mine)
    try:
        watch = Watch()
        with watch.listening():
            assert signal.getsignal(signal.SIGINT) is mine
            signal.raise_signal(signal.SIGINT)
            assert watch.stop is None
        assert signal.getsignal(signal.SIGINT) is mine
        assert heard == ([] if mine is signal.SIG_IGN else [signal.SIGINT])
    finally:
        signal.signal(signal.SIGINT, before)


heard = []


def test_a_handler_that_is_not_of_python_stays(monkeypatch):
    monkeypatch.setattr(signal, "getsignal", lambda number: None)
    monkeypatch.setattr(signal, "signal", lambda *what: pytest.fail("it would be lost"))
    with Watch().listening() as watch:
        assert watch.stop is None


@pytest.mark.skipif(os.name == "nt", reason="signal handlers of POSIX loops")
def test_under_asyncio_ctrl_c_stops_the_work_or_reaches_the_loops_handler_and_never_both():
    async def work(handled):
        if handled:
            asyncio.get_running_loop().add_signal_handler(signal.SIGINT, heard.append, "the loop")
        watch = Watch()
        with watch.listening():
            signal.raise_signal(signal.SIGINT)
        await asyncio.sleep(0.01)
        return watch.stop, list(heard)

    heard.clear()
    assert asyncio.run(work(handled=False)) == (Status.INTERRUPTED, [])
    assert asyncio.run(work(handled=True)) == (None, ["the loop"])


def test_progress_is_reported_in_the_thread_that_asked_for_it():
    rng = np.random.default_rng(0)
    table = rng.normal(size=(200, 12)) @ rng.normal(size=(12, 12))
    threads = set()
    sp.fit(table, solver="order", n_jobs=2, progress=lambda _step: threads.add(threading.get_ident()))
    assert threads == {threading.get_ident()}
    seen = []
    watch = Watch(on_step=lambda step: seen.append((step.step, threading.get_ident())))
    for_each(range(4), lambda k: (watch.report("work", k, 0.0), time.sleep(0.2)), 2, watch.pass_on)
    assert {thread for _, thread in seen} == {threading.get_ident()}
    assert len(seen) >= 2


def test_progress_that_raises_ends_the_work_of_all_threads():
    def refuse(_step):
        raise ZeroDivisionError

    rng = np.random.default_rng(0)
    with pytest.raises(ZeroDivisionError):
        sp.fit(rng.normal(size=(200, 40)), solver="order", progress=refuse)
    assert not [one for one in threading.enumerate() if one.name.startswith(("ThreadPool", "sparsest-work"))]
