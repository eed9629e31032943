"""What differs between artifacts of grammars, JSON Schemas and links."""

import pytest

import maskc
from maskc.kinds import GRAMMAR, LINK, SCHEMA, kind_of

TAG = {"format": {"type": "const_string", "value": "ab"}}


@pytest.fixture(scope="module")
def made():
    return {
        GRAMMAR: maskc.compile_grammar('start: "ab"\n', tokenizer="bytes"),
        SCHEMA: maskc.compile_json_schema({"const": 1}, tokenizer="bytes"),
        LINK: maskc.compile_structural_tag(TAG, tokenizer="bytes"),
    }


def test_an_artifact_has_the_kind_of_its_source(made):
    assert [kind_of(artifact.header) for artifact in made.values()] == [GRAMMAR, SCHEMA, LINK]


def test_each_kind_reads_explains_and_draws_its_texts(made):
    texts = {GRAMMAR: b"ab", SCHEMA: b"1", LINK: b"ab"}
    for kind, artifact in made.items():
        matcher = artifact.matcher()
        assert kind.accepts(artifact, matcher, texts[kind])
        assert matcher.is_accepting
        assert not kind.accepts(artifact, artifact.matcher(), b"?")
        assert kind.explain(artifact, texts[kind]).may_end
        assert kind.explain(artifact, b"?").death.offset == 0
        drawn = kind.open_drawer(artifact, None).draw_text(0, 0, 10)
        assert drawn.text.strip().encode() == texts[kind]
        assert drawn.problem is None


def test_what_is_said_of_a_source_is_its_kind_first(made):
    said = [kind.list_source(artifact.header)[0][0] for kind, artifact in made.items()]
    assert said == ["grammar", "JSON Schema", "structural tag"]
    assert LINK.describe(made[LINK].contents.arrays)["tag"] == TAG
    assert SCHEMA.describe(made[SCHEMA].contents.arrays)["counts"]["positions"] == 1


def test_only_grammars_have_rules_and_only_schemas_take_documents():
    assert [kind.has_rules for kind in (GRAMMAR, SCHEMA, LINK)] == [True, False, False]
    assert [kind.takes_resources for kind in (GRAMMAR, SCHEMA, LINK)] == [False, True, False]
    assert GRAMMAR.no_rules is None
