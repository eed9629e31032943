r"""Texts without some words: JSON texts, strings, and names.

Of a JSON text these are words with which a parser would find the end of a call in it. The schema's
machine reads the text, and beside it an automaton looks for the words among the same bytes, as they
are written. JSON can always be written without a word that has a character that only stands in
strings and in no escape, and neither a quote nor a backslash: all of it stands in one string, and a
character of it can be an escape. So a text goes on if the schema's machine does; only of a
character of several bytes, the last one of a word, it has to be asked whether another one can be
made of the bytes that are there. Masks are those of the schema, without the tokens that make a word
whole inside of a string. Other tokens in which a word becomes whole are read one by one, as the
JSON text may end before that.

Of strings the automaton over characters is given, and its product with the automaton that looks for
the words is made. A character that none of the words has leads back to where no word is begun, so a
state of the product has the row of the automaton's own state, with the words' characters set apart.

A name, of letters, digits and underscores, is none of some. All names are scanned once for a
tokenizer. Without some the same tokens are read, and the name may end but where it is one of these:
they are followed in the trie of the tokens.

Example: of ``{"type": "string"}`` without ``</x>``, after ``"</x`` the byte ``>`` is illegal, and
``\u003e`` is not. The word ``}}`` may be needed. Of any string without ``</p>``, the automaton has
a state for each of the beginning, ``<``, ``</`` and ``</p``. Of names without ``city``, after
``ci`` the token ``ty`` is read, and ``ty>`` is none of the name and what comes after it.

Source: Aho and Corasick 1975 (doi:10.1145/360825.360855).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Hashable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from maskc.errors import LimitError
from maskc.runtime.cache import ENTRY_BYTES, Cache
from maskc.runtime.link.automata import START, ByteAutomaton, Left, split_words
from maskc.runtime.link.automata.loops import without
from maskc.runtime.link.automata.scanning import AutomatonScans, Scan
from maskc.runtime.link.joining import PieceBoundaries
from maskc.runtime.link.joining.expressions import Rest
from maskc.runtime.link.joining.machine_pieces import SchemaPiece
from maskc.runtime.link.joining.pieces import Link, Piece
from maskc.runtime.link.text import FreeScans, Position
from maskc.runtime.schema.machine.nodes import KEY, STATE, STRING, Configuration
from maskc.runtime.schema.strings.characters import DEAD, NO_LABEL, CharDfa, find_nearest
from maskc.runtime.schema.strings.texts import build_texts
from maskc.runtime.schema.tries import ROOT, Ints, Trie
from maskc.runtime.schema.tries.summary import Part
from maskc.runtime.step_budget import charge_steps

_FIRST_OF_MANY = 0x80
_QUOTE = 0x22
_NEVER = frozenset(b'"\\')
# What stands outside of strings, and in escapes.
_ELSEWHERE = frozenset(b'0123456789abcdefABCDEF{}[],:+-. \t\r\n"\\/rtunls')


def may_be_forbidden(word: bytes) -> bool:
    r"""Return whether each JSON value can be written without a word, with all escapes.

    >>> [may_be_forbidden(word) for word in (b"</a>", b"<\\", b"}}", b"u00e9")]
    [True, False, False, False]
    """
    return _NEVER.isdisjoint(word) and not _ELSEWHERE.issuperset(word)


class SchemaHypothesis(NamedTuple):
    """What is known of a text; ``at`` is a state of the automaton that looks for the words."""

    schema: Configuration
    at: int


class Unverified(NamedTuple):
    """Tokens that may make a word whole, by text index."""

    inside: list[int]  # those that do so without leaving the string that they begin in
    others: list[int]  # all others
    ids: list[int]  # of those inside


class Barring:
    """Words that do not stand in JSON; shared by all schemas that lack the same ones.

    Free text without the words looks for them. It is *delicate* if a word ends with a character of
    several bytes.
    """

    def __init__(self, text: FreeScans, words: tuple[bytes, ...]) -> None:
        self._text, self.words, self.index = text, words, text.index
        self.automaton: ByteAutomaton[Position] = text.automaton
        self.is_delicate = any(word[-1] >= _FIRST_OF_MANY for word in words)
        self._unverified_at = Cache(
            text.scanner.budget, lambda _, found: 2 * ENTRY_BYTES + 40 * sum(map(len, found))
        )

    def unverified(self, at: int) -> Unverified:
        return self._unverified_at.get_or_make(at, lambda: self._find_unverified(at))

    def _find_unverified(self, at: int) -> Unverified:
        index = self.index
        trie, texts = index.tokens, index.texts
        whole = {
            text_index
            for node, _ in self._text.find_whole(at)
            for text_index in range(trie.low[node], trie.high[node])
        }
        inside = [n for n in sorted(whole) if _QUOTE not in texts[n]]
        others = [n for n in sorted(whole) if _QUOTE in texts[n]]
        if self.is_delicate:
            others += [
                n
                for n, text in enumerate(texts)
                if n not in whole and text[-1] >= _FIRST_OF_MANY and self._is_open(at, text)
            ]
        return Unverified(inside, others, index.order[inside].tolist())

    def _is_open(self, at: int, text: bytes) -> bool:
        """Return whether a text ends inside of a character with which a word may end."""
        here: int | None = at
        for byte in text:
            here = self.automaton.moves(here).get(byte) if here is not None else None
        if here is None:
            return False
        node, left, _ = self.automaton.name_of(here)
        return bool(node and left)


class ForbiddingSchemaPiece(Piece):
    """A JSON Schema in whose texts some words do not stand; any character may be an escape."""

    def __init__(self, piece: SchemaPiece, barring: Barring, boundaries: PieceBoundaries) -> None:
        self.piece, self.words, self._barring = piece, barring.words, barring
        self.first_bytes = piece.first_bytes
        self._automaton = barring.automaton
        self._machine, self._boundaries = piece.machine, boundaries

    def start(self, rest: Rest) -> tuple[Link, ...]:
        return (Link(self, SchemaHypothesis(self._machine.start_before(rest.capped), START), rest),)

    def step(self, inner: SchemaHypothesis, byte: int) -> Sequence[SchemaHypothesis]:
        at = self._automaton.moves(inner.at).get(byte)
        after = None if at is None else self._machine.read(inner.schema, byte)
        if at is None or after is None:
            return ()
        found = SchemaHypothesis(after, at)
        return (found,) if not self._barring.is_delicate or self._may_go_on(found) else ()

    def _may_go_on(self, here: SchemaHypothesis) -> bool:
        """Return whether a character that is begun can be finished."""
        node, left, _ = self._automaton.name_of(here.at)
        if not left or not node:
            return True
        return any(self.step(here, byte) for byte in self._automaton.moves(here.at))

    def has_ended(self, inner: SchemaHypothesis) -> bool:
        return self._machine.has_ended(inner.schema)

    def describe(self, inner: SchemaHypothesis) -> Hashable:
        return (self._machine.describe(inner.schema), inner.at)

    def identify(self, inner: SchemaHypothesis) -> Hashable:
        return (self._machine.identify(inner.schema), inner.at)

    def legal(self, inner: SchemaHypothesis, rest: Rest) -> Part:
        part = self._machine.masks.legal(inner.schema)
        unverified = self._barring.unverified(inner.at)
        is_string = inner.schema.nodes[0][STATE][0] in (STRING, KEY)
        index, here = self._boundaries.index, Link(self, inner, rest)
        text_indices = unverified.others if is_string else [*unverified.inside, *unverified.others]
        removed = [
            index.ids[n]
            for n in text_indices
            if _has(part, index.ids[n]) and not self._reads(here, index.texts[n])
        ]
        if is_string:
            removed += unverified.ids
        return Part(part.rows, part.few, removed=(*part.removed, *removed)) if removed else part

    def _reads(self, here: Link, text: bytes) -> bool:
        """Return whether a token's text is legal, that may lead into the rest."""
        after = self._boundaries.step((here,), text)
        return any(link.piece.is_live(link.inner, link.rest) for link in after)

    def walk(self, trie: Trie, nodes: Ints, rest: Rest) -> Scan:
        scan, holding = self.piece.walk(trie, nodes, rest), self._find_holding(trie)
        if not holding:
            return scan
        reads = partial(self._reads, self.start(rest)[0])
        return self._boundaries.scanner.cut(trie, nodes, scan, holding, reads)

    def _find_holding(self, trie: Trie) -> list[int]:
        unverified = self._barring.unverified(START)
        text_indices = sorted([*unverified.inside, *unverified.others])
        if not text_indices or trie is self._boundaries.index.tokens:
            return text_indices
        # What follows a quote in a token has a word only if the token has it.
        return list(range(len(trie.texts)))


