"""What do any JSON value, more items and more members cost in tokens?

That is the same for all schemas with one way to write blanks, and is found by iteration, as a value
may contain others (Knuth 1977).

Example: with llama3 any value where none has begun costs one token, as ``0`` is one, and after
``":"``, whose second quote has begun a string, none if what follows a string may go on in it.
"""

from __future__ import annotations

import numpy as np

from maskc.runtime.ending.json.joints import NEVER, JsonJoints, least, star, times
from maskc.runtime.ending.json.leaves import JsonLeaves
from maskc.runtime.ending.tokens.paths import TokenPaths
from maskc.runtime.schema.plan.blanks import Blanks

_USUAL_BYTES = 2_000_000  # of what any JSON text costs, about

_Kind = tuple[str, bool, frozenset[int] | None]


class AnyJson:
    """The prices of what any JSON text has.

    Args:
        joints: of the texts.

    Attributes:
        joints: as given.
        leaves: of the texts.
        any, never: begin → after: any value; none.
        any_member: keys → after: any name, after its first quote, and any value.
        more_members: after → after: any number of members, each after a comma.
        end_items, end_members: after → after: any number of them, and the closing bracket.
    """

    def __init__(self, joints: JsonJoints) -> None:
        self.joints, self.leaves = joints, JsonLeaves(joints)
        price = self.leaves.characters.price
        keys = [price(joints.ends, (node,), 0) for node in joints.keys.nodes]
        any_key = times(np.stack(keys), joints.colon)
        self.any = self.leaves.whole_any()
        self.never = np.full_like(self.any, NEVER)
        while True:
            self.any_member = member = times(any_key, self.any)
            self.more_members = star(times(joints.next_key, member))
            self.end_items = times(star(times(joints.next_value, self.any)), joints.close_array)
            self.end_members = times(self.more_members, joints.close_object)
            array = times(times(joints.open_array, self.any), self.end_items)
            made = times(times(joints.open_object, member), self.end_members)
            found = least((self.any, array, made, joints.empty_array, joints.empty_object))
            if np.array_equal(found, self.any):
                break
            self.any = found


class JsonPrices:
    """What JSON texts cost, by schema, with what must be known of all; made when asked for.

    Args:
        paths: the tokens.
    """

    def __init__(self, paths: TokenPaths) -> None:
        self._paths = paths
        self._usual: dict[_Kind, AnyJson] = {}

    def usual(self, blanks: Blanks, following: frozenset[int] | None) -> AnyJson:
        """Return what any JSON text costs.

        Args:
            blanks: how they are written.
            following: bytes with which what follows the text may begin; ``None``: with any.
        """
        kind = (blanks.choice, blanks.is_inside, following)
        found = self._usual.get(kind)
        if found is None:
            found = AnyJson(JsonJoints(self._paths, blanks, following))
            self._usual[kind] = found
        return found

    @property
    def n_bytes(self) -> int:
        """About how much is remembered."""
        return _USUAL_BYTES * len(self._usual)
