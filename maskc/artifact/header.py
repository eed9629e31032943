"""Checks the entries of a header.

The runtime indexes arrays with some numbers of the header, and commands read the rest without
further checks, so each entry is checked here, once, when a file is loaded. Entries that are not
known are passed over, unless they hold bytes: everything but a witness can be printed as JSON.
"""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Mapping
from typing import Any

# Value and its path in the header → what is wrong with it, ``None`` if nothing is.
_Check = Callable[[Any, str], str | None]

_N_PERCENTILES = 101  # the 0th to the 100th


def check_texts(header: Mapping[str, Any]) -> str | None:
    """Return what is wrong with the entries that commands read, ``None`` if nothing is."""
    fault = _HEADER(header, "")
    if fault is None:
        states = {"lalr_states", "general_states"} & set(header["counts"])
        fault = None if states else "the header lacks counts.lalr_states"
    if fault is None:
        fault = _find_bytes({k: v for k, v in header.items() if k != "not_lexed_apart"})
    return fault


def check_link(header: dict[str, Any]) -> str | None:
    """Return what is wrong with the header of a link's artifact, ``None`` if nothing is."""
    fault = _LINK_HEADER(header, "") or _find_bytes(header)
    if fault:
        return fault
    tokenizer, sizes = header["tokenizer"], header.get("sizes")
    if not isinstance(sizes, dict) or tokenizer["vocab_size"] != sizes.get("V"):
        return "the header's vocabulary size does not fit its arrays"
    ends = tokenizer["eos_ids"]
    if not ends or ends != sorted(set(ends)) or ends[-1] >= tokenizer["vocab_size"]:
        return "the header's end-of-sequence ids do not ascend, or are outside of the vocabulary"
    if any(token >= tokenizer["vocab_size"] for token in header["link"]["tokens"].values()):
        return "the header names a token outside of the vocabulary"
    return None


def check_added(header: Mapping[str, Any]) -> str | None:
    """Return what is wrong with what a header says of added tokens, ``None`` if nothing is."""
    return _record({"tokenizer": _record({}, _ADDED)})(header, "")


def check_numbers(header: dict[str, Any], *, n_scanner_states: int) -> str | None:
    """Return what is wrong with the entries that the runtime reads, ``None`` if nothing is."""
    tokenizer, layout = header.get("tokenizer"), header.get("layout")
    sizes = header.get("sizes")
    if not isinstance(tokenizer, dict) or not isinstance(sizes, dict):
        return "the header lacks its tokenizer or its sizes"
    if not isinstance(header.get("grammar"), dict):
        return "the header lacks its grammar"
    vocab_size, eos_ids = tokenizer.get("vocab_size"), tokenizer.get("eos_ids")
    if vocab_size != sizes.get("V") or not isinstance(eos_ids, list):
        return "the header's vocabulary size does not fit its arrays"
    numbers: list[tuple[Any, Any]] = [(eos, vocab_size) for eos in eos_ids]
    numbers.append((header.get("end_lookahead"), sizes.get("M")))
    numbers.append((header.get("scanner_start"), n_scanner_states))
    if layout is not None:
        if not isinstance(layout, dict):
            return "the header's layout is not a map"
        numbers += [(layout.get(key), sizes.get("T")) for key in ("newline", "indent", "dedent")]
        numbers.append((layout.get("dedent_at_end"), sizes.get("M")))
        numbers.append((layout.get("tab_len"), 1 << 16))
        for key in ("opens", "closes"):
            if not isinstance(layout.get(key), list):
                return f"the header's layout lacks {key}"
            numbers += [(terminal, sizes.get("T")) for terminal in layout[key]]
    for number, limit in numbers:
        if type(number) is not int or type(limit) is not int or not 0 <= number < limit:
            return f"the header holds the number {reprlib.repr(number)}, outside {limit!r}"
    if not eos_ids or eos_ids != sorted(set(eos_ids)):
        return "the header's end-of-sequence ids do not ascend, or there are none"
    return None


def _is(claim: str, test: Callable[[Any], bool]) -> _Check:
    def check(value: Any, path: str) -> str | None:
        return None if test(value) else f"the header's {path} is {claim}"

    return check


def _record(entries: Mapping[str, _Check], optional: Mapping[str, _Check] | None = None) -> _Check:
    """A map with these entries, and perhaps others."""

    def check(value: Any, path: str) -> str | None:
        if not isinstance(value, dict):
            return f"the header's {path} is not a map"
        prefix = f"{path}." if path else ""
        for name, entry in entries.items():
            if name not in value:
                return f"the header lacks {prefix}{name}"
            fault = entry(value[name], prefix + name)
            if fault:
                return fault
        for name, entry in (optional or {}).items():
            fault = entry(value[name], prefix + name) if name in value else None
            if fault:
                return fault
        return None

    return check


def _map_of(entry: _Check) -> _Check:
    def check(value: Any, path: str) -> str | None:
        if not isinstance(value, dict):
            return f"the header's {path} is not a map"
        faults = (entry(item, f"{path}.{_short(name)}") for name, item in value.items())
        return next(filter(None, faults), None)

    return check


def _list_of(entry: _Check, length: int | None = None) -> _Check:
    def check(value: Any, path: str) -> str | None:
        if not isinstance(value, list):
            return f"the header's {path} is not a list"
        if length is not None and len(value) != length:
            return f"the header's {path} has {len(value)} entries instead of {length}"
        faults = (entry(item, f"{path}[{number}]") for number, item in enumerate(value))
        return next(filter(None, faults), None)

    return check


