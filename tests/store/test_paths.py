"""Paths hold what a token completes, and only what the parser can take."""

import numpy as np

from maskc.ids import DROPPED
from maskc.store.paths import Paths
from maskc.store.steps import build_steps
from tests.compiled import compile_text, legal_tokens
from tests.languages import language_of, terminal


def ints(*values: int):
    return np.array(values, dtype=np.int32)


def paths_of(text):
    """Return the paths of a grammar, and terminal's name → an event with it."""
    language = language_of(text)
    lexed = language.lexed
    steps = build_steps(lexed.grammar.lexer, lexed.scanner)
    names = lexed.grammar.bnf.terminals
    events = {names[t]: i for i, (t, _) in enumerate(steps.events) if t >= 0}
    assert terminal(language, "A") >= 0
    return Paths(lexed.grammar, steps), events


def test_a_path_that_no_stack_takes_is_dropped():
    paths, event = paths_of('start: "a" "b" | "c"\n')
    (first,) = paths.extend(ints(0), ints(event["A"]), ints(0)).tolist()
    again = paths.extend(ints(first, first), ints(event["A"], event["A"]), ints(0, 0)).tolist()
    assert again == [DROPPED, DROPPED]


def test_an_operator_that_may_stand_on_both_sides_does_not_multiply_the_paths():
    # Each dash pair could be prefix or postfix if nobody asked the parser: 2 to the 20th paths.
    text = 'start: "--"* "x" ("--" | "->" "y")*\n'
    artifact = compile_text(text, (b"--" * 20, b"x" + b"--" * 20 + b"->y", b"->", b"x", b"y"))
    assert legal_tokens(artifact) == {b"--" * 20, b"x" + b"--" * 20 + b"->y", b"x"}
    assert legal_tokens(artifact, "x") == {b"--" * 20, b"->", None}
