"""Which shortest lexeme do some terminals all match, each of them tried alone?

The terminals' own automata run side by side, with ``re``'s leftmost-first meaning, look-arounds
included; a lexeme stands alone, at the start and at the end of a text. The search goes by length,
over joint states, so it ends.

Example: for ``/[0-9]+/`` and ``/0x[0-9]+|0/`` it is ``0``.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from maskc.grammar.model import LexerSpec
from maskc.regular.lookbehind import LookBehindStepper
from maskc.regular.nfa import Nfa
from maskc.regular.threads import Matched, ThreadList, Threads, ThreadStepper, hold_at_end

MAX_JOINT_STATES = 20_000


def byte_preference(byte: int) -> tuple[int, int]:
    """Return a key by which the bytes that read best come first."""
    character = chr(byte)
    if byte in b" \n\t":
        return 3, b" \n\t".index(byte)
    kinds = (character.islower(), character.isdigit(), 32 < byte < 127)
    return next((i for i, is_kind in enumerate(kinds) if is_kind and byte < 128), 4), byte


def find_common_lexeme(lexer: LexerSpec, terminals: Sequence[int]) -> bytes | None:
    """Return a shortest lexeme of all the terminals; ``None`` if none is found.

    The search gives up after ``MAX_JOINT_STATES`` joint states.
    """
    nfa = Nfa(use_bytes=lexer.use_bytes)
    starts = [
        nfa.add_pattern(lexer.terminals[t], lexer.patterns[t] or "", lexer.re_flags, t)
        for t in terminals
    ]
    stepper = ThreadStepper(nfa)
    look_behinds = LookBehindStepper(stepper)
    byte_of: dict[int, int] = {}
    for byte in sorted(range(256), key=byte_preference):
        byte_of.setdefault(int(stepper.byte_class[byte]), byte)
    before = look_behinds.start()
    first = (before, tuple(stepper.enter(start, before.matched) for start in starts))
    text = {first: b""}
    pending = deque([first])
    while pending and len(text) < MAX_JOINT_STATES:
        here = pending.popleft()
        before, joint = here
        for byte_class, byte in byte_of.items():
            after = look_behinds.step(before, byte_class)
            moved = tuple(_step(stepper, threads, byte_class, after.matched) for threads in joint)
            target = (after, moved)
            if not all(moved) or target in text:
                continue
            text[target] = text[here] + bytes([byte])
            if all(map(_is_match, moved)):
                return text[target]
            pending.append(target)
    return None


def _step(stepper: ThreadStepper, threads: Threads, byte_class: int, matched: Matched) -> Threads:
    collected = ThreadList()
    for position, owed in threads:
        if position < 0:
            continue  # it has matched less than the whole lexeme; what comes earlier may match more
        for moved, left in stepper.step_thread((position, owed), byte_class, matched):
            collected.append(moved, left)
    return collected.done()


def _is_match(threads: Threads) -> bool:
    return any(position < 0 and hold_at_end(owed) for position, owed in threads)
