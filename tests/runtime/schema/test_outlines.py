"""Which of an object's keys count where a token opens one."""

from maskc.runtime.schema.masks.walking import make_parts
from maskc.runtime.schema.tries.trie import ROOT
from tests.jsonschema.texts import build_machine
from tests.runtime.schema.machines import INDEX

CLOSED = {"properties": {"a": {}, "ab": {}, "xé": {}}, "additionalProperties": False}


def outlines_of(schema):
    return make_parts(INDEX, build_machine(schema)).outlines


def test_inner_quotes_open_keys_that_texts_go_on_after():
    trie = INDEX.tokens
    first, second = outlines_of(True).inner_quotes(trie)
    assert {trie.path(n) for n in first} == {b'{"', b'":1,"', b'a":1,"', b'","', b'a","'}
    assert {trie.path(n) for n in second} == {b'{"a":{"'}


def test_a_name_counts_where_a_text_reads_it():
    outlines = outlines_of(CLOSED)
    assert outlines.telling(INDEX.tokens, 0, None, 0b111) == 0b011
    assert outlines.telling(INDEX.tokens, 0, None, 0b100) == 0


def test_no_name_counts_where_texts_end_with_the_quote():
    bare = [n for n in range(len(INDEX.tokens.bytes)) if not INDEX.tokens.has_children(n)]
    assert outlines_of(CLOSED).telling(INDEX.tokens, 0, tuple(bare[:3]), 0b111) == 0


def test_at_other_quotes_other_names_count():
    quote = INDEX.tokens.child(ROOT, ord('"'))  # of which x and half of é come
    assert outlines_of(CLOSED).telling(INDEX.tokens, 0, (quote,), 0b111) == 0b111


def test_an_object_has_no_outline_where_a_text_goes_on_after_its_key():
    assert outlines_of(CLOSED).outline(0, 0b111, may_come=True) is None


def test_objects_whose_names_no_text_reads_have_one_outline():
    kinds = [
        {"properties": {name: {} for name in names}, "additionalProperties": False}
        for names in (["q", "r"], ["s", "tu", "v"])
    ]
    one, other = (outlines_of(kind).outline(0, 0b11, may_come=True) for kind in kinds)
    assert one == other is not None
