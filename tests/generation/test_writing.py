"""What a model writes is followed: members, stop strings, the last event."""

import itertools
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maskc.errors import WrongTypeError
from maskc.generation import MemberReader, Writing
from maskc.generation.models import Wanted, read_wanted

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)


def cut(text, indices):
    """Return a text in pieces, cut at some indices."""
    ends = [0, *sorted(index % (len(text) + 1) for index in indices), len(text)]
    return [text[a:b] for a, b in itertools.pairwise(ends)]


@given(
    value=JSON, indices=st.lists(st.integers(0, 99), max_size=4), indent=st.sampled_from([None, 1])
)
def test_members_are_those_of_the_object_however_it_is_cut(value, indices, indent):
    members = MemberReader()
    for piece in cut(json.dumps(value, indent=indent, ensure_ascii=False), indices):
        members.feed(piece)
    assert members.found == (value if isinstance(value, dict) else {})


def test_a_member_is_there_when_it_is_complete_and_not_before():
    members, seen = MemberReader(), []
    for character in '{"a": [1, 2], "b": 12}':
        members.feed(character)
        seen.append(len(members.found))
    assert seen == [0] * 12 + [1] * 9 + [2]


@pytest.mark.parametrize("text", ['{"a": }', "]]]", "[" * 100_000, '{"a" 1, "b": 2}'])
def test_what_is_no_json_has_no_such_members(text):
    members = MemberReader()
    members.feed(text)
    assert set(members.found) <= {"b"}


@given(
    text=st.text("abc", max_size=12),
    stop=st.lists(st.text("abc", min_size=1, max_size=3), max_size=3),
    indices=st.lists(st.integers(0, 99), max_size=4),
)
def test_a_text_ends_before_its_first_stop_string_however_it_is_cut(text, stop, indices):
    writing = Writing(Wanted(str), tuple(stop))
    deltas = []
    for piece in cut(text, indices):
        deltas.append(writing.take(piece).delta)
        if writing.is_stopped:
            break
    last = writing.finish("stop")
    ends = [text.find(word) for word in stop if word in text]
    if ends:
        assert (last.finish_reason, writing.is_stopped) == ("stop_string", True)
        # The words may begin at several indices; a piece shows the first that is whole.
        assert text.startswith(last.text)
        assert not any(word in last.text for word in stop)
    else:
        assert (last.text, last.finish_reason, last.value) == (text, "stop", text)
    assert "".join([*deltas, last.delta]) == last.text


def test_a_text_that_was_cut_has_no_value():
    writing = Writing(read_wanted({"type": "object"}), (), MemberReader())
    assert writing.take('{"a": 1, "b": ').fields == {"a": 1}
    last = writing.finish("length")
    assert (last.finish_reason, last.value, last.fields) == ("length", None, {"a": 1})


@pytest.mark.parametrize("wanted", ['{"type": "string"}', None, 3, ["a"]])
def test_what_is_wanted_is_a_type_a_schema_or_a_constraint(wanted):
    with pytest.raises(WrongTypeError, match="what is wanted must be a type"):
        read_wanted(wanted)
