"""Laws of compiling in a thread that can be given up."""

import os
import threading

import numba
import pytest

from sparsest._core.compiling import Compiling
from sparsest._core.progress import Watch

WAIT = 60.0  # seconds, far more than any of this takes


class Endless:
    """Compiles one function after the other until it is given up, or told to end."""

    def __init__(self):
        self.compiled, self.end = 0, False
        self.begun = threading.Event()

    def __call__(self):
        while not self.end:
            numba.njit(lambda x: x + 1)(self.compiled)
            self.compiled += 1
            self.begun.set()


@pytest.fixture
def endless():
    work = Endless()
    yield work
    work.end = True


def threads():
    return [thread for thread in threading.enumerate() if thread.name == "sparsest-compile"]


def test_compiling_that_is_given_up_ends_by_itself_and_frees_the_compiler(endless):
    running = Compiling(endless)
    assert endless.begun.wait(WAIT)
    running.give_up()
    running.wait(WAIT)
    assert not running.running
    assert numba.njit(lambda x: x - 1)(3) == 2


def test_a_watch_that_says_stop_leaves_no_compiling_behind(endless):
    assert not Watch(time_limit=0.05).wait_for(endless)
    for thread in threads():
        thread.join(WAIT)
    assert not threads()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_process_forked_after_that_can_compile(endless):
    running = Compiling(endless)
    assert endless.begun.wait(WAIT)
    running.give_up()
    child = os.fork()
    if child == 0:
        done = threading.Thread(target=numba.njit(lambda x: x * 2), args=(3,), daemon=True)
        done.start()
        done.join(WAIT / 2)
        os._exit(1 if done.is_alive() else 0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_another_thread_compiles_on(endless):
    running = Compiling(endless)
    assert endless.begun.wait(WAIT)
    running.give_up()
    assert numba.njit(lambda x: x + 5)(1) == 6  # while passes of the other are being ended
    running.wait(WAIT)


def test_a_failure_is_raised_where_it_is_waited_for():
    running = Compiling(lambda: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        running.wait(WAIT)
