"""What is followed before the first request is legal, so that it finds what requests ask for."""

import re

import pytest

from maskc.jsonschema.formats import NAMES, build_format
from maskc.kit.examples import FAMILIES, FORMATS, PATTERNS, TOOL, cut, some_call
from maskc.kit.file import make_kit
from maskc.runtime.schema.strings.characters import NO_LABEL, CharDfa
from maskc.vocab.vocabulary import Vocabulary, build_byte_table

_TABLE = build_byte_table()


@pytest.mark.parametrize("names", [(), ("<tool_call>", "</tool_call>")])
@pytest.mark.parametrize("family", FAMILIES)
def test_a_call_that_is_followed_ahead_is_legal(family, names):
    """Where a tokenizer has a marker as a token, only that token is the marker."""
    ids = {name: len(_TABLE.tokens) + n for n, name in enumerate(names)}
    tokens = (*_TABLE.tokens, *[None] * len(names))
    kit = make_kit(Vocabulary(tokens, _TABLE.eos_ids, "small", ids))
    tools = [{"name": "f", "parameters": TOOL}]
    matcher = kit.tools(tools, family=family, choice="required").matcher()
    text = cut(some_call(family), kit.tokens.special_ids)
    assert sum(isinstance(one, int) for one in text) == len(names)
    for one in text:
        assert matcher.accept_token(one) if isinstance(one, int) else matcher.accept_bytes(one)
    assert matcher.is_accepting


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_the_text_of_a_format_that_is_followed_ahead_is_of_that_format(name):
    dfa = build_format(name)
    assert isinstance(dfa, CharDfa)
    assert dfa.labels[dfa.read(FORMATS[name])] != NO_LABEL


@pytest.mark.parametrize("pattern", PATTERNS)
def test_the_text_of_a_pattern_that_is_followed_ahead_is_of_that_pattern(pattern):
    assert re.fullmatch(pattern, PATTERNS[pattern])


def test_every_format_that_is_asserted_is_followed_ahead_but_three_of_many_characters():
    asserted = {name for name in NAMES if isinstance(build_format(name), CharDfa)}
    read = {"idn-email-exact", "idn-hostname-exact", "regex"}  # of states that a reader makes
    assert asserted - {"iri", "iri-reference", "idn-email"} - read == set(FORMATS)
