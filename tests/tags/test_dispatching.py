"""The rules of free text with triggers, which are texts or tokens."""

from typing import Any

import pytest

from maskc.errors import TagError
from maskc.tags import formats as f
from maskc.tags.reading import Reader

_TEXT = {"type": "any_text"}
_TAG = {"type": "tag", "begin": "<a>", "content": _TEXT, "end": "</a>"}
_ATOM = {**_TAG, "begin": {"type": "token", "token": "<s>"}}


def _read(form: Any) -> f.Dispatch:
    read = Reader(10, {"<s>": 3, "<t>": 4}.get).read({"format": form})
    assert isinstance(read, f.Dispatch)
    return read


def test_a_tag_belongs_to_the_trigger_that_it_begins_with() -> None:
    tags = [_TAG, {**_TAG, "begin": "<b"}]
    read = _read({"type": "triggered_tags", "triggers": ["<a", "<b", "<c"], "tags": tags})
    assert [(rule.trigger, rule.begins_with_trigger) for rule in read.rules] == [
        ("<a", True),
        ("<b", True),
    ]
    assert (read.unused, read.loops, read.at_least_one) == (("<c",), True, False)


def test_what_a_dispatch_turns_to_stands_after_its_trigger() -> None:
    read = _read({"type": "dispatch", "rules": [["<a", _TEXT]], "loop": False})
    assert [(rule.trigger, rule.begins_with_trigger) for rule in read.rules] == [("<a", False)]
    assert (read.loops, read.of_tokens) == (False, False)


def test_free_text_in_a_tag_lacks_its_end_and_what_a_dispatch_excludes() -> None:
    inner = {"type": "triggered_tags", "triggers": ["<a"], "tags": [_TAG], "excludes": ["x"]}
    tag = Reader(10, {}.get).read({"format": {**_TAG, "begin": "<o>", "content": inner}})
    assert isinstance(tag, f.Tag)
    assert isinstance(tag.content, f.Dispatch)
    assert tag.content.excludes == ("x", "</a>")


def test_tokens_that_are_triggers_are_not_among_the_free_ones() -> None:
    read = _read({"type": "token_triggered_tags", "trigger_tokens": ["<s>", "<t>"],
                  "tags": [_ATOM], "exclude_tokens": [5]})  # fmt: skip
    assert (read.of_tokens, read.excluded_ids) == (True, {3, 4, 5})
    read = _read({"type": "token_dispatch", "rules": [["<s>", _TEXT]], "exclude_tokens": [5]})
    assert (read.of_tokens, read.excluded_ids, read.rules[0].trigger) == (True, {3, 5}, 3)


@pytest.mark.parametrize(
    ("form", "pointer"),
    [
        ({"type": "token_triggered_tags", "tags": [_ATOM]}, "/format/trigger_tokens"),
        (
            {"type": "token_triggered_tags", "trigger_tokens": ["<t>"], "tags": [_ATOM]},
            "/format/tags/0/begin",
        ),
        (
            {"type": "token_triggered_tags", "trigger_tokens": ["<s>"], "tags": [_TAG]},
            "/format/tags/0/begin",
        ),
        (
            {"type": "triggered_tags", "triggers": ["<"], "tags": [_ATOM]},
            "/format/tags/0/begin",
        ),
        ({"type": "dispatch", "rules": [[3, _TEXT]]}, "/format/rules/0/0"),
        ({"type": "dispatch", "rules": [["a"]]}, "/format/rules/0"),
    ],
)
def test_what_fits_no_trigger_is_refused_with_its_place(form: Any, pointer: str) -> None:
    with pytest.raises(TagError) as caught:
        _read(form)
    assert caught.value.pointer == pointer
