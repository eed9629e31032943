"""Divides added tokens of a tokenizer into those that write text and those outside text.

A *special* one (``<|im_end|>``) never writes text. Of the others, one that is written like a marker
(docs/tokenizers.md) is an *atom*: never part of a text, but a structural tag can name it. All
others are text, legal wherever their bytes are. What the author of a tokenizer means is not written
in its file, so a caller can choose otherwise (:class:`AddedTokens`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from maskc.arguments import as_items, as_one_of, describe
from maskc.errors import TokenizerError, WrongTypeError

CHOICES = ("form", "text", "atoms")
_BLANKS = " \t\r\n\f\v\u2581"
_MARKER = re.compile(
    r"<(?:[|｜]|/?[^\W\d_]).*"
    r"|\[/?[^\W\d_][^\[\]]*\]"
    r"|([|｜])[^\W\d_].*\1",
    re.DOTALL,
)
_MOST_NAMED = 5


class AddedToken(NamedTuple):
    """An added token that is not special.

    Attributes:
        text: as the tokenizer finds it in a text; what it is called.
        data: the bytes that it writes, where it is text.
    """

    text: str
    data: bytes


@dataclass(frozen=True, slots=True)
class AddedTokens:
    """How added tokens that are not special are taken.

    Attributes:
        choice: ``form``: those that are written like markers are atoms, all others text; ``text``:
            all are text; ``atoms``: none is.
        text: tokens that are text whatever the choice is, each by its text or its id.
        atoms: tokens that are atoms, likewise.

    >>> AddedTokens(text=("<b>", "</b>")).choice
    'form'
    """

    choice: str = "form"
    text: tuple[str | int, ...] = ()
    atoms: tuple[str | int, ...] = ()

    def __post_init__(self) -> None:
        as_one_of("choice", self.choice, CHOICES)
        for what, tokens in (("text", self.text), ("atoms", self.atoms)):
            for token in as_items(what, tokens):
                if not isinstance(token, str | int) or isinstance(token, bool):
                    fact = f"a token of {what} must be a str or an int, not {describe(token)}"
                    raise WrongTypeError(fact)


USUAL = AddedTokens()


def choose_text(
    name: str, added: Mapping[int, AddedToken], how: AddedTokens = USUAL
) -> frozenset[int]:
    """Return the added tokens that are text.

    Raises:
        TokenizerError: a token that the caller names is none of them, or is named as both.

    >>> sorted(choose_text("x", {7: AddedToken("  ", b"  "), 8: AddedToken("<b>", b"<b>")}))
    [7]
    """
    text, atoms = (_find_all(name, added, named) for named in (how.text, how.atoms))
    if text & atoms:
        both = added[min(text & atoms)].text
        raise TokenizerError(
            name, f"its token {both!r} is named as text and as an atom", "name it as one of them"
        )
    if how.choice == "form":
        chosen = {token for token, (written, _) in added.items() if not is_marker(written)}
    else:
        chosen = set(added) if how.choice == "text" else set()
    return frozenset(chosen | text) - atoms


def is_marker(text: str) -> bool:
    """Whether a token is written like a marker: see above.

    >>> is_marker("<think>"), is_marker("<="), is_marker("    ")
    (True, False, False)
    """
    return _MARKER.fullmatch(text.strip(_BLANKS)) is not None


def list_ranges(ids: Iterable[int]) -> list[list[int]]:
    """Return the first and the last of each run of ids, increasing.

    >>> list_ranges([5, 7, 6, 9])
    [[5, 7], [9, 9]]
    """
    ranges: list[list[int]] = []
    for token in sorted(ids):
        if ranges and ranges[-1][1] == token - 1:
            ranges[-1][1] = token
        else:
            ranges.append([token, token])
    return ranges


def _find_all(
    name: str, added: Mapping[int, AddedToken], named: Iterable[str | int]
) -> frozenset[int]:
    ids = {token.text: token_id for token_id, token in added.items()}
    return frozenset(_find(name, added, ids, token) for token in named)


def _find(
    name: str, added: Mapping[int, AddedToken], ids: Mapping[str, int], token: str | int
) -> int:
    if isinstance(token, str) and token in ids:
        return ids[token]
    # A command line has no numbers; more digits than these are no id.
    if isinstance(token, str) and token.isascii() and token.isdigit() and len(token) < 10:
        token = int(token)
    if isinstance(token, int) and token in added:
        return token
    some = ", ".join(repr(found.text[:20]) for _, found in sorted(added.items())[:_MOST_NAMED])
    raise TokenizerError(
        name,
        f"{token!r} is not one of its added tokens that are not special",
        f"name one of them ({some}{', …' * (len(added) > _MOST_NAMED)}) or give its id"
        if some
        else "it has none, so leave the option out",
    )
