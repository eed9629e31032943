"""Tiers of random examples, and what a run says of the tests that take long.

The profile ``brief`` (10 examples) is that of ``make test``; ``.ci/run`` takes ``ci`` (100) with
one Python, and ``make slow`` takes ``slow``: 1,000 examples, others each time. A failure that it
finds is pinned as an ``@example``. No test names a number of its own; a costly one takes a
percentage of the profile's (``tests/examples.py``).

A test whose call takes more than two seconds of processor time, its processes included, carries the
mark ``costly``; a run names those that do not. ``make test`` leaves them out; ``.ci/run`` has them.

Where the runtime was compiled, its sources must not have changed since: tests would not run them.

The tokenizers package writes to stderr where a process that used its threads forks; its threads are
off, for the tests that fork.

A shell starts what runs in the background with Ctrl-C ignored, and commands inherit that; tests of
Ctrl-C would then wait for ever, so it is heeded again.
"""

import gc
import importlib
import os
import signal

import pytest
from hypothesis import HealthCheck, settings

from maskc.native import edited_since

# A process of tests lives long, and most of what it makes goes without the collector.
SELDOM = 100_000, 20, 100
COSTLY = 2.0  # seconds of processor time
# More random examples take longer; what is costly is known for the profile of ``make test``.
PROFILE = "brief"

os.environ["TOKENIZERS_PARALLELISM"] = "false"

# A shared machine is slow at times: a deadline would fail tests that are right.
settings.register_profile(
    "ci",
    derandomize=True,
    deadline=None,
    max_examples=100,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("slow", settings.get_profile("ci"), derandomize=False, max_examples=1000)
settings.register_profile(PROFILE, settings.get_profile("ci"), max_examples=10)
settings.load_profile(PROFILE)


# What is about limits of the system, and forked workers.
try:
    importlib.import_module("resource")
except ImportError:
    collect_ignore = ["security/test_untrusted_files.py", "wild"]
    collect_ignore += ["work/test_executors.py", "work/test_worker_queue.py"]


def pytest_configure() -> None:
    """Refuse to test what is not there; heed Ctrl-C."""
    gc.set_threshold(*SELDOM)
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    stale = edited_since()
    if stale:
        raise pytest.UsageError(
            f"{stale[0]} and {len(stale) - 1} others are not what was compiled of them: "
            "make native, or make pure"
        )


def pytest_collection_finish() -> None:
    """Keep the garbage collector from walking all tests again and again."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    """Note the processor time of a test that should carry the mark ``costly``."""
    before = sum(os.times()[:4])
    try:
        return (yield)
    finally:
        seconds = sum(os.times()[:4]) - before
        if seconds > COSTLY and not item.get_closest_marker("costly"):
            item.user_properties.append(("unmarked", round(seconds, 1)))


def pytest_terminal_summary(terminalreporter) -> None:
    """Name the tests that take long and do not say so."""
    if settings().max_examples > settings.get_profile(PROFILE).max_examples:
        return
    unmarked = {
        report.nodeid: seconds
        for reports in terminalreporter.stats.values()
        for report in reports
        for name, seconds in getattr(report, "user_properties", ())
        if name == "unmarked"
    }
    if unmarked:
        terminalreporter.section(f"more than {COSTLY} s of processor time without @costly")
        for test, seconds in sorted(unmarked.items(), key=lambda pair: -pair[1]):
            terminalreporter.line(f"{seconds:5} s {test}")
