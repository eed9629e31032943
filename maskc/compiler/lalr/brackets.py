"""Parser states told apart by the innermost open bracket.

A postlex can look at the brackets around a lexeme. The parser's stack knows them, its state on top
need not: after ``a`` in ``(a`` and in ``[a`` it can be the same. Where every production closes the
brackets that it opens, the innermost one is known from the state in which a production begins and
from the brackets that were opened in it since; so each state is split by the few innermost
brackets, as many as one production nests, and one more. A nonterminal leaves them as they were.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import replace

from maskc.errors import LimitError, PostlexError
from maskc.grammar.model import Bnf, Context, LalrGrammar, LalrState, LalrTable, quote_rule
from maskc.ids import ContextId, LalrStateId, TerminalId
from maskc.wording import Phrase

MAX_STATES = 100_000
MAX_DEPTH = 16  # of brackets in one production: each state holds as many

# The innermost open brackets, the innermost first; None for those that nothing is said about.
_Open = tuple[TerminalId | None, ...]


def split_by_brackets(
    grammar: LalrGrammar, brackets: Mapping[TerminalId, TerminalId]
) -> LalrGrammar:
    """Return the grammar with a table whose contexts know the innermost open bracket.

    It is the same grammar if its postlex does not look at brackets.

    Raises:
        PostlexError: a production leaves a bracket open, or closes one that it did not open.
        LimitError: more than ``MAX_STATES`` states.
    """
    asked = frozenset(b for rewrite in grammar.lexer.rewrites for b in rewrite.between or ())
    if not asked:
        return grammar
    bnf = grammar.bnf
    depth = max(_check_nesting(bnf, p.lhs, p.rhs, brackets) for p in bnf.productions)
    if depth > MAX_DEPTH:
        raise LimitError("nested brackets in one rule", MAX_DEPTH, Phrase.NEST_LESS)
    splitter = _Splitter(grammar, brackets, asked, depth)
    splitter.explore()
    return splitter.put_together()


def _check_nesting(
    bnf: Bnf, lhs: int, rhs: Iterable[int], brackets: Mapping[TerminalId, TerminalId]
) -> int:
    """Return how deep a production nests brackets."""
    closing, opened, deepest = set(brackets.values()), list[int](), 0
    for symbol in rhs:
        if symbol >= 0 and symbol in brackets:
            opened.append(brackets[TerminalId(symbol)])
            deepest = max(deepest, len(opened))
        elif symbol >= 0 and symbol in closing and (not opened or opened.pop() != symbol):
            raise PostlexError(
                f"of {quote_rule(bnf, lhs)}",
                f"it closes {bnf.terminals[symbol]} that it did not open; let each rule close the "
                "brackets that it opens",
            )
    if opened:
        raise PostlexError(
            f"of {quote_rule(bnf, lhs)}",
            f"it leaves a bracket open that {bnf.terminals[opened[-1]]} closes; let each rule "
            "close the brackets that it opens",
        )
    return deepest


class _Splitter:
    """Walks the table with the brackets that are open in each state."""

    def __init__(
        self,
        grammar: LalrGrammar,
        brackets: Mapping[TerminalId, TerminalId],
        asked: frozenset[TerminalId],
        depth: int,
    ) -> None:
        self._grammar, self._asked, self._depth = grammar, asked, depth
        self._opening, self._closing = frozenset(brackets), frozenset(brackets.values())
        start = (LalrStateId(0), (None,) * (depth + 1))
        self._number: dict[tuple[int, _Open], LalrStateId] = {start: LalrStateId(0)}
        self._pending: deque[tuple[LalrStateId, _Open]] = deque([start])
        self._states: list[LalrState] = []

    def explore(self) -> None:
        """Walk from the start state, breadth first and in the order of symbols."""
        while self._pending:
            state, opened = self._pending.popleft()
            row = self._grammar.lalr.states[state]
            gotos = {n: self._visit(t, opened) for n, t in sorted(row.gotos.items())}
            shifts = {
                n: self._visit(t, self._after(TerminalId(n), opened))
                for n, t in sorted(row.shifts.items())
            }
            self._states.append(LalrState(shifts, row.reduces, gotos))

    def put_together(self) -> LalrGrammar:
        """Return the grammar with the new table and its contexts."""
        lalr, lexer = self._grammar.lalr, self._grammar.lexer
        contexts: dict[tuple[Context, TerminalId | None], ContextId] = {}
        context_of = []
        for state, opened in self._number:
            key = (lexer.contexts[lalr.context_of[state]], opened[0])
            context_of.append(contexts.setdefault(key, ContextId(len(contexts))))
        after: dict[int, set[ContextId]] = {}
        for row in self._states:
            for terminal, target in row.shifts.items():
                after.setdefault(terminal, set()).add(context_of[target])
        end_state = next(n for (state, _), n in self._number.items() if state == lalr.end_state)
        return replace(
            self._grammar,
            lexer=replace(
                lexer,
                contexts=tuple(context for context, _ in contexts),
                innermost=tuple(innermost for _, innermost in contexts),
                first_context=context_of[0],
                contexts_after={t: frozenset(found) for t, found in after.items()},
            ),
            lalr=LalrTable(tuple(self._states), end_state, tuple(context_of)),
        )

    def _after(self, terminal: TerminalId, opened: _Open) -> _Open:
        if terminal in self._opening:
            inner = terminal if terminal in self._asked else None
            return (inner, *opened[: self._depth])
        return opened[1:] if terminal in self._closing else opened

    def _visit(self, state: LalrStateId, opened: _Open) -> LalrStateId:
        key = (state, opened)
        found = self._number.get(key)
        if found is None:
            if len(self._number) >= MAX_STATES:
                raise LimitError("parser states", MAX_STATES, Phrase.SIMPLER_RULES)
            found = self._number[key] = LalrStateId(len(self._number))
            self._pending.append(key)
        return found
