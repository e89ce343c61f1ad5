"""Long work: Ctrl-C ends it within a second, and other threads of Python go on meanwhile."""

import os
import signal
import threading
import time

import numpy as np
import pytest

from allo import i32, kernel

# Seconds that are far less than the work takes to its end, and far more than a busy machine needs to notice.
LONG = 30


@pytest.fixture(autouse=True)
def ctrl_c_raises():
    """A process that was started in the background ignores Ctrl-C."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@kernel
def long(n: i32, out: i32[1]):
    for i in range(n):
        out[0] = out[0] + i


def interrupted(work) -> float:
    """Seconds from Ctrl-C to the exception."""
    sent = []

    def send():
        time.sleep(0.3)
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=send)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        work()
    thread.join()
    return time.monotonic() - sent[0]


def test_ctrl_c_ends_a_run_of_the_reference():
    assert interrupted(lambda: long(2**31 - 1, np.zeros(1, np.int32))) < LONG


def test_ctrl_c_ends_a_simulation():
    module = long.schedule().export("rtl", check="off")
    assert interrupted(lambda: module(200_000_000, np.zeros(1, np.int32))) < LONG


def test_other_threads_go_on():
    count, done = 0, threading.Event()

    def work():
        long(300_000, np.zeros(1, np.int32))
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    while not done.is_set():
        count += 1
        time.sleep(0.001)
    thread.join()
    assert count > 3
