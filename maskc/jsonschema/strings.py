"""What a schema asks of strings: ``pattern`` and ``format`` as formulas, conjunctions as automata.

A keyword is an automaton, a length where that is simpler, or values: ``{"pattern": "^.{1,40}$"}``
is the automaton of ``.*`` and ``length(1, 40)``, and ``{"pattern": "^(GET|PUT)$"}`` asks of a
string what ``{"enum": ["GET", "PUT"]}`` does. Of a conjunction of atoms, bounds on the length stay
numbers, since an automaton of them has a state for each character.

Example: ``{"pattern": "^a", "maxLength": 3}`` is the automaton of ``a.*`` and three characters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final, TypeVar

from maskc.errors import FormatError, SchemaError
from maskc.formats import EXACT_EMAIL, EXACT_HOST, READ, REGEX, Formats, reader_of
from maskc.jsonschema.alternatives import Alternatives
from maskc.jsonschema.automata import (
    complement,
    intersect,
    list_strings,
    of_length,
    only_texts,
    with_reader,
)
from maskc.jsonschema.demands import Atoms, intersect_bounds, sort_values
from maskc.jsonschema.drafts import StringDraft
from maskc.jsonschema.exploring import NONE, CustomFormatError, TooLargeError
from maskc.jsonschema.expressions import Space
from maskc.jsonschema.formats import LENGTHS, build_format, build_patterns, read_by
from maskc.jsonschema.formulas import BIT, EVERY_TYPE, Doubt, Formula
from maskc.jsonschema.host_names import WIDER
from maskc.jsonschema.locations import SchemaLocation
from maskc.jsonschema.patterns import build_pattern, split_pattern, whole
from maskc.jsonschema.products import combine
from maskc.regular.ecma import PatternError
from maskc.runtime.schema.strings.characters import NO_LABEL, CharDfa

_Made = TypeVar("_Made")
_MOST_VALUES: Final = 64  # strings of a pattern that are listed


class StringKeywords:
    """Lowers them, each pattern and format once."""

    def __init__(self, space: Space, *, assert_formats: bool, formats: Formats) -> None:
        self._space, self._assert_formats = space, assert_formats
        self._registered = formats
        self.used: dict[str, str | None] = {}  # those of them that a schema has asked for
        self._known: dict[tuple[str, str], Formula] = {}  # by keyword and text
        self._pattern_dfas: dict[str, int] = {}

    def lower(self, location: SchemaLocation) -> Iterator[Formula]:
        schema = location.schema
        if "pattern" in schema:
            yield self._once(location, "pattern", "a regular expression")
        if "format" in schema and self._asserts(location):
            yield self._once(location, "format", "a name")

    def is_usual(self, location: SchemaLocation, name: Any) -> bool:
        """Return whether a format is an annotation, or an automaton of the standard's."""
        if not self._asserts(location):
            return True
        if not isinstance(name, str) or name in self._registered or name in READ or name in WIDER:
            return False
        build_format(name)  # now, as no mask is to wait for it
        return True

    def _asserts(self, location: SchemaLocation) -> bool:
        return self._assert_formats or location.dialect.asserts_formats

    def _once(self, location: SchemaLocation, keyword: str, kind: str) -> Formula:
        text = location.schema[keyword]
        if not isinstance(text, str):
            raise location.fault(keyword, "is not a string", f"write {kind}")
        found = self._known.get((keyword, text))
        if found is None:
            read = self._read_pattern if keyword == "pattern" else self._read_format
            found = self._known[keyword, text] = read(location, keyword, text)
        return found

    def _read_pattern(self, location: SchemaLocation, keyword: str, pattern: str) -> Formula:
        parts = self._guard(location, keyword, pattern, split_pattern)
        return self._space.either(self._part(dfa, low, high) for dfa, low, high in parts)

    def _part(self, dfa: CharDfa, low: int, high: int | None) -> Formula:
        """Return that a string is accepted by an automaton, and of some lengths."""
        space = self._space
        texts = list_strings(dfa, _MOST_VALUES)
        if texts is not None:
            # Branches that differ in such a pattern are seen to exclude each other.
            kept = [t for t in texts if low <= len(t) and (high is None or len(t) <= high)]
            others = space.types(EVERY_TYPE & ~BIT["string"])
            return space.either([others, space.values(("string", text) for text in kept)])
        found = space.make("string", space.add_dfa(dfa), True)
        if low or high is not None:
            return space.both([found, space.make("length", low, high)])
        return found

    def pattern_dfa(self, location: SchemaLocation, pattern: str) -> int:
        """Return the number of the automaton of a pattern of ``patternProperties``."""
        found = self._pattern_dfas.get(pattern)
        if found is None:
            dfa = self._guard(location, "patternProperties", pattern, build_pattern)
            found = self._pattern_dfas[pattern] = self._space.add_dfa(dfa)
        return found

    def _guard(
        self, location: SchemaLocation, keyword: str, text: str, build: Callable[[str], _Made]
    ) -> _Made:
        """Return automata of a pattern; what makes that impossible is said by its location."""
        try:
            return build(text)
        except PatternError as error:
            raise location.fault(keyword, f"{text!r} {error}", error.remedy) from None
        except (TooLargeError, RecursionError):
            fact = f"{text!r} makes too large an automaton"
            raise location.fault(keyword, fact, "write a simpler one") from None

    def _read_format(self, location: SchemaLocation, keyword: str, name: str) -> Formula:
        space = self._space
        dfa = build_format(name)
        if name in self._registered:
            pattern = self.used[name] = self._registered[name]
            if pattern is not None:
                return self._read_pattern(location, keyword, whole(pattern))
            dfa = read_by(name)
        elif dfa is not None and dfa.reader:
            try:
                reader_of(name)
            except FormatError as error:
                fact = f"is {name}, which {error.reason}"
                raise location.fault(keyword, fact, error.remedy) from None
        if dfa is None:
            return space.true
        number = space.add_dfa(dfa)
        if name in WIDER:
            wider = space.add_dfa(build_pattern(WIDER[name]))
            space.doubts[number] = Doubt(wider, location.pointer, name)
        found = space.make("string", number, True)
        if name in LENGTHS:
            found = space.both([found, space.make("length", *LENGTHS[name])])
        return found


