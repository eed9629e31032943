"""The judge of a structural tag's texts: reads the tag's JSON, with nothing of the compiler's.

Each format is asked where its texts can end that begin at a place of the reply, and the whole reply
must be one of them. JSON is read by Python's parser and judged by the package ``jsonschema``,
patterns by ``re``. A special token stands in the text by its name, and in no free text.

Example: of ``{"type": "tag", "begin": "<a>", "content": …, "end": "</a>"}`` a text begins with
``<a>``, goes on with the content, and has ``</a>`` where that can end.

Limits: grammars, arguments in a style of parameters, and formats that count tokens are not judged.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from maskc.verify.json_judge import NotJsonError, NotJudgedError, ValueJudge, read_json

MOST_CHARACTERS = 20_000
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
# Blanks that stand together; of them max_whitespace_cnt counts all but \r, which is none then.
_GAP, _STRING = re.compile("[ \\t\\r\\n]+"), re.compile(r'"(?:[^"\\]|\\.)*"')
_SEPARATORS = ((",", ":"), (", ", ": "))

Ends = frozenset[int]
_NONE: Ends = frozenset()


class TagJudge:
    """Judges texts."""

    def __init__(self, tag: Mapping[str, Any], names: Iterable[str]) -> None:
        self._names = tuple(filter(None, names))
        self._root = tag["format"] if "format" in tag else _from_legacy(tag)
        self._judges: dict[int, ValueJudge] = {}
        self._patterns: dict[str, re.Pattern[str]] = {}

    def judge(self, text: str, *, strict: bool = False) -> bool:
        """Return whether a text is one of the tag's.

        Args:
            text: the whole reply.
            strict: JSON counts only as ``json.dumps`` writes it, with keys in the schema's order
                where they have one; so what is refused may be legal, and what is not, is.

        Raises:
            NotJudgedError: the tag has a format that is not judged, or the text is too long.
        """
        if len(text) > MOST_CHARACTERS:
            raise NotJudgedError(f"has more than {MOST_CHARACTERS:,} characters")
        return len(text) in _Reading(self, text, strict=strict).ends(self._root, 0, ())

    def judge_of(self, form: Mapping[str, Any]) -> ValueJudge:
        found = self._judges.get(id(form))
        if found is None:
            schema = form["json_schema"]
            text = json.dumps({"type": "object"} if schema is None else schema)
            found = self._judges[id(form)] = ValueJudge(text)
        return found

    def pattern_of(self, form: Mapping[str, Any]) -> re.Pattern[str]:
        return self._patterns.setdefault(form["pattern"], re.compile(form["pattern"]))

    def bars(self, words: Iterable[str]) -> list[str]:
        """Return what does not stand in free text: words, and names of special tokens."""
        return [word for word in (*words, *self._names) if word]

    def offsets_inside(self, text: str) -> Ends:
        """Return the places of a text that are inside the names of special tokens."""
        if not self._names:
            return _NONE
        ordered = sorted(self._names, key=len, reverse=True)
        found = re.finditer("|".join(map(re.escape, ordered)), text)
        return frozenset(place for name in found for place in range(name.start() + 1, name.end()))


class _Reading:
    """Reads one text."""

    def __init__(self, judge: TagJudge, text: str, *, strict: bool) -> None:
        self._judge, self._text, self._strict = judge, text, strict
        # A special token is whole: nothing ends inside its name.
        self._inside = judge.offsets_inside(text)
        self._known: dict[tuple[int, int, tuple[str, ...]], Ends] = {}

    def ends(self, form: Mapping[str, Any], start: int, around: tuple[str, ...]) -> Ends:
        """Return where texts of a format can end that begin at a place."""
        key = (id(form), start, around)
        if key not in self._known:
            self._known[key] = self._ends(form, start, around) - self._inside
        return self._known[key]

    def _ends(self, form: Mapping[str, Any], start: int, around: tuple[str, ...]) -> Ends:
        match form["type"]:
            case "const_string":
                return self._after(form["value"], start)
            case "regex":
                matches = self._judge.pattern_of(form).fullmatch
                places = range(start, len(self._text) + 1)
                return frozenset(j for j in places if matches(self._text, start, j))
            case "json_schema" if form.get("style", "json") == "json":
                return self._values(form, start)
            case "any_text" if form.get("max_tokens") is None:
                return self._free(form, start, around)
            case "sequence":
                return self._sequence(form["elements"], start, around)
            case "or":
                return _NONE.union(*(self.ends(e, start, around) for e in form["elements"]))
            case "optional":
                return self.ends(form["content"], start, around) | {start}
            case "star":
                return self._repeat(form["content"], start, around, 0, None)
            case "plus":
                return self._repeat(form["content"], start, around, 1, None)
            case "repeat":
                high = None if form["max"] < 0 else form["max"]
                return self._repeat(form["content"], start, around, form["min"], high)
            case "token" if isinstance(form["token"], str):
                return self._after(form["token"], start)
            case "tag":
                return self._tag(form, self._delimited(form["begin"], start))
            case "triggered_tags":
                return self._triggered(form, start, around)
            case "dispatch":
                return self._dispatch(form, start, around)
            case "tags_with_separator":
                return self._separated(form, start)
        raise NotJudgedError(f"has the format {form['type']}")

    def _after(self, text: str, start: int) -> Ends:
        return frozenset([start + len(text)]) if self._text.startswith(text, start) else _NONE

    def _delimited(self, given: Any, start: int) -> Ends:
        """Return where a delimiter can end: a text, one of several, or a token."""
        if isinstance(given, list):
            return _NONE.union(*(self._after(text, start) for text in given))
        if isinstance(given, Mapping):
            if not isinstance(given["token"], str):
                raise NotJudgedError("names a token by its id")
            return self._after(given["token"], start)
        return self._after(given, start)

    def _tag(self, form: Mapping[str, Any], begun: Ends) -> Ends:
        end = form["end"]
        listed = end if isinstance(end, list) else [] if isinstance(end, Mapping) else [end]
        inner = tuple(text for text in listed if text)
        contents = _NONE.union(*(self.ends(form["content"], j, inner) for j in begun))
        return _NONE.union(*(self._delimited(end, j) for j in contents))

    def _sequence(self, elements: list[Any], start: int, around: tuple[str, ...]) -> Ends:
        here = frozenset([start])
        for element in elements:
            here = _NONE.union(*(self.ends(element, j, around) for j in here))
        return here

    def _repeat(
        self, content: Any, start: int, around: tuple[str, ...], low: int, high: int | None
    ) -> Ends:
        return self._again(
            frozenset([start]), lambda j: self.ends(content, j, around), low=low, high=high
        )

    def _again(
        self, here: Ends, follow: Callable[[int], Ends], *, low: int, high: int | None
    ) -> Ends:
        """Return where something can end that comes so many times."""
        found, n = (here if not low else _NONE), 0
        while here and (high is None or n < high):
            after, n = _NONE.union(*map(follow, here)), n + 1
            if n >= low and after <= found:
                break  # no further place is reached by more of them
            if after == here:
                return found | here  # nor by as many as there must be
            here = after
            found |= here if n >= low else _NONE
        return found

    def _free(self, form: Mapping[str, Any], start: int, around: tuple[str, ...]) -> Ends:
        words = self._judge.bars([*(form.get("excludes") or ()), *around])
        most = form.get("max_chars")
        last = self._first_end(words, start)
        if most is not None:
            last = min(last, start + most)
        return frozenset(range(start, last + 1))

    def _first_end(self, words: list[str], start: int) -> int:
        """Return the last place that a text without some words can reach."""
        ends = (
            self._text.find(word, start) + len(word) - 1
            for word in words
            if self._text.find(word, start) >= 0
        )
        return min(ends, default=len(self._text))

    def _triggered(self, form: Mapping[str, Any], start: int, around: tuple[str, ...]) -> Ends:
        def read(tag: Mapping[str, Any], at: int) -> Ends:
            return self._tag(tag, self._after(tag["begin"], at))

        triggers = form["triggers"]
        rules = [
            (next(t for t in triggers if tag["begin"].startswith(t)), partial(read, tag))
            for tag in form["tags"]
        ]
        excludes = [*(form.get("excludes") or ()), *around]
        loops, must_begin = not form.get("stop_after_first"), bool(form.get("at_least_one"))
        return self._turns(rules, triggers, excludes, start, must_begin=must_begin, loops=loops)

    def _dispatch(self, form: Mapping[str, Any], start: int, around: tuple[str, ...]) -> Ends:
        def read(trigger: str, inner: Mapping[str, Any], at: int) -> Ends:
            return self.ends(inner, at + len(trigger), around)

        rules = [(trigger, partial(read, trigger, inner)) for trigger, inner in form["rules"]]
        triggers = [trigger for trigger, _ in form["rules"]]
        excludes = list(form.get("excludes") or ())
        loops = form.get("loop") is not False
        return self._turns(rules, triggers, excludes, start, must_begin=False, loops=loops)

    def _turns(
        self,
        rules: Sequence[tuple[str, Callable[[int], Ends]]],
        triggers: list[str],
        excludes: list[str],
        start: int,
        *,
        must_begin: bool,
        loops: bool,
    ) -> Ends:
        """Return where free text can end that turns to something at a trigger.

        ``must_begin``: it begins with a rule; ``loops``: free text comes after a rule.
        """
        found: set[int] = set()
        worklist = [start]
        if must_begin:
            worklist = list(_NONE.union(*(read(start) for _, read in rules)))
            if not loops:
                return frozenset(worklist)
        seen = set(worklist)
        while worklist:
            here = worklist.pop()
            forbidden = self._judge.bars([*triggers, *excludes])
            found.update(range(here, self._first_end(forbidden, here) + 1))
            for trigger, read in rules:
                at = self._turn_at(trigger, triggers, excludes, here)
                after = read(at) if at is not None else _NONE
                if not loops:
                    found |= after
                    continue
                worklist += after - seen
                seen |= after
        return frozenset(found)

    def _turn_at(
        self, trigger: str, triggers: list[str], excludes: list[str], start: int
    ) -> int | None:
        """Return where a trigger stands that free text from a place on turns at, if it does."""
        at = self._text.find(trigger, start)
        if at < 0:
            return None
        end = at + len(trigger)
        if any(word in self._text[start:end] for word in excludes):
            return None
        for other in {*triggers, *self._judge.bars(())}:
            place = self._text.find(other, start, end)
            # One inside of the trigger may be read over; one that began before it may not.
            if 0 <= place < at:
                return None
        return at

    def _separated(self, form: Mapping[str, Any], start: int) -> Ends:
        def one(j: int) -> Ends:
            return _NONE.union(*(self.ends(tag, j, ()) for tag in form["tags"]))

        def more(j: int) -> Ends:
            return _NONE.union(*map(one, self._after(form["separator"], j)))

        found = one(start)
        if not form.get("stop_after_first"):
            found |= self._again(found, more, low=1, high=None)
        return found if form.get("at_least_one") else found | {start}

    def _values(self, form: Mapping[str, Any], start: int) -> Ends:
        """Return where JSON values of a schema can end."""
        ends = []
        number = _NUMBER.match(self._text, start)
        if number:
            ends = [
                j
                for j in range(start + 1, number.end() + 1)
                if _NUMBER.fullmatch(self._text, start, j)
            ]
        else:
            try:
                ends = [json.JSONDecoder().raw_decode(self._text, start)[1]]
            except (ValueError, RecursionError):
                return _NONE
        valid = (end for end in ends if self._is_valid(form, self._text[start:end]))
        return frozenset(valid)

    def _is_valid(self, form: Mapping[str, Any], text: str) -> bool:
        if any(word in text for word in form.get("excludes") or ()):
            return False
        try:
            value = read_json(text)
        except NotJsonError:
            return False
        if self._strict and not _is_plain(form, text) or not _is_spaced(form, text):
            return False
        return self._judge.judge_of(form).judge(value)


def _is_spaced(form: Mapping[str, Any], text: str) -> bool:
    """Return whether no more blanks stand together than there may."""
    most = form.get("max_whitespace_cnt")
    if most is None:
        return True
    gaps = _GAP.findall(_STRING.sub('""', text))
    return not any(len(gap) > most or "\r" in gap for gap in gaps)


def _is_plain(form: Mapping[str, Any], text: str) -> bool:
    """Return whether a JSON text is as ``json.dumps`` writes it, in an order that is legal."""
    value = json.loads(text)
    ways = (
        json.dumps(value, ensure_ascii=ascii_, separators=separators)
        for ascii_ in (True, False)
        for separators in _SEPARATORS
    )
    if text not in ways or '"format"' in json.dumps(form["json_schema"]):
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
