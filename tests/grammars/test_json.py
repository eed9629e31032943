"""json_unbounded.lark is RFC 8259: it agrees with the standard library's json on every text.

json.lark reads the same but for more than 64 blanks in a row.

The json module is lenient in two places: it knows NaN and Infinity, and with ``strict=False``
control characters in strings. Both are switched off here.
"""

import json
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from lark import Lark
from lark.exceptions import LarkError

from maskc.frontends.lark.build import build_lark
from maskc.frontends.source import load_source
from tests.grammars.folder import GRAMMARS


@pytest.fixture(scope="module")
def parser() -> Lark:
    return build_lark(load_source(GRAMMARS / "json_unbounded.lark"))


@pytest.fixture(scope="module")
def bounded() -> Lark:
    return build_lark(load_source(GRAMMARS / "json.lark"))


def accepts(parser, text):
    try:
        parser.parse(text)
    except LarkError:
        return False
    return True


def is_json(text):
    def refuse(_constant):
        raise ValueError

    try:
        json.loads(text, parse_constant=refuse)
    except ValueError:
        return False
    return True


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    # A lone surrogate has no UTF-8 encoding, so no text that a model writes holds one.
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=20,
)
# Characters that decide something in JSON, and a few that look as if they did.
blanks = st.sampled_from(" \t\n\r")
soup = st.text(st.sampled_from('{}[]:,"\\/ \t\n\r\f\v\0bfnrtu0123456789-+.eEaAx\u00a0\u0663\ufeff'))
pieces = st.lists(
    st.sampled_from(
        [
            *"{}[]:, \n",
            *('"a"', '"\\u00e9"', '"\\u00e"', '"\\x"', '"\\""', '"\t"', '"', "'a'", "a"),
            *("0", "01", "-0", "-", "+1", "1.", ".5", "1.5", "1e5", "1E+05", "1e", "0x1"),
            *("true", "false", "null", "True", "NaN", "Infinity", "// c", "/* c */"),
        ]
    ),
    max_size=8,
).map("".join)


@given(values, st.sampled_from([None, 0, 1, "\t"]), st.booleans())
def test_what_the_json_module_writes_is_accepted(parser, value, indent, ascii_only):
    assert accepts(parser, json.dumps(value, indent=indent, ensure_ascii=ascii_only))


@given(soup | pieces)
@example("")
@example(" ")
@example("00")
@example("1 2")
@example("[1,]")
@example('{"a":1,}')
@example('{"a" 1}')
@example("{1: 2}")
@example('"\x7f"')
@example('"\x1f"')
@example("\u00a01")
@example("\ufeff1")
@example("\u0663")
@example("truefalse")
@example("[[]")
@example("-01")
@example("1.0e-10")
def test_a_text_is_accepted_iff_the_json_module_reads_it(parser, text):
    assert accepts(parser, text) == is_json(text)


@given(values, st.data())
def test_a_document_with_one_character_changed_is_accepted_iff_it_is_json(parser, value, data):
    text = json.dumps(value, ensure_ascii=False)
    at = data.draw(st.integers(0, len(text)))
    skipped = data.draw(st.integers(0, 1))
    changed = text[:at] + data.draw(soup) + text[at + skipped :]
    assert accepts(parser, changed) == is_json(changed)


@given(pieces, st.lists(st.sampled_from([1, 2, 63, 64, 65, 130]), max_size=4), st.data())
def test_json_is_the_same_but_for_more_than_64_blanks_in_a_row(bounded, found, counts, data):
    text = found
    for count in counts:
        at = data.draw(st.integers(0, len(text)))
        text = text[:at] + "".join(data.draw(blanks) for _ in range(count)) + text[at:]
    outside = re.sub(r'"(?:[^"\\]|\\.)*"', "", text)
    is_too_wide = re.search(r"[ \t\n\r]{65}", outside) is not None
    assert accepts(bounded, text) == (is_json(text) and not is_too_wide)


def test_the_grammar_starts_at_a_value_of_any_kind():
    assert load_source(GRAMMARS / "json.lark").start == "value"


def test_the_tree_names_what_was_read(parser):
    tree = parser.parse('{"a": [1, true, null]}')
    assert tree.pretty().split() == [
        *("object", "member", "string", '"a"', "array", "number", "1", "true", "null")
    ]
