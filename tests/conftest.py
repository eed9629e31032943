"""Hypothesis profiles: ``ci``, the same examples each time; ``slow``, ten times as many; ``brief``.

``make slow`` runs the second; a failure that it finds is pinned as an ``@example``. ``.ci/run``
takes ``ci`` with one Python and ``brief`` with the others: laws of grammars do not depend on it.

Where the runtime was compiled, its sources must not have changed since: tests would not run them.

A shell starts what runs in the background with Ctrl-C ignored, and commands inherit that; tests of
Ctrl-C would then wait for ever, so it is heeded again.
"""

import signal

import pytest
from hypothesis import HealthCheck, settings

from maskc.native import edited_since

# A shared machine is slow at times: a deadline would fail tests that are right.
settings.register_profile(
    "ci",
    derandomize=True,
    deadline=None,
    max_examples=100,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("slow", settings.get_profile("ci"), derandomize=False, max_examples=1000)
settings.register_profile("brief", settings.get_profile("ci"), max_examples=10)
settings.load_profile("ci")


def pytest_configure() -> None:
    """Refuse to test what is not there; heed Ctrl-C."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    stale = edited_since()
    if stale:
        raise pytest.UsageError(
            f"{stale[0]} and {len(stale) - 1} others are not what was compiled of them: "
            "make native, or make pure"
        )
