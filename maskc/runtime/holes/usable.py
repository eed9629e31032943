"""Can each hole's terminal stand where the grammar needs it, whatever the words are?

Where it can, what the parser can go on with after a whole lexeme is as without holes, and only open
lexemes have to be looked at. The question is asked of each way in which a lexeme of the terminal
can begin, and of each boundary that one which begins so can leave: some word has to leave that
boundary, or one after which nothing less can come.

Then each text of the grammar has one among the narrowed ones with the same terminals from any place
on: put in the place of each lexeme a word that leaves no less, and go on from there.

Example: with NAME narrowed to ``if``, which the grammar has as a keyword, no NAME is left, and with
no words at all neither; a grammar in which a NAME must come has no texts then.
"""

from __future__ import annotations

from collections.abc import Sequence

from maskc.ids import BoundaryId, ScannerStateId
from maskc.runtime.effort import spend
from maskc.runtime.holes.lexemes import TerminalLexemes
from maskc.runtime.holes.tracks import Automaton
from maskc.runtime.link.automata.automaton import START
from maskc.runtime.scanner import ScannerTables


def is_usable(scanner: ScannerTables, lexemes: TerminalLexemes, automaton: Automaton) -> bool:
    """Return whether some words can stand for a terminal wherever it can stand."""
    return all(
        _leaves_all(scanner, lexemes, automaton, row, left)
        for row, left in zip(lexemes.rows, lexemes.left, strict=True)
    )


def _leaves_all(
    scanner: ScannerTables,
    lexemes: TerminalLexemes,
    automaton: Automaton,
    row: Sequence[ScannerStateId],
    left: Sequence[BoundaryId],
) -> bool:
    """Return the same for the lexemes that begin in one way.

    Args:
        scanner: of the artifact.
        lexemes: of the terminal.
        automaton: of the words.
        row: byte class → the scanner state after the first byte, 0 if it does not begin one.
        left: the boundaries that such lexemes may leave.
    """
    wanted, seen_left = list(left), set[BoundaryId]()
    pending: list[tuple[ScannerStateId, int]] = [
        (row[scanner.byte_classes[byte]], moved) for byte, moved in automaton.moves(START).items()
    ]
    seen = set(pending)
    while pending and wanted:
        spend(1)
        state, at = pending.pop()
        if not state:
            continue
        if automaton.accepts(at):
            for terminal, boundary in scanner.ends(state):
                if terminal == lexemes.terminal and boundary not in seen_left:
                    seen_left.add(boundary)
                    wanted = [b for b in wanted if not lexemes.leaves_less(b, boundary)]
        following = scanner.next(state)
        for byte, moved in automaton.moves(at).items():
            after = following[scanner.byte_classes[byte]]
            if lexemes.reach[after] and (after, moved) not in seen:
                seen.add((after, moved))
                pending.append((after, moved))
    return not wanted
