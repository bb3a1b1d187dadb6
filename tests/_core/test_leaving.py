"""Laws of work that is left behind when it is time to stop."""

import threading

import numpy as np
import pytest

from sparsest._core.leaving import unless_stopped
from sparsest._core.progress import Watch

WAIT = 60.0  # seconds, far more than any of this takes


def test_work_in_time_is_answered_and_its_errors_are_raised():
    assert unless_stopped(lambda: 7, Watch()) == 7
    with pytest.raises(ZeroDivisionError):
        unless_stopped(lambda: 1 // 0, Watch())


def test_work_that_nothing_interrupts_is_not_waited_for():
    end = threading.Event()
    try:
        assert unless_stopped(lambda: end.wait(WAIT), Watch(time_limit=0.05)) is None
        assert not end.is_set()
    finally:
        end.set()


def test_the_caller_s_error_state_holds_there_too():
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError):
        unless_stopped(lambda: np.ones(1) / 0, Watch())


def test_ctrl_c_leaves_the_work_behind():
    watch, end = Watch(on_step=lambda step: True), threading.Event()
    watch.report("asked to stop", 0, 0.0)
    try:
        assert unless_stopped(lambda: end.wait(WAIT), watch) is None
    finally:
        end.set()
