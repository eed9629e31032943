"""Kits that somebody forged: any value of any array and of the header, with the checksum right.

:func:`forge_kit` draws the changes; :func:`use_kit` does with a kit what servers do.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

import maskc
from maskc.artifact.container import decode, encode
from maskc.errors import ArtifactError
from maskc.kit.file import encode_kit, load_kit, make_kit
from maskc.kit.kit import Kit
from maskc.vocab.vocabulary import Vocabulary

# Tokens that end inside a character, in UTF-8 and in an escape, and after a quote; one comes twice.
TEXTS = (
    *(bytes([byte]) for byte in b'[]{},:" -.e0123abcdefnrtu\\/x\n'),
    *(b'a"', b'",', b'": ', b'b":', b'"}', b"ab", b"ab", b"  ", b' "', b'{"', b"\n  ", b"true"),
    *("é".encode(), b"\xc3", b"a\xc3", b"\xa9", b"\xa9b", b"\xf0\x9f", b"\x98\x80", b"\xe0\xa4"),
    *(b"\\u", b"a\\u", b"\\u00", b"00", b"e9", b"e9a", b'e9"', b"\\ud83d", b"\\ude00", b'\\n"'),
)
SMALL = (b"a", b"ab", b'"', b'",', b'a"}', b"b", b" ", b"  ", b"{", b'{"', b"}", b":", b"1")
SCHEMAS: tuple[Any, ...] = (
    {"type": "string"},
    {"type": "string", "maxLength": 3},
    {"enum": ["aé", "b", 12, {"a": "x"}]},
    {"type": "array", "items": {"type": ["integer", "string"]}, "uniqueItems": True},
    {
        "properties": {"ab": {"type": "integer"}, "c": {"pattern": "^[a-c]+é?$"}},
        "patternProperties": {"^d": {"type": "number"}},
        "required": ["ab"],
        "maxProperties": 3,
    },
)
TOOL = {"name": "ab", "parameters": {"type": "object", "properties": {"a": {"type": "string"}}}}
PREFIXES = (b"", b"", b'"', b'"a', b'"\\u', b'{"', b'{"ab": 1', b'["a",', b"a", b"\xc3")
_VALUES: tuple[Any, ...] = (-1, 0, 1, 2, 40, 1 << 40, 1.5, None, True, "", "x", b"", b"x", [], {})


def make_examples() -> list[bytes]:
    """Return sound kits as files."""
    n, small = len(TEXTS), len(SMALL)
    vocabularies = (
        Vocabulary((*TEXTS, None, None), (n, n + 1), "test", {"[S]": n}),
        Vocabulary((*SMALL, None), (small,), "small"),
    )
    return [encode_kit(make_kit(vocabulary)) for vocabulary in vocabularies]


def forge_kit(data: bytes, draw: Random) -> tuple[bytes, list[str]]:
    """Return another kit with a right checksum, and what was changed."""
    header, arrays = decode(data, "sound")
    header, changed, told = copy.deepcopy(header), dict(arrays), []
    for _ in range(draw.choice([1, 1, 1, 2, 3, 6])):
        if draw.random() < 0.2:
            told.append(_change_header(header, draw))
        else:
            name = draw.choice(sorted(arrays))
            changed[name], what = change_array(changed[name], draw)
            told.append(f"{name}{what}")
    return encode(header, changed), told


def change_array(array: Any, draw: Random) -> tuple[Any, str]:
    """Return an array with other numbers, or of another length, type or shape; what it is."""
    changed = np.array(array)
    chance = draw.random()
    if chance < 0.04:
        length = draw.choice([0, 1, max(0, len(changed) - 1), len(changed) // 2])
        return changed[:length].copy(), f" is cut to {length}"
    if chance < 0.07:
        return np.concatenate([changed, changed[-1:]]), " is one longer"
    if chance < 0.09:
        dtype = draw.choice(["uint8", "uint16", "int32", "uint32", "int64"])
        return changed.astype(dtype), f" is {dtype}"
    if chance < 0.12:
        return changed[::-1].copy(), " is reversed"
    if chance < 0.14:
        return changed[None], " has a dimension more"
    if not len(changed):
        return changed, " is left"
    if changed.ndim > 1:
        flat, what = change_array(changed.reshape(-1), draw)
        return (flat.reshape(changed.shape) if flat.size == changed.size else flat), what
    here, is_flag = draw.randrange(len(changed)), changed.dtype == np.bool_
    limit = np.iinfo(np.uint8 if is_flag else changed.dtype)
    if chance < 0.2:
        there = draw.randrange(len(changed))
        changed[[here, there]] = changed[[there, here]]
        return changed, f"[{here}] and [{there}] are exchanged"
    near = int(changed[here]) + draw.choice([-2, -1, 1, 2])
    other = int(changed[draw.randrange(len(changed))])
    value = draw.choice(
        [near, near, other, other, 0, 1, 2, 0x22, len(changed), int(limit.max), int(limit.min)]
    )
    value = min(max(value, int(limit.min)), int(limit.max))
    n_same = draw.choice([1, 1, 1, 2, 5, len(changed)])
    changed[here : here + n_same] = value
    return changed, f"[{here}:{here + n_same}] = {value}"


def _change_header(header: Any, draw: Random) -> str:
    """Exchange a field at any depth, leave it out, or add one."""
    holder, key = draw.choice(list(_list_fields(header)))
    value = draw.choice([*_VALUES, [draw.randrange(80)], [7, 3], [3, 3], ["a"], {"x": 3}, "remove"])
    if value == "remove":
        del holder[key]
    elif draw.random() < 0.1 and isinstance(holder, dict):
        key = draw.choice(["more", "a", "special_ids"])
        holder[key] = value
    else:
        holder[key] = value
    return f"{key!r} of the header: {value!r}"


def _list_fields(value: Any) -> Iterator[tuple[Any, Any]]:
    for key in list(value) if isinstance(value, dict) else range(len(value)):
        if key in ("arrays", "format"):
            continue  # of the container, which writes them itself
        yield value, key
        if isinstance(value[key], dict | list):
            yield from _list_fields(value[key])


def load_forged_kit(data: bytes, path: Path) -> Kit | None:
    """Return the kit of a file, ``None`` if loading refuses it."""
    path.write_bytes(data)
    try:
        return load_kit(path, cache_bytes=1 << 20)
    except ArtifactError as error:
        str(error)
        return None


def use_kit(kit: Kit, draw: Random, n_constraints: int = 2) -> None:
    """Do what servers do. What it does may make no sense, but only a refusal is raised."""
    ways = [
        lambda: kit.json_schema(draw.choice(SCHEMAS)),
        lambda: kit.regex(draw.choice(["[ab]*é?", ' *"[^"]*"', "a{2,5}b"])),
        lambda: kit.choice(["a", "ab", "é"]),
        lambda: kit.gbnf('root ::= "a" root? "b" | [0-9]+'),
        lambda: kit.tools([TOOL], family=draw.choice(["qwen_3", "llama", "cohere"])),
        lambda: kit.sequence(kit.json_schema(draw.choice(SCHEMAS)), kit.choice(["a", "b"])),
        lambda: kit.structural_tag(
            {"type": "structural_tag", "format": {"type": "token", "token": "[S]"}}
        ),
    ]
    bitmask = maskc.allocate_bitmask(1, kit.vocab_size)
    for _ in range(n_constraints):
        try:
            constraint = draw.choice(ways)()
        except maskc.MaskcError as error:
            str(error)
            continue
        matcher = constraint.matcher()
        matcher.accept_bytes(draw.choice(PREFIXES))
        for step in range(8):
            try:
                matcher.fill_bitmask(bitmask, 0, tokens_left=8 if step == 3 else None)
            except maskc.MaskcError as error:
                str(error)
                break
            bits = np.unpackbits(bitmask.view(np.uint8), bitorder="little")
            legal = np.flatnonzero(bits).tolist()
            assert not legal or legal[-1] < kit.vocab_size
            ids = draw.sample(range(kit.vocab_size), min(5, kit.vocab_size))
            matcher.validate_tokens(ids)
            matcher.accept_token(draw.choice(legal if legal and draw.random() < 0.9 else ids))
        matcher.fork().accept_bytes(draw.choice(PREFIXES))
        matcher.forced_bytes()
        assert matcher.is_accepting in (True, False)