def _has(part: Part, token: int) -> bool:
    return token in part.few or any(row[token >> 5] >> (token & 31) & 1 for row in part.rows)


_MOST_STATES = 200_000
_ROOT, _WHOLE = 0, -1  # no word is begun; one of them is whole

# Of each beginning of a word, character → the longest one that the text ends with after it, if that
# is not the root; ``_WHOLE`` where it has a word in it.
Search = list[dict[int, int]]


def without_words(dfa: CharDfa, words: Sequence[str]) -> CharDfa:
    """Return the automaton of those strings of another one that have none of some words in them.

    A LimitError says that it has too many states.
    """
    if not words or dfa.start == DEAD:
        return dfa
    if dfa.texts is not None and dfa.texts[2] == NO_LABEL:
        texts, labels, _ = dfa.texts
        kept = [n for n, text in enumerate(texts) if not any(word in text for word in words)]
        if not kept:
            return CharDfa([0], [0], [DEAD], [{}], [NO_LABEL], DEAD)
        return build_texts([texts[n] for n in kept], [labels[n] for n in kept])
    return _Product(dfa, _look_for(words)).trim()


def _look_for(words: Sequence[str]) -> Search:
    children: list[dict[int, int]] = [{}]
    whole: set[int] = set()
    for word in words:
        here = _ROOT
        for character in map(ord, word):
            if character not in children[here]:
                children[here][character] = len(children)
                children.append({})
            here = children[here][character]
        whole.add(here)
    found: Search = [{} for _ in children]
    open_ = [(_ROOT, _ROOT)]
    for here, shorter in open_:  # by length, so that shorter ones are known
        found[here] = {**(found[shorter] if here else {}), **children[here]}
        for character, child in children[here].items():
            back = found[shorter].get(character, _ROOT) if here else _ROOT
            if child in whole or back == _WHOLE:
                found[here][character] = _WHOLE
            else:
                open_.append((child, back))
    return found


