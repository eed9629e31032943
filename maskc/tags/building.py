"""What constraint is a structural tag? Its formats as an expression over pieces.

A format becomes a list of *items*, one after the other: constants, expressions, and schemas that
are compiled when a text comes near them. Alternatives that begin alike are put together: those with
constants become one switch over words, so that hundreds of tools are one hypothesis while the name
is written, and only the called one's arguments are compiled.

Free text with triggers is a switch that does not know the tools: all requests with the same
triggers share what is known of it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from functools import partial
from typing import Any, Protocol

import numpy as np

from maskc.errors import GrammarError, SchemaError, TagError
from maskc.runtime.cache.budget import Budget
from maskc.runtime.link.atoms import StopPiece, TokenPiece
from maskc.runtime.link.automaton import NO_LABEL, ByteAutomaton, Words
from maskc.runtime.link.expressions import Expression
from maskc.runtime.link.free_scans import FreeSwitch
from maskc.runtime.link.free_text import FreeText
from maskc.runtime.link.joints import Joints
from maskc.runtime.link.limited import LimitedPiece
from maskc.runtime.link.markers import ATOM, Markers, Word
from maskc.runtime.link.pieces import Piece, RegularPiece
from maskc.runtime.link.switching import Switch, SwitchPiece
from maskc.runtime.schema.plan import Plan
from maskc.runtime.schema.tokens import TokenIndex
from maskc.tags import formats as f
from maskc.tags.arguments import Arguments
from maskc.tags.items import Constant, Item, Late
from maskc.tags.plain import is_plain
from maskc.tags.strings import Strings
from maskc.tags.styles import STYLES


class Means(Protocol):
    """What a kit lends.

    Attributes:
        joints: of the tokenizer.
        budget: what cached results are charged to.
        index: the vocabulary.
        ends: the tokens that end the output.
    """

    joints: Joints
    budget: Budget
    index: TokenIndex
    ends: frozenset[int]

    def keep(self, kind: str, key: Hashable, make: Callable[[], Any]) -> Any:
        """Return what was made for a key, and make it if it is not there."""

    def token_ids(self) -> frozenset[int]:
        """Return the tokens that write text or have a name, without those that end the output."""

    def schema(self, schema: Any, **layout: str) -> Expression:
        """Return the expression of a JSON Schema."""

    def plan(self, schema: Any) -> Plan:
        """Return the plan of a JSON Schema."""

    def regex(self, pattern: str) -> Expression:
        """Return the expression of a pattern."""

    def gbnf(self, text: str) -> Expression:
        """Return the expression of a grammar."""


class Builder:
    """Builds the expressions of one request.

    Args:
        means: of the kit.
        strings: writes texts.
    """

    def __init__(self, means: Means, strings: Strings) -> None:
        self._means, self._strings, self._joints = means, strings, means.joints
        self._ends: dict[tuple[str, ...], list[Item]] = {}

    def build(self, root: f.Format) -> Expression:
        """Return the expression of a request.

        Raises:
            GrammarError, LimitError, SchemaError, TagError: a part of it cannot be compiled.
        """
        return self.join(self._items(root))

    def _items(self, given: f.Format) -> list[Item]:
        match given:
            case f.Tag():
                begin = self._begin(given)
                return [*begin, *self._items(given.content), *self._end(given)]
            case f.ConstString():
                return self.text(given.value)
            case f.JsonSchema():
                return [self._schema(given)]
            case f.Grammar():
                return [_placed(given.pointer, partial(self._means.gbnf, given.text))]
            case f.Regex():
                return [_placed(given.pointer, partial(self._means.regex, given.pattern))]
            case f.AnyText():
                return self._any_text(given)
            case f.Sequence():
                return [item for element in given.elements for item in self._items(element)]
            case f.Either():
                return [self.either([self._items(element) for element in given.elements])]
            case f.Repeat():
                return self._repeat(given)
            case f.Token():
                return [self._token(given.token_id)]
            case f.AnyTokens():
                return self._any_tokens(given)
            case f.Dispatch(of_tokens=True):
                return self._dispatch_tokens(given)
            case f.Dispatch():
                return self._dispatch(given)
            case f.Separated():
                return self._separated(given)
        raise ValueError(f"{type(given).__name__} is no format")

    def join(self, items: Iterable[Item]) -> Expression:
        """Return one item after the other."""
        return self._joints.sequence([self._expression(item) for item in items])

    def _expression(self, item: Item) -> Expression:
        if isinstance(item, Late):
            return item.make()
        return self._constant(item) if isinstance(item, Constant) else item

    def either(self, options: list[list[Item]]) -> Expression:
        """Return one of some lists of items; what they begin with alike is read once."""
        words: dict[Word, list[list[Item]]] = {}
        others: dict[Item, list[list[Item]]] = {}
        parts: list[Expression] = []
        for items in options:
            if not items:
                parts.append(self._joints.nothing)
            elif isinstance(items[0], Constant):
                for word in items[0].words:
                    words.setdefault(word, []).append(items[1:])
            else:
                others.setdefault(items[0], []).append(items[1:])
        if words:
            ordered = sorted(words)
            automaton = Markers(ordered, range(len(ordered)))
            targets = [partial(self.either, words[word]) for word in ordered]
            switch = Switch(automaton, self._joints, self._means.budget)
            parts.append(self._joints.leaf(SwitchPiece(switch, targets, loops=False)))
        for first, rests in others.items():
            rest = self.either(rests) if len(rests) > 1 else self.join(rests[0])
            parts.append(self._joints.sequence([self._expression(first), rest]))
        return self._joints.choice(parts)

    def _constant(self, constant: Constant) -> Expression:
        words = constant.words
        if len(words) == 1 and len(words[0]) == 1 and words[0][0] >= ATOM:
            return self._token(words[0][0] - ATOM)
        if all(symbol < ATOM for word in words for symbol in word):
            texts = sorted(map(bytes, words))
            return self._leaf("words", tuple(texts), lambda: self._regular(texts))
        return self.either([[constant]])

    def _regular(self, texts: list[bytes]) -> Piece:
        joints = self._joints
        return RegularPiece(Words(texts), joints.scanner, joints.index, self._means.budget)

    def _leaf(self, kind: str, key: Hashable, make: Callable[[], Piece]) -> Expression:
        return self._joints.leaf(self._means.keep(kind, key, make))

    def text(self, text: str) -> list[Item]:
        """Return a text, which may be empty."""
        found: list[Item] = []
        for stretch in self._strings.cut(text):
            if not self._strings.is_end(stretch):
                found.append(Constant(stretch.words))
                continue
            ways: list[list[Item]] = [[self._stop()]]
            for word in stretch.words:
                ways.append([Constant((word,))])
            found.append(self.either(ways))
        return found

    def _stop(self) -> Expression:
        return self._leaf("stop", (), StopPiece)

    def _token(self, token_id: int) -> Expression:
        if token_id in self._means.ends:
            return self._stop()
        return self._leaf("token", token_id, lambda: TokenPiece([token_id]))

    def _begin(self, tag: f.Tag) -> list[Item]:
        if isinstance(tag.begin, int):
            if tag.begin in self._means.ends:
                raise _ends_too_early(f"{tag.pointer}/begin")
            return [Constant(((ATOM + tag.begin,),))]
        return self.text(tag.begin)

    def _end(self, tag: f.Tag) -> list[Item]:
        if isinstance(tag.ends, int):
            return [self._token(tag.ends)]
        found = self._ends.get(tag.ends)
        if found is not None:
            return found
        options = [self.text(end) for end in dict.fromkeys(tag.ends)]
        found = options[0] if len(options) == 1 else [self.either(options)]
        self._ends[tag.ends] = found
        return found

    def _repeat(self, given: f.Repeat) -> list[Item]:
        if given.high == 0:
            return []
        body = self.join(self._items(given.content))
        return [self._joints.repetition(body, given.low, given.high)]

    def _schema(self, given: f.JsonSchema) -> Item:
        if given.max_blanks or given.max_blanks == 0 and given.style != "json":
            place = f"{given.pointer.rpartition('/')[0]}/max_whitespace_cnt"
            remedy = "leave it out for at most 8 blanks and a line break"
            raise TagError(place, "this number is not supported", remedy)
        schema = {"type": "object"} if given.schema is None else given.schema
        if given.style != "json":
            return self._arguments(given, schema)
        if given.excludes:
            place = f"{given.pointer.rpartition('/')[0]}/excludes"
            raise TagError(place, "JSON has escapes for what is excluded", "leave it out")
        make = partial(
            self._compile,
            schema,
            given.pointer,
            key_order="any" if given.any_order else "schema",
            blanks="bounded" if given.max_blanks is None else "compact",
        )
        # What cannot be compiled is refused with the request.
        return Late(make) if is_plain(schema) else make()

    def _arguments(self, given: f.JsonSchema, schema: Any) -> Item:
        if given.style not in STYLES:
            place = f"{given.pointer.rpartition('/')[0]}/style"
            raise TagError(place, "the style is not supported", "use another one")
        arguments = Arguments(
            self,
            schema,
            style=given.style,
            excludes=given.excludes,
            pointer=given.pointer,
            ordered=not given.any_order,
        )
        return Late(arguments.expression)

    def free(self, barred: tuple[str, ...]) -> list[Item]:
        """Return free text without some words."""
        return self._any_text(f.AnyText("", barred, None, None))

    def json(self, schema: Any) -> Expression:
        """Return the expression of a schema."""
        return self._means.schema(schema)

    def plan(self, schema: Any) -> Plan:
        """Return the plan of a schema."""
        return self._means.plan(schema)

    def pattern(self, pattern: str) -> Expression:
        """Return the expression of a pattern."""
        return self._means.regex(pattern)

    def piece(self, automaton: ByteAutomaton[Any]) -> Expression:
        """Return the expression of an automaton."""
        joints = self._joints
        return joints.leaf(
            RegularPiece(automaton, joints.scanner, joints.index, self._means.budget)
        )

    def repeat(self, body: Expression, low: int, high: int | None) -> Expression:
        """Return a body so many times."""
        return self._joints.repetition(body, low, high)

    def intern(self, key: Any, make: Callable[[], Expression]) -> Expression:
        """Return the expression of a key."""
        return self._joints.intern(key, make)

    def _compile(self, schema: Any, pointer: str, **layout: str) -> Expression:
        return _placed(pointer, partial(self._means.schema, schema, **layout))

    def _any_text(self, given: f.AnyText) -> list[Item]:
        if 0 in (given.max_tokens, given.max_characters):
            return []
        barred = _texts(given.excludes)
        switch = self._free_text((), (), barred)
        limits = (given.max_tokens, given.max_characters)
        if limits == (None, None):
            return [self._leaf("any_text", barred, lambda: SwitchPiece(switch, (), loops=False))]
        return [
            self._leaf(
                "limited_text",
                (barred, limits),
                lambda: LimitedPiece(
                    switch, self._means.budget, max_tokens=limits[0], max_characters=limits[1]
                ),
            )
        ]

    def _free_text(
        self, triggers: tuple[Word, ...], unused: tuple[Word, ...], barred: tuple[bytes, ...]
    ) -> Switch:
        """Return free text; the label of a trigger is its place among the sorted ones."""

        def make() -> Switch:
            labels = dict.fromkeys(unused, NO_LABEL)
            labels.update((word, label) for label, word in enumerate(triggers))
            automaton = FreeText(labels, barred)
            joints, budget = self._joints, self._means.budget
            if not labels and not barred:
                return Switch(automaton, joints, budget)
            return FreeSwitch(automaton, self._free_text((), (), ()), joints, budget)

        found: Switch = self._means.keep("free_text", (triggers, unused, barred), make)
        return found

    def _dispatch(self, given: f.Dispatch) -> list[Item]:
        options: dict[Word, list[list[Item]]] = {}
        firsts: list[list[Item]] = []
        sizes: dict[str, int] = {}
        for rule in given.rules:
            trigger, content = str(rule.trigger), rule.content
            rest = self._items(content)
            if not rule.begins_with_trigger:
                rest = [*self.text(trigger), *rest]
            if given.at_least_one:
                firsts.append(rest)
            first = rest[0]
            if not isinstance(first, Constant):
                raise _ends_too_early(rule.pointer)
            n_bytes = sizes.get(trigger)
            if n_bytes is None:
                # A trigger with an excluded text in it is barred as well.
                is_barred = any(text in trigger for text in given.excludes)
                n_bytes = sizes[trigger] = 0 if is_barred else len(trigger.encode())
            for word in first.words if n_bytes else ():
                n_symbols = self._cover(word, n_bytes, rule.pointer)
                left = word[n_symbols:]
                after = [Constant((left,)), *rest[1:]] if left else rest[1:]
                options.setdefault(word[:n_symbols], []).append(after)
        if given.at_least_one and not given.loops:
            return [self.either(firsts)]
        words = tuple(sorted(options))
        # Where only a token is a trigger, its characters are no text either.
        named = {*given.unused, *(str(rule.trigger) for rule in given.rules)}
        unused = tuple(sorted({tuple(name.encode()) for name in named} - options.keys()))
        switch = self._free_text(words, unused, _texts(given.excludes))
        targets = [partial(self.either, options[word]) for word in words]
        free = self._joints.leaf(SwitchPiece(switch, targets, loops=given.loops))
        return [self.either(firsts), free] if given.at_least_one else [free]

    def _cover(self, word: Word, n_bytes: int, pointer: str) -> int:
        """Return how many symbols of a word stand for so many bytes, or more."""
        if len(word) >= n_bytes and max(word[:n_bytes]) < ATOM:
            return n_bytes
        for n_symbols, symbol in enumerate(word):
            if n_bytes <= 0:
                return n_symbols
            n_bytes -= self._strings.size(symbol)
        if n_bytes > 0:
            remedy = "give a shorter trigger"
            raise TagError(pointer, "its trigger names very many special tokens", remedy)
        return len(word)

    def _dispatch_tokens(self, given: f.Dispatch) -> list[Item]:
        firsts: list[list[Item]] = []
        for rule in given.rules:
            if rule.trigger in self._means.ends:
                raise _ends_too_early(rule.pointer)
            rest = self._items(rule.content)
            if not rule.begins_with_trigger:
                rest = [Constant(((ATOM + int(rule.trigger),),)), *rest]
            firsts.append(rest)
        one = self.either(firsts)
        if given.at_least_one and not given.loops:
            return [one]
        free = self._any_tokens(f.AnyTokens(given.pointer, given.excluded_ids, 0, None))
        after = [one, *free] if given.loops else [one]
        high = None if given.loops else 1
        found: list[Item] = [*free, self._joints.repetition(self.join(after), 0, high)]
        return [one, *found] if given.at_least_one else found

    def _any_tokens(self, given: f.AnyTokens) -> list[Item]:
        if given.high == 0:
            return []
        excludes = tuple(sorted(given.excludes))
        piece = self._means.keep("tokens", excludes, lambda: self._tokens_but(given.excludes))
        if piece is None:
            raise TagError(given.pointer, "no token is left", "exclude fewer tokens")
        return [self._joints.repetition(self._joints.leaf(piece), given.low, given.high)]

    def _tokens_but(self, excludes: frozenset[int]) -> TokenPiece | None:
        ids = self._means.token_ids() - excludes
        words = self._means.index.pack(np.array(sorted(ids), dtype=np.int64))
        return TokenPiece(ids, words) if ids else None

    def _separated(self, given: f.Separated) -> list[Item]:
        one = self.either([self._items(tag) for tag in given.tags])
        whole: Expression = one
        if not given.stops_after_first:
            separator = self.text(given.separator)
            more = self._joints.repetition(self.join([*separator, one]), 0, None)
            whole = self._joints.sequence([one, more])
        return [whole if given.at_least_one else self._joints.repetition(whole, 0, 1)]


def _texts(texts: Iterable[str]) -> tuple[bytes, ...]:
    return tuple(sorted({text.encode() for text in texts}))


def _ends_too_early(pointer: str) -> TagError:
    return TagError(pointer, "it begins with the end of the sequence", "begin with another token")


def _placed(pointer: str, make: Callable[[], Expression]) -> Expression:
    """Return what is made; an error has the place of the format."""
    try:
        return make()
    except SchemaError as error:
        place = f"{pointer}{error.pointer.removeprefix('#')}"
        raise SchemaError(place, error.keyword, error.reason, error.remedy) from None
    except GrammarError as error:
        raise TagError(pointer, f"{error.name}: {error.reason}", "correct it") from None
