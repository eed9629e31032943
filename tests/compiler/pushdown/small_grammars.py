"""Small grammars as productions, and their terminal languages by enumeration.

Nonterminals are 0, 1, 2 and the terminals a, b, c are 1, 2, 3: no lexer and no parser takes part.
"""

import itertools

from hypothesis import strategies as st

from maskc.frontends.loading import load_grammar
from maskc.frontends.source import load_source
from maskc.grammar import Production
from maskc.grammar.sets import reduce_grammar, reduce_productions

TERMINALS = ("$END", "a", "b", "c")
NONTERMINALS = ("S", "T", "U")
LETTERS = (1, 2, 3)


def grammar_of(*productions):
    """Return the reduced grammar of texts such as ``S -> a S b``; lower case is terminal."""
    rules = []
    for text in productions:
        lhs, _, rhs = text.partition("->")
        symbols = [
            TERMINALS.index(s) if s in TERMINALS else -1 - NONTERMINALS.index(s)
            for s in rhs.split()
        ]
        rules.append(Production(NONTERMINALS.index(lhs.strip()), tuple(symbols)))
    return reduce_productions(TERMINALS, NONTERMINALS, 0, rules)


def nested():
    """Return the appendix's worked example as Lark reads it."""
    grammar, _ = load_grammar(load_source('start: "a" start "b" |\n'))
    return reduce_grammar(grammar.bnf)


@st.composite
def small_grammars(draw, longest=3):
    """Draw a reduced grammar whose language is not empty."""
    symbols = st.sampled_from([1, 2, 3, -1, -2, -3])
    sides = st.lists(symbols, max_size=longest).map(tuple)
    rules = [Production(0, draw(sides))]
    for lhs in range(3):
        rules += [Production(lhs, rhs) for rhs in draw(st.lists(sides, max_size=3))]
    # A terminal rule each, now and then, so that few grammars are empty.
    rules += [Production(lhs, (draw(st.sampled_from(LETTERS)),)) for lhs in range(3)]
    return reduce_productions(TERMINALS, NONTERMINALS, 0, dict.fromkeys(rules))


def words(lhs_to_rhs, start, longest):
    """Return all terminal sequences up to a length that ``start`` derives."""
    found = {lhs: set() for lhs in lhs_to_rhs}
    grew = True
    while grew:
        grew = False
        for lhs, sides in lhs_to_rhs.items():
            for rhs in sides:
                ends = {()}
                for symbol in rhs:
                    parts = found.get(symbol, {(symbol,)})
                    ends = {a + b for a in ends for b in parts if len(a) + len(b) <= longest}
                if not ends <= found[lhs]:
                    found[lhs] |= ends
                    grew = True
    return found[start]


def rules_of(reduced):
    """Return left side → right sides; symbols as they stand in right sides."""
    rules = {}
    for production in reduced.productions:
        rules.setdefault(-1 - production.lhs, []).append(production.rhs)
    return rules


def prefixes(reduced, longest):
    """Return all beginnings, up to a length, of terminal sequences of the language.

    ``("begin", A)`` derives the beginnings of what A derives: an independent way to L_p.
    """
    rules = rules_of(reduced)
    begin = {}
    for lhs, sides in rules.items():
        begin["begin", lhs] = [()] + [
            (*rhs[:i], ("begin", symbol) if symbol < 0 else symbol)
            for rhs in sides
            for i, symbol in enumerate(rhs)
        ]
    return words(rules | begin, ("begin", -1 - reduced.start), longest)


def sequences(longest):
    """Return all sequences of letters up to a length, the empty one included."""
    return [w for n in range(longest + 1) for w in itertools.product(LETTERS, repeat=n)]
