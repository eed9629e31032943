import pytest

from maskc import Artifact
from maskc.jsonschema.compiling import compile_schema
from maskc.native import is_compiled
from maskc.runtime.schema import string_rows
from maskc.runtime.schema.machine.nodes import STATE
from maskc.runtime.schema.plan import JsonLayout
from maskc.runtime.schema.scans import Scanned
from maskc.runtime.schema.string_rows import StringRows
from maskc.runtime.schema.string_rows.key_rows import KeyRows
from maskc.vocab.vocabulary import TokenizerTokens, build_vocabulary
from tests.compiled import legal_tokens
from tests.laws.dense.judges import write_words
from tests.runtime.schema.machines import INDEX, node_after

NAMES = [f"{a}{b}{n}" for a in "abx1" for b in "aé1" for n in range(60)]
CLOSED = {"properties": {"ab": {}, "ax": {}, "q": {}}, "additionalProperties": False}


def row_of(keys, node, labels):
    return keys.key(node[STATE][1], node[STATE][3], labels)


def test_labels_that_a_prefix_leads_to_no_more_do_not_count():
    machine, node = node_after(CLOSED, '{"a')
    keys = KeyRows(INDEX, machine, StringRows(INDEX, machine))
    assert row_of(keys, node, 0b111) is row_of(keys, node, 0b011)
    assert row_of(keys, node, 0b111) is not row_of(keys, node, 0b001)


def search_or_scan(monkeypatch, *, scans):
    """Return what every row of keys is counted in: rows, as names are searched or scanned."""
    rows = []

    def pack(self, kept, which):
        rows.append(kept)
        return pack_row(self, kept, which)

    def scan(*arguments):
        assert scans
        return scan_all(*arguments)

    pack_row, scan_all = Scanned.pack, string_rows.scan_all
    monkeypatch.setattr(Scanned, "pack", pack)
    monkeypatch.setattr(string_rows, "scan_all", scan)
    return rows


@pytest.mark.skipif(is_compiled(), reason="exchanges a function")
@pytest.mark.parametrize("is_closed", [True, False])
@pytest.mark.parametrize("text", ['{"', '{"a', '{"1a'])
def test_many_names_are_looked_up_without_a_scan(monkeypatch, is_closed, text):
    search_or_scan(monkeypatch, scans=False)
    monkeypatch.setattr(string_rows, "_SEARCHED", 100)
    schema = {
        "properties": {name: {"type": "null"} for name in NAMES},
        "additionalProperties": not is_closed,
    }
    machine, node = node_after(schema, text)
    row_of(KeyRows(INDEX, machine, StringRows(INDEX, machine)), node, 1 << len(NAMES) - 1)


@pytest.mark.skipif(is_compiled(), reason="exchanges a constant")
def test_a_scan_of_many_names_packs_one_row_for_those_that_may_come(monkeypatch):
    rows = search_or_scan(monkeypatch, scans=True)
    monkeypatch.setattr(string_rows, "_SEARCHED", -(1 << 20))
    machine, node = node_after({"properties": {name: {"type": "null"} for name in NAMES}}, '{"')
    keys = KeyRows(INDEX, machine, StringRows(INDEX, machine))
    row_of(keys, node, (1 << len(NAMES)) - 1)
    assert len(rows) == 1
    row_of(keys, node, 0b101)
    assert len(rows) == 2


def test_keys_that_have_no_name_are_not_remembered_where_there_is_no_room_for_them():
    schema = {
        "properties": {"cc": {"const": 1}},
        "required": ["cc"],
        "maxProperties": 2,
        "propertyNames": {"pattern": "^[^e]"},
    }
    tokens = sorted(word.encode() for word in write_words('{}"ce:,1', 4) if word)
    vocabulary = build_vocabulary("dense", TokenizerTokens((*tokens, None), (len(tokens),)))
    layout = JsonLayout(blanks="compact", escapes="minimal")
    artifact = Artifact(compile_schema(schema, vocabulary, layout=layout))
    assert {b"c", b"1", b'1"', b'cc":'} <= legal_tokens(artifact, '{"')
    assert legal_tokens(artifact, '{"1":1,"') == {b"c", b"cc", b'cc"', b'cc":'}


@pytest.mark.parametrize("text", ['{"', '{"a', '{"\\', '{"\\u00'])
@pytest.mark.parametrize("is_open", [True, False])
def test_searched_and_scanned_keys_are_the_same(monkeypatch, text, is_open):
    schema = {
        "properties": {name: {"type": "null"} for name in NAMES[::7]},
        "additionalProperties": is_open,
    }
    machine, node = node_after(schema, text)
    rule = machine.plan.objects[node[STATE][1]]
    for labels in (rule.allowed, rule.allowed & 0b1010, rule.allowed & ~0xFF):
        found = []
        for most in (1 << 20, -(1 << 20)):
            monkeypatch.setattr(string_rows, "_SEARCHED", most)
            row = row_of(KeyRows(INDEX, machine, StringRows(INDEX, machine)), node, labels)
            labelled = row.closing_tokens
            closing = {(n, p) for n, tokens in labelled for p in tokens.text_indices.tolist()}
            tokens = {t for t in range(INDEX.n_words * 32) if has(row.inside, t)}
            found.append((tokens, closing))
        assert found[0] == found[1]


def has(part, token):
    return token in part.few or any(row[token // 32] >> token % 32 & 1 for row in part.rows)
