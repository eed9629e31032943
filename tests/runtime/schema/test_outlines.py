"""Which of an object's keys count where a token opens one."""

from maskc.runtime.schema.masks.walking import make_parts
from tests.jsonschema.texts import build_machine
from tests.runtime.schema.machines import INDEX

CLOSED = {"properties": {"a": {}, "ab": {}, "xé": {}}, "additionalProperties": False}


def outlines_of(schema):
    return make_parts(INDEX, build_machine(schema)).outlines


def test_no_name_counts_where_texts_end_with_the_quote():
    bare = [n for n in range(len(INDEX.tokens.bytes)) if not INDEX.tokens.has_children(n)]
    assert outlines_of(CLOSED).telling(INDEX.tokens, 0, tuple(bare[:3]), 0b111) == 0


def test_an_object_has_no_outline_where_a_text_goes_on_after_its_key():
    assert outlines_of(CLOSED).outline(0, 0b111, may_come=True) is None


def test_objects_whose_names_no_text_reads_have_one_outline():
    kinds = [
        {"properties": {name: {} for name in names}, "additionalProperties": False}
        for names in (["q", "r"], ["s", "tu", "v"])
    ]
    one, other = (outlines_of(kind).outline(0, 0b11, may_come=True) for kind in kinds)
    assert one == other is not None
