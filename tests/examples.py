"""The numbers of random examples, scaled from the profile that runs (see ``tests/conftest.py``)."""

from typing import Any

from hypothesis import settings

PERCENT = 100  # the examples of the profile ``ci``
LEAST = 2


def examples(percent: int, **others: Any) -> settings:
    """Return settings with a percentage of the profile's examples, at least two."""
    return settings(max_examples=max(LEAST, percent * settings().max_examples // PERCENT), **others)


def seeds(percent: int) -> range:
    """Return as many seeds, for laws that draw by a seed of their own."""
    return range(examples(percent).max_examples)


def is_slow() -> bool:
    """Return whether this is the profile ``slow``, for what takes long whatever the examples."""
    return settings().max_examples > PERCENT
