"""Laws hold maskc against Lark itself, which must not fail with what it only uses to warn."""

import logging
from collections.abc import Iterator

import lark.lexer
import pytest


@pytest.fixture(autouse=True, scope="module")
def _no_collision_check() -> Iterator[None]:
    """Keep Lark from asking interegular, which fails where it can read none of several terminals.

    Lark would parse a grammar of ``/ab\\B/`` and ``/^a/`` if interegular were not installed.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lark.lexer, "has_interegular", False)
        yield


@pytest.fixture(autouse=True, scope="module")
def _quiet() -> Iterator[None]:
    """Keep what is logged of random grammars out of the summary of a law that fails."""
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)
