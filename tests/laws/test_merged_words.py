"""Law 1 where one terminal stands for words: masks are exactly what Lark parses.

Two words are enough here to be one; 48 are outside of tests.
"""

from random import Random

import pytest

import maskc
from maskc.compiler.pushdown import interchangeable
from maskc.errors import CaptureError, MaskcError
from maskc.frontends.lark.build import build_lark
from maskc.frontends.source import load_source
from tests.compiled import compile_text
from tests.examples import seeds
from tests.laws import test_masks_are_exact as exact
from tests.laws.test_steps_change_no_mask import compare_masks, draw_strings
from tests.random_grammars import accepted_texts

INDENTER = (
    "// maskc: postlex=indenter NL_type=_NL INDENT_type=_INDENT DEDENT_type=_DEDENT tab_len=8\n"
)
BLOCKS = f"""{INDENTER}start: (_NL | _ML | s)*
s: A (_NL | _ML) | B (_NL | _ML) _INDENT s+ _DEDENT
A: "a"
B: "b"
_ML: "!"
%declare _INDENT _DEDENT
_NL: /\\n */
"""
RULES = "// maskc: postlex=rules always_accept=A,C rule="


@pytest.fixture(autouse=True)
def _merge_two(monkeypatch):
    monkeypatch.setattr(interchangeable, "MANY_WORDS", 2)


def check(monkeypatch, text, alphabet, lexer):
    """Hold the masks against Lark; return the words that are one."""
    monkeypatch.setattr(exact, "MORE", alphabet)
    draw = Random(1)
    drawn = {"".join(draw.choices(alphabet, k=draw.randint(2, 4))) for _ in range(40)}
    texts = sorted(accepted_texts(build_lark(load_source(text, lexer=lexer)), alphabet, 5))
    drawn |= {*draw.sample(texts, min(len(texts), 20)), *alphabet} - {""}
    tokens = tuple(sorted(piece.encode() for piece in drawn))
    artifact = compile_text(text, tokens, lexer=lexer)
    assert exact.check_language(text, alphabet, 5, tokens, lexer=lexer) > 1
    return [set(group) for group in artifact.header.get("merged_words", ())]


@pytest.mark.parametrize("lexer", ["contextual", "basic"])
@pytest.mark.parametrize(
    ("text", "alphabet", "words"),
    [
        ('start: (x | y)* "c"\nx: "a"\ny: "b"\n', "abc", "AB"),
        # A rule without a text takes reductions away after two of them: `naq` is no text.
        (
            'start: "n" ("a" | "b" | "c" | "d") w ("q" | "r") | u\nw:\nu: "n" ("a" | "c") "q" u\n',
            "abcdnqr",
            "AC BD",
        ),
        # The lexer drops one of them.
        ('start: (A | W)+ "c"\nA: "a"\nW: " "\n%ignore W\n', "a c", "AW"),
        ('start: (Z | W)+ "c"\nZ: "a"\nW: " "\n%ignore W\n', "a c", "WZ"),
        # A rule of a postlex drops, renames or makes one of them, or looks for it.
        (f'{RULES}drop:A:before:B\nstart: (A | B)* "d"\nA: "a"\nB: "b"\nC: "c"\n', "abd", "AB"),
        (f'{RULES}drop:C:after:A\nstart: (A | B)* "d"\nA: "a"\nB: "b"\nC: "c"\n', "abcd", "AB"),
        (f'{RULES}drop:C:before:A\nstart: (A | B)* "d"\nA: "a"\nB: "b"\nC: "c"\n', "abcd", "AB"),
        (
            f'{RULES}rename:A:N:before:B\nstart: (N | B)* "d"\nA: "a"\nB: "b"\nC: "c"\n'
            "%declare N\n",
            "abd",
            "BN",
        ),
        (
            f'{RULES}rename:A:C:before:B\nstart: (C | B)* "d"\nA: "a"\nB: "b"\nC: "c"\n',
            "abcd",
            "BC",
        ),
    ],
)
def test_masks_are_exact_where_words_are_one(monkeypatch, text, alphabet, words, lexer):
    assert check(monkeypatch, text, alphabet, lexer) == [*map(set, words.split())]


