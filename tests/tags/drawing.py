"""Random structural tags over a few characters, with special tokens among them."""

from __future__ import annotations

import random
from typing import Any

# Tokens that cut delimiters, triggers and names in many ways; None is special or ends the output.
TOKENS: tuple[bytes | None, ...] = (
    *(bytes([byte]) for byte in b'ab<>!"1[S]'),
    *(b"<a", b"a>", b"<a>", b"a><", b"ab", b"ba", b"b!", b"!<", b">b", b'"a"', b"[S", b"S]", b"]["),
    *(b"aab", b"bab<", b"!!", b"1]", b"<b>a", b"a>1", b"[S]b"),
    *(b" ", b"\n", b"\t1", b"1  ", b" \r", b"[[ ", b" ]]"),
    None,
    None,
    None,
)
SPECIALS = {"[S]": len(TOKENS) - 3, "[SS]": len(TOKENS) - 2}
END = len(TOKENS) - 1
_WORDS = ("<a>", "<b", "ab", "!", "<", "ba!", "[S]", "a", "b>", "[S]a")
_SMALL = ("a", "b", "ab", "", "1", "!b")


def _word(draw: random.Random) -> str:
    return draw.choice(_WORDS)


def _token(draw: random.Random) -> int | str:
    return draw.choice(["[S]", "[SS]", SPECIALS["[S]"], "a", 2, "<a>"])


def _primitive(draw: random.Random) -> dict[str, Any]:
    match draw.randrange(5):
        case 0:
            return {"type": "const_string", "value": draw.choice((*_SMALL, "[S]"))}
        case 1:
            values: list[Any] = draw.sample(["a", 1, 11, "ab", [1], [[]]], draw.randint(1, 2))
            schema = {"enum": values}
            n_blanks = draw.choice([0, 0, 1, 3])
            return {"type": "json_schema", "json_schema": schema, "max_whitespace_cnt": n_blanks}
        case 2:
            return {"type": "regex", "pattern": draw.choice(["a|b", "ab|aab|b", "1"])}
        case 3:
            return {"type": "token", "token": _token(draw)}
        case _:
            return _free(draw)


def _free(draw: random.Random) -> dict[str, Any]:
    match draw.randrange(4):
        case 0 | 1:
            return {"type": "any_text", "excludes": draw.sample(_WORDS, draw.randint(0, 2))}
        case 2:
            return {"type": "exclude_token", "exclude_tokens": [_token(draw)]}
        case _:
            found = {"type": "any_tokens", "exclude_tokens": [_token(draw)]}
            return found | ({"max_tokens": draw.randint(0, 3)} if draw.random() < 0.5 else {})


def draw_tag(draw: random.Random, depth: int, begin: str | None = None) -> dict[str, Any]:
    """Return a tag that begins with a text, or with anything."""
    delimiter: Any = _word(draw) if begin is None else begin
    if begin is None and draw.random() < 0.25:
        delimiter = {"type": "token", "token": _token(draw)}
    end: Any = draw.choice([_word(draw), [_word(draw), _word(draw)], "", [_word(draw), ""]])
    if draw.random() < 0.25:
        end = {"type": "token", "token": _token(draw)}
    content = draw_format(draw, depth - 1)
    return {"type": "tag", "begin": delimiter, "content": content, "end": end}


def _triggers(draw: random.Random) -> list[str]:
    while True:
        found = draw.sample(_WORDS, draw.randint(1, 3))
        if not any(a != b and a.startswith(b) for a in found for b in found):
            return found


def draw_format(draw: random.Random, depth: int) -> dict[str, Any]:
    """Return a random format."""
    kind = draw.randrange(11) if depth > 0 else 0
    flags = {name: draw.random() < 0.3 for name in ("at_least_one", "stop_after_first")}
    match kind:
        case 0 | 1:
            return _primitive(draw)
        case 2 | 3:
            elements = [draw_format(draw, depth - 1) for _ in range(draw.randint(1, 3))]
            return {"type": draw.choice(["sequence", "or"]), "elements": elements}
        case 4:
            content = draw_format(draw, depth - 1)
            kind_of = draw.choice(["optional", "plus", "star", "repeat"])
            bounds = draw.choice([(0, 0), (1, 2), (0, 2), (2, -1)])
            limits = {"min": bounds[0], "max": bounds[1]} if kind_of == "repeat" else {}
            return {"type": kind_of, "content": content, **limits}
        case 5:
            return draw_tag(draw, depth)
        case 6 | 7:
            triggers = _triggers(draw)
            tags = [
                draw_tag(draw, depth, draw.choice(triggers) + draw.choice(["", "a", "b>", "ab"]))
                for _ in range(draw.randint(1, 3))
            ]
            excludes = draw.sample(_WORDS, draw.randint(0, 1))
            fields = {"triggers": triggers, "tags": tags, "excludes": excludes, **flags}
            return {"type": "triggered_tags", **fields}
        case 8:
            tags = [draw_tag(draw, depth) for _ in range(draw.randint(1, 2))]
            separator = draw.choice(["", "!", "[S]"])
            return {"type": "tags_with_separator", "tags": tags, "separator": separator, **flags}
        case 9:
            rules = [[trigger, draw_format(draw, depth - 1)] for trigger in _triggers(draw)]
            excludes = draw.sample(_WORDS, draw.randint(0, 1))
            loop = draw.random() < 0.7
            return {"type": "dispatch", "rules": rules, "loop": loop, "excludes": excludes}
        case _:
            trigger = _token(draw)
            if draw.random() < 0.5:
                rules = [[trigger, draw_format(draw, depth - 1)]]
                return {"type": "token_dispatch", "rules": rules, "loop": draw.random() < 0.7}
            tag = draw_tag(draw, depth) | {"begin": {"type": "token", "token": trigger}}
            fields = {"trigger_tokens": [trigger], "tags": [tag], **flags}
            return {"type": "token_triggered_tags", **fields}
