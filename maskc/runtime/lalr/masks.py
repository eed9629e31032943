"""Which tokens does a hypothesis allow? The decision graph is asked, and through it the parser.

By the refined state on top of the stack the graph says which tokens every stack with that top
takes, and which questions are left for the parser with the stack at hand
(:mod:`maskc.runtime.lalr.questions`). The mask is the union of what every stack takes and what the
answers allow.

Example: inside a string of json, the graph allows ``abc`` for every stack; ``"]`` depends on
whether an array is open, and is asked of the parser.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from maskc.runtime.cache.budget import Budget
from maskc.runtime.cache.composing import Composer
from maskc.runtime.cache.pool import MaskPool, PooledMask
from maskc.runtime.graph import GraphReader
from maskc.runtime.lalr.effects import StackEffects
from maskc.runtime.lalr.hypothesis import Hypothesis
from maskc.runtime.lalr.lexemes import Lexemes
from maskc.runtime.lalr.questions import Questioner
from maskc.runtime.lalr.read_set import ReadSet


class LalrMasks:
    """Composes the masks of one artifact.

    Args:
        arrays: the artifact's sections.
        effects: what terminals do to stacks.
        lexemes: what open lexemes become.
        budget: what cached answers are charged to.
        pool: the distinct masks.
    """

    def __init__(
        self,
        arrays: Mapping[str, NDArray[Any]],
        effects: StackEffects,
        lexemes: Lexemes,
        budget: Budget,
        pool: MaskPool,
    ) -> None:
        self._graph = GraphReader(arrays)
        self._composer = Composer(self._graph, pool, budget)
        self._questioner = Questioner(self._graph, effects, lexemes, budget)
        self._may_end = lexemes.may_end

    def compose(self, h: Hypothesis, reads: ReadSet) -> PooledMask:
        """Return the tokens that a hypothesis allows.

        Args:
            h: the hypothesis.
            reads: notes what was read of it.
        """
        self._composer.evict_if_full()
        can_finish = self._may_end(h, reads)
        unions: set[int] = set()
        for question in self._graph.root(h.state):
            unions.update(self._questioner.ask(question, h, reads))
        return self._composer.compose(unions, can_finish=can_finish)
