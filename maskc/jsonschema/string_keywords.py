"""``pattern`` and ``format`` as formulas: an automaton, a length where that is simpler, or values.

Example: ``{"pattern": "^.{1,40}$"}`` is the automaton of ``.*`` and ``length(1, 40)``, and
``{"pattern": "^(GET|PUT)$"}`` asks of a string what ``{"enum": ["GET", "PUT"]}`` does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final, TypeVar

from maskc.errors import FormatError
from maskc.formats.registry import READ, Formats, reader_of
from maskc.jsonschema.automata import list_strings
from maskc.jsonschema.exploring import TooLargeError
from maskc.jsonschema.expressions import Space
from maskc.jsonschema.formats import LENGTHS, build_format, read_by
from maskc.jsonschema.formulas import BIT, EVERY_TYPE, Doubt, Formula
from maskc.jsonschema.host_names import WIDER
from maskc.jsonschema.locations import SchemaLocation
from maskc.jsonschema.patterns import build_pattern, split_pattern, whole
from maskc.regular.ecma import PatternError
from maskc.runtime.schema.strings.characters import CharDfa

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
        parts = self._guard(location, keyword, lambda: split_pattern(pattern), f"{pattern!r} ")
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

    def pattern_dfa(self, location: SchemaLocation, keyword: str, pattern: str) -> int:
        found = self._pattern_dfas.get(pattern)
        if found is None:
            dfa = self._guard(location, keyword, lambda: build_pattern(pattern), f"{pattern!r} ")
            found = self._pattern_dfas[pattern] = self._space.add_dfa(dfa)
        return found

    def _guard(
        self, location: SchemaLocation, keyword: str, build: Callable[[], _Made], subject: str = ""
    ) -> _Made:
        """Return automata; what makes that impossible is said by location and keyword."""
        try:
            return build()
        except PatternError as error:
            raise location.fault(keyword, f"{subject}{error}", error.remedy) from None
        except (TooLargeError, RecursionError):
            raise location.fault(
                keyword, f"{subject}makes too large an automaton", "write a simpler one"
            ) from None

    def _check_reader(self, location: SchemaLocation, name: str) -> None:
        try:
            reader_of(name)
        except FormatError as error:
            raise location.fault(
                "format", f"is {name}, which {error.reason}", error.remedy
            ) from None

    def _read_format(self, location: SchemaLocation, keyword: str, name: str) -> Formula:
        space = self._space
        dfa = build_format(name)
        if name in self._registered:
            pattern = self.used[name] = self._registered[name]
            if pattern is not None:
                return self._read_pattern(location, keyword, whole(pattern))
            dfa = read_by(name)
        elif dfa is not None and dfa.reader:
            self._check_reader(location, name)
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
