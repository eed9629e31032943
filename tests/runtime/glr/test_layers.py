"""States that become each other on top of one state."""

from maskc.runtime.glr.tables import BOTTOM
from tests.compiled import compile_text

LEVELS = 'start: e\ne: e "+" t | t\nt: t "*" n | n\nn: "a" | "(" e ")"\n'


def layers_of(text):
    debts = compile_text(text, (b"a", b"+", b"*"), parser="earley").machine.debts
    return debts._layers, debts._parser


def test_an_atom_on_top_is_a_factor_and_a_term_as_well():
    layers, parser = layers_of(LEVELS)
    targets = {target for targets in parser.shifts(0).values() for target in targets}
    (atom,) = [target for target in targets if not parser.shifts(target)]
    terminals = {t for _, shifts in layers.push(0, atom).shifts for t in shifts}
    assert len(terminals) == 2  # "+" and "*"
    assert layers.push(0, atom).reduces == ()
    assert layers.push(0, atom) is layers.push(0, atom)


def test_at_the_bottom_nothing_becomes_anything():
    layers, parser = layers_of(LEVELS)
    assert parser.gotos(BOTTOM) == {}
    assert [state for state, _ in layers.push(BOTTOM, 0).shifts] == [0]
