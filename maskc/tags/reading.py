"""What does a structural tag ask for? Its JSON as a tree of formats, or why it is refused.

Both request forms are read: ``{"type": "structural_tag", "format": …}``, and the older one with
``structures`` and ``triggers``. A free text inside of a tag does not have the end of the nearest
tag around it; texts and tokens are told apart, so an end that is a token bars no text.

Whatever is not known is refused with its place: another type, another field, a wrong value.

Example: a tag whose end is missing is refused with ``structural tag at /format/end``.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from maskc.errors import TagError
from maskc.tags import formats as f
from maskc.tags.around import NOTHING_AROUND, Around
from maskc.tags.dispatching import (
    make_triggered,
    read_dispatch,
    read_token_dispatch,
    read_token_triggered_tags,
    read_triggered_tags,
)
from maskc.tags.fields import (
    check_fields,
    check_schema,
    check_utf8,
    read_count,
    read_flag,
    read_items,
    read_text,
    read_texts,
)
from maskc.tags.token_names import FindToken, TokenNames

MAX_FORMATS = 100_000
MAX_DEPTH = 60


class Reader:
    """Reads the formats of one request.

    Args:
        vocab_size: number of tokens.
        find_token: name of a token → its id, ``None`` if there is none.

    Attributes:
        tokens: finds tokens.
    """

    def __init__(self, vocab_size: int, find_token: FindToken) -> None:
        self.tokens = TokenNames(vocab_size, find_token)
        self._n_formats = 0
        self._readers: dict[str, Callable[[Mapping[str, Any], str, Around], f.Format]] = {
            "const_string": self._const_string,
            "json_schema": self._json_schema,
            "qwen_xml_parameter": self._qwen_xml_parameter,
            "grammar": self._grammar,
            "regex": self._regex,
            "any_text": self._any_text,
            "sequence": self._sequence,
            "or": self._or,
            "optional": self._optional,
            "plus": self._plus,
            "star": self._star,
            "repeat": self._repeat,
            "tag": self._tag,
            "triggered_tags": partial(read_triggered_tags, self),
            "tags_with_separator": self._tags_with_separator,
            "dispatch": partial(read_dispatch, self),
            "token": self._token,
            "exclude_token": self._exclude_token,
            "any_tokens": self._any_tokens,
            "token_triggered_tags": partial(read_token_triggered_tags, self),
            "token_dispatch": partial(read_token_dispatch, self),
        }

    def read(self, tag: Mapping[str, Any]) -> f.Format:
        """Return the formats of a request.

        Raises:
            TagError: it is none, or asks for what is not supported.
        """
        if tag.get("type", "structural_tag") != "structural_tag":
            raise TagError("/type", "it is not structural_tag", "give a structural tag")
        if "format" in tag:
            check_fields(tag, "", ("type", "format"))
            return self.format(tag["format"], "/format", NOTHING_AROUND)
        if "structures" in tag:
            return self._legacy(tag)
        raise TagError("", "it has no format", "give a format, or structures and triggers")

    def _legacy(self, tag: Mapping[str, Any]) -> f.Format:
        check_fields(tag, "", ("type", "structures", "triggers", "at_least_one"))
        tags = []
        for pointer, given in read_items(tag, "", "structures"):
            # Our plug-in for SGLang adds excludes: maskc/integrations/sglang_tools.py.
            check_fields(given, pointer, ("begin", "schema", "end", "excludes"))
            schema = given.get("schema")
            if isinstance(schema, str):
                try:
                    schema = json.loads(schema)
                except (ValueError, RecursionError):
                    place = f"{pointer}/schema"
                    raise TagError(place, "it is no JSON", "give a JSON Schema") from None
            # SGLang leaves the schema out where any value will do.
            given_schema = {} if schema is None else schema
            words = tuple(read_texts(given, pointer, "excludes", may_lack=True))
            content = f.JsonSchema(f"{pointer}/schema", given_schema, "json", False, None, words)
            check_schema(schema, content.pointer)
            begin, end = read_text(given, pointer, "begin"), read_text(given, pointer, "end")
            tags.append(f.Tag(pointer, begin, content, (end,)))
        triggers = read_texts(tag, "", "triggers")
        at_least_one = read_flag(tag, "", "at_least_one")
        return make_triggered("", triggers, tags, (), at_least_one=at_least_one, loops=True)

    def format(self, given: Any, pointer: str, around: Around) -> f.Format:
        """Return a format at its place; those of a family are read already."""
        self._n_formats += 1
        if self._n_formats > MAX_FORMATS:
            raise TagError(pointer, f"there are more than {MAX_FORMATS:,} formats", "split the tag")
        if around.depth > MAX_DEPTH:
            raise TagError(pointer, f"it is nested deeper than {MAX_DEPTH} levels", "nest less")
        if isinstance(given, f.Format):
            return given
        if not isinstance(given, Mapping):
            raise TagError(pointer, "it is no JSON object", "give a format")
        kind = given.get("type")
        read = self._readers.get(kind) if isinstance(kind, str) else None
        if read is None:
            known = ", ".join(self._readers)
            raise TagError(f"{pointer}/type", f"{kind!r} is no known format", f"use one of {known}")
        return read(given, pointer, around.deeper())

    def _const_string(self, given: Mapping[str, Any], pointer: str, _: Around) -> f.Format:
        check_fields(given, pointer, ("type", "value"))
        return f.ConstString(pointer, read_text(given, pointer, "value"))

    def _json_schema(self, given: Mapping[str, Any], pointer: str, _: Around) -> f.Format:
        fields = ("type", "json_schema", "style", "any_order", "max_whitespace_cnt", "excludes")
        check_fields(given, pointer, fields)
        return self._schema(given, pointer, given.get("style", "json"))

    def _qwen_xml_parameter(self, given: Mapping[str, Any], pointer: str, _: Around) -> f.Format:
        check_fields(given, pointer, ("type", "json_schema", "any_order", "max_whitespace_cnt"))
        return self._schema(given, pointer, "qwen_xml")

    def _schema(self, given: Mapping[str, Any], pointer: str, style: Any) -> f.Format:
        if style not in f.STYLES:
            known = ", ".join(f.STYLES)
            raise TagError(f"{pointer}/style", f"{style!r} is no style", f"use one of {known}")
        if "json_schema" not in given:
            raise TagError(f"{pointer}/json_schema", "it is missing", "give a JSON Schema")
        check_schema(given["json_schema"], f"{pointer}/json_schema")
        return f.JsonSchema(
            f"{pointer}/json_schema",
            given["json_schema"],
            style,
            read_flag(given, pointer, "any_order"),
            read_count(given, pointer, "max_whitespace_cnt"),
            tuple(read_texts(given, pointer, "excludes", may_lack=True)),
        )

    def _grammar(self, given: Mapping[str, Any], pointer: str, _: Around) -> f.Format:
        check_fields(given, pointer, ("type", "grammar"))
        return f.Grammar(pointer, read_text(given, pointer, "grammar"))

    def _regex(self, given: Mapping[str, Any], pointer: str, _: Around) -> f.Format:
        check_fields(given, pointer, ("type", "pattern"))
        return f.Regex(pointer, read_text(given, pointer, "pattern"))

    def _any_text(self, given: Mapping[str, Any], pointer: str, around: Around) -> f.Format:
        check_fields(given, pointer, ("type", "excludes", "max_tokens", "max_chars"))
        excludes = read_texts(given, pointer, "excludes", may_lack=True)
        return f.AnyText(
            pointer,
            (*excludes, *around.ends),
            read_count(given, pointer, "max_tokens"),
            read_count(given, pointer, "max_chars"),
        )

    def _elements(
        self, given: Mapping[str, Any], pointer: str, around: Around
    ) -> tuple[f.Format, ...]:
        check_fields(given, pointer, ("type", "elements"))
        return tuple(
            self.format(inner, place, around)
            for place, inner in read_items(given, pointer, "elements")
        )

    def _sequence(self, given: Mapping[str, Any], pointer: str, around: Around) -> f.Format:
        return f.Sequence(pointer, self._elements(given, pointer, around))

    def _or(self, given: Mapping[str, Any], pointer: str, around: Around) -> f.Format:
        return f.Either(pointer, self._elements(given, pointer, around))

    def _optional(self, given: Mapping[str, Any], pointer: str, around: Around) -> f.Format:
        return f.Repeat(pointer, self._content(given, pointer, around), 0, 1)

    def _plus(self, given: Mapping[str, Any], pointer: str, around: Around) -> f.Format:
        return f.Repeat(pointer, self._content(given, pointer, around), 1, None)

    def _star(self, given: Mapping[str, Any], pointer: str, around: Around) -> f.Format:
        return f.Repeat(pointer, self._content(given, pointer, around), 0, None)

    def _content(
        self, given: Mapping[str, Any], pointer: str, around: Around, *others: str
    ) -> f.Format:
        check_fields(given, pointer, ("type", "content", *others))
        if "content" not in given:
            raise TagError(f"{pointer}/content", "it is missing", "give a format")
        return self.format(given["content"], f"{pointer}/content", around)

    def _repeat(self, given: Mapping[str, Any], pointer: str, around: Around) -> f.Format:
        content = self._content(given, pointer, around, "min", "max")
        low, high = read_count(given, pointer, "min"), given.get("max")
        if low is None:
            raise TagError(f"{pointer}/min", "it is missing", "give a number")
        if high == -1 and type(high) is int:
            return f.Repeat(pointer, content, low, None)
        high = read_count(given, pointer, "max")
        if high is None or high < low:
            raise TagError(f"{pointer}/max", f"it is not -1, or at least {low}", "correct it")
        return f.Repeat(pointer, content, low, high)

    def _tag(self, given: Mapping[str, Any], pointer: str, around: Around) -> f.Tag:
        check_fields(given, pointer, ("type", "begin", "content", "end"))
        begin = self._delimiter(given.get("begin"), f"{pointer}/begin")
        end = given.get("end")
        ends: tuple[str, ...] | int
        if isinstance(end, list):
            ends = tuple(read_texts(given, pointer, "end", may_be_empty=True))
            if not ends:
                raise TagError(f"{pointer}/end", "it is empty", "give one end at least")
        else:
            found = self._delimiter(end, f"{pointer}/end")
            ends = found if isinstance(found, int) else (found,)
        if "content" not in given:
            raise TagError(f"{pointer}/content", "it is missing", "give a format")
        inner = Around(
            tuple(filter(None, ends)) if isinstance(ends, tuple) else (),
            frozenset([ends]) if isinstance(ends, int) else frozenset(),
            around.depth,
        )
        content = self.format(given["content"], f"{pointer}/content", inner)
        return f.Tag(pointer, begin, content, ends)

    def _delimiter(self, given: Any, pointer: str) -> str | int:
        if isinstance(given, str):
            check_utf8(given, pointer)
            return given
        if isinstance(given, Mapping) and given.get("type") == "token":
            check_fields(given, pointer, ("type", "token"))
            return self.tokens.find(given.get("token"), f"{pointer}/token")
        raise TagError(pointer, "it is no text and no token", "give one of them")

    def tags(self, given: Mapping[str, Any], pointer: str, around: Around) -> list[f.Tag]:
        """Return the tags that a format lists."""
        found = []
        for place, inner in read_items(given, pointer, "tags"):
            if isinstance(inner, f.Tag):
                found.append(inner)
                continue
            if not isinstance(inner, Mapping) or inner.get("type", "tag") != "tag":
                raise TagError(place, "it is no tag", "give an object of type tag")
            self._n_formats += 1
            found.append(self._tag(inner, place, around.deeper()))
        return found

    def _tags_with_separator(
        self, given: Mapping[str, Any], pointer: str, around: Around
    ) -> f.Format:
        flags = ("at_least_one", "stop_after_first")
        check_fields(given, pointer, ("type", "tags", "separator", *flags))
        return f.Separated(
            pointer,
            tuple(self.tags(given, pointer, around)),
            read_text(given, pointer, "separator"),
            read_flag(given, pointer, "at_least_one"),
            read_flag(given, pointer, "stop_after_first"),
        )

    def _token(self, given: Mapping[str, Any], pointer: str, _: Around) -> f.Format:
        check_fields(given, pointer, ("type", "token"))
        return f.Token(pointer, self.tokens.find(given.get("token"), f"{pointer}/token"))

    def _exclude_token(self, given: Mapping[str, Any], pointer: str, around: Around) -> f.Format:
        check_fields(given, pointer, ("type", "exclude_tokens"))
        excludes = self.tokens.find_all(given, pointer, "exclude_tokens") | around.end_ids
        return f.AnyTokens(pointer, excludes, 1, 1)

    def _any_tokens(self, given: Mapping[str, Any], pointer: str, around: Around) -> f.Format:
        check_fields(given, pointer, ("type", "exclude_tokens", "max_tokens"))
        excludes = self.tokens.find_all(given, pointer, "exclude_tokens") | around.end_ids
        return f.AnyTokens(pointer, excludes, 0, read_count(given, pointer, "max_tokens"))
