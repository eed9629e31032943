"""Schemas and special tokens in Lark text, as llguidance writes them (docs/dialects.md).

Each is cut out and read as a format of a structural tag.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from maskc.errors import GrammarError

Format = Mapping[str, Any]
# Around the number of a part, in the string that Lark reads in its place.
FIRST, LAST = "\ue000", "\ue001"
_MOST_IDS = 1_000  # of a list of tokens

_PARTS = re.compile(
    r"""//[^\n]*|\#[^\n]*|"(?:\\.|[^"\\\n])*"|/(?!/)(?:\\.|[^/\\\n])+/"""
    r"""|(?P<json>%json\b\s*)|(?P<regex>%regex\b\s*)|<(?P<token>[^<>"\s][^<>"\n]*)>""",
)
# Words as llguidance cuts a text: letters and digits, white space, and all else, each in a row.
_WORDS = re.compile(r"\w+|\s+|[^\w\s]+")
_SUBSTRINGS = ("substring_words", "substring_chars", "substring_chunks")
_RANGE = re.compile(r"\s*(\d{1,9})\s*(?:-\s*(\d{1,9})\s*)?")


def has_embedded(text: str) -> bool:
    """Return whether a text in Lark's notation has schemas or special tokens in its rules.

    >>> has_embedded('start: <|a|> "b"'), has_embedded('start: "<|a|>" /<b>/ // %json')
    (True, False)
    """
    return any(match.lastgroup for match in _PARTS.finditer(text))


def cut_out(name: str, text: str) -> tuple[str, list[Format]]:
    """Return the text with a string in the place of each part, and the parts' formats.

    Line breaks of a schema come after its line, so that Lark counts lines as the author does.

    Raises:
        GrammarError: a schema is not JSON, or a list of tokens is none.
    """
    found = list[Format]()
    written, at, n_dropped = list[str](), 0, 0
    while True:
        match = _PARTS.search(text, at)
        before = text[at : match.start() if match else len(text)]
        if n_dropped and "\n" in before:
            before, n_dropped = before.replace("\n", "\n" * (n_dropped + 1), 1), 0
        written.append(before)
        if match is None:
            return "".join(written), found
        at = match.end()
        if match.lastgroup is None:
            written.append(match[0])
            continue
        where = f"{name}:{text.count(chr(10), 0, match.start()) + 1}"
        keyword = match.lastgroup
        if keyword in ("json", "regex"):
            read, at = _read_object(text, at, where, f"%{keyword}")
            is_schema = keyword == "json"
            schema: Format = {"type": "json_schema", "json_schema": read}
            found.append(schema if is_schema else _read_substring(read, where))
            n_dropped += text.count("\n", match.start(), at)
        else:
            found.append(_read_token(match["token"], where))
        written.append(f'"{FIRST}{len(found) - 1}{LAST}"')


def _read_object(text: str, at: int, where: str, after: str) -> tuple[dict[str, Any], int]:
    try:
        schema, end = json.JSONDecoder().raw_decode(text, at)
    except (ValueError, RecursionError) as error:
        reason = str(error).partition(":")[0]
        raise GrammarError(where, f"what follows {after} is not JSON ({reason})") from None
    if not isinstance(schema, dict):
        raise GrammarError(where, f"what follows {after} is not a JSON object; write {{…}}")
    return schema, end


def _read_substring(read: dict[str, Any], where: str) -> Format:
    """Return the format of the parts of a text that follow each other, as a right-linear grammar.

    >>> print(_read_substring({"substring_chars": "ab"}, "")["grammar"])
    root ::= (s0 | s1)?
    s0 ::= "a" s1?
    s1 ::= "b"
    """
    (name, text), *more = list(read.items()) or [("", None)]
    parts: Any = text
    if isinstance(text, str) and name == "substring_words":
        parts = _WORDS.findall(text)
    elif isinstance(text, str) and name == "substring_chars":
        parts = list(text)
    is_known = name in _SUBSTRINGS and isinstance(parts, list) and not more
    if not is_known or not all(isinstance(part, str) and part for part in parts):
        fact = f"what follows %regex is none of {', '.join(_SUBSTRINGS)} with a text or texts"
        raise GrammarError(where, f"{fact}; write a pattern of re as /…/")
    if not parts:
        return {"type": "const_string", "value": ""}
    rules = [f"root ::= ({' | '.join(f's{n}' for n in range(len(parts)))})?"]
    last = len(parts) - 1
    rules += [
        f"s{n} ::= {json.dumps(part, ensure_ascii=False)}" + (f" s{n + 1}?" if n < last else "")
        for n, part in enumerate(parts)
    ]
    return {"type": "grammar", "grammar": "\n".join(rules)}


def _read_token(inside: str, where: str) -> Format:
    """Return the format of what stands between ``<`` and ``>``."""
    if not (inside.startswith("[") and inside.endswith("]")):
        return {"type": "token", "token": f"<{inside}>"}
    listed = inside[1:-1]
    if listed.strip() == "*":
        return {"type": "exclude_token", "exclude_tokens": []}
    is_negated = listed.startswith("^")
    ids = list[int]()
    for part in listed.removeprefix("^").split(","):
        match = _RANGE.fullmatch(part)
        low, high = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
        if not low <= high < low + _MOST_IDS - len(ids):
            fact = f"<{inside}> lists no ids of tokens, or more than {_MOST_IDS:,}"
            raise GrammarError(where, f"{fact}; write it as <[1-3,7]>")
        ids += range(low, high + 1)
    if is_negated:
        return {"type": "exclude_token", "exclude_tokens": ids}
    tokens: list[Format] = [{"type": "token", "token": one} for one in ids]
    return tokens[0] if len(tokens) == 1 else {"type": "or", "elements": tokens}
