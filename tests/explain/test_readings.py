"""What is said of a text is what the masks do, for general grammars as well."""

from random import Random

import pytest

import maskc
from maskc.errors import MaskcError
from maskc.explain.questions import explain
from maskc.explain.readings import open_reader
from tests.examples import seeds
from tests.general_grammars import draw_general_grammar


@pytest.mark.parametrize("seed", seeds(40))
def test_a_text_dies_where_the_matcher_refuses_it(seed):
    draw = Random(seed)
    text, characters = draw_general_grammar(draw)
    try:
        artifact = maskc.compile_grammar(text, tokenizer="bytes", parser="earley", lexer="basic")
    except MaskcError:
        return  # it has no text, or Lark refuses it
    reader = open_reader(artifact)
    for _ in range(20):
        tried = "".join(draw.choices(characters, k=draw.randint(0, 6))).encode()
        matcher, n_good = artifact.matcher(), 0
        while n_good < len(tried) and matcher.accept_bytes(tried[n_good : n_good + 1]):
            n_good += 1
        readings, death = reader.read(reader.start(), tried)
        assert (len(tried) if death is None else death.offset) == n_good
        if death is None:
            assert reader.may_end(readings) == matcher.is_accepting
            grouped = {name for group in explain(artifact, tried).groups for name in [group.name]}
            assert bool(grouped) == bool({t for t in matcher.legal_tokens() if t < 256})
        else:
            assert death.causes


def test_rules_name_the_terminals_of_another_notation():
    source = 'root ::= "ab" n*\nn ::= [0-9] n n | ","\n'
    artifact = maskc.compile_grammar(source, tokenizer="bytes", dialect="gbnf")
    assert {group.name for group in explain(artifact, b"ab").groups} == {"n /[0-9]/", '","'}
    death = explain(artifact, b"ab1x").death
    assert death is not None
    assert death.offset == 3


def test_a_pattern_has_no_production_of_ours():
    artifact = maskc.compile_grammar("ab+c", tokenizer="bytes", dialect="regex")
    found = explain(artifact, b"ab")
    assert [reading.items for reading in found.readings] == [()]
    assert {group.name for group in found.groups} == {"the pattern"}
