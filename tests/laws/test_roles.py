"""Roles: masks are exact, and the texts are those of the grammar whose lexemes play their parts.

Lark's parse of each short text by the grammar without roles is asked what stands where.
"""

import re
from random import Random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from lark import Lark, Token
from lark.parsers import lalr_analysis

import maskc
from maskc.frontends.lark.build import build_lark
from maskc.frontends.source import load_source
from tests.compiled import accepts, compile_text
from tests.examples import examples
from tests.laws.test_masks_are_exact import check_language
from tests.random_grammars import (
    accepted_texts,
    draw_grammar,
    draw_regex,
    draw_tokens,
    lark_accepts,
)


def draw_pattern(draw, alphabet):
    """Return a pattern that some lexemes match and others do not."""
    one = draw.choice(alphabet.strip())
    pattern = f"(?:{draw_regex(draw, alphabet)})+"
    if re.search(r"\(\?[=!<]|[\^$]|\\[bB]", pattern.replace("[^", "[")):
        pattern = one
    return draw.choice([pattern, f"{one}.*", f".*{one}", f"[^{one}]+", ".", "..+"])


def draw_roles(draw, text, alphabet):
    """Return a grammar's text with roles, and these by rule and terminal."""
    pairs = [
        (line.partition(":")[0], name)
        for line in text.splitlines()
        if line[:1] in "sxy"
        for name in set(re.findall(r"T\d", line))
        if re.search(rf"^{name}[.\d]*: /", text, re.MULTILINE)
    ]
    roles = {}
    for pair in sorted(pairs):
        if draw.random() < 0.5:
            roles[pair] = draw_pattern(draw, alphabet)
    lines = [f"// maskc-terminal: {rule}.{name}={p}\n" for (rule, name), p in roles.items()]
    return text + "".join(lines), {key: re.compile(p) for key, p in roles.items()}


def has_conflicts(text, monkeypatch):
    """Return whether Lark resolves a conflict by shifting, which roles may change."""
    found = []
    with monkeypatch.context() as patch:
        # It warns if it is asked to debug, and else it says so for who listens.
        for level in ("debug", "warning"):
            patch.setattr(lalr_analysis.logger, level, lambda message, *_: found.append(message))
        Lark(text, parser="lalr")
    return any("conflict" in message for message in found)


def plays(tree, roles):
    """Return whether the lexemes of a tree play their roles."""
    for node in tree.iter_subtrees():
        for child in node.children:
            if isinstance(child, Token):
                role = roles.get((node.data, child.type))
                if role is not None and not role.fullmatch(str(child)):
                    return False
    return True


def check_roles(draw, monkeypatch, *, with_masks=True):
    """Return how many texts a random grammar has with roles and without, ``None`` if refused."""
    text, alphabet = draw_grammar(draw)
    narrowed, roles = draw_roles(draw, text, alphabet)
    try:
        build_lark(load_source(text))
        judge = build_lark(load_source(narrowed))
    except maskc.MaskcError:
        return None
    plain = Lark(text, parser="lalr", keep_all_tokens=True)
    whole = accepted_texts(plain, alphabet, 5)
    found = accepted_texts(judge, alphabet, 5)
    if not has_conflicts(text, monkeypatch):
        assert found == {t for t in whole if plays(plain.parse(t), roles)}
    if with_masks:
        check_language(narrowed, alphabet, 4, draw_tokens(draw, alphabet))
    return len(found), len(whole)


@given(st.integers(0, 2**32))
@example(14881)  # a conflict that Lark resolves by shifting
@examples(30)
def test_a_role_keeps_the_texts_whose_lexemes_play_it(seed):
    check_roles(Random(seed), pytest.MonkeyPatch())


NESTED = """
start: (a | b)*
a: "(" n ")"
b: "[" n n? "]" | N ";"
n: N | "k" | "<" N ">"
N: /[abk]+/
%ignore " "
"""
HOW_TO_RAISE = [("a", "n", "N"), ("b", "n", "N"), ("n", "N"), ("b", "N")]


def draw_nested(draw):
    """Return a text of ``NESTED``."""

    def word():
        return "".join(draw.choices("abk", k=draw.randint(1, 3)))

    def name():
        return draw.choice([word(), word(), "k", f"<{word()}>"])

    parts = [f"({name()})", f"[{name()}]", f"[{name()} {name()}]", f"{word()};"]
    return "".join(draw.choices(parts, k=draw.randint(0, 4)))


def plays_nested(tree, roles, above=()):
    """Return whether the lexemes of a tree play the roles that the longest way gives them."""
    way = (*above, tree.data)
    for child in tree.children:
        if not isinstance(child, Token):
            if not plays_nested(child, roles, way):
                return False
        elif child.type == "N":
            longest = next(
                (roles[p] for p in ((*way[-2:], "N"), (way[-1], "N")) if p in roles), None
            )
            if longest is not None and not longest.fullmatch(str(child)):
                return False
    return True


@given(st.integers(0, 2**32))
@examples(8)
def test_a_role_on_a_way_is_played_there_only(seed):
    draw = Random(seed)
    pair = draw.choice([("a[abk]*", "[bk]+a*"), ("[ab]+", "k[abk]*"), ("..?", "...+")])
    roles = {way: draw.choice(pair) for way in HOW_TO_RAISE if draw.random() < 0.6}
    by_name = {".".join(way): pattern for way, pattern in roles.items()}
    patterns = {way: re.compile(pattern) for way, pattern in roles.items()}
    source = load_source(NESTED, roles=by_name)
    judge, artifact = build_lark(source), compile_text(source.text)
    plain = Lark(NESTED, parser="lalr", keep_all_tokens=True)
    for _ in range(60):
        text = draw_nested(draw)
        expected = plays_nested(plain.parse(text), patterns)
        assert lark_accepts(judge, text) == expected, (by_name, text)
        assert accepts(artifact, text) == expected, (by_name, text)
