"""The engines, one a file, each behind the same two calls.

An engine's module has ``prepare(workload, artifact) -> Prepared``: it reads the vocabulary and
finds its grammar. ``Prepared.load`` then does what happens once a grammar (compiling for the peers,
loading for maskc), and returns what makes a session at the start of a text.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from maskc.bench.timing import Bitmask, Session


@dataclass(frozen=True, slots=True, eq=False)
class Prepared:
    """An engine that knows the vocabulary.

    Attributes:
        name: with its version.
        bitmask: int32[1, n_words], which every session writes to.
        load: compiles or loads the grammar afresh, and returns what makes a session.
    """

    name: str
    bitmask: Bitmask
    load: Callable[[], Callable[[], Session]]
