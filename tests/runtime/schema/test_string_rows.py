import pytest

from maskc.native import is_compiled
from maskc.runtime.schema import string_rows
from maskc.runtime.schema.machine.nodes import KEY, STATE, read_members
from maskc.runtime.schema.string_rows import StringRows
from maskc.runtime.schema.string_rows.key_rows import KeyRows
from maskc.runtime.schema.strings.characters import CharDfa
from maskc.runtime.schema.tries import SharedResults
from tests.jsonschema.texts import read
from tests.runtime.schema.machines import INDEX, node_after


def legal_inside(schema, text):
    """Return the tokens that a row keeps inside and those that close it, and what is read."""
    machine, node = node_after(schema, text)
    strings = StringRows(INDEX, machine)
    if node[STATE][0] == KEY:
        _, number, _, at, _ = node[STATE]
        members = read_members(node[STATE])
        keys = KeyRows(INDEX, machine, strings)
        row = keys.key(number, at, machine.plan.objects[number].open_labels(members))
    else:
        _, number, at, count, _ = node[STATE]
        row = strings.string(number, at, count)
    inside = {t for t, i in zip(INDEX.texts, INDEX.ids, strict=True) if _has(row.inside, i)}
    labelled = row.closing_tokens
    closing = {INDEX.texts[p] for _, tokens in labelled for p in tokens.text_indices.tolist()}
    here = read(machine, text)
    taken = {t for t in INDEX.texts if b'"' not in t and read(machine, t, here) is not None}
    return inside, closing, taken


def _has(part, token):
    return token in part.few or any(row[token // 32] >> token % 32 & 1 for row in part.rows)


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        ({"type": "string"}, '"'),
        ({"type": "string", "maxLength": 3}, '"a'),
        ({"type": "string", "minLength": 2, "maxLength": 2}, '"'),
        ({"type": "string", "pattern": "^[a-z1]*$"}, '"a'),
        ({"type": "string", "pattern": "^[a-z1]*$", "maxLength": 3}, '"a'),
        ({"type": "string", "pattern": "^(?!ab)"}, '"'),
        ({"type": "string", "pattern": "ab|b1"}, '"a'),
        ({"type": "string", "pattern": "^(?!ab)"}, '"\\u00'),
        ({"type": "string", "pattern": "^[ax]?\\d{0,3}$", "maxLength": 3}, '"'),
        ({"enum": ["ab", "a12", "x"]}, '"'),
        ({"properties": {"a": {}, "ab": {}}, "type": "object"}, '{"'),
        ({"properties": {"a": {}, "ab": {}}, "additionalProperties": False}, '{"a'),
        ({"patternProperties": {"^[a-z]+$": {}}, "additionalProperties": False}, '{"'),
        ({"properties": {"x": {}, "y": {}}, "maxProperties": 2, "required": ["x", "y"]}, '{"'),
    ],
)
def test_tokens_without_a_quote_stay_inside_as_the_machine_reads_them(schema, text):
    inside, _, taken = legal_inside(schema, text)
    assert inside == taken


@pytest.mark.parametrize("text", ['"', '"a', '"\\u00'])
def test_a_huge_automaton_is_not_compared_with_those_of_others(monkeypatch, text):
    monkeypatch.setattr(string_rows, "_SHARED_STATES", 3)
    digest = CharDfa.digest
    asked = []
    monkeypatch.setattr(
        CharDfa, "digest", property(lambda dfa: asked.append(dfa) or digest.fget(dfa))
    )
    inside, _, taken = legal_inside({"enum": ["ab", "a12", "x"]}, text)
    assert inside == taken
    assert not asked


@pytest.mark.skipif(is_compiled(), reason="exchanges a function")
@pytest.mark.parametrize("text", ['"', '"a', '"x', '"ab1'])
def test_a_pattern_that_may_begin_anywhere_is_closed_where_a_scan_says_so(monkeypatch, text):
    schema = {"type": "string", "pattern": "ab+|[b-d]1|é"}
    monkeypatch.setattr(string_rows, "search", lambda *_, **__: None)
    found = legal_inside(schema, text)
    monkeypatch.setattr(string_rows, "never_dies", lambda *_: False)
    monkeypatch.setattr(INDEX, "shared", SharedResults())
    assert legal_inside(schema, text) == found
