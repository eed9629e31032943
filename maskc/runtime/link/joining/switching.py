"""What comes next depends on what a piece has read: free text with triggers, one of some words.

A *switch* reads an automaton whose states may have labels. Where the state has one, the text turns
to the target of that label: an expression, made when it is first asked for, so that a request with
hundreds of tools compiles the schema of the one that is called. After it comes what follows the
switch; of a switch that loops, the switch again.

An automaton of a switch may move by a token as well, whatever bytes the token has: an *atom*, such
as a special token that has none.

Example: a switch on ``<f>`` and ``<g>`` with free text around them reads ``so <f>``, and turns to
what a call of ``f`` is made of; after the call, text is free again.

Source: TagDispatch of XGrammar 2 (papers/xgrammar2.md, section 3.1).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, TypeVar

from maskc.runtime.cache.budget import Budget
from maskc.runtime.link.automata.automaton import NO_LABEL, ByteAutomaton
from maskc.runtime.link.automata.automaton_scans import AutomatonScans
from maskc.runtime.link.joining.expressions import Expression, Rest
from maskc.runtime.link.joining.joints import Joints
from maskc.runtime.link.joining.pieces import AutomatonPiece
from maskc.runtime.schema.tries.summary import Part

_Name = TypeVar("_Name", bound=Hashable)

Target = Callable[[], Expression]


class SwitchAutomaton(ByteAutomaton[_Name]):
    """An automaton whose states may have labels, and that may move by tokens."""

    has_labels = True

    def __init__(self, start: _Name) -> None:
        super().__init__(start)
        self._atoms: dict[int, dict[int, int]] = {}
        self._labels_of: dict[int, int] = {}

    @abstractmethod
    def label_of(self, name: _Name) -> int:
        """Return the label of a state, by its name; ``NO_LABEL`` for none."""

    @abstractmethod
    def find_atoms(self, name: _Name) -> dict[int, _Name]:
        """Return token → the name of the state that it leads to as an atom."""

    def label(self, state: int) -> int:
        """Return the label of a state; see the base class."""
        found = self._labels_of.get(state)
        if found is None:
            found = self._labels_of[state] = self.label_of(self._names[state])
        return found

    def atoms(self, state: int) -> dict[int, int]:
        """Return token → the state that it leads to as an atom."""
        found = self._atoms.get(state)
        if found is None:
            with self._lock:
                named = self.find_atoms(self._names[state])
                found = {token: self._number(name) for token, name in named.items()}
                self._atoms[state] = found
        return found


class Switch(AutomatonScans):
    """What switches with the same automaton share: what the automaton reads of each trie.

    Args:
        automaton: the automaton.
        joints: of the tokenizer.
        budget: what cached rows are charged to.

    Attributes:
        joints: of the tokenizer.
    """

    automaton: SwitchAutomaton[Any]

    def __init__(self, automaton: SwitchAutomaton[Any], joints: Joints, budget: Budget) -> None:
        super().__init__(automaton, joints.scanner, joints.index, budget)
        self.joints = joints


class SwitchPiece(AutomatonPiece):
    """A piece that turns to another expression where its automaton has a label.

    Args:
        switch: the automaton, and what is known of it.
        targets: label → what the text turns to.
        loops: whether the piece begins again after a target.

    Attributes:
        n_targets: how many there are.
        loops: whether the piece begins again after a target.
    """

    has_turns = has_atoms = True
    automaton: SwitchAutomaton[Any]

    def __init__(self, switch: Switch, targets: Sequence[Target], *, loops: bool) -> None:
        super().__init__(switch)
        self._switch = switch
        self._targets, self.n_targets, self.loops = targets, len(targets), loops
        self._found: dict[int, Expression] = {}

    def take(self, inner: int, token_id: int) -> Sequence[int]:
        """Return the state after an atom."""
        after = self.automaton.atoms(inner).get(token_id)
        return () if after is None else (after,)

    def atoms(self, inner: int) -> Iterable[int]:
        """Return the tokens that are atoms in a state."""
        return self.automaton.atoms(inner)

    def goes_on(self, inner: int) -> bool:
        """Return whether the automaton goes on, or accepts."""
        automaton = self.automaton
        return bool(automaton.accepts(inner) or automaton.moves(inner) or automaton.atoms(inner))

    def turn(self, inner: int, rest: Rest) -> tuple[Rest, ...]:
        """Return the target of the state's label, and the rest after it."""
        label = self.automaton.label(inner)
        return () if label == NO_LABEL else (self.after(label, rest),)

    def after(self, label: int, rest: Rest) -> Rest:
        """Return the target of a label, and the rest after it."""
        joints = self._switch.joints
        if self.loops:
            rest = joints.rest(joints.leaf(self), rest)
        return joints.rest(self.target(label), rest)

    def target(self, label: int) -> Expression:
        """Return what a label stands for."""
        target = self._found.get(label)
        if target is None:
            target = self._found[label] = self._targets[label]()
        return target

    def legal(self, inner: int, rest: Rest) -> Part:
        """Return the legal tokens; see :class:`maskc.runtime.link.joining.pieces.Piece`."""
        scan, atoms = self._switch.scan(inner), self.automaton.atoms(inner)
        joints = self._switch.joints
        trie, parts = joints.index.tokens, [scan.part]
        if atoms:
            parts.append(Part(few=tuple(sorted(atoms))))
        if rest.expression is not None and len(scan.exits):
            parts.append(rest.walk(trie, scan.exits))
        nodes: dict[int, list[int]] = {}
        for label, node in scan.turns:
            nodes.setdefault(label, []).append(node)
        parts += [self.after(label, rest).walk(trie, found) for label, found in nodes.items()]
        return parts[0] if len(parts) == 1 else joints.scanner.unite(parts)
