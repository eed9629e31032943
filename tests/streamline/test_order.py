"""One order of steps for both parsers."""

import pytest

from maskc.streamline.order import STEPS
from tests.compiled import compile_text, legal_tokens

NESTED = 'start: "a" start "b" | "c"\n'
TOKENS = (b"a", b"b", b"bb", b"c", b"cbb", b"ac")


@pytest.mark.parametrize("parser", ["lalr", "earley"])
def test_both_parsers_take_the_same_steps(parser):
    header = compile_text(NESTED, TOKENS, parser=parser).header
    assert [row["step"] for row in header["streamlining"]] == list(STEPS[:-1])


@pytest.mark.parametrize("parser", ["lalr", "earley"])
@pytest.mark.parametrize("step", STEPS)
def test_the_masks_are_the_same_after_each_step(parser, step):
    artifact = compile_text(NESTED, TOKENS, step, parser=parser)
    assert legal_tokens(artifact, "a") == {b"a", b"c", b"ac"}
    assert legal_tokens(artifact, "aac") == {b"b", b"bb"}
    assert legal_tokens(artifact, "acb") == {None}


def test_an_unknown_step_is_refused():
    with pytest.raises(ValueError, match="no streamlining step 'pairs'"):
        compile_text(NESTED, TOKENS, "pairs")
