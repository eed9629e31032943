"""Law: the runtime reads a general parser's stacks as the compiler's debt automata do.

The compiler's automaton of a terminal sequence (``compiler/pushdown/debt_automaton.py`` over the
states of ``compiler/glr/top_state.py``) and the runtime's (``runtime/glr/debts.py``) were written
apart: one is made whole, for one sequence, and the other as far as a stack leads, for all tokens at
once. Each terminal is one character here, so a token is a terminal sequence, and it is legal iff on
some path down the graph-structured stack the compiler's automaton ends in ``TAKEN``.
"""

import itertools
from random import Random

import pytest

from maskc.compiler.glr.lr0 import find_going_on
from maskc.compiler.glr.top_state import StackVerdicts
from maskc.compiler.optimise.order import STEPS
from maskc.compiler.pushdown.debt_automaton import REFUSED, TAKEN
from maskc.compiler.pushdown.production_verdicts import ProductionVerdicts
from maskc.compiler.rows import ParserEvent, Sequences
from maskc.ids import TerminalId
from maskc.runtime.glr.gss import list_nodes
from tests.compiled import compile_text, legal_tokens
from tests.examples import seeds
from tests.languages import language_of

LETTERS = "abc"
TOKENS = tuple(
    "".join(letters).encode()
    for length in (1, 2, 3)
    for letters in itertools.product(LETTERS, repeat=length)
)
GRAMMARS = (
    'start: "a" start "b" | "c"\n',
    'start: start start | "a" | "b" start "c"\n',
    'start: x start "c" | y start "b" | "b"\nx: "a"\ny: "a"\n',
    'start: "a" start "a" | "b" start "b" | "c"\n',
)


def draw_grammar(draw: Random) -> str:
    rules = ("start", "x", "y")
    symbols = ['"a"', '"b"', '"c"', *rules]
    return "start: x y | y start x\n" + "".join(
        f"{rule}: "
        + " | ".join(
            " ".join(draw.choices(symbols, k=draw.randint(1, 3))) for _ in range(draw.randint(1, 2))
        )
        + f" | {draw.choice(symbols[:3])}\n"
        for rule in rules[1:]
    )


class Compiler:
    """What the compiler's automata say of stacks."""

    def __init__(self, text: str) -> None:
        language = language_of(text, parser="earley")
        boundaries, productions = language.lexed.boundaries, language.productions
        self.sequences = Sequences(())
        verdicts = ProductionVerdicts(language.asked, boundaries, self.sequences)
        goes_on = find_going_on(productions.cfg, language.table)
        self.stacks = StackVerdicts(language.table, goes_on, verdicts)
        self.boundaries = boundaries
        # One terminal stands for all that are asked for in the same places.
        self.number = {
            name: language.merged.get(TerminalId(t), TerminalId(t))
            for t, name in enumerate(language.lexed.grammar.bnf.terminals)
        }

    def takes(self, node, letters: str) -> bool:
        """Return whether some path down from a node lets a sequence be read."""
        if not {letter.upper() for letter in letters} <= self.number.keys():
            return False
        *first, last = (self.number[letter.upper()] for letter in letters)
        sequence = self.sequences.open_to(self.boundaries.set_of(last))
        for terminal in reversed(first):
            sequence = self.sequences.extend(ParserEvent(terminal, 1, 0), sequence)
        automaton = self.stacks.build(node[0], sequence)
        assert automaton is not None
        seen, pending = set(), [(node, automaton.start)]
        while pending:
            (top, under), state = pending.pop()
            if state == TAKEN:
                return True
            if state == REFUSED or (top, under[0], state) in seen:
                continue
            seen.add((top, under[0], state))
            edges = dict(automaton.edges[state])
            pending += [(below, edges[below[0]]) for below in list_nodes(under)]
        return False


def check(text: str, steps: tuple[str, ...]) -> int:
    """Compare both on every text of up to four letters; return how many tokens were legal."""
    compiler = Compiler(text)
    n_legal = 0
    for step in steps:
        artifact = compile_text(text, TOKENS, step, parser="earley")
        for length in range(1, 5):
            for prefix in map("".join, itertools.product(LETTERS, repeat=length)):
                matcher = artifact.matcher()
                if not matcher.accept_bytes(prefix.encode()):
                    continue
                # The last letter's lexeme is still open: the stacks are those before it.
                tops = [node for h in matcher._hypotheses for node in list_nodes(h.stacks)]
                expected = {
                    token
                    for token in TOKENS
                    if any(compiler.takes(node, prefix[-1] + token.decode()) for node in tops)
                }
                assert legal_tokens(artifact, prefix) - {None} == expected, (text, prefix)
                n_legal += len(expected)
    return n_legal


@pytest.mark.parametrize("text", GRAMMARS)
def test_the_runtime_reads_stacks_as_the_debt_automata_do(text):
    assert check(text, (STEPS[0], STEPS[-1])) > 20


@pytest.mark.parametrize("seed", seeds(20))
def test_it_does_so_for_random_grammars(seed):
    assert check(draw_grammar(Random(seed)), (STEPS[-1],)) > 0
