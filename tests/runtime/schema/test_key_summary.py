"""Which of an object's keys count where a token opens one."""

from maskc.runtime.schema.masks.walking import make_parts
from tests.jsonschema.texts import build_machine
from tests.runtime.schema.machines import INDEX

CLOSED = {"properties": {"a": {}, "ab": {}, "xé": {}}, "additionalProperties": False}


def summary_of(schema):
    return make_parts(INDEX, build_machine(schema)).key_summary


def test_no_name_counts_where_texts_end_with_the_quote():
    bare = [n for n in range(len(INDEX.tokens.bytes)) if not INDEX.tokens.has_children(n)]
    summary = summary_of(CLOSED)
    assert summary.name(INDEX.tokens, tuple(bare[:3])) == ()
    assert summary.telling(INDEX.tokens, 0, (), 0b111) == 0
