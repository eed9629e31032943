"""The lexemes of narrowed terminals: where they begin, and the tokens that stay inside an open one.

Which lexemes may become one terminal and where one may begin depends on the scanner alone and is
worked out once for an artifact. The rest depends on the open lexeme alone, not on the parser's
stack; so it is worked out once for a node of the trie, a scanner state and a track, whatever the
stack. From a lexeme that cannot become a hole's, all tokens are followed at once, level by level of
the trie: that depends on no words. Tokens that end in states from which the same can come are one
group: of these the parser is asked once.

Example: from inside a string, a lexeme of NAME may begin in ``" and`` and not in ``",``; the string
ends after the quote. With TABLE narrowed to 1,000 words, at the root and before the first byte of a
name there is one group, of all tokens that are beginnings of words, and an exit for each whole word
that some token goes on from.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maskc.artifact.model import Contents
from maskc.artifact.sections import read_rows
from maskc.ids import DEAD, BoundaryId, ScannerStateId, TerminalId
from maskc.runtime.cache import ENTRY_BYTES, Budget, Cache
from maskc.runtime.holes.stepping import OUTSIDE, Automaton, HoleStepper, Tracks
from maskc.runtime.lalr.parser import LalrTables
from maskc.runtime.link.automata import START
from maskc.runtime.link.automata.loops import list_ending
from maskc.runtime.scanner import ScannerTables
from maskc.runtime.schema.tries import ROOT, Trie
from maskc.runtime.step_budget import charge_steps, charge_vector_steps


class TerminalLexemes:
    """The lexemes of one terminal, which the parser takes."""

    def __init__(self, contents: Contents, tables: LalrTables, terminal: TerminalId) -> None:
        arrays = contents.arrays
        self.terminal = terminal  # its number
        ends = _find_ends(arrays, terminal)
        reach = np.asarray(ends.any(axis=1))
        # scanner state → whether it may become the terminal
        self.reach: list[bool] = reach.tolist()
        start = read_rows(arrays, "scanner_next")[int(contents.header["scanner_start"])]
        entries = read_rows(arrays, "scanner_entries")[np.unique(arrays["scanner_enter"])]
        rows = np.concatenate([entries, start[None]]).astype(np.int64)
        rows = np.unique(np.where(reach[rows], rows, DEAD), axis=0)
        rows = rows[rows.any(axis=1)]
        # the ways in which its lexemes may begin: byte class → scanner state, dead for others
        self.rows: list[list[ScannerStateId]] = rows.tolist()
        # of each of these, the boundaries that such lexemes may leave
        self.left: list[list[BoundaryId]] = [
            list(map(BoundaryId, np.flatnonzero(ends[row].any(axis=0)).tolist())) for row in rows
        ]
        # bool[256], the bytes with which they may begin
        self.first_bytes: NDArray[np.bool_] = np.asarray(rows.any(axis=0))[arrays["byte_class"]]
        # What can be lexed after a boundary, in the layout contexts after the terminal.
        reached = np.unique(arrays["shift_state"][arrays["shift_terminal"] == terminal])
        layout_contexts = sorted({tables.layout_context[state] for state in reached.tolist()})
        self._rest = arrays["rest_set"][arrays["rest"][:, layout_contexts]]
        same: dict[bytes, BoundaryId] = {}
        # boundary → the first one after which the same can come, after the terminal
        self.class_of: list[BoundaryId] = [
            same.setdefault(rest.tobytes(), BoundaryId(boundary))
            for boundary, rest in enumerate(self._rest)
        ]
        self._ends = ends
        self._classes: dict[ScannerStateId, frozenset[BoundaryId]] = {}
        self._less: dict[tuple[BoundaryId, BoundaryId], bool] = {}

    def classes_of(self, state: ScannerStateId) -> frozenset[BoundaryId]:
        """Return what the open lexeme may leave as the terminal, one boundary for each class."""
        found = self._classes.get(state)
        if found is None:
            left = np.flatnonzero(self._ends[state]).tolist()
            found = self._classes[state] = frozenset(self.class_of[b] for b in left)
        return found

    def has_words(self, scanner: ScannerTables, automaton: Automaton) -> bool:
        """Return whether some of an automaton's words can stand for the terminal wherever it can.

        Where they can, what the parser can go on with after a whole lexeme is as with all lexemes,
        and only open lexemes have to be looked at. For each way in which a lexeme of the terminal
        can begin, and each boundary that one which begins so can leave, some word has to leave that
        boundary, or one after which nothing less can come. Then each text of the grammar has one
        among the narrowed ones with the same terminals: replace each lexeme by a word that leaves
        no less, and go on from there.

        Example: with NAME narrowed to ``if``, which the grammar has as a keyword, no NAME is left,
        and with no words at all neither; a grammar in which a NAME must come has no texts then.
        """
        rows = zip(self.rows, self.left, strict=True)
        return all(self._leaves_all(scanner, automaton, row, left) for row, left in rows)

    def _leaves_all(
        self,
        scanner: ScannerTables,
        automaton: Automaton,
        row: Sequence[ScannerStateId],
        left: Sequence[BoundaryId],
    ) -> bool:
        """Return the same for the lexemes that begin in one way, one of ``rows`` and ``left``."""
        wanted, seen_left = list(left), set[BoundaryId]()
        pending: list[tuple[ScannerStateId, int]] = [
            (row[scanner.byte_classes[byte]], moved)
            for byte, moved in automaton.moves(START).items()
        ]
        seen = set(pending)
        while pending and wanted:
            charge_steps(1)
            state, at = pending.pop()
            if not state:
                continue
            if automaton.accepts(at):
                for terminal, boundary in scanner.ends(state):
                    if terminal == self.terminal and boundary not in seen_left:
                        seen_left.add(boundary)
                        wanted = [b for b in wanted if not self._leaves_less(b, boundary)]
            following = scanner.next(state)
            for byte, moved in automaton.moves(at).items():
                after = following[scanner.byte_classes[byte]]
                if self.reach[after] and (after, moved) not in seen:
                    seen.add((after, moved))
                    pending.append((after, moved))
        return not wanted

    def _leaves_less(self, one: BoundaryId, other: BoundaryId) -> bool:
        """Return whether all that can come after one boundary can come after another one."""
        found = self._less.get((one, other))
        if found is None:
            found = not bool(np.any(self._rest[one] & ~self._rest[other]))
            self._less[one, other] = found
        return found


def _find_ends(arrays: Mapping[str, NDArray[Any]], terminal: TerminalId) -> NDArray[np.bool_]:
    """Return bool[n_states, n_boundaries]: what may be left as the terminal from each state on.

    A breadth-first search backwards, by a whole array at a time.
    """
    following = read_rows(arrays, "scanner_next")
    n_states, n_boundaries = len(following), len(arrays["scanner_enter"])
    found = np.zeros((n_states, n_boundaries), dtype=np.bool_)
    is_end = arrays["end_terminal"] == terminal
    state_of = np.repeat(np.arange(n_states), np.diff(arrays["end_first"]))
    found[state_of[is_end], arrays["end_boundary"][is_end]] = True
    columns = np.flatnonzero(found.any(axis=0))
    for column in columns.tolist():
        reached = found[:, column]
        while True:
            more = reached | reached[following].any(axis=1)
            more[0] = False
            if np.array_equal(more, reached):
                break
            reached = more
        found[:, column] = reached
    return found


# Nodes of the trie, int32[n], and the states of the scanner there, int32[n].
Nodes = tuple[NDArray[np.int32], NDArray[np.int32]]


class Begun(NamedTuple):
    """The tokens from one scanner state in which a lexeme of a hole may begin."""

    # bool[n_tokens], in the order of their bytes: whether it is one of them
    tokens: NDArray[np.bool_]
    exits: Nodes  # where the open lexeme may end in such tokens
    inside: Nodes  # where such tokens end, if they have stayed inside of it


class Beginnings:
    """Where lexemes of holes may begin. For the holes of one artifact, whatever their words are."""

    def __init__(
        self, scanner: ScannerTables, lexemes: Sequence[TerminalLexemes], trie: Trie, budget: Budget
    ) -> None:
        self._scanner, self._trie = scanner, trie
        begins: NDArray[np.bool_] = np.zeros(256, dtype=np.bool_)
        for hole in lexemes:
            begins |= hole.first_bytes
        self._begins = begins
        self._known = Cache(budget, _measure_begun)

    def of(self, state: ScannerStateId) -> Begun:
        """Return the tokens that begin in a scanner state."""
        return self._known.get_or_make(state, lambda: self._find(state))

    def _find(self, state: ScannerStateId) -> Begun:
        scanner, trie = self._scanner, self._trie
        n_nodes = len(trie.byte_array)
        charge_vector_steps(n_nodes)
        classes = np.frombuffer(scanner.byte_classes, dtype=np.uint8)[trie.byte_array]
        begins, parents = self._begins[trie.byte_array], trie.parent_array
        states = np.zeros(n_nodes, dtype=np.int32)
        may_end, has_ended, has_begun = np.zeros((3, n_nodes), dtype=np.bool_)
        states[ROOT] = state
        may_end[ROOT] = bool(scanner.ends(state))
        for depth in range(1, len(trie.levels) - 1):
            here = slice(trie.levels[depth], trie.levels[depth + 1])
            above = parents[here]
            before = states[above]
            for reached in np.unique(before[before > 0]).tolist():
                among = np.flatnonzero(before == reached)
                row = np.array(scanner.next(reached), dtype=np.int32)
                states[here][among] = row[classes[here][among]]
            for reached in np.unique(states[here]).tolist():
                if reached and scanner.ends(reached):
                    may_end[here][states[here] == reached] = True
            has_ended[here] = has_ended[above] | may_end[above]
            has_begun[here] = has_begun[above] | has_ended[here] & begins[here]
        tokens = np.zeros(len(trie.texts), dtype=np.bool_)
        ending = np.flatnonzero(has_begun & (trie.ending_array > 0)).astype(np.int32)
        tokens[list_ending(trie, ending)[0]] = True
        # Only where some token goes on in which a lexeme begins.
        n_before = np.concatenate([[0], np.cumsum(tokens)])
        nodes = np.flatnonzero(may_end)
        low, high = trie.low_array[nodes], np.asarray(trie.high)[nodes]
        nodes = nodes[n_before[low] < n_before[high]].astype(np.int32)
        inside = ending[states[ending] > 0]
        return Begun(tokens, (nodes, states[nodes]), (inside, states[inside]))


def _measure_begun(_: int, begun: Begun) -> int:
    arrays = (begun.tokens, *begun.exits, *begun.inside)
    return ENTRY_BYTES * (1 + len(arrays)) + sum(array.nbytes for array in arrays)


_STEP = 2  # what following one byte counts for


class TrieState(NamedTuple):
    """An open lexeme at a node of the trie: the scanner's state, the track, the column reached."""

    node: int
    state: ScannerStateId
    track: int
    column: int


