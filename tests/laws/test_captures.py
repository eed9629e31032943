"""Spans are those of Lark's parse: of a text that has ended all, and before that only lasting ones.

Lark's tree is asked for the extent of each rule and terminal, by every short text that it parses.
"""

from random import Random

from hypothesis import given
from hypothesis import strategies as st

import maskc
from maskc.errors import GrammarError, UnknownSymbolError
from maskc.frontends.lark.build import build_lark
from maskc.frontends.source import load_source
from tests.compiled import compile_text, draw_readable_grammar, legal_ids
from tests.examples import examples
from tests.laws.dense.judges import TreeJudge
from tests.random_grammars import accepted_texts, draw_layout_grammar, draw_tokens


def check_spans(draw, text, alphabet, longest, names, **settings_):
    """Hold spans against Lark's; return how many texts were looked at."""
    accepted = sorted(accepted_texts(build_lark(load_source(text, **settings_)), alphabet, longest))
    single = {bytes([byte]) for byte in alphabet.encode()}
    tokens = tuple(sorted({*draw_tokens(draw, alphabet), *single}))
    try:
        artifact = compile_text(text, tokens, **settings_)
    except GrammarError:  # no text at all
        return 0
    known = []
    for name in names:
        try:
            maskc.capture(artifact, name)
            known.append(name)
        except (maskc.errors.CaptureError, UnknownSymbolError):
            pass  # ignored, or not used
    if not known:
        return 0
    captures = maskc.capture(artifact, *known)
    judge = TreeJudge(text, alphabet, 0, names=known, postlex=settings_.get("postlex"))
    for written in draw.sample(accepted, min(len(accepted), 60)):
        data = written.encode()
        expected = judge.spans(written)
        matcher, plain = captures.matcher(), artifact.matcher()
        at, before = 0, []
        while at < len(data):
            choices = [t for t in tokens if data.startswith(t, at)]
            token = draw.choice(choices)
            assert matcher.accept_token(tokens.index(token))
            assert plain.accept_token(tokens.index(token))
            at += len(token)
            assert matcher.configuration() == plain.configuration()
            assert matcher.text() == data[:at]
            found = [tuple(span) for span in matcher.spans()]
            assert set(found) <= set(expected), (written, at)
            assert all(end <= at for _, _, end in found)
            assert [span for span in found if span in before] == before, "spans do not go"
            before = found
        assert legal_ids(matcher, artifact.vocab_size) == legal_ids(plain, artifact.vocab_size)
        assert matcher.accept_token(len(tokens))
        assert sorted(matcher.spans()) == expected, written
    return len(accepted)


@given(st.integers(0, 2**32))
@examples(15)
def test_spans_are_those_of_larks_parse(seed):
    draw = Random(seed)
    drawn = draw_readable_grammar(draw)
    if drawn is None:
        return
    text, alphabet = drawn
    names = ("start", "x", "y", "T0", "T1", "T2", "T3")
    check_spans(draw, text, alphabet, 5, names)


@given(st.integers(0, 2**32))
@examples(6)
def test_spans_between_indents_are_those_of_larks_parse(seed):
    draw = Random(seed)
    text, alphabet = draw_layout_grammar(draw)
    names = ("start", "stmt", "simple", "block", "_NL", "LP", "WORD")
    check_spans(draw, text, alphabet, 5, names, postlex="tests.indenters:TwoColumns")
