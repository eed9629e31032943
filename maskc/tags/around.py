"""What stands around a format: the end of the nearest tag, and how deep the format is.

Example: in ``{"type": "tag", …, "end": "</a>"}`` the content has the end ``</a>`` around it, at a
depth of one more, and so have the formats in it, up to the next tag.
"""

from __future__ import annotations


class Around:
    """What stands around a format.

    Args:
        ends: the texts that end the nearest tag.
        end_ids: the tokens that end it.
        depth: how many formats it is in.
    """

    __slots__ = ("depth", "end_ids", "ends")

    def __init__(self, ends: tuple[str, ...], end_ids: frozenset[int], depth: int) -> None:
        self.ends, self.end_ids, self.depth = ends, end_ids, depth

    def deeper(self) -> Around:
        """Return what stands around a format in this one."""
        return Around(self.ends, self.end_ids, self.depth + 1)


NOTHING_AROUND = Around((), frozenset(), 0)
