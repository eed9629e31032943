import subprocess
import sys

import pytest

from maskc.errors import UnsupportedTerminalError
from maskc.frontends.loading import load_grammar
from maskc.frontends.source import load_source
from maskc.ids import DEAD
from maskc.lexer.boundaries import build_boundaries
from maskc.lexer.columns import build_columns
from maskc.lexer.scanner import build_scanner


def scanner_of(text, **settings):
    grammar, _ = load_grammar(load_source(text, **settings))
    return grammar, build_scanner(grammar.lexer)


def state_after(scanner, text):
    state = scanner.start
    for byte in text.encode():
        state = int(scanner.next[state, scanner.byte_class[byte]])
    return state


def ends_of(grammar, scanner, text):
    return {grammar.bnf.terminals[t] for t, _ in scanner.ends[state_after(scanner, text)]}


def test_a_keyword_is_told_from_a_name_by_its_end():
    grammar, scanner = scanner_of('start: "if" | NAME\nNAME: /[a-z]+/\n')
    assert ends_of(grammar, scanner, "if") == {"IF"}
    assert ends_of(grammar, scanner, "i") == {"NAME"}
    assert ends_of(grammar, scanner, "iff") == {"NAME"}


def test_equal_states_are_merged():
    _, scanner = scanner_of("start: A\nA: /x(ab|cb)y/\n")
    assert state_after(scanner, "xa") == state_after(scanner, "xc")
    assert scanner.n_states == 6


def test_states_that_no_text_can_end_from_are_dead():
    _, scanner = scanner_of("start: A | B\nA: /a/\nB: /b(?!x)(?=x)c/\n")
    assert state_after(scanner, "b") == DEAD


def test_the_condition_of_a_longer_match_runs_beside_the_next_lexeme():
    text = "start: (I | F | N)+\nI: /[0-9]+/\nF: /[0-9]+e[0-9]+/\nN: /[a-z]+/\n"
    grammar, scanner = scanner_of(text)
    inside = state_after(scanner, "1")
    ((terminal, boundary),) = scanner.ends[inside]
    assert grammar.bnf.terminals[terminal] == "I"
    row = scanner.entries[scanner.enter[boundary, 0]]
    name_or_float = int(row[scanner.byte_class[ord("e")]])
    assert scanner.next[name_or_float, scanner.byte_class[ord("5")]] == DEAD
    assert scanner.next[name_or_float, scanner.byte_class[ord("x")]] != DEAD


def test_a_terminal_with_a_back_reference_is_refused():
    with pytest.raises(UnsupportedTerminalError, match="it refers back to group 1 by its number"):
        scanner_of(r"start: A" + "\n" + r"A: /(a)\1/" + "\n")


def test_a_grammar_whose_lexer_forbids_nothing_has_one_lookahead_a_terminal():
    grammar, scanner = scanner_of('start: ("a" | N)+\nN: /[0-9]+/\n%ignore " "\n')
    boundaries = build_boundaries(grammar.lexer, scanner, build_columns(grammar.lexer, scanner))
    assert all(len(lookaheads) == 1 for lookaheads in boundaries.of_terminal.values())


SCRIPT = """
import hashlib, sys
import maskc
artifact = maskc.compile_grammar(sys.argv[1], tokenizer="bytes")
artifact.save(sys.argv[2])
print(hashlib.sha256(open(sys.argv[2], "rb").read()).hexdigest())
"""


@pytest.mark.costly
def test_the_hash_seed_does_not_reach_the_artifact(tmp_path):
    text = (
        'start: (A | B | "ab" | c)+\nc: "(" start ")" | "[" [start] "]"\n'
        'A: /[a-z]+/\nB: /[0-9]+/\n%ignore " "\n'
    )
    digests = {
        subprocess.run(
            [sys.executable, "-c", SCRIPT, text, str(tmp_path / "a.maskc")],
            env={"PYTHONHASHSEED": seed, "PATH": ""},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(digests) == 1
