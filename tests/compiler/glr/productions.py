"""Random productions, and their languages by enumeration: rewrites must keep them."""

from hypothesis import strategies as st

from maskc.compiler.glr import make_cfg
from maskc.grammar import Production

LONGEST = 5
S, A, B = -1, -2, -3  # nonterminals 0, 1, 2
a, b = 1, 2


@st.composite
def productions(draw):
    """Productions over up to four nonterminals and two terminals, empty and cyclic ones too."""
    n = draw(st.integers(1, 4))
    symbols = st.sampled_from([a, b, *(-1 - i for i in range(n))])
    rhs = st.lists(symbols, max_size=4).map(tuple)
    return tuple(
        Production(lhs, side)
        for lhs in range(n)
        for side in draw(st.lists(rhs, min_size=1, max_size=3))
    )


def language(start, given_productions, *, has_empty=False):
    """Return all sequences up to ``LONGEST`` by a fixpoint."""
    found = {p.lhs: set() for p in given_productions}
    grown = True
    while grown:
        grown = False
        for production in given_productions:
            here = {()}
            for symbol in production.rhs:
                parts = {(symbol,)} if symbol >= 0 else found.get(-1 - symbol, set())
                here = {x + y for x in here for y in parts if len(x + y) <= LONGEST}
            if not here <= found[production.lhs]:
                found[production.lhs] |= here
                grown = True
    return found.get(start, set()) | ({()} if has_empty else set())


def language_of(cfg):
    return language(cfg.start, cfg.productions, has_empty=cfg.has_empty)


def make(*sides, start=0):
    rules = [Production(lhs, rhs) for lhs, rhs in sides]
    return make_cfg(start, 1 + max(lhs for lhs, _ in sides), rules, has_empty=False)
