"""How many random examples a law is given."""

from hypothesis import settings

PERCENT = 100  # the examples of the profile ``ci``


def examples(n: int) -> settings:
    """Return settings for ``n`` examples, and ten times as many in ``make slow``."""
    return settings(max_examples=n * settings().max_examples // PERCENT)
