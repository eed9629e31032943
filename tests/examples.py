"""How many random examples a law is given."""

from hypothesis import settings

PERCENT = 100  # the examples of the profile ``ci``


def examples(n: int) -> settings:
    """Return settings for ``n`` examples; ``slow`` has ten times as many, ``brief`` a quarter."""
    return settings(max_examples=max(1, n * settings().max_examples // PERCENT))


def is_slow() -> bool:
    """Return whether this is the profile ``slow``, for what takes long whatever the examples."""
    return settings().max_examples > PERCENT