def _or_nothing(nothing: object, entry: _Check) -> _Check:
    def check(value: Any, path: str) -> str | None:
        return None if value == nothing else entry(value, path)

    return check


def _short(name: str) -> str:
    return name if len(name) <= 40 else f"{name[:40]}…"


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and not any("\ud800" <= c <= "\udfff" for c in value)


def _is_count(value: Any) -> bool:
    return type(value) is int and value >= 0


def _find_bytes(header: Mapping[str, Any]) -> str | None:
    pending: list[tuple[str, Any]] = list(header.items())
    while pending:
        path, value = pending.pop()
        if isinstance(value, bytes):
            return f"the header's {path} holds bytes"
        if isinstance(value, dict):
            pending += [(path, item) for item in value.values()]
        elif isinstance(value, list):
            pending += [(path, item) for item in value]
    return None


_name = _is("not a name", lambda value: isinstance(value, str))  # of a file, in whatever encoding
_text = _is("not a text", _is_text)
_count = _is("not a count", _is_count)
_bytes = _is("not a byte string", lambda value: isinstance(value, bytes))
_some = _is("not a list, or empty", lambda value: isinstance(value, list) and bool(value))
_lexer = _is(
    "not a lexer of Lark's", {"contextual", "basic", "dynamic", "dynamic_complete"}.__contains__
)
_setting = _is(
    "not a setting", lambda value: isinstance(value, bool) or value is None or _is_text(value)
)
_parser = _is("not a parser of Lark's", {"lalr", "earley"}.__contains__)
_source = _is(
    "not a structural tag, tools or choices", {"structural-tag", "tools", "choices"}.__contains__
)
_dialect = _is("not a notation", {"lark", "gbnf", "ebnf", "regex"}.__contains__)

# The attributes of an Indenter; an older version wrote `module:Class`, which only verify minds.
_INDENTER = _record(
    {
        **dict.fromkeys(("NL_type", "INDENT_type", "DEDENT_type"), _text),
        **dict.fromkeys(("OPEN_PAREN_types", "CLOSE_PAREN_types"), _list_of(_text)),
        "tab_len": _count,
    }
)


# What a postlex drops and renames.
_RULES = _record(dict.fromkeys(("rules", "brackets", "always_accept"), _list_of(_text)))


def _postlex(value: Any, path: str) -> str | None:
    if isinstance(value, str):
        return _text(value, path)
    is_rules = isinstance(value, dict) and "rules" in value
    return _RULES(value, path) if is_rules else _INDENTER(value, path)


_GRAMMAR = _record(
    {
        "name": _name,
        "text": _text,
        "imports": _map_of(_text),
        "start": _text,
        "lexer": lambda value, path: _text(value, path) or _lexer(value, path),
        "postlex": _or_nothing(None, _postlex),
        "sha256": _text,
    },
    {
        "parser": lambda value, path: _text(value, path) or _parser(value, path),
        "dialect": lambda value, path: _text(value, path) or _dialect(value, path),
        "original": _or_nothing(None, _text),
    },
)
_UNDECIDED = _record(
    {
        **dict.fromkeys(("pairs", "median", "p90", "p99", "max"), _count),
        "per_pair": _list_of(_count, _N_PERCENTILES),
        "moves": _record(dict.fromkeys(("median", "p99", "max"), _count)),
        "examples": _list_of(_record({"sequence": _list_of(_text), "pairs": _count, "why": _text})),
    }
)
_STEP = _record(
    {"step": _text, "rows": _count, "stored": _count, "per_state": _list_of(_count, _N_PERCENTILES)}
)
_COUNTS = _record(
    dict.fromkeys(
        (
            *("terminals", "nonterminals", "productions", "scanner_states"),
            *("rows", "masks", "questions", "not_lexed_apart"),
        ),
        _count,
    )
)
_ids = _list_of(_list_of(_count, 2))  # ranges, first and last
_ADDED = {"added_tokens": _record({"text": _ids, "atoms": _ids})}
_HEADER = _record(
    {
        "maskc": _text,
        "grammar": _GRAMMAR,
        "tokenizer": _record({"name": _name, "fingerprint": _text, "n_tokens": _count}, _ADDED),
        "terminals": _list_of(_text),
        "nonterminals": _list_of(_text),
        "counts": lambda value, path: _map_of(_count)(value, path) or _COUNTS(value, path),
        "streamlining": lambda value, path: _some(value, path) or _list_of(_STEP)(value, path),
        "classes": _list_of(_list_of(_text)),
        "residue": _or_nothing({}, _UNDECIDED),
        "left_out": _or_nothing(None, _text),
        "not_lexed_apart": _list_of(_record({"first": _text, "second": _text, "witness": _bytes})),
    },
    {"unicode": _text, "starts": _list_of(_text), "merged_words": _list_of(_list_of(_text))},
)
_LINK_HEADER = _record(
    {
        "maskc": _text,
        "grammar": _record(
            {
                "name": _name,
                "dialect": lambda value, path: _text(value, path) or _source(value, path),
                "sha256": _text,
            }
        ),
        "tokenizer": _record(
            {
                "name": _name,
                "fingerprint": _text,
                "n_tokens": _count,
                "vocab_size": _count,
                "eos_ids": _list_of(_count),
            },
            _ADDED,
        ),
        "link": _record(
            {"settings": _map_of(_setting), "counts": _map_of(_count), "tokens": _map_of(_count)}
        ),
    }
)
