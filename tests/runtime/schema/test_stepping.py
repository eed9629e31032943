from maskc.jsonschema.patterns import build_pattern
from maskc.runtime.schema.scans.stepping import step_body
from maskc.runtime.schema.strings.strings import Body
from maskc.runtime.schema.tries.trie import ROOT
from tests.runtime.schema.vocabularies import build_index

INDEX = build_index()


def after(raw, **limits):
    body = Body(build_pattern("^ab*$"), minimal=False)
    at = body.start
    for byte in raw:
        at = body.step(at, byte)
    return step_body(INDEX.tokens, body, at, (ROOT,), **limits)


def test_more_nodes_than_are_allowed_give_nothing():
    assert after(b"a", most=1) is None
