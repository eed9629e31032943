r"""The characters of a pattern's class, asked of the package that reads the pattern.

``\p{L}`` depends on the tables of Unicode that a package was made with, and ``\s`` on what it
takes for a blank. So the package is asked, once for each class, about all characters.

Example: tiktoken's ``\s`` has 25 characters; Python's ``re`` has four more.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby
from typing import Any

from maskc.automata.charset import CodePoints, every_character
from maskc.frontends.lark.regex_module import Ask


def ask_tiktoken(tiktoken: Any) -> Ask:
    """Return the classes of tiktoken, which drops what a pattern does not match."""
    ranks = {bytes([byte]): byte for byte in range(256)}

    def find(pattern: str, text: str) -> str:
        encoding = tiktoken.Encoding(
            "classes", pat_str=pattern, mergeable_ranks=ranks, special_tokens={}
        )
        return bytes(encoding.encode_ordinary(text)).decode()

    return _remember(find)


def ask_tokenizers(tokenizers: Any) -> Ask:
    """Return the classes of ``tokenizers``, whose splitters can drop what does not match."""

    def find(pattern: str, text: str) -> str:
        regex = tokenizers.Regex(pattern)
        splitter = tokenizers.pre_tokenizers.Split(regex, "removed", invert=True)
        return "".join(part for part, _ in splitter.pre_tokenize_str(text))

    return _remember(find)


def _remember(find: Callable[[str, str], str]) -> Ask:
    known: dict[tuple[str, bool], CodePoints] = {}

    def ask(item: str, *, folds: bool) -> CodePoints:
        if (item, folds) not in known:
            # Runs at a time: a package may take a microsecond for each match, or several.
            matched = find(f"(?i:{item})+" if folds else f"(?:{item})+", every_character())
            runs = groupby(enumerate(map(ord, matched)), lambda pair: pair[1] - pair[0])
            members = [[point for _, point in run] for _, run in runs]
            known[item, folds] = tuple((run[0], run[-1]) for run in members)
        return known[item, folds]

    return ask
