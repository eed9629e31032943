r"""Look-behind pruning: drops look-behinds that nobody asks when the current character ends.

``\b`` asks whether the character before is a word's. To tell that of every character of Unicode
takes some 300 states in the middle of one, and each of them would stand beside each state of what
else is being read there: a string, a comment, and the conditions that earlier lexemes left. Nobody
asks in the middle of a string: after its last quote, that quote is what stands before.

So in the middle of a character the look-behinds that end with it are dropped unless something asks
for them there: a thread's way on from that character, a condition's, or what the lexer may look for
if a lexeme ends there. Look-behinds that reach further, and those that another one asks for, stay.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from maskc.grammar import LexerSpec
from maskc.grammar.sets import find_reachable
from maskc.ids import IGNORED
from maskc.regular.lookbehind import LookBehindState
from maskc.regular.nodes import Accept, Arena, Char, LookAround, Node, SplitNode, targets_of
from maskc.regular.threads import Obligations, Threads, ThreadStepper, list_positions

Behinds = frozenset[int]  # numbers of look-behinds
NONE: Behinds = frozenset()


class LookbehindPruning:
    """What each state of a lexer asks of the look-behinds.

    Args:
        threads: of the NFA that the lexer's patterns were added to.
        lexer: its terminals and contexts.
        starts: terminal → the node that its pattern begins at.
        keyword_starts: the same of keywords, with what may follow them.
        after: terminal or ``IGNORED`` → the contexts in which its follower may be lexed; ``None``
            for all of them after each.
    """

    def __init__(
        self,
        threads: ThreadStepper,
        lexer: LexerSpec,
        starts: Mapping[int, int],
        keyword_starts: Mapping[int, int],
        after: Mapping[int, frozenset[int]] | None,
    ) -> None:
        self._threads, self._nfa = threads, threads.nfa
        self._lexer, self._after = lexer, after
        self._starts, self._keyword_starts = starts, keyword_starts
        self._closures: dict[int, tuple[Behinds, frozenset[int], bool]] = {}
        self._of_context: dict[int, Behinds] = {}
        self._of_label: dict[int, Behinds] = {}
        self._asked_by: dict[Obligations, Behinds] = {}
        self._nested = _list_nested(self._nfa)

    def list_asked(self, threads: Threads, keywords: Iterable[int]) -> Behinds:
        """Return the look-behinds asked for where the character ends that all of these are in.

        Args:
            threads: of an open lexeme.
            keywords: positions of the keywords that it may turn out to be.
        """
        asked = set(self._nested)
        for position, obligations in threads:
            if position >= 0:
                behinds, labels, _ = self._close(self._threads.follows(position))
                asked |= behinds
                for label in labels:
                    asked |= self._ask_after(label)
            asked |= self.list_asked_by(obligations)
        for position in keywords:
            if position >= 0:
                asked |= self._close(self._threads.follows(position))[0]
        return frozenset(asked)

    def list_asked_by(self, obligations: Obligations) -> Behinds:
        """Return the look-behinds that obligations ask for where the current character ends."""
        found = self._asked_by.get(obligations)
        if found is None:
            positions = list_positions(obligations)
            asked_at = (self._close(self._threads.follows(p))[0] for p in positions)
            found = self._asked_by[obligations] = self._nested.union(*asked_at)
        return found

    def drop(self, state: LookBehindState, asked: Behinds) -> LookBehindState:
        """Return a state in the middle of a character without what nothing asks for at its end."""
        kept = frozenset(
            (number, position, obligations)
            for number, position, obligations in state.threads
            if number in asked or self._close(self._threads.follows(position))[2]
        )
        return LookBehindState(kept, state.whole, state.matched)

    def _ask_after(self, label: int) -> Behinds:
        """Return what the lexemes that may follow a terminal's ask for at their begin."""
        found = self._of_label.get(label)
        if found is None:
            contexts: set[int] = set(range(len(self._lexer.contexts)))
            if self._after is not None:
                ends_as = {IGNORED} if label in self._lexer.ignored else {label}
                for context in self._lexer.contexts:
                    ends_as.update(n for t, names in context.keywords if t == label for n in names)
                contexts = {c for end in ends_as for c in self._after.get(end, ())}
            found = self._of_label[label] = NONE.union(*map(self._ask_in, sorted(contexts)))
        return found

    def _ask_in(self, context: int) -> Behinds:
        found = self._of_context.get(context)
        if found is None:
            spec = self._lexer.contexts[context]
            nodes = [self._starts[terminal] for terminal in spec.alternatives]
            nodes += [self._keyword_starts[n] for _, names in spec.keywords for n in names]
            asked = (self._close(node)[0] for node in nodes)
            found = self._of_context[context] = NONE.union(*asked)
        return found

    def _close(self, node: int) -> tuple[Behinds, frozenset[int], bool]:
        """Return what can be met from a node on before the next character is read.

        Returns:
            The look-behinds, the labels of patterns that end, and whether a character is read.
        """
        found = self._closures.get(node)
        if found is None:
            found = self._closures[node] = _walk(self._nfa, node)
        return found


def _walk(nfa: Arena, start: int) -> tuple[Behinds, frozenset[int], bool]:
    behinds: set[int] = set()
    labels: set[int] = set()
    reads = False

    def follow(number: int) -> list[int]:
        node = nfa.nodes[number]
        return [] if isinstance(node, Char) else _list_inside(node)

    for number in find_reachable([start], follow):
        match nfa.nodes[number]:
            case Char():
                reads = True
            case Accept(label=label):
                labels.add(label)
            case LookAround(ahead=False, start=behind):
                behinds.add(behind)
    return frozenset(behinds), frozenset(labels), reads


def _list_nested(nfa: Arena) -> Behinds:
    """Return the look-behinds that stand inside another one, anywhere in it."""
    inside = find_reachable(nfa.look_behinds, lambda number: _list_inside(nfa.nodes[number]))
    nodes = (nfa.nodes[number] for number in inside)
    return frozenset(n.start for n in nodes if isinstance(n, LookAround) and not n.ahead)


def _list_inside(node: Node) -> list[int]:
    """Return what a node leads to, its rivals and what a look-ahead begins with among it.

    Ends inside a look-ahead are no ends of terminals. They are followed as well, so more is kept
    than is needed.
    """
    further = targets_of(node)
    if isinstance(node, SplitNode):
        further += node.rivals
    elif isinstance(node, LookAround) and node.ahead:
        further.append(node.start)
    return further
