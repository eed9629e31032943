"""What may come next in an LALR state, whatever lies below it on the stack?

The LALR state is the finite summary of the whole past, and the best first argument that the
analyses can have. We run Lark's table itself, conflicts resolved as Lark resolves them, from a
state with nothing known below it. A reduction that pops more than is known borrows: it goes on from
every state that can lie there, which are the table's edges read backward. Over all ways,

- a sequence is *never* legal in the state if no way reads it;
- it is *always* legal if no way fails;
- else it *depends* on the stack below.

No cycle of borrowings needs care: each takes symbols off a stack, which is finite, so some way out
is taken in the end, and the ways out are what counts.

States are *refined* (:mod:`maskc.parser.refine`): what a refined state calls live is legal on every
stack that ends in it. So a fact holds for the language that Lark parses, and a sequence of one
terminal is never undecided. Every stack of the table is allowed for; some may belong to no text,
for a conflict or for the lexer: then ``DEPENDS`` may be said where one of the others is true.

Example: with ``S -> a S b | c``, the state behind b is two refined ones. Below another a, b is
always legal, and bb depends on the stack; at the bottom only the end is.

Bound: ``MAX_CONFIGURATIONS``; beyond it the verdict is ``UNKNOWN``. A parser table without
conflicts makes the language deterministic, which is why always-legal, undecidable in general, has
exact answers here.

Source: blog, outlook, first item; DESIGN, section 2 (streamlining); Bouajjani, Esparza, Maler 1997.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from maskc.grammar.model import LalrGrammar
from maskc.grammar.reduce import reduce_grammar
from maskc.ids import END, LookaheadId
from maskc.parser.completion import build_completions
from maskc.parser.items import build_item_sets
from maskc.parser.refine import RefinedTable, refine_states
from maskc.pushdown.debts import Verdict

MAX_CONFIGURATIONS = 20_000

_Stack = tuple[int, ...]  # refined states, top last; below the first nothing is known


def refine_terminals(grammar: LalrGrammar) -> RefinedTable:
    """Return the refined table when any terminal may stand behind any: parser without lexer.

    Its lookaheads are terminals.

    Raises:
        LimitError: it has too many states.
    """
    item_sets = build_item_sets(grammar)
    lookaheads = {t: (LookaheadId(t),) for t in range(len(grammar.bnf.terminals))}
    anything = (1 << len(grammar.bnf.terminals)) - 1
    completions = build_completions(grammar, item_sets, lookaheads, lambda *_: anything)
    return refine_states(grammar, item_sets, completions, 1 << END)


class LalrStacks:
    """Verdicts over all stacks of a refined table.

    Sequences are of lookaheads: the table's own, each of which stands for a terminal.
    """

    def __init__(
        self, grammar: LalrGrammar, table: RefinedTable, terminal_of: Mapping[int, int]
    ) -> None:
        """Prepare a table.

        Args:
            grammar: with Lark's table.
            table: refined from it.
            terminal_of: lookahead → terminal.
        """
        self._grammar = grammar
        self._table = table
        self._terminal_of = terminal_of
        # A stack that holds a symbol of no text is left by no text.
        used = reduce_grammar(grammar.bnf)
        below: list[set[int]] = [set() for _ in table.live]
        self._behind: dict[int, set[int]] = {}
        self._refined: dict[int, list[int]] = {}
        reached = {0}
        pending = [0]
        while pending:
            state = pending.pop()
            self._refined.setdefault(table.lalr_state[state], []).append(state)
            shifts = {t: s for t, s in table.shifts[state].items() if t in used.used_terminals}
            gotos = {n: s for n, s in table.gotos[state].items() if n in used.used_nonterminals}
            for symbol, target in shifts.items():
                self._behind.setdefault(symbol, set()).add(target)
            for target in (*shifts.values(), *gotos.values()):
                below[target].add(state)
                if target not in reached:
                    reached.add(target)
                    pending.append(target)
        self._below = [tuple(sorted(states)) for states in below]
        self._depths: dict[tuple[int, int], tuple[int, ...]] = {}

    def decide(self, state: int, sequence: Sequence[int]) -> Verdict:
        """Return on which stacks that end in a refined state the sequence is legal."""
        return self._decide((state,), sequence)

    def decide_in_lalr_state(self, lalr_state: int, sequence: Sequence[int]) -> Verdict:
        """Return on which stacks that end in a state of Lark's table the sequence is legal.

        ``NEVER`` for a state that no text comes to.
        """
        return self._decide(self._refined.get(lalr_state, ()), sequence)

    def decide_behind(self, x: int, sequence: Sequence[int]) -> Verdict:
        """Return on which stacks the sequence is legal right behind a terminal.

        ``ALWAYS`` may be used for the language that Lark parses, conflicts or not.
        """
        return self._decide(sorted(self._behind.get(x, ())), sequence)

    def _decide(self, states: Iterable[int], sequence: Sequence[int]) -> Verdict:
        met = failed = False
        word = tuple(sequence)
        pending: list[tuple[_Stack, int]] = [((state,), 0) for state in states]
        seen = set(pending)
        while pending:
            stack, at = pending.pop()
            if at == len(word):
                met = True
                continue
            look, top = word[at], stack[-1]
            if not self._table.live[top] >> look & 1:
                failed = True
                continue
            terminal = self._terminal_of[look]
            if terminal == END:
                # Live: the text may end here, and nothing comes behind the end.
                met, failed = met or at + 1 == len(word), failed or at + 1 < len(word)
                continue
            for found in self._act(stack, terminal):
                configuration = (found[0], at + found[1])
                if configuration not in seen:
                    seen.add(configuration)
                    pending.append(configuration)
            if met and failed:
                return Verdict.DEPENDS
            if len(seen) > MAX_CONFIGURATIONS:
                return Verdict.UNKNOWN
        if met and failed:
            return Verdict.DEPENDS
        return Verdict.ALWAYS if met else Verdict.NEVER

    def _act(self, stack: _Stack, terminal: int) -> list[tuple[_Stack, int]]:
        """Return what one action makes of a stack, and how many terminals it reads."""
        top = stack[-1]
        row = self._grammar.lalr.states[self._table.lalr_state[top]]
        if terminal in row.shifts:
            return [((*stack, self._table.shifts[top][terminal]), 1)]
        production = self._grammar.bnf.productions[row.reduces[terminal]]
        n_popped = len(production.rhs)
        if n_popped < len(stack):
            left = stack[: len(stack) - n_popped]
            return self._push(left, production.lhs)
        found = []
        for base in self._find_below(stack[0], n_popped - len(stack) + 1):
            found += self._push((base,), production.lhs)
        return found

    def _push(self, left: _Stack, nonterminal: int) -> list[tuple[_Stack, int]]:
        target = self._table.gotos[left[-1]].get(nonterminal)
        # No goto: the base does not go with the top, for which the terminal is live.
        return [] if target is None else [((*left, target), 0)]

    def _find_below(self, state: int, depth: int) -> tuple[int, ...]:
        """Return the states that can lie so many places below a state."""
        found = self._depths.get((state, depth))
        if found is None:
            if depth == 1:
                found = self._below[state]
            else:
                nearer = self._find_below(state, depth - 1)
                found = tuple(sorted({s for n in nearer for s in self._below[n]}))
            self._depths[state, depth] = found
        return found
