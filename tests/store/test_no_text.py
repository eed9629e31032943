"""A grammar without any text is refused, with the terminal that is to blame."""

from __future__ import annotations

import pytest

from maskc.errors import GrammarError
from maskc.frontends.source import load_source
from maskc.pipeline import compile_contents
from maskc.vocab import load_vocabulary

# FOO comes first wherever a text can begin, a blank before it or none; only between two B, where
# FOO may not come, could a B be lexed.
HIDDEN = 'B: "bb"\nFOO.2: "b"\nstart: FOO* B B\n%ignore / +/\n'
LOOKS_BACK = 'A: /(?<=b)a/\nB: "b"\nstart: A B\n'


@pytest.mark.parametrize(
    ("text", "lexer", "terminal"),
    [
        (HIDDEN, "contextual", "B (line 1)"),
        (LOOKS_BACK, "contextual", "A (line 1)"),
        (LOOKS_BACK, "basic", "A (line 1)"),
    ],
)
def test_what_a_text_must_begin_with_is_never_lexed_there(
    text: str, lexer: str, terminal: str
) -> None:
    with pytest.raises(GrammarError) as caught:
        compile_contents(load_source(text, lexer=lexer), load_vocabulary("bytes"), None)
    assert f"terminal {terminal} can never be lexed where a text begins" in str(caught.value)


def test_the_empty_text_is_a_text() -> None:
    source = load_source("start: A?\nA: /(?<=b)a/\n")
    compile_contents(source, load_vocabulary("bytes"), None)
