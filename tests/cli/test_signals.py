import os
import signal

import pytest

from maskc.cli.signals import Terminated, quit_at_once, raise_exceptions, status_of


@pytest.fixture(autouse=True)
def handlers():
    before = {n: signal.getsignal(n) for n in (signal.SIGINT, signal.SIGTERM)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def test_while_a_command_runs_both_signals_are_exceptions():
    raise_exceptions()
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)
    with pytest.raises(Terminated):
        signal.raise_signal(signal.SIGTERM)


def test_a_signal_that_is_ignored_stays_ignored():
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for listen in (raise_exceptions, quit_at_once):
        listen()
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN


def test_before_and_after_a_command_an_interrupt_ends_the_process_with_a_line(capfd):
    pid = os.fork()
    if not pid:
        quit_at_once()
        signal.raise_signal(signal.SIGINT)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 130
    assert capfd.readouterr().err == "maskc: interrupted\n"


@pytest.mark.parametrize(
    ("interrupt", "status", "told"),
    [(KeyboardInterrupt(), 130, "interrupted"), (Terminated(), 143, "terminated")],
)
def test_the_exit_status_says_which_it_was(capfd, interrupt, status, told):
    assert status_of(interrupt) == status
    assert capfd.readouterr().err == f"maskc: {told}\n"