@pytest.mark.parametrize("lexer", ["contextual", "basic"])
@pytest.mark.parametrize(
    ("text", "alphabet"),
    [
        # A text may end with the start symbol alone.
        ('start: "a" | x "z" | start "z" | "c" x | "c" start\nx: "b"\n', "abcz"),
        # They lead to the same states, from other ones.
        ('start: "c" x "p" | "c" y "q" | "d" x "q" | "d" y "p"\nx: "a"\ny: "b"\n', "abcdpq"),
        # The parser reduces otherwise on the same terminals, by priority: another rule, ...
        (
            'start: w "p" | w "q" "s" | y "q" "t" | y "r"\nw: x | z\n'
            'x.3: "a"\nz.1: "b"\ny.2: "a" | "b"\n',
            "abpqrst",
        ),
        # ... or one of another length.
        (
            'start: "a" w "h" "s" | "b" w "h" "s" | w "h" "t"\nw: x | y | z\n'
            'x.2: "a" "g"\ny: "b" "g"\nz.1: "g"\n',
            "abghst",
        ),
        # Blocks follow one of two line ends.
        (BLOCKS, "ab!\n "),
    ],
)
def test_masks_are_exact_where_words_are_not_one(monkeypatch, text, alphabet, lexer):
    assert check(monkeypatch, text, alphabet, lexer) == []


def draw_word_grammar(draw: Random) -> str:
    """Return a grammar whose words belong to rules, which often stand at the same places."""
    words = ['"()"', '"("', '")"', '"["', '"]"', '"a"', '"+"', '"-"', '"+-"', '"aa"', "NAME"]
    draw.shuffle(words)
    rules = ["x", "y", "z"]
    sides = [draw.choice([*rules, "(x | y)", "(x | y | z)*", "(x | z)", "(y | z)"])]
    sides += draw.choices([*rules, "(x | y)", "(x | y | z)", "start", '","'], k=draw.randint(0, 2))
    lines = [f"start: {' '.join(sides)}" + draw.choice(["", " | x", " | y z", ' | ";" start'])]
    for rule in rules:
        own = [words.pop() for _ in range(draw.randint(1, 3))]
        if draw.random() < 0.3:
            own.append(f'{draw.choice(rules)} ";"')
        lines.append(f"{rule}: {' | '.join(own)}")
    blank = draw.choice(["", '%ignore " "\n'])
    return "\n".join(lines) + "\nNAME: /[a-b]+/\n" + blank


@pytest.mark.parametrize("lexer", ["contextual", "basic"])
@pytest.mark.parametrize("seed", seeds(30))
def test_words_that_are_one_terminal_change_no_mask(monkeypatch, seed, lexer):
    draw = Random(seed)
    n_merged = 0
    for _ in range(200):
        text = draw_word_grammar(draw)
        tokens = draw_strings(draw, "()[]a,+-;b ")
        try:
            with monkeypatch.context() as patched:
                patched.setattr(interchangeable, "MANY_WORDS", 48)
                apart = compile_text(text, tokens, lexer=lexer)
        except MaskcError:  # reduce/reduce, or no text at all
            continue
        merged = compile_text(text, tokens, lexer=lexer)
        if "merged_words" not in merged.header:
            continue
        n_merged += compare_masks(text, [apart, merged], tokens, draw)
        if n_merged > 40:
            return
    assert n_merged


def test_a_rule_is_not_captured_where_one_terminal_stands_for_its_words_and_others():
    grammar = 'start: (x | y) ("," z)*\nx: "a" | "b"\ny: "c"\nz: "d" | "e"\n'
    artifact = compile_text(grammar)
    for rule in ("x", "y"):
        with pytest.raises(CaptureError, match=f"words, of {rule} and of other rules, to one"):
            maskc.capture(artifact, rule)
    matcher = maskc.capture(artifact, "z", "start").matcher()
    assert matcher.accept_bytes(b"c,e,d")
    assert [(s.name, s.start, s.end) for s in matcher.spans()][:1] == [("z", 2, 3)]