# The lengths of all strings that a reader reads, where they are known.
_LENGTHS: dict[str, tuple[int, int | None]] = {EXACT_HOST: (1, 253), EXACT_EMAIL: (3, None)}


class StringDrafts:
    """Builds the drafts of strings."""

    def __init__(self, space: Space, alternatives: Alternatives) -> None:
        self._space, self._alternatives = space, alternatives
        # Many branches forbid the same strings.
        self._known: dict[Atoms, StringDraft] = {}
        self._others: dict[tuple[str, ...], CharDfa] = {}

    def build(self, atoms: Atoms, pointer: str) -> StringDraft:
        found = self._known.get(atoms)
        if found is None:
            found = self._known[atoms] = self._build(atoms, pointer)
        return found

    def _build(self, atoms: Atoms, pointer: str) -> StringDraft:
        low, high = intersect_bounds(atoms, "length")
        space = self._space
        values, excluded, others = sort_values(atoms)
        try:
            if values is not None:
                return StringDraft(only_texts([value[1] for value in values]), 0, None)
            parts = []
            for atom in others:
                if atom.kind == "string":
                    number, wanted = atom.args
                    parts.append(space.dfas[number if wanted else space.complement_of(number)])
            if excluded:
                parts.append(self._all_but(tuple(sorted(value[1] for value in excluded))))
            try:
                found = intersect(parts)
                if found.reader:
                    return StringDraft(*_drop_lengths(found, low, high))
            except CustomFormatError:
                found = intersect([_short(part) for part in parts])
            return StringDraft(found, low, high)
        except TooLargeError:
            raise too_large(pointer, "pattern") from None
        except CustomFormatError as error:
            raise _custom(pointer, error.format) from None

    def _all_but(self, texts: tuple[str, ...]) -> CharDfa:
        found = self._others.get(texts)
        if found is None:
            found = self._others[texts] = complement(only_texts(texts))
        return found

    def language(self, formula: Formula, pointer: str) -> CharDfa:
        """Return the automaton of the strings that a formula holds of."""
        parts = []
        try:
            for atoms in self._alternatives.find(formula, "string", pointer):
                draft = self.build(atoms, pointer)
                bounded = [_short(draft.dfa)]
                if draft.low or draft.high is not None:
                    bounded.append(of_length(draft.low, draft.high))
                parts.append(intersect(bounded))
            if len(parts) < 2:
                return parts[0] if parts else NONE
            return combine(parts, lambda labels: NO_LABEL if set(labels) <= {NO_LABEL} else 0)
        except TooLargeError:
            raise too_large(pointer, "propertyNames") from None
        except CustomFormatError as error:
            raise _custom(pointer, error.format) from None


def _short(dfa: CharDfa) -> CharDfa:
    """Return an automaton in the place of one that leaves strings to a reader.

    Raises:
        CustomFormatError: there is none.
    """
    if dfa.reader == REGEX:
        return intersect([build_patterns(), with_reader(dfa)])
    if dfa.reader:
        raise CustomFormatError(dfa.reader)
    return dfa


def too_large(pointer: str, keyword: str) -> SchemaError:
    return SchemaError(
        pointer, keyword, "makes the automaton of this string too large", "write a simpler one"
    )


def _drop_lengths(dfa: CharDfa, low: int, high: int | None) -> tuple[CharDfa, int, int | None]:
    """Return the automaton of strings that a reader reads, and bounds that all of them meet.

    Raises:
        CustomFormatError: others would be needed.
    """
    least, most = _LENGTHS.get(dfa.reader, (0, None))
    if high is not None and (most is None or high < most):
        raise CustomFormatError(dfa.reader)
    if low == 1 and not least:
        return with_reader(of_length(1, None), dfa.reader), 0, None
    if low > least:
        raise CustomFormatError(dfa.reader)
    return dfa, 0, None


def _custom(pointer: str, name: str) -> SchemaError:
    return SchemaError(
        pointer,
        "format",
        f"is {name} beside a pattern or a length, negated, or of keys, which is not supported",
        "leave one of them out",
    )