class _Product:
    """States of an automaton, each with a beginning of a word, from the start on."""

    def __init__(self, dfa: CharDfa, search: Search) -> None:
        self._dfa = dfa
        named = sorted({character for row in search for character in row})
        kinds = [dfa.classes[bisect_right(dfa.starts, character) - 1] for character in named]
        self._set_apart(named)
        self._pairs = [(dfa.start, _ROOT)]
        self._numbers = {self._pairs[0]: 0}
        self._defaults = list[int]()
        self._rows = list[dict[int, int]]()
        first = max(dfa.classes) + 1
        for state, at in self._pairs:  # grows while we walk it
            default, row = dfa.defaults[state], dfa.rows[state]
            other = self._number(default, _ROOT)
            kept = [(kind, target) for kind, target in row.items() if kind in self._kinds]
            found = {kind: self._number(target, _ROOT) for kind, target in kept}
            for own, (character, kind) in enumerate(zip(named, kinds, strict=True), first):
                after = self._number(row.get(kind, default), search[at].get(character, _ROOT))
                if after != other:
                    found[own] = after
            self._defaults.append(other)
            self._rows.append(found)
            charge_steps(1 + len(found))
            if len(self._pairs) > _MOST_STATES:
                remedy = "write a simpler pattern, or list shorter texts"
                raise LimitError("states of a string", _MOST_STATES, remedy)

    def _set_apart(self, named: list[int]) -> None:
        """Give each character of the words a class of its own."""
        dfa = self._dfa
        classes = dict(zip(dfa.starts, dfa.classes, strict=True))
        for character in named:
            after = character + 1
            classes.setdefault(after, dfa.classes[bisect_right(dfa.starts, after) - 1])
        classes |= {character: n for n, character in enumerate(named, max(dfa.classes) + 1)}
        self._starts = sorted(classes)
        self._classes = [classes[start] for start in self._starts]
        self._kinds = frozenset(self._classes)  # without those that have no other character

    def _number(self, state: int, at: int) -> int:
        if state == DEAD or at == _WHOLE:
            return -1
        pair = (state, at)
        found = self._numbers.get(pair)
        if found is None:
            found = self._numbers[pair] = len(self._pairs)
            self._pairs.append(pair)
        return found

    def trim(self) -> CharDfa:
        """Return it without the states from which no string ends."""
        labels = [self._dfa.labels[state] for state, _ in self._pairs]
        before: list[list[int]] = [[] for _ in labels]
        for number, row in enumerate(self._rows):
            for target in {*row.values(), self._defaults[number]} - {-1}:
                before[target].append(number)
        kept = [n for n, distance in enumerate(find_nearest(before, labels)) if distance >= 0]
        numbers = dict.fromkeys(range(-1, len(labels)), DEAD)
        numbers |= {number: n for n, number in enumerate(kept, 1)}
        rows = [
            {kind: numbers[target] for kind, target in self._rows[number].items()}
            for number in kept
        ]
        return CharDfa(
            self._starts,
            self._classes,
            [DEAD, *(numbers[self._defaults[number]] for number in kept)],
            [{}, *rows],
            [NO_LABEL, *(labels[number] for number in kept)],
            numbers[0],
        )


