"""The judge of a structural tag's texts: reads the tag's JSON, with nothing of the compiler's.

Each format is a *reader* (a parser combinator): from text indices of the reply it leads to those
where its texts can end that begin there, and the end of the reply must be one of them. JSON is read
by Python's parser and judged by the package ``jsonschema``, patterns by ``re``. A special token
stands in the text by its name, and in no free text.

Limits: grammars, arguments in a style of parameters, and formats that count tokens are not judged.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial, reduce
from typing import Any

from maskc.verify.json_judge import NotJsonError, NotJudgedError, ValueJudge, read_json

MOST_CHARACTERS = 20_000
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
# Blanks that stand together; of them max_whitespace_cnt counts all but \r, which is none then.
_GAP, _STRING = re.compile("[ \\t\\r\\n]+"), re.compile(r'"(?:[^"\\]|\\.)*"')
_SEPARATORS = ((",", ":"), (", ", ": "))

Form = Mapping[str, Any]
Ends = frozenset[int]
Reader = Callable[[Ends], Ends]
_NONE: Ends = frozenset()


class TagJudge:
    """Judges texts."""

    def __init__(self, tag: Form, names: Iterable[str]) -> None:
        self.names = tuple(sorted(filter(None, names), key=len, reverse=True))
        self._root = tag["format"] if "format" in tag else _from_legacy(tag)
        self._judges: dict[int, ValueJudge] = {}

    def judge(self, text: str, *, strict: bool = False) -> bool:
        """Return whether a text is one of the tag's.

        Args:
            text: the whole reply.
            strict: JSON counts only as ``json.dumps`` writes it, with keys in the schema's order
                where they have one; so what is refused may be legal, and what is not, is.
        """
        if len(text) > MOST_CHARACTERS:
            raise NotJudgedError(f"has more than {MOST_CHARACTERS:,} characters")
        reading = _Text(self, text, strict=strict)
        return len(text) in reading.read(self._root, (), frozenset([0]))

    def judge_of(self, form: Form) -> ValueJudge:
        if id(form) not in self._judges:
            schema = form["json_schema"]
            text = json.dumps({"type": "object"} if schema is None else schema)
            self._judges[id(form)] = ValueJudge(text)
        return self._judges[id(form)]


class _Text:
    """The readers of one text. ``around``: what ends the tag around, and stands in no free text."""

    def __init__(self, judge: TagJudge, text: str, *, strict: bool) -> None:
        self._judge, self._text, self._strict = judge, text, strict
        # A special token is whole: nothing ends inside its name.
        names = "|".join(map(re.escape, judge.names))
        found = re.finditer(names, text) if names else ()
        self._inside = frozenset(at for name in found for at in range(name.start() + 1, name.end()))
        self._known: dict[tuple[int, tuple[str, ...], int], Ends] = {}

    def read(self, form: Form, around: tuple[str, ...], starts: Ends) -> Ends:
        found = set[int]()
        for start in starts:
            key = (id(form), around, start)
            if key not in self._known:
                reader = self._open(form, around)
                self._known[key] = reader(frozenset([start])) - self._inside
            found |= self._known[key]
        return frozenset(found)

    def _open(self, form: Form, around: tuple[str, ...]) -> Reader:
        def inner(other: Form) -> Reader:
            return partial(self.read, other, around)

        match form["type"]:
            case "const_string":
                return partial(self._words, [form["value"]])
            case "token":
                return partial(self._delimiter, form)
            case "regex":
                return partial(self._pattern, re.compile(form["pattern"]))
            case "json_schema" if form.get("style", "json") == "json":
                return partial(self._values, form)
            case "any_text" if form.get("max_tokens") is None:
                return partial(self._free, [*_excluded(form), *around], form.get("max_chars"))
            case "sequence":
                return _chain(*map(inner, form["elements"]))
            case "or":
                return _any_of(*map(inner, form["elements"]))
            case "optional":
                return partial(_repeat, inner(form["content"]), 0, 1)
            case "star" | "plus":
                return partial(_repeat, inner(form["content"]), int(form["type"] == "plus"), None)
            case "repeat":
                high = None if form["max"] < 0 else form["max"]
                return partial(_repeat, inner(form["content"]), form["min"], high)
            case "tag":
                return self._tag(form)
            case "tags_with_separator":
                tag = _any_of(*(partial(self.read, tag, ()) for tag in form["tags"]))
                more = _chain(partial(self._words, [form["separator"]]), tag)
                high = 0 if form.get("stop_after_first") else None
                tags = _chain(tag, partial(_repeat, more, 0, high))
                return tags if form.get("at_least_one") else partial(_repeat, tags, 0, 1)
            case "dispatch":
                turns = [
                    (trigger, _chain(partial(self._words, [trigger]), inner(then)))
                    for trigger, then in form["rules"]
                ]
                words, loops = [trigger for trigger, _ in turns], form.get("loop") is not False
                return partial(self._turn, turns, words, _excluded(form), loops)
            case "triggered_tags":
                words, loops = form["triggers"], not form.get("stop_after_first")
                turns = [
                    (next(word for word in words if tag["begin"].startswith(word)), self._tag(tag))
                    for tag in form["tags"]
                ]
                free = partial(self._turn, turns, words, [*_excluded(form), *around], loops)
                first = _any_of(*(read for _, read in turns))
                if not form.get("at_least_one"):
                    return free
                return _chain(first, free) if loops else first
        raise NotJudgedError(f"has the format {form['type']}")

    def _words(self, words: Iterable[str], starts: Ends) -> Ends:
        return frozenset(
            at + len(word) for word in words for at in starts if self._text.startswith(word, at)
        )

    def _delimiter(self, given: Any, starts: Ends) -> Ends:
        if isinstance(given, Mapping):
            given = given["token"]
            if starts and not isinstance(given, str):
                raise NotJudgedError("names a token by its id")
        return self._words(given if isinstance(given, list) else [given], starts)

    def _tag(self, form: Form) -> Reader:
        end = form["end"]
        around = end if isinstance(end, list) else [] if isinstance(end, Mapping) else [end]
        content = partial(self.read, form["content"], tuple(filter(None, around)))
        delimiters = (partial(self._delimiter, form[name]) for name in ("begin", "end"))
        return _chain(next(delimiters), content, next(delimiters))

    def _pattern(self, pattern: re.Pattern[str], starts: Ends) -> Ends:
        matches, text, found = pattern.fullmatch, self._text, set[int]()
        for at in starts:
            found.update(end for end in range(at, len(text) + 1) if matches(text, at, end))
        return frozenset(found)

    def _free(self, excluded: Sequence[str], most: int | None, starts: Ends) -> Ends:
        found = set[int]()
        for at in starts:
            last = self._find_last(excluded, at)
            found.update(range(at, (last if most is None else min(last, at + most)) + 1))
        return frozenset(found)

    def _find_last(self, excluded: Sequence[str], start: int) -> int:
        """Return the last index that free text can reach without words and special tokens."""
        found = ((word, self._text.find(word, start)) for word in (*excluded, *self._judge.names))
        ends = (at + len(word) - 1 for word, at in found if word and at >= 0)
        return min(ends, default=len(self._text))

    def _turn(
        self,
        turns: Sequence[tuple[str, Reader]],
        triggers: Sequence[str],
        excludes: Sequence[str],
        loops: bool,  # noqa: FBT001
        starts: Ends,
    ) -> Ends:
        """Read free text that turns to something at a trigger; ``loops``: then to free text."""
        found, worklist, seen = set[int](), list(starts), set(starts)
        while worklist:
            here = worklist.pop()
            found.update(range(here, self._find_last([*triggers, *excludes], here) + 1))
            for trigger, read in turns:
                after = read(self._find_turn(trigger, triggers, excludes, here))
                if not loops:
                    found |= after
                    continue
                worklist += after - seen
                seen |= after
        return frozenset(found)

    def _find_turn(
        self, trigger: str, triggers: Sequence[str], excludes: Sequence[str], start: int
    ) -> Ends:
        """Return where a trigger stands that free text from an index on turns at, if it does."""
        at = self._text.find(trigger, start)
        end = at + len(trigger)
        if at < 0 or any(word in self._text[start:end] for word in excludes if word):
            return _NONE
        # One inside of the trigger may be read over; one that began before it may not.
        others = (self._text.find(word, start, end) for word in (*triggers, *self._judge.names))
        return _NONE if any(0 <= other < at for other in others) else frozenset([at])

    def _values(self, form: Form, starts: Ends) -> Ends:
        pairs = ((start, end) for start in starts for end in self._list_ends(start))
        return frozenset(end for start, end in pairs if self._is_valid(form, self._text[start:end]))

    def _list_ends(self, start: int) -> list[int]:
        """Return where a JSON value can end: a number, wherever it is one."""
        number = _NUMBER.match(self._text, start)
        if number:
            ends = range(start + 1, number.end() + 1)
            return [end for end in ends if _NUMBER.fullmatch(self._text, start, end)]
        try:
            return [json.JSONDecoder().raw_decode(self._text, start)[1]]
        except (ValueError, RecursionError):
            return []

    def _is_valid(self, form: Form, text: str) -> bool:
        if any(word in text for word in _excluded(form)):
            return False
        try:
            value = read_json(text)
        except NotJsonError:
            return False
        if self._strict and not _is_plain(form, text) or not _is_spaced(form, text):
            return False
        return self._judge.judge_of(form).judge(value)


def _chain(*readers: Reader) -> Reader:
    return lambda starts: reduce(lambda here, read: read(here), readers, starts)


def _any_of(*readers: Reader) -> Reader:
    return lambda starts: _NONE.union(*(read(starts) for read in readers))


def _repeat(read: Reader, low: int, high: int | None, starts: Ends) -> Ends:
    here, found, n = starts, (_NONE if low else starts), 0
    while here and (high is None or n < high):
        after, n = read(here), n + 1
        if n >= low and after <= found:
            break  # no further index is reached by more of them
        if after == here:
            return found | here  # nor by as many as there must be
        here = after
        found |= here if n >= low else _NONE
    return found


def _excluded(form: Form) -> list[str]:
    return [word for word in form.get("excludes") or () if word]


def _is_spaced(form: Mapping[str, Any], text: str) -> bool:
    most = form.get("max_whitespace_cnt")
    if most is None:
        return True
    gaps = _GAP.findall(_STRING.sub('""', text))
    return not any(len(gap) > most or "\r" in gap for gap in gaps)


def _is_plain(form: Mapping[str, Any], text: str) -> bool:
    """Return whether a JSON text is as ``json.dumps`` writes it, in an order that is legal."""
    value = json.loads(text)
    layouts = (
        json.dumps(value, ensure_ascii=ascii_, separators=separators)
        for ascii_ in (True, False)
        for separators in _SEPARATORS
    )
    if text not in layouts or '"format"' in json.dumps(form["json_schema"]):
        return False
    return bool(form.get("any_order")) or not _has_object(value)


def _has_object(value: Any) -> bool:
    if isinstance(value, dict):
        return len(value) > 1 or any(map(_has_object, value.values()))
    return isinstance(value, list) and any(map(_has_object, value))


def _from_legacy(tag: Mapping[str, Any]) -> dict[str, Any]:
    """Return the newer form of a tag in the older one."""
    tags = []
    for one in tag["structures"]:
        schema = one.get("schema")
        schema = json.loads(schema) if isinstance(schema, str) else schema
        content = {
            "type": "json_schema",
            "json_schema": {} if schema is None else schema,
            "excludes": one.get("excludes"),
        }
        tags.append({"type": "tag", "begin": one["begin"], "content": content, "end": one["end"]})
    return {
        "type": "triggered_tags",
        "triggers": tag["triggers"],
        "tags": tags,
        "at_least_one": tag.get("at_least_one", False),
    }
