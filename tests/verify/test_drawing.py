from random import Random

import pytest

import maskc
from maskc.frontends.lark.build import build_lark
from maskc.frontends.source import load_source
from maskc.verify.drawing import Drawing
from maskc.verify.general import build_oracle, parses
from maskc.verify.generation import open_grammar_drawer
from maskc.verify.mask_texts import NO_END


def drawing_of(grammar):
    lark = build_lark(load_source(grammar))
    return lark, Drawing(lark, build_oracle(lark))


@pytest.mark.parametrize("name", ["json", "csv", "toml"])
def test_most_texts_are_parsed_and_together_hold_every_rule(name):
    lark, drawing = drawing_of(name)
    rules, n_drawn, n_parsed = frozenset(), 0, 0
    for number in range(len(drawing.sentences.useful)):
        drawn = drawing.draw(Random(number), seed=0, number=number, size=30)
        if drawn is not None:
            n_drawn += 1
            n_parsed += parses(lark, drawn.text)
            rules |= drawn.rules
    assert drawing.list_others(rules)[1] == ()
    assert n_parsed > 0.8 * n_drawn


def test_blanks_are_few():
    _, drawing = drawing_of("json")
    drawn = [drawing.draw(Random(n), seed=0, number=n, size=60) for n in range(30)]
    text = "".join(one.text for one in drawn if one is not None)
    assert len(text) > 300
    assert sum(map(str.isspace, text)) < 0.5 * len(text)


def test_rules_are_named_as_their_author_wrote_them():
    _, drawing = drawing_of('start: "a" (WORD "b")* | /[0-9]/\nWORD: /[c-z]+/\n')
    n_rules, others = drawing.list_others(frozenset())
    assert n_rules == len(others) == 5
    assert set(others) == {
        'start: "a"',
        'start: "a" (…)*',
        "start: /[0-9]/",
        'start: (WORD "b")*',
        'start: ((…)* WORD "b")*',
    }


def test_the_same_numbers_give_the_same_text():
    first, second = (
        drawing_of("json")[1].draw(Random(5), seed=1, number=5, size=40) for _ in range(2)
    )
    assert first == second


def test_an_end_that_the_oracle_does_not_know_is_no_failure(monkeypatch):
    artifact = maskc.compile_grammar('start: "a"+\n', tokenizer="bytes")
    drawer = open_grammar_drawer(artifact, None)
    monkeypatch.setattr(drawer, "_find_end", lambda _written: None)
    assert drawer.draw_from_masks(Random(0), 20).problem == NO_END