_FIRST = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"
_LATER = _FIRST + b"0123456789"
# What is left of the names that the text may be, ``None`` for no name, and whether it has begun.
_State = tuple[Left | None, bool]


class OtherName(ByteAutomaton[_State]):
    """Reads a name that is none of some, which are sorted, each once."""

    def __init__(self, names: Sequence[bytes]) -> None:
        self.names = names
        super().__init__(((0, len(names), 0) if names else None, False))

    def find_moves(self, name: _State) -> dict[int, _State]:
        left, has_begun = name
        after = split_words(self.names, left) if left else {}
        return {byte: (after.get(byte), True) for byte in (_LATER if has_begun else _FIRST)}

    def is_accepting(self, name: _State) -> bool:
        left, has_begun = name
        return has_begun and (left is None or len(self.names[left[0]]) != left[2])


class OtherNameScans(AutomatonScans):
    """What is known of names that are none of some; ``every`` is the same of all names."""

    def __init__(self, automaton: OtherName, every: AutomatonScans) -> None:
        super().__init__(automaton, every.scanner)
        self._other, self._every = automaton, every

    def _scan(self, at: int, bytes_: frozenset[int] | None) -> Scan:
        left, has_begun = self._other.name_of(at)
        scan = self._every.scan(self._every.automaton.state_of((None, has_begun)), bytes_)
        return self._leave_out(scan, self.index.tokens, [ROOT], left)

    def _walk(self, trie: Trie, nodes: Ints) -> Scan:
        left, _ = self._other.name_of(START)
        return self._leave_out(self._every.walk(trie, nodes), trie, nodes.tolist(), left)

    def _leave_out(self, scan: Scan, trie: Trie, nodes: list[int], left: Left | None) -> Scan:
        """Return a scan from some nodes that does not end where one of the names is whole."""
        names, whole = self._other.names, list[int]()
        worklist = [(node, left) for node in nodes if left is not None]
        for node, here in worklist:  # grows while we walk it
            after = split_words(names, here)
            charge_steps(1 + len(after))
            for byte, more in after.items():
                child = trie.child(node, byte)
                if child >= 0:
                    worklist.append((child, more))
                    if len(names[more[0]]) == more[2]:
                        whole.append(child)
        if not whole:
            return scan
        removed = np.array(whole, dtype=np.int32)
        return scan._replace(exits=without(scan.exits, removed, len(trie.bytes)))
