from random import Random

import pytest

from maskc.errors import MaskcError
from maskc.frontends.lark.build import build_lark
from maskc.frontends.source import load_source
from maskc.verify.oracle import Oracle, Undecided
from tests.laws.test_lark_quirks import GRAMMARS, PYTHON, PYTHON_TEXTS, SETTINGS
from tests.random_grammars import accepted_texts, draw_grammar, lark_accepts


@pytest.fixture(scope="module")
def python():
    return build_lark(load_source(PYTHON, **SETTINGS))


@pytest.fixture(scope="module")
def python_oracle(python):
    return Oracle(python)


@pytest.mark.parametrize("text", PYTHON_TEXTS)
def test_every_prefix_of_a_parsed_text_is_viable_with_a_witness(python, python_oracle, text):
    oracle = python_oracle
    data = text.encode()
    for end in range(len(data) + 1):
        legal, witness = oracle.at(b"").decide(data[:end])
        assert legal
        assert witness.encode().startswith(data[:end])
        assert lark_accepts(python, witness)


@pytest.mark.parametrize(
    ("prefix", "token"),
    [
        ("def ", "1"),
        ("if x:\n", "y"),
        ("if x:\n    if y:\n        a\n  ", "b"),
        ("x = (1", "\n]"),
        ("x = ", ")"),
        ("a b", " "),
        ("f(", ":"),
        ("'abc", "\n"),
        ("x = 1", " y"),
    ],
)
def test_what_cannot_go_on_is_refuted(python_oracle, prefix, token):
    assert not python_oracle.at(prefix.encode()).legal(token.encode())


def test_a_position_in_a_longer_text_answers_as_from_the_start(python):
    text = "def f(a, b):\n    return [a, 1e5, 'x']\n\nclass A:\n    x = 1\n"
    oracle, plain_oracle = Oracle(python), Oracle(python)
    for end in range(0, len(text), 3):
        position = oracle.at(text[:end].encode(), text)
        plain = plain_oracle.at(text[:end].encode())
        for token in ("\n", " ", ")", "]", "'", "a", "1", ":", "\n    b", "é"):
            assert position.legal(token.encode()) == plain.legal(token.encode())


def test_a_cut_character_is_viable_iff_one_of_its_characters_is(python_oracle):
    oracle = python_oracle
    assert oracle.at(b"").legal(b"\xc3")
    assert oracle.at(b"'\xc3").legal(b"\xa9'")
    assert not oracle.at(b"x = 1 + ").legal("→".encode()[:2] + b"\x92")
    assert not oracle.at(b"").legal(b"\xff")


@pytest.mark.parametrize("name", GRAMMARS)
def test_the_oracle_knows_larks_quirks(name):
    text, settings, accepted, _ = GRAMMARS[name]
    oracle = Oracle(build_lark(load_source(text, **settings)))
    for sample in accepted:
        assert all(oracle.at(b"").legal(sample.encode()[:i]) for i in range(len(sample) + 1))


@pytest.mark.parametrize("lexer", ["contextual", "basic"])
def test_the_oracle_agrees_with_every_short_text(lexer):
    n_grammars = n_undecided = n_asked = 0
    for seed in range(60):
        text, alphabet = draw_grammar(Random(seed))
        try:
            lark = build_lark(load_source(text, lexer=lexer))
        except MaskcError:
            continue
        n_grammars += 1
        longest = {2: 6, 3: 4, 4: 4}[len(alphabet)]
        accepted = accepted_texts(lark, alphabet, longest)
        sure = {t[:i] for t in accepted for i in range(len(t) + 1)}
        oracle = Oracle(lark)
        for prefix in sorted(sure)[:40]:
            for character in alphabet:
                n_asked += 1
                try:
                    legal, witness = oracle.at(prefix.encode()).decide(character.encode())
                except Undecided:
                    n_undecided += 1
                    continue
                assert legal or prefix + character not in sure, (text, prefix, character)
                if legal:
                    assert witness.startswith(prefix + character)
                    assert lark_accepts(lark, witness), (text, witness)
    assert n_grammars > 20
    assert n_undecided < n_asked / 20


COMMENTS = r"""
start: (NAME | "/" "*" NAME)*
NAME: /[a-z]/
C: /\/\*.*?\*\//
%ignore C
%ignore " "
"""


def test_a_lexeme_that_is_not_settled_is_found_however_far_back_it_begins():
    """Without its end, the comment is lexed as an operator and sixty names."""
    oracle = Oracle(build_lark(load_source(COMMENTS)))
    text = "/*" + " a" * 60
    assert oracle.at(text.encode(), text).legal(b"*/")


def test_a_character_that_only_a_look_behind_lets_through_is_tried():
    oracle = Oracle(build_lark(load_source("start: B B\nB: /[ab](?<!a)/\n")))
    assert oracle.at(b"").decide(b"b") == (True, "bb")


def test_a_rule_that_never_ends_is_refuted():
    oracle = Oracle(build_lark(load_source('start: "a" x | "b"\nx: "c" x\n')))
    assert not oracle.at(b"").legal(b"a")
    assert oracle.at(b"").legal(b"b")


def test_a_newline_that_closes_no_block_where_one_must_open_is_refuted():
    text = 'start: "a" _NL _INDENT "b" _NL _DEDENT\n%declare _INDENT _DEDENT\n_NL: /\\n */\n'
    text += 'LP: "("\nRP: ")"\n'
    oracle = Oracle(build_lark(load_source(text, postlex="tests.indenters:TwoColumns")))
    assert not oracle.at(b"a\n").legal(b"b")
    assert oracle.at(b"a\n").legal(b" b")


@pytest.mark.parametrize(
    ("prefix", "token"),
    [("(a\n", "#"), ("(a#", " b"), ("((a\nb)#", "("), ("(a#b\n", "a"), ("(", "\n#"), ("(a", "\n")],
)
def test_a_newline_between_brackets_ends_a_comment_and_keeps_words_apart(prefix, token):
    text = "start: _list _NL\n_list: LP (NAME NAME | _list)+ RP\nNAME: /[a-z]+/\n_NL: /\\n */\n"
    text += 'LP: "("\nRP: ")"\n%ignore /#[^\\n]*/\n%declare _INDENT _DEDENT\n'
    lark = build_lark(load_source(text, postlex="tests.indenters:TwoColumns"))
    legal, witness = Oracle(lark).at(prefix.encode()).decide(token.encode())
    assert legal
    assert witness is not None
    assert lark_accepts(lark, witness)