class Exits(NamedTuple):
    """The nodes, int32[n], each once, at which an open lexeme may end in one state."""

    state: ScannerStateId
    track: int
    column: int
    nodes: NDArray[np.int32]


class EndGroup(NamedTuple):
    """Tokens that end in states from which the same can come, and one of these states."""

    end: TrieState
    tokens: NDArray[np.int32]  # int32[n], their text indices, in the order of their bytes


class Inside(NamedTuple):
    """One open lexeme, followed through the trie."""

    # bool[n_tokens], the tokens that may be illegal where the artifact's mask has them; None: all
    # that go on from the node
    asked: NDArray[np.bool_] | None
    groups: tuple[EndGroup, ...]  # the tokens that end in it, among these and others
    exits: tuple[Exits, ...]  # where it may end, and some token that is asked for goes on


class LexemeWalks:
    """Follows tokens inside of lexemes, and caches what was found."""

    def __init__(
        self,
        stepper: HoleStepper,
        tracks: Tracks,
        beginnings: Beginnings,
        trie: Trie,
        budget: Budget,
    ) -> None:
        self._stepper, self._tracks, self._trie = stepper, tracks, trie
        self._beginnings, self._known = beginnings, Cache(budget, _measure_inside)

    def inside(self, start: TrieState, *, counts: bool) -> Inside:
        """Return the inside of a lexeme from a node on, the node's own tokens included.

        It is the root, if the lexeme cannot become a hole's. ``counts``: whether columns count.
        """
        is_outside = start.node == ROOT and not self._tracks.inside[start.state]
        find = self._read_beginnings if is_outside else self._follow
        return self._known.get_or_make((start, counts), lambda: find(start, counts=counts))

    def _follow(self, start: TrieState, *, counts: bool) -> Inside:
        """Follow the tokens byte by byte."""
        trie, stepper, tracks = self._trie, self._stepper, self._tracks
        scanner, n_ending, low = stepper.scanner, trie.n_ending, trie.low
        classes = scanner.byte_classes
        tokens: dict[object, list[int]] = {}
        ends: dict[object, TrieState] = {}
        exits: list[TrieState] = []
        pending = [start]
        while pending:
            here = pending.pop()
            node, state, track, column = here
            charge_steps(_STEP)
            if n_ending[node] and node != ROOT:
                sign = stepper.sign(state, track, column)
                if sign not in tokens:
                    tokens[sign], ends[sign] = [], here
                tokens[sign] += range(low[node], low[node] + n_ending[node])
            if not trie.has_children(node):
                continue
            if any(tracks.allows(track, terminal) for terminal, _ in scanner.ends(state)):
                exits.append(here)
            few = None if stepper.may_leave[state] else tracks.bytes_on(track)
            following = scanner.next(state)
            for child, byte in trie.children(node, few):
                entered = following[classes[byte]]
                if entered != DEAD:
                    moved = stepper.go_on(track, byte, entered)
                    if moved is not None:
                        reached = stepper.count(column, byte, entered) if counts else column
                        pending.append(TrieState(child, entered, moved, reached))
        groups = (EndGroup(ends[s], np.array(found, dtype=np.int32)) for s, found in tokens.items())
        return Inside(None, tuple(groups), group_states(exits))

    def _read_beginnings(self, start: TrieState, *, counts: bool) -> Inside:
        """Return the inside of a lexeme that cannot become a hole's."""
        begun = self._beginnings.of(start.state)
        ends: dict[object, TrieState] = {}
        found: dict[object, list[NDArray[np.int32]]] = {}
        for state, track, column, nodes in self._split(begun.inside, start, counts=counts):
            sign = self._stepper.sign(state, track, column)
            ends.setdefault(sign, TrieState(int(nodes[0]), state, track, column))
            found.setdefault(sign, []).append(list_ending(self._trie, nodes)[0])
        groups = (EndGroup(ends[sign], np.concatenate(tokens)) for sign, tokens in found.items())
        return Inside(begun.tokens, tuple(groups), self._split(begun.exits, start, counts=counts))

    def _split(self, found: Nodes, start: TrieState, *, counts: bool) -> tuple[Exits, ...]:
        """Return nodes by their states, and by the columns of the open lexeme if these count."""
        nodes, states = found
        if counts:
            return group_states(self._count_columns(found, start))
        return tuple(
            Exits(state, OUTSIDE, start.column, nodes[states == state])
            for state in np.unique(states).tolist()
        )

    def _count_columns(self, found: Nodes, start: TrieState) -> Iterator[TrieState]:
        scanner = self._stepper.scanner
        for node, state in zip(found[0].tolist(), found[1].tolist(), strict=True):
            column, here = start.column, start.state
            for byte in self._trie.path(node):
                here = scanner.next(here)[scanner.byte_classes[byte]]
                column = self._stepper.count(column, byte, here)
            yield TrieState(node, state, OUTSIDE, column)


def _measure_inside(_: object, inside: Inside) -> int:
    arrays = [group.tokens for group in inside.groups]
    arrays += [exits.nodes for exits in inside.exits]
    return ENTRY_BYTES * (1 + len(arrays)) + sum(array.nbytes for array in arrays)


def group_states(states: Iterable[TrieState]) -> tuple[Exits, ...]:
    """Return nodes by state, track and column, in the order in which each of these comes first."""
    nodes: dict[tuple[ScannerStateId, int, int], list[int]] = {}
    for node, state, track, column in states:
        nodes.setdefault((state, track, column), []).append(node)
    return tuple(Exits(*key, np.array(found, dtype=np.int32)) for key, found in nodes.items())
