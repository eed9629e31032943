"""Schemas and special tokens in Lark text, as llguidance writes them (docs/dialects.md).

Each is cut out and read as a format of a structural tag, and the rules around them are written out
as one. Lark reads the text with a string that nobody writes in the place of each part. A rule that
repeats itself at its beginning or at its end becomes a repetition, since that is what Lark makes of
``*`` and ``+``; another recursion has no such form and is refused. Texts are cut into terminals in
every way, as by Lark's ``dynamic_complete`` lexer: no word is reserved.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from maskc.bounded import run_bounded
from maskc.errors import GrammarError
from maskc.frontends.source import GrammarSource

Format = Mapping[str, Any]
# Around the number of a part, in the string that Lark reads in its place.
FIRST, LAST = "\ue000", "\ue001"
_MOST_IDS = 1_000  # of a list of tokens

_PARTS = re.compile(
    r"""//[^\n]*|\#[^\n]*|"(?:\\.|[^"\\\n])*"|/(?!/)(?:\\.|[^/\\\n])+/"""
    r"""|(?P<json>%json\b\s*)|(?P<regex>%regex\b\s*)|<(?P<token>[^<>"\s][^<>"\n]*)>"""
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


_MOST_FORMATS = 20_000  # that the rules are written out to
_MOST_DEPTH = 50  # of rules


def describe_embedded(source: GrammarSource) -> dict[str, Any]:
    """Return the structural tag of a grammar with schemas or special tokens in its rules.

    Raises:
        GrammarError: Lark refuses the rest, or what it asks for has no form as a tag.
        LimitError: it takes too long.
    """
    return run_bounded(
        lambda: {"type": "structural_tag", "format": _describe(source)}, name=source.name
    )


def _describe(source: GrammarSource) -> Format:
    if not source.lexer_is_default or source.postlex or source.roles or source.holes:
        raise _refuse(source, "takes no lexer, postlex, role or hole; leave them out")
    if source.flags or source.regex or source.use_bytes or source.priority != "normal":
        raise _refuse(source, "takes no other setting than start; leave the others out")
    from maskc.frontends.lark.build import REFUSALS, read_grammar

    text, embedded = cut_out(source.name, source.text)
    try:
        terminals, rules, ignored = read_grammar(source, text, {}).compile([source.start], "*")
    except REFUSALS as error:
        raise GrammarError(source.name, f"Lark refuses it: {error}") from None
    if ignored:
        fact = "takes no %ignore; write blanks in the rules where they belong"
        raise _refuse(source, fact)
    patterns = {str(terminal.name): terminal.pattern for terminal in terminals}
    alternatives: dict[str, list[tuple[tuple[str, bool], ...]]] = {}
    for rule in rules:
        side = tuple((str(symbol.name), bool(symbol.is_term)) for symbol in rule.expansion)
        alternatives.setdefault(str(rule.origin.name), []).append(side)
    if source.start not in alternatives:
        raise GrammarError(source.name, f"there is no rule {source.start}; name one with start=")
    written = _Writer(source, embedded, patterns, alternatives).write(source.start)
    found: Format = written.format or {"type": "const_string", "value": ""}
    return found


def _refuse(source: GrammarSource, fact: str) -> GrammarError:
    return GrammarError(source.name, f"a grammar with %json or special tokens {fact}")


class _Part(NamedTuple):
    """What is written out: a format, ``None`` for nothing, and how many formats are in it."""

    format: Any
    size: int = 1


_NOTHING = _Part(None, 0)


class _Writer:
    """Writes rules out as formats."""

    def __init__(
        self,
        source: GrammarSource,
        embedded: Sequence[Format],
        patterns: Mapping[str, Any],
        alternatives: Mapping[str, Sequence[tuple[tuple[str, bool], ...]]],
    ) -> None:
        self._source, self._embedded, self._patterns = source, embedded, patterns
        self._alternatives = alternatives
        self._written: dict[str, _Part] = {}
        self._open: list[str] = []

    def write(self, rule: str) -> _Part:
        """Return a rule; one that is repeated at its beginning or its end is a repetition."""
        if rule in self._written:
            return self._written[rule]
        if rule in self._open:
            raise self._refuse(rule)
        if len(self._open) > _MOST_DEPTH:
            raise _refuse(
                self._source, f"has rules in rules, {_MOST_DEPTH} deep at most; join some"
            )
        self._open.append(rule)
        plain, left, right = list[_Part](), list[_Part](), list[_Part]()
        for side in self._alternatives[rule]:
            is_left, is_right = side[:1] == ((rule, False),), side[-1:] == ((rule, False),)
            if len(side) == 1 and is_left:
                continue
            rest = side[1:] if is_left else side[:-1] if is_right else side
            target = left if is_left else right if is_right else plain
            target.append(self._row([self._symbol(*symbol) for symbol in rest]))
        if left and right:
            raise self._refuse(rule)
        base, again = self._either(plain), self._either(left or right)
        if again.format is not None:
            star = self._make({"type": "star", "content": again.format}, again.size)
            base = self._row([base, star] if left else [star, base])
        self._open.pop()
        self._written[rule] = base
        return base

    def _symbol(self, name: str, is_terminal: bool) -> _Part:  # noqa: FBT001
        if not is_terminal:
            return self.write(name)
        pattern = self._patterns[name]
        part = re.fullmatch(f"{FIRST}(\\d+){LAST}", pattern.value)
        if part is not None:
            return self._make(self._embedded[int(part[1])])
        if FIRST in pattern.value:
            raise GrammarError(
                self._source.name,
                f"terminal {name} has a schema or a special token in it; name that in a rule",
            )
        if pattern.type != "str" or pattern.flags:
            return self._make({"type": "regex", "pattern": pattern.to_regexp()})
        return self._make({"type": "const_string", "value": pattern.value})

    def _row(self, parts: Sequence[_Part]) -> _Part:
        return self._join("sequence", [part for part in parts if part.format is not None])

    def _either(self, parts: Sequence[_Part]) -> _Part:
        some = [part for part in parts if part.format is not None]
        found = self._join("or", some)
        if len(some) == len(parts) or not some:
            return found
        return self._make({"type": "optional", "content": found.format}, found.size)

    def _join(self, kind: str, parts: Sequence[_Part]) -> _Part:
        if len(parts) < 2:
            return next(iter(parts), _NOTHING)
        elements = [part.format for part in parts]
        return self._make({"type": kind, "elements": elements}, sum(part.size for part in parts))

    def _make(self, made: Format, size: int = 0) -> _Part:
        if size >= _MOST_FORMATS:
            fact = f"is written out to more than {_MOST_FORMATS:,} parts; name rules less often"
            raise _refuse(self._source, fact)
        return _Part(made, size + 1)

    def _refuse(self, rule: str) -> GrammarError:
        return _refuse(
            self._source,
            f"has no rule that is part of itself but at its beginning or end, as {rule} is; "
            "write a repetition, or the rule as a grammar of its own",
        )
