"""One order of steps for both parsers."""

import pytest

from maskc.streamline.order import STEPS
from tests.compiled import compile_text

NESTED = 'start: "a" start "b" | "c"\n'
TOKENS = (b"a", b"b", b"bb", b"c", b"cbb", b"ac")


@pytest.mark.parametrize("parser", ["lalr", "earley"])
def test_both_parsers_take_the_same_steps(parser):
    header = compile_text(NESTED, TOKENS, parser=parser).header
    assert [row["step"] for row in header["streamlining"]] == list(STEPS[:-1])


def test_an_unknown_step_is_refused():
    with pytest.raises(ValueError, match="no streamlining step 'pairs'"):
        compile_text(NESTED, TOKENS, "pairs")
