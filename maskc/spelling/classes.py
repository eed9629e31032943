r"""Which characters does a class of a pattern have for the package that reads the pattern?

``\p{L}`` depends on the tables of Unicode that a package was made with, and ``\s`` on what it
takes for a blank. So the package itself is asked, once for each class, about all characters.

Example: tiktoken's ``\s`` has 25 characters; those of Python's ``re`` are four more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import groupby
from typing import Any

from maskc.automata.charset import CodePoints, every_character
from maskc.frontends.lark.regex_module import Ask


def ask_tiktoken(tiktoken: Any) -> Ask:
    """Return what asks tiktoken, which drops what a pattern does not match."""
    ranks = {bytes([byte]): byte for byte in range(256)}

    def find(pattern: str, text: str) -> str:
        encoding = tiktoken.Encoding(
            "classes", pat_str=pattern, mergeable_ranks=ranks, special_tokens={}
        )
        return bytes(encoding.encode_ordinary(text)).decode()

    return _Asker(find)


def ask_tokenizers(tokenizers: Any) -> Ask:
    """Return what asks ``tokenizers``, whose splitters can leave out what does not match."""

    def find(pattern: str, text: str) -> str:
        splitter = tokenizers.pre_tokenizers.Split(
            tokenizers.Regex(pattern), "removed", invert=True
        )
        return "".join(part for part, _ in splitter.pre_tokenize_str(text))

    return _Asker(find)


class _Asker:
    """Asks a package, and remembers its answers."""

    def __init__(self, find: Callable[[str, str], str]) -> None:
        self._find = find
        self._known: dict[tuple[str, bool], CodePoints] = {}

    def __call__(self, item: str, *, folds: bool) -> CodePoints:
        key = (item, folds)
        if key not in self._known:
            # Runs at a time: a package may take a microsecond for each match, or several.
            pattern = f"(?i:{item})+" if folds else f"(?:{item})+"
            found = self._find(pattern, every_character())
            self._known[key] = tuple(_runs(found))
        return self._known[key]


def _runs(characters: str) -> Iterator[tuple[int, int]]:
    """Yield the first and the last of each run of ascending characters."""
    points = map(ord, characters)
    for _, run in groupby(enumerate(points), lambda pair: pair[1] - pair[0]):
        members = [point for _, point in run]
        yield members[0], members[-1]
