"""What a structural tag asks for: its JSON as a tree of formats, or why it is refused.

Both request forms are read (docs/structural-tags.md). A free text inside of a tag does not have the
end of the nearest tag around it; texts and tokens are told apart, so an end that is a token bars no
text. The four formats of free text, or free tokens, that turn to something at a trigger become one
value, a dispatch. Whatever is not known is refused with its location.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from maskc.errors import TagError
from maskc.tags import formats as f
from maskc.tags.fields import (
    Around,
    FindToken,
    Form,
    TokenNames,
    check_schema,
    check_triggers,
    check_utf8,
)
from maskc.tags.styles import STYLES

MAX_FORMATS = 100_000
MAX_DEPTH = 60
_NOTHING_AROUND = Around()
_TAG_FIELDS = ("type", "begin", "content", "end")


class TagReader:
    """Reads the formats of one request; ``find_token`` returns ``None`` for no token."""

    def __init__(self, vocab_size: int, find_token: FindToken) -> None:
        self._tokens = TokenNames(vocab_size, find_token)
        self._n_formats = 0

    def read(self, tag: Mapping[str, Any]) -> f.Format:
        """Return the formats of a request; TagError if it asks for what is not supported."""
        if tag.get("type", "structural_tag") != "structural_tag":
            raise TagError("/type", "it is not structural_tag", "give a structural tag")
        if "format" in tag:
            self._form(tag, "", ("type", "format"), _NOTHING_AROUND)
            return self.format(tag["format"], "/format", _NOTHING_AROUND)
        if "structures" in tag:
            return self._legacy(tag)
        raise TagError("", "it has no format", "give a format, or structures and triggers")

    def _form(self, given: Any, pointer: str, known: Sequence[str], around: Around) -> Form:
        return Form(given, pointer, known, self._tokens, around)

    def _legacy(self, tag: Mapping[str, Any]) -> f.Format:
        known = ("type", "structures", "triggers", "at_least_one")
        whole, tags = self._form(tag, "", known, _NOTHING_AROUND), []
        for pointer, given in whole.items("structures"):
            # Our plug-in for SGLang adds excludes: maskc/integrations/sglang.py.
            known = ("begin", "schema", "end", "excludes")
            form = self._form(given, pointer, known, _NOTHING_AROUND)
            schema = form.given.get("schema")
            if isinstance(schema, str):
                try:
                    schema = json.loads(schema)
                except (ValueError, RecursionError):
                    raise form.refuse("schema", "it is not JSON", "give a JSON Schema") from None
            # SGLang leaves the schema out where any value will do.
            schema = {} if schema is None else schema
            location = form.locate("schema")
            content = f.JsonSchema(location, schema, "json", False, None, form.excludes())
            check_schema(schema, location)
            tags.append(f.Tag(pointer, form.text("begin"), content, (form.text("end"),)))
        at_least_one = whole.flag("at_least_one")
        return _triggered(whole, tags, whole.texts("triggers"), (), at_least_one, loops=True)

    def format(self, given: Any, pointer: str, around: Around) -> f.Format:
        """Return the format at a pointer; those of a family are read already."""
        self._n_formats += 1
        if self._n_formats > MAX_FORMATS:
            raise TagError(pointer, f"there are more than {MAX_FORMATS:,} formats", "split the tag")
        if around.depth > MAX_DEPTH:
            raise TagError(pointer, f"it is nested deeper than {MAX_DEPTH} levels", "nest less")
        if isinstance(given, f.Format):
            return given
        if not isinstance(given, Mapping):
            raise TagError(pointer, "it is not a JSON object", "give a format")
        kind = given.get("type")
        found = _FORMATS.get(kind) if isinstance(kind, str) else None
        if found is None:
            known = ", ".join(_FORMATS)
            raise TagError(
                f"{pointer}/type", f"{kind!r} is not a known format", f"use one of {known}"
            )
        fields, read = found
        return read(self, self._form(given, pointer, ("type", *fields), around.deeper()))

    def content(self, form: Form, around: Around | None = None) -> f.Format:
        if "content" not in form.given:
            raise form.refuse("content", "it is missing", "give a format")
        return self.format(form.given["content"], form.locate("content"), around or form.around)

    def elements(self, form: Form) -> tuple[f.Format, ...]:
        items = form.items("elements")
        return tuple([self.format(inner, location, form.around) for location, inner in items])

    def tag(self, form: Form) -> f.Tag:
        begin = self._delimiter(form.given.get("begin"), form.locate("begin"))
        ends = self._ends(form)
        texts, ids = ((), (ends,)) if isinstance(ends, int) else (tuple(filter(None, ends)), ())
        inner = Around(texts, frozenset(ids), form.around.depth)
        return f.Tag(form.pointer, begin, self.content(form, inner), ends)

    def _ends(self, form: Form) -> tuple[str, ...] | int:
        end = form.given.get("end")
        if not isinstance(end, list):
            found = self._delimiter(end, form.locate("end"))
            return found if isinstance(found, int) else (found,)
        if not end:
            raise form.refuse("end", "it is empty", "give one end at least")
        return tuple(form.texts("end", may_be_empty=True))

    def _delimiter(self, given: Any, pointer: str) -> str | int:
        if isinstance(given, str):
            return check_utf8(given, pointer)
        if isinstance(given, Mapping) and given.get("type") == "token":
            return self._form(given, pointer, ("type", "token"), _NOTHING_AROUND).token("token")
        raise TagError(pointer, "it is neither text nor a token", "give one of them")

    def tags(self, form: Form) -> list[f.Tag]:
        found = []
        for location, inner in form.items("tags"):
            if isinstance(inner, f.Tag):
                found.append(inner)
                continue
            if not isinstance(inner, Mapping) or inner.get("type", "tag") != "tag":
                raise TagError(location, "it is not a tag", "give an object of type tag")
            self._n_formats += 1
            found.append(self.tag(self._form(inner, location, _TAG_FIELDS, form.around.deeper())))
        return found

    def rules(self, form: Form, trigger_of: Callable[[Any, str], str | int]) -> list[f.TriggerRule]:
        """Return the rules of a dispatch: pairs of a trigger and what follows it."""
        found = []
        for location, pair in form.items("rules"):
            if not isinstance(pair, list | tuple) or len(pair) != 2:
                raise TagError(location, "it is not a pair", "give a trigger and a format")
            trigger = trigger_of(pair[0], f"{location}/0")
            content = self.format(pair[1], f"{location}/1", form.around)
            found.append(f.TriggerRule(trigger, content, False, location))
        return found


def _schema(_reader: TagReader, form: Form, style: str = "") -> f.Format:
    style = style or form.given.get("style", "json")
    if style != "json" and not (isinstance(style, str) and style in STYLES):
        known = ", ".join(("json", *STYLES))
        raise form.refuse("style", f"{style!r} is no style", f"use one of {known}")
    if "json_schema" not in form.given:
        raise form.refuse("json_schema", "it is missing", "give a JSON Schema")
    schema, location = form.given["json_schema"], form.locate("json_schema")
    check_schema(schema, location)
    any_order, most = form.flag("any_order"), form.count("max_whitespace_cnt")
    return f.JsonSchema(location, schema, style, any_order, most, form.excludes())


def _any_text(_reader: TagReader, form: Form) -> f.Format:
    excludes = (*form.excludes(), *form.around.ends)
    return f.AnyText(form.pointer, excludes, form.count("max_tokens"), form.count("max_chars"))


def _repeat(reader: TagReader, form: Form) -> f.Format:
    content = reader.content(form)
    low, high = form.count("min"), form.given.get("max")
    if low is None:
        raise form.refuse("min", "it is missing", "give a number")
    if high == -1 and type(high) is int:
        return f.RepeatFormat(form.pointer, content, low, None)
    high = form.count("max")
    if high is None or high < low:
        raise form.refuse("max", f"it is not -1, or at least {low}", "correct it")
    return f.RepeatFormat(form.pointer, content, low, high)


def _separated(reader: TagReader, form: Form) -> f.Format:
    return f.Separated(
        form.pointer,
        tuple(reader.tags(form)),
        form.text("separator"),
        form.flag("at_least_one"),
        form.flag("stop_after_first"),
    )


def _free_tokens(form: Form) -> frozenset[int]:
    return form.token_list("exclude_tokens") | form.around.end_ids


def _triggered_tags(reader: TagReader, form: Form) -> f.Format:
    triggers, tags = form.texts("triggers"), reader.tags(form)
    excludes = (*form.excludes(), *form.around.ends)
    at_least_one, loops = form.flag("at_least_one"), not form.flag("stop_after_first")
    return _triggered(form, tags, triggers, excludes, at_least_one, loops=loops)


def _triggered(
    form: Form,
    tags: list[f.Tag],
    triggers: list[str],
    excludes: tuple[str, ...],
    at_least_one: bool,  # noqa: FBT001  # as the format has it
    *,
    loops: bool,
) -> f.Format:
    """Return free text with tags, each of which matches exactly one trigger."""
    check_triggers(triggers, form.locate("triggers"))
    by_length = sorted({len(trigger) for trigger in triggers})
    known, rules = set(triggers), []
    for tag in tags:
        location = f"{tag.pointer}/begin"
        if not isinstance(tag.begin, str):
            raise TagError(location, "it is a token", "use token_triggered_tags, or give a text")
        # No trigger is the beginning of another, so there is one at most.
        starts = (tag.begin[:n] for n in by_length)
        trigger = next((start for start in starts if start in known), None)
        if trigger is None:
            raise TagError(location, "it begins with no trigger", "add its beginning to triggers")
        rules.append(f.TriggerRule(trigger, tag, True, tag.pointer))
    used: set[str | int] = {rule.trigger for rule in rules}
    unused = tuple(trigger for trigger in triggers if trigger not in used)
    return f.Dispatch(
        form.pointer, tuple(rules), unused, excludes, at_least_one=at_least_one, loops=loops
    )


def _dispatch(reader: TagReader, form: Form) -> f.Format:
    rules = reader.rules(form, _as_trigger)
    check_triggers([str(rule.trigger) for rule in rules], form.locate("rules"))
    loops, excludes = form.flag("loop", default=True), form.excludes()
    return f.Dispatch(form.pointer, tuple(rules), excludes=excludes, loops=loops)


def _as_trigger(given: Any, pointer: str) -> str:
    if not isinstance(given, str):
        raise TagError(pointer, "it is not a string", "give a trigger")
    return given


def _token_triggered_tags(reader: TagReader, form: Form) -> f.Format:
    if not form.given.get("trigger_tokens"):
        raise form.refuse("trigger_tokens", "it is empty", "give one trigger at least")
    triggers, rules = form.token_list("trigger_tokens"), []
    for tag in reader.tags(form):
        location = f"{tag.pointer}/begin"
        if not isinstance(tag.begin, int):
            raise TagError(location, "it is a text", "use triggered_tags, or give a token")
        if tag.begin not in triggers:
            raise TagError(location, "it is not a trigger", "add it to trigger_tokens")
        rules.append(f.TriggerRule(tag.begin, tag, True, tag.pointer))
    return f.Dispatch(
        form.pointer,
        tuple(rules),
        excluded_ids=_free_tokens(form) | triggers,
        of_tokens=True,
        at_least_one=form.flag("at_least_one"),
        loops=not form.flag("stop_after_first"),
    )


def _token_dispatch(reader: TagReader, form: Form) -> f.Format:
    rules = reader.rules(form, form.tokens.find)
    excluded = form.token_list("exclude_tokens") | {int(rule.trigger) for rule in rules}
    loops = form.flag("loop", default=True)
    return f.Dispatch(
        form.pointer, tuple(rules), excluded_ids=excluded, of_tokens=True, loops=loops
    )


def _repeated(low: int, high: int | None) -> Callable[[TagReader, Form], f.Format]:
    return lambda reader, at: f.RepeatFormat(at.pointer, reader.content(at), low, high)


_OF_TAGS = ("at_least_one", "stop_after_first")
_OF_SCHEMAS = ("any_order", "max_whitespace_cnt")
# Type of a format → its fields, and what reads them.
_FORMATS: dict[str, tuple[tuple[str, ...], Callable[[TagReader, Form], f.Format]]] = {
    "const_string": (("value",), lambda _, at: f.ConstString(at.pointer, at.text("value"))),
    "json_schema": (("json_schema", "style", *_OF_SCHEMAS, "excludes"), _schema),
    "qwen_xml_parameter": (("json_schema", *_OF_SCHEMAS), lambda r, at: _schema(r, at, "qwen_xml")),
    "grammar": (("grammar",), lambda _, at: f.GrammarFormat(at.pointer, at.text("grammar"))),
    "regex": (("pattern",), lambda _, at: f.Regex(at.pointer, at.text("pattern"))),
    "any_text": (("excludes", "max_tokens", "max_chars"), _any_text),
    "sequence": (("elements",), lambda r, at: f.SequenceFormat(at.pointer, r.elements(at))),
    "or": (("elements",), lambda r, at: f.Either(at.pointer, r.elements(at))),
    "optional": (("content",), _repeated(0, 1)),
    "plus": (("content",), _repeated(1, None)),
    "star": (("content",), _repeated(0, None)),
    "repeat": (("content", "min", "max"), _repeat),
    "tag": (_TAG_FIELDS[1:], TagReader.tag),
    "triggered_tags": (("triggers", "tags", "excludes", *_OF_TAGS), _triggered_tags),
    "tags_with_separator": (("tags", "separator", *_OF_TAGS), _separated),
    "dispatch": (("rules", "loop", "excludes"), _dispatch),
    "token": (("token",), lambda _, at: f.Token(at.pointer, at.token("token"))),
    "exclude_token": (
        ("exclude_tokens",),
        lambda _, at: f.AnyTokens(at.pointer, _free_tokens(at), 1, 1),
    ),
    "any_tokens": (
        ("exclude_tokens", "max_tokens"),
        lambda _, at: f.AnyTokens(at.pointer, _free_tokens(at), 0, at.count("max_tokens")),
    ),
    "token_triggered_tags": (
        ("trigger_tokens", "tags", "exclude_tokens", *_OF_TAGS),
        _token_triggered_tags,
    ),
    "token_dispatch": (("rules", "loop", "exclude_tokens"), _token_dispatch),
}
