"""Hypothesis profiles: ``ci``, the same examples each time; ``slow``, ten times as many; ``brief``.

``make slow`` runs the second; a failure that it finds is pinned as an ``@example``. ``.ci/run``
takes ``ci`` with one Python and ``brief`` with the others: laws of grammars do not depend on it.
"""

from hypothesis import HealthCheck, settings

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
