r"""A regular expression as an automaton over bytes that is made when it is needed.

The texts are those of ``re.fullmatch``. Only whether a text matches counts, not how, so a state is
a set of the threads of :mod:`maskc.regular.threads`: where the pattern may stand, and what it
still owes. A state is made when a text or a mask first asks for it.

Source: the subset construction (Rabin and Scott 1959, doi:10.1147/rd.32.0114), made lazily as in
Thompson 1968 (doi:10.1145/363347.363387).
"""

from __future__ import annotations

from collections.abc import Iterable

from maskc.errors import GrammarError, LimitError
from maskc.frontends.notations import NAME
from maskc.limits import MEGABYTE
from maskc.regular.lookbehind import LookBehindState, LookBehindStepper
from maskc.regular.nfa import Nfa
from maskc.regular.nodes import Accept, LookAround, SplitNode, targets_of
from maskc.regular.threads import Thread, ThreadList, ThreadStepper, hold_at_end
from maskc.runtime.link.automata.automaton import MAX_MEGABYTES, ByteAutomaton
from maskc.runtime.step_budget import charge_steps

MAX_STATES = 50_000
_MOVE = 12  # steps of moving one thread by one byte class
# Bytes of memory, about, as tracemalloc counts them; a test compares.
_STATE_BYTES, _CLASS_BYTES, _THREAD_BYTES = 900, 25, 150

_State = tuple[LookBehindState, frozenset[Thread]]


class PatternAutomaton(ByteAutomaton[_State]):
    """Reads the texts that a pattern matches.

    Args:
        whole: the pattern, as :func:`maskc.frontends.notations.read_pattern` returns it.

    Raises:
        GrammarError: it matches no text.
        LimitError: it is too large.
        UnsupportedTerminalError: no automaton follows it.
    """

    def __init__(self, whole: str) -> None:
        nfa = Nfa()
        start = nfa.add_pattern("PATTERN", whole, 0, 0)
        self.n_nodes = len(nfa.nodes)  # of the automaton that the pattern is written out as
        self._threads = ThreadStepper(nfa)
        self._behinds = LookBehindStepper(self._threads)
        self._bytes_of: list[list[int]] = [[] for _ in range(self._threads.n_classes)]
        for byte, byte_class in enumerate(self._threads.byte_class.tolist()):
            self._bytes_of[byte_class].append(byte)
        self._leads_on = _find_leading(nfa)
        # The end of the text is the only thing that a plain pattern looks for.
        n_looks = sum(isinstance(node, LookAround) for node in nfa.nodes)
        # whether it looks at nothing around what it reads, so that each of its states is live; else
        # that is searched for, which can take long
        self.is_plain = n_looks <= 1 and not any(
            isinstance(node, SplitNode) and node.rivals for node in nfa.nodes
        )
        self._live: dict[_State, bool] = {}
        self._known: dict[_State, dict[int, _State]] = {}
        self._same: dict[_State, _State] = {}
        look_behind = self._behinds.start()
        first = self._keep(look_behind, self._threads.enter(start, look_behind.matched))
        if not self._is_live(first):
            raise GrammarError(NAME, "it matches no text at all; look for parts that contradict")
        super().__init__(first)

    def find_moves(self, name: _State) -> dict[int, _State]:
        return {
            byte: after
            for byte_class, after in self._step_all(name).items()
            if self._is_live(after)
            for byte in self._bytes_of[byte_class]
        }

    def is_accepting(self, name: _State) -> bool:
        return any(position < 0 and hold_at_end(obligations) for position, obligations in name[1])

    def _step_all(self, name: _State) -> dict[int, _State]:
        """Return byte class → the state after it, dead ones too if the pattern looks around."""
        found = self._known.get(name)
        if found is None:
            if len(self._known) >= MAX_STATES:
                raise LimitError(
                    "states in the pattern's automaton", MAX_STATES, "lower the counts in it", NAME
                )
            if self.n_bytes >= MAX_MEGABYTES * MEGABYTE:
                raise LimitError(
                    "MB of states of a pattern", MAX_MEGABYTES, "lower the counts in it", NAME
                )
            found = self._known[name] = self._find_steps(name)
            self.grow(_STATE_BYTES + _CLASS_BYTES * len(found) + _THREAD_BYTES * len(name[1]))
        return found

    def _find_steps(self, name: _State) -> dict[int, _State]:
        look_behind, threads = name
        moves = [self._threads.moves(position) for position, _ in threads if position >= 0]
        owing = any(obligations for position, obligations in threads if position >= 0)
        # Byte classes in which all threads do the same lead to the same.
        known: dict[object, _State] = {}
        found = {}
        charge_steps(_MOVE * sum(map(len, moves)))
        for byte_class in sorted(set().union(*moves)):
            after = self._behinds.step(look_behind, byte_class)
            # The stepper keeps its states: to hash one takes longer than all else here.
            targets = [move.get(byte_class) for move in moves]
            key = (id(after), byte_class if owing else 0, *targets)
            if key not in known:
                known[key] = self._keep(
                    after,
                    (
                        stepped
                        for thread in threads
                        if thread[0] >= 0
                        for stepped in self._threads.step_thread(thread, byte_class, after.matched)
                    ),
                )
            if known[key][1]:
                found[byte_class] = known[key]
        return found

    def _keep(self, look_behind: LookBehindState, threads: Iterable[Thread]) -> _State:
        kept = ThreadList()
        for position, obligations in threads:
            if position < 0 or self._leads_on[self._threads.follows(position)]:
                kept.append(position, obligations)
        name = look_behind, frozenset(kept.done())
        return self._same.setdefault(name, name)

    def _is_live(self, name: _State) -> bool:
        """Return whether some text leads to an accepting state: a search, once for each state."""
        if self.is_plain:
            return bool(name[1])
        found = self._live.get(name)
        if found is None:
            self._search(name)
            found = self._live[name]
        return found

    def _search(self, start: _State) -> None:
        """Find out whether a state is live; dead are all that a search in vain has seen."""
        before: dict[_State, _State | None] = {start: None}
        open_ = [start]
        while open_:
            here = open_.pop()
            if self._live.get(here) or self.is_accepting(here):
                state: _State | None = here
                while state is not None:
                    self._live[state] = True
                    state = before[state]
                return
            if self._live.get(here) is None:
                for after in self._step_all(here).values():
                    if after not in before:
                        before[after] = here
                        open_.append(after)
        self._live.update(dict.fromkeys(before, False))


def _find_leading(nfa: Nfa) -> list[bool]:
    """Return for each node whether an accepting one can be reached, whatever is looked for."""
    before: list[list[int]] = [[] for _ in nfa.nodes]
    for number, node in enumerate(nfa.nodes):
        for target in targets_of(node):
            before[target].append(number)
    leads = [False] * len(nfa.nodes)
    open_ = [n for n, node in enumerate(nfa.nodes) if isinstance(node, Accept)]
    while open_:
        number = open_.pop()
        if not leads[number]:
            leads[number] = True
            open_ += before[number]
    return leads
