"""Which token does a tag mean? Tokens by name or by id, or why there is none.

Example: of a vocabulary with ``<|call|>``, ``"<|call|>"`` and its number are the same token.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from maskc.errors import TagError

FindToken = Callable[[str], int | None]


class TokenNames:
    """Finds tokens.

    Args:
        vocab_size: number of tokens.
        find_token: name of a token → its id, ``None`` if there is none.
    """

    def __init__(self, vocab_size: int, find_token: FindToken) -> None:
        self._vocab_size, self._find_token = vocab_size, find_token

    def find_all(self, given: Mapping[str, Any], pointer: str, field: str) -> frozenset[int]:
        """Return the tokens of a list; none where it lacks.

        Raises:
            TagError: it is no list, or one of them is no token.
        """
        listed = given.get(field)
        if listed is None:
            return frozenset()
        if not isinstance(listed, list):
            raise TagError(f"{pointer}/{field}", "it is no list", "give names or ids of tokens")
        return frozenset(
            self.find(token, f"{pointer}/{field}/{n}") for n, token in enumerate(listed)
        )

    def find(self, given: Any, pointer: str) -> int:
        """Return a token.

        Raises:
            TagError: there is none of that name or id.
        """
        if type(given) is int:
            if 0 <= given < self._vocab_size:
                return given
            fact = f"there is no token {given}"
            raise TagError(pointer, fact, f"give an id below {self._vocab_size}")
        if not isinstance(given, str):
            raise TagError(pointer, "it is no name and no id of a token", "give one of them")
        found = self._find_token(given)
        if found is None:
            fact = f"the tokenizer has no token {given!r}"
            raise TagError(pointer, fact, "give the token's id, or make the kit again")
        return found
