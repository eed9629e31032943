"""Builds the constraint of a structural tag: its formats as an expression over pieces.

A format becomes a list of *items*, one after the other: constants, expressions, and schemas that
are compiled when a text comes near them. Alternatives that begin alike are put together: those with
constants become one switch over words, so that hundreds of tools are one hypothesis while the name
is written, and only the called one's arguments are compiled.

Free text with triggers is a switch that does not know the tools: all requests with the same
triggers share what is known of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache, partial
from typing import Any, Protocol, TypeVar

from maskc.errors import GrammarError, LimitError, SchemaError, TagError
from maskc.runtime.link.automata import ATOM
from maskc.runtime.link.joining.expressions import Expression, PieceExpression
from maskc.runtime.link.joining.machine_pieces import SchemaPiece
from maskc.runtime.link.joining.pieces import Word
from maskc.runtime.link.plan.composing import Composer, Constant, Item, check_words
from maskc.runtime.link.text import FreeWords
from maskc.runtime.link.text.without_words import may_be_forbidden
from maskc.runtime.schema.plan import Plan
from maskc.runtime.schema.plan.blanks import at_most
from maskc.tags import formats as f
from maskc.tags.arguments import Arguments
from maskc.tags.formats import Strings
from maskc.tags.styles import is_plain, may_wait

_Made = TypeVar("_Made")
_LINE_BREAK = "\n"  # no string of JSON has it, and what stands around strings needs none


class BuilderContext(Protocol):
    """What a kit lends; ``ends`` are the tokens that end the output."""

    composer: Composer
    ends: frozenset[int]

    def token_ids(self) -> frozenset[int]:
        """Return the tokens that write text or have a name, without those that end the output."""

    def schema(self, schema: Any, **layout: str) -> Expression:
        """Return a JSON Schema."""

    def plan(self, schema: Any) -> Plan:
        """Return the plan of a JSON Schema."""

    def compile(
        self, schema: Any, make: Callable[[Any], _Made], pointer: str
    ) -> tuple[_Made, tuple[str, ...]]:
        """Return what is made of a JSON Schema, or of a larger one with notes that say so."""

    def regex(self, pattern: str) -> Expression:
        """Return the expression of a pattern."""

    def gbnf(self, text: str) -> Expression:
        """Return the expression of a grammar."""


class LinkBuilder:
    """Builds the expressions of one request."""

    def __init__(self, context: BuilderContext, strings: Strings) -> None:
        self.context, self._strings = context, strings
        self.notes: list[str] = []  # what was made larger
        self.composer = self._compose = context.composer
        self._boundaries = context.composer.boundaries
        self._ends: dict[tuple[str, ...], list[Item]] = {}

    def build(self, root: f.Format) -> Expression:
        """Return the expression of a request.

        Raises:
            GrammarError, LimitError, SchemaError, TagError: a part of it cannot be compiled.
        """
        return self._compose.join(self._items(root))

    def _items(self, given: f.Format) -> list[Item]:
        match given:
            case f.Tag():
                begin = self._begin(given)
                return [*begin, *self._items(given.content), *self._end(given)]
            case f.ConstString():
                return self.text(given.value)
            case f.JsonSchema():
                return [self._owned(given)]
            case f.GrammarFormat():
                return [_make_at(given.pointer, partial(self.context.gbnf, given.text))]
            case f.Regex():
                return [_make_at(given.pointer, partial(self.context.regex, given.pattern))]
            case f.AnyText():
                return self._any_text(given)
            case f.SequenceFormat():
                return [item for element in given.elements for item in self._items(element)]
            case f.Either():
                return [self._compose.either([self._items(element) for element in given.elements])]
            case f.RepeatFormat():
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
        raise ValueError(f"{type(given).__name__} is not a format")

    def text(self, text: str) -> list[Item]:
        found: list[Item] = []
        for stretch in self._strings.cut(text):
            end = self._strings.find_end(stretch)
            if end is None:
                found.append(Constant(stretch.words))
                continue
            options: list[list[Item]] = [[self._compose.stop(end)]]
            for word in stretch.words:
                options.append([Constant((word,))])
            found.append(self._compose.either(options))
        return found

    def _token(self, token_id: int) -> Expression:
        if token_id in self.context.ends:
            return self._compose.stop(token_id)
        return self._compose.token(token_id)

    def _begin(self, tag: f.Tag) -> list[Item]:
        if isinstance(tag.begin, int):
            if tag.begin in self.context.ends:
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
        found = options[0] if len(options) == 1 else [self._compose.either(options)]
        self._ends[tag.ends] = found
        return found

    def _repeat(self, given: f.RepeatFormat) -> list[Item]:
        if given.high == 0:
            return []
        body = self._compose.join(self._items(given.content))
        return [self._boundaries.repetition(body, given.low, given.high)]

    def _owned(self, given: f.JsonSchema) -> Item:
        """Return a schema's values; an error names the tool whose arguments they are."""
        owner = f", in the tool {given.tool!r}" if given.tool else ""
        try:
            return self._schema(given)
        except SchemaError as error:
            fields = (error.pointer, error.keyword, f"{error.reason}{owner}", error.remedy)
            raise type(error)(*fields) from None
        except LimitError as error:
            location = (
                error.location if given.pointer in error.location else f"schema at {given.pointer}"
            )
            raise type(error)(error.what, error.limit, error.remedy, f"{location}{owner}") from None

    def _schema(self, given: f.JsonSchema) -> Item:
        if given.max_blanks is not None and given.style != "json":
            location = f"{given.pointer.rpartition('/')[0]}/max_whitespace_cnt"
            fact = f"blanks are not counted in the style {given.style}"
            raise TagError(location, fact, "leave it out for at most 8 blanks")
        schema = {"type": "object"} if given.schema is None else given.schema
        check_words([text.encode() for text in given.excludes])
        if given.style != "json":
            return self._arguments(given, schema)
        for number, text in enumerate(given.excludes):
            if text != _LINE_BREAK and not may_be_forbidden(text.encode()):
                location = f"{given.pointer.rpartition('/')[0]}/excludes/{number}"
                fact = f"JSON cannot always be written without {text!r}"
                raise TagError(
                    location, fact, "exclude texts with a character such as <, no quotes"
                )
        make = partial(
            self._compile,
            pointer=given.pointer,
            forbidden=given.excludes,
            key_order="any" if given.any_order else "schema",
            # What stands before and after the value is the tag's.
            blanks=at_most(given.max_blanks, on_line=_LINE_BREAK in given.excludes),
        )
        # What cannot be compiled is refused with the request.
        return partial(make, schema) if is_plain(schema) else self._make(given, schema, make)

    def _make(self, given: f.JsonSchema, schema: Any, make: Callable[[Any], _Made]) -> _Made:
        made, notes = self.context.compile(schema, make, given.pointer)
        owner = f" (tool {given.tool!r})" if given.tool else ""
        self.notes += [f"{note}{owner}" for note in notes]
        return made

    def _arguments(self, given: f.JsonSchema, schema: Any) -> Item:
        read = partial(
            Arguments,
            self,
            style=given.style,
            excludes=given.excludes,
            pointer=given.pointer,
            ordered=not given.any_order,
        )
        if may_wait(schema, given.style, given.excludes):
            # The same one whenever it is asked for.
            return cache(lambda: read(schema).expression())
        return self._make(given, schema, read).expression

    def free(self, forbidden: tuple[str, ...]) -> list[Item]:
        return self._any_text(f.AnyText("", forbidden, None, None))

    def json(self, schema: Any, forbidden: tuple[str, ...], numbers: str = "digits") -> Expression:
        """Return the expression of a value of a parameter, without some words."""
        # Parsers read an integer by its digits: 1.0 and 1e2 would be strings to them.
        blanks = at_most(None, on_line=_LINE_BREAK in forbidden)
        made = self.context.schema(schema, numbers=numbers, blanks=blanks)
        return self._bar(made, forbidden)

    def _compile(
        self, schema: Any, *, pointer: str, forbidden: tuple[str, ...], **layout: str
    ) -> Expression:
        made = _make_at(pointer, partial(self.context.schema, schema, **layout))
        return self._bar(made, forbidden)

    def _bar(self, value: Expression, forbidden: tuple[str, ...]) -> Expression:
        words = tuple(word for word in _texts(forbidden) if may_be_forbidden(word))
        if not words:
            return value
        assert isinstance(value, PieceExpression)  # noqa: S101  # as it is made
        assert isinstance(value.piece, SchemaPiece)  # noqa: S101
        return self._compose.forbidding_schema(value.piece, words)

    def _any_text(self, given: f.AnyText) -> list[Item]:
        if 0 in (given.max_tokens, given.max_characters):
            return []
        forbidden = _texts(given.excludes)
        if (given.max_tokens, given.max_characters) == (None, None):
            return [self._compose.free_text(FreeWords(forbidden=forbidden), (), loops=False)]
        return [self._compose.limited_text(forbidden, given.max_tokens, given.max_characters)]

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
                # A trigger with an excluded text in it is forbidden as well.
                is_forbidden = any(text in trigger for text in given.excludes)
                n_bytes = sizes[trigger] = 0 if is_forbidden else len(trigger.encode())
            for word in first.words if n_bytes else ():
                n_symbols = self._cover(word, n_bytes, rule.pointer)
                left = word[n_symbols:]
                after = [Constant((left,)), *rest[1:]] if left else rest[1:]
                options.setdefault(word[:n_symbols], []).append(after)
        if given.at_least_one and not given.loops:
            return [self._compose.either(firsts)]
        words = tuple(sorted(options))
        # Where only a token is a trigger, its characters are no text either.
        named = {*given.unused, *(str(rule.trigger) for rule in given.rules)}
        unused = tuple(sorted({tuple(name.encode()) for name in named} - options.keys()))
        targets = [partial(self._compose.either, options[word]) for word in words]
        looked_for = FreeWords(words, unused, _texts(given.excludes))
        free = self._compose.free_text(looked_for, targets, loops=given.loops)
        return [self._compose.either(firsts), free] if given.at_least_one else [free]

    def _cover(self, word: Word, n_bytes: int, pointer: str) -> int:
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
            if rule.trigger in self.context.ends:
                raise _ends_too_early(rule.pointer)
            rest = self._items(rule.content)
            if not rule.begins_with_trigger:
                rest = [Constant(((ATOM + int(rule.trigger),),)), *rest]
            firsts.append(rest)
        one = self._compose.either(firsts)
        if given.at_least_one and not given.loops:
            return [one]
        free = self._any_tokens(f.AnyTokens(given.pointer, given.excluded_ids, 0, None))
        after = [one, *free] if given.loops else [one]
        high = None if given.loops else 1
        found: list[Item] = [*free, self._boundaries.repetition(self._compose.join(after), 0, high)]
        return [one, *found] if given.at_least_one else found

    def _any_tokens(self, given: f.AnyTokens) -> list[Item]:
        if given.high == 0:
            return []

        def find() -> frozenset[int]:
            ids = self.context.token_ids() - given.excludes
            if not ids:
                raise TagError(given.pointer, "no token is left", "exclude fewer tokens")
            return ids

        one = self._compose.tokens(tuple(sorted(given.excludes)), find)
        return [self._boundaries.repetition(one, given.low, given.high)]

    def _separated(self, given: f.Separated) -> list[Item]:
        one = self._compose.either([self._items(tag) for tag in given.tags])
        whole: Expression = one
        if not given.stops_after_first:
            separator = self.text(given.separator)
            more = self._boundaries.repetition(self._compose.join([*separator, one]), 0, None)
            whole = self._boundaries.sequence([one, more])
        return [whole if given.at_least_one else self._boundaries.repetition(whole, 0, 1)]


def _texts(texts: Iterable[str]) -> tuple[bytes, ...]:
    return tuple(sorted({text.encode() for text in texts}))


def _ends_too_early(pointer: str) -> TagError:
    return TagError(pointer, "it begins with the end of the sequence", "begin with another token")


def _make_at(pointer: str, make: Callable[[], _Made]) -> _Made:
    """Return what is made; an error has the location of the format."""
    try:
        return make()
    except SchemaError as error:
        location = f"{pointer}{error.pointer.removeprefix('#')}"
        raise type(error)(location, error.keyword, error.reason, error.remedy) from None
    except GrammarError as error:
        raise TagError(pointer, f"{error.name}: {error.reason}", "correct it") from None
