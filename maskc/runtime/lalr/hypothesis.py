"""One reading of the text so far, by the machine of an LALR grammar."""

from __future__ import annotations

from maskc.ids import ScannerStateId
from maskc.runtime.cache.pool import PooledMask
from maskc.runtime.lalr.stack import Stack


class Hypothesis:
    """A scanner state, a parser stack and, with indentation, a layout. Never changes."""

    __slots__ = ("column", "indents", "mask", "stack", "state")

    def __init__(
        self, state: ScannerStateId, stack: Stack, indents: tuple[int, ...], column: int
    ) -> None:
        self.state = state  # scanner state
        self.stack = stack  # parser stack, without the open lexeme
        self.indents = indents  # columns of the open blocks, outermost first
        # column reached in the open lexeme, NO_LINE before its first line break
        self.column = column
        # its legal tokens, once they were asked for, if their mask has a number: those without one
        # are evicted, and must not be kept alive by each matcher that went through here
        self.mask: PooledMask | None = None


class ReadSet:
    """What of a stack and a layout has been read while a result was computed.

    A mask, or what a token does, holds for every stack that is equal as far as it was read, and is
    cached under that. Example: after ``[1, [2`` the token ``]`` reads the stack down to the inner
    ``[``; what it does is cached for every stack that ends in an array's first number.
    """

    __slots__ = ("layout", "lowest")

    def __init__(self, depth: int) -> None:
        self.lowest = depth  # smallest depth of a stack node whose state was read
        self.layout = False  # whether a column or the open blocks were read


Hypotheses = tuple[Hypothesis, ...]


# What is left of a hypothesis when its open lexeme has become a terminal: the parser stack, with
# the terminal, and the columns of the open blocks. A plain tuple, as one is made at each lexeme's
# end.
Ended = tuple[Stack, tuple[int, ...]]
