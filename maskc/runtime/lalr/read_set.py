"""How much of a configuration did a result depend on?

A mask, or what a token does, is computed for one stack and holds for every stack that is equal as
far as it was read. So every computation notes what it reads, and its result is
cached under that.

Example: after ``[1, [2`` the token ``]`` reads the stack down to the inner ``[``. What it does is
cached for every stack that ends in an array's first number, however deep.
"""

from __future__ import annotations


class ReadSet:
    """What of a stack and a layout has been read while a result was computed.

    Attributes:
        lowest: smallest depth of a stack node whose state was read.
        layout: whether a column or the open blocks were read.
    """

    __slots__ = ("layout", "lowest")

    def __init__(self, depth: int) -> None:
        self.lowest = depth
        self.layout = False
