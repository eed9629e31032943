"""Masks by the tokens that are left: with `n` of them, a text that is begun ends whole within `n`.

1. Each kind of machine proposes *words* that may come next in a short text: what ends the open
   lexeme and the terminals of a least derivation (`parsing`), what the open levels of a JSON text
   must still have (`values`), one part of a link after the other (`links`). The machine reads them,
   so the words in a row are one *completion* of the hypotheses (`completions`).
2. Dynamic programming over the token trie writes a completion in its fewest tokens, which are an
   upper bound U of what the text needs, the end of sequence included.
3. All tokens are followed through the trie at once, through hypotheses by number
   (`maskc.runtime.machine`), and U is found once for each that they lead to.
4. With `n` tokens left the mask has the tokens after which U is at most `n - 1`. Short tokens are
   followed first, and what takes too long is left out, but never the first token of the known
   completion, which the matcher remembers: so the next mask has a token again.

Nothing proves that no shorter text exists: a mask may lack tokens, and none of it is one too many.

What is known of one machine's texts is shared by all of its matchers, in whatever threads they run.
Constraints of one schema have one machine, and links of the same parts are one text; what is known
of all machines of a pool takes an eighth of the ``cache_bytes`` of the artifact or the kit, which
its other caches give up. A matcher remembers the point where it was when it was last asked for a
mask, with what was known then: so what it was promised holds, though all else may be forgotten.

Example: JSON after ``[[1`` with 2 tokens left allows ``]]``, and not ``]``, which would leave one
more bracket, and no token for the end of sequence.

Sources: shortest derivations as in Knuth 1977; TruncProof (arXiv 2605.13076) has upper bounds, too.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from contextlib import suppress
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maskc.errors import LimitError, TokensLeftError
from maskc.runtime.budget.completions import (
    FAR,
    LOST,
    MOST_CHECKED,
    NO_KEY,
    Cell,
    Completions,
    CompletionWriting,
    Known,
    Needs,
    Point,
    Texts,
    list_tokens,
    text_of,
)
from maskc.runtime.budget.links import open_texts
from maskc.runtime.link.joining import LinkMachine
from maskc.runtime.machine import NOT_FOLLOWED, Hypotheses, Machine, Successors, key_of
from maskc.runtime.schema.tries import TokenIndex, Words
from maskc.runtime.step_budget import one_mask

_MOST_STEPS: Final = 2_000_000  # to find a completion, where the machine may take as many or more
_MASK_STEPS: Final = 60_000  # to find after which tokens one is short enough
_STEPS_NEAR_END: Final = 8_000  # the same where few tokens are left beside those of a completion
_NEAR_END: Final = 200  # tokens that are more than a few
# What makes another key of one that was there: some character before its quote.
_MORE: Final = [bytes([byte]) for byte in b"a0_" + bytes(range(0x21, 0x7F)) if byte not in b'"\\']
_POINT_BYTES: Final = 700
_MOST_SEEN: Final = 10_000
_MOST_MEASURED: Final = 16  # whose tokens are remembered one by one
_MANY: Final = (1 << 16) - 1  # tokens: as good as none
_MOST_MACHINES: Final = 64
_REMEDY: Final = "leave tokens_left out, or ask for less of numbers, required keys and items"
_LOCK: Final = threading.Lock()


class Completion(NamedTuple):
    """Tokens that finish a text."""

    tokens: list[int]  # their ids, the end of sequence last


class Endings:
    """What is known of the ends of one machine's texts. Safe to use from any thread.

    ``evict_old`` is told before more is remembered, and has some endings forget.
    """

    def __init__(
        self,
        machine: Machine[Any],
        index: TokenIndex,
        ends: frozenset[int],
        evict_old: Callable[[Endings], None],
    ) -> None:
        self._machine, self._index, self._ends = machine, index, ends
        self.name = _name(machine)
        self._evict_old, self._is_link = evict_old, isinstance(machine, LinkMachine)
        steps = machine.pool.steps
        self._most_steps = _MOST_STEPS if steps is None else min(steps, _MOST_STEPS)
        self._mask_steps = min(_MASK_STEPS, self._most_steps)
        self._lock = threading.RLock()
        self._writing = CompletionWriting(index, ends)
        self._texts: Texts = open_texts(machine, self._writing)
        self._begin_anew()

    def _begin_anew(self) -> None:
        self.size = 0  # when it was last asked
        self._writing.clear()
        self._texts.clear()
        self._completions = Completions(self._machine, self._texts, self._writing)
        self._successors = Successors(self._machine, self._index.tokens, self._texts.stand_in)
        # By the number of a state, how many tokens finish it; 0: that is not known.
        self._by_state = np.zeros(64, dtype=np.int32)
        self._points: dict[Hashable, Point] = {}
        self._seen: dict[int, Point] = {}  # by the identity of hypotheses
        self._needs: dict[Hashable, Needs] = {}
        self._measured: list[Needs] = []  # whose tokens are remembered, the latest last
        self._n_mask_bytes = 0

    def forget(self) -> bool:
        """Forget everything, if nobody is just adding to it; return whether that is done."""
        if not self._lock.acquire(blocking=False):
            return False
        try:
            self._begin_anew()
        finally:
            self._lock.release()
        return True

    def point(
        self, hypotheses: Hypotheses, before: Point | None, tokens_left: int | None = None
    ) -> Point:
        """Return the point of some hypotheses; ``before`` is that where the text was last asked of.

        If the completion takes more than ``tokens_left``, one is looked for that the last mask
        knew.

        Raises:
            LimitError: it takes too long to find a completion.
        """
        if before is not None and before.hypotheses == hypotheses and before.cell.n_tokens < FAR:
            return before  # as it was promised, whatever is forgotten
        generation = self._generation  # before numbers are asked for, which may start another
        # Most points were found before: they are looked up without the lock.
        found = self._seen.get(id(hypotheses))
        if found is not None and found.hypotheses is hypotheses:
            key = found.key
        else:
            key = key_of(self._machine, hypotheses)
            found = self._points.get(key)
            if found is not None and self._is_link and len(self._seen) < _MOST_SEEN:
                # A link's tokens lead to the same object each time, and keys are long.
                found.hypotheses = hypotheses
                self._seen[id(hypotheses)] = found
        promised = None
        if before is not None:
            promised = self._promised(before, hypotheses, key)
            # Captures make other objects of the same hypotheses.
            if (promised is None and before.cell.n_tokens < FAR) and (
                before.key == key or self._are_equal(before, before.hypotheses, hypotheses)
            ):
                return before
        most = FAR if before is None or tokens_left is None else min(FAR, tokens_left + 1)
        if found is not None and found.keeps(promised) and found.cell.n_tokens < most:
            return found.of_text(hypotheses, generation)
        with self._lock, one_mask(self._most_steps, _REMEDY):
            self._evict_old(self)
            found = self._points.get(key)
            if found is None or found.cell.n_tokens >= most:
                known = before.needs.known if before else None
                found = self._find_point(hypotheses, key, generation, known)
                if before and promised is None and found.cell.n_tokens >= most < FAR:
                    here = self._texts.stand_in(hypotheses)
                    known = before.needs.recall(self._machine, here, most - 1)
                    found = self._find_point(hypotheses, key, generation, known)
            if promised is not None and not found.keeps(promised):
                found.cell, found.masks = promised, {}
            return found.of_text(hypotheses, generation)

    @property
    def _generation(self) -> int:
        budget, inner = self._machine.pool.budget, self._texts.budgets
        n_generations = 0 if budget is None else budget.n_generations
        return n_generations + sum([each.n_generations for each in inner] if inner else ())

    def _promised(self, before: Point, hypotheses: Hypotheses, key: Hashable) -> Cell | None:
        """Return the rest of a completion if the text took its first token, ``None`` if not."""
        if before.cell.then is None:
            return None
        (cell, after), machine = before.leads, self._machine
        if cell is not before.cell:
            cell = before.cell
            after = machine.take(before.hypotheses, cell.token) if cell.token >= 0 else ()
            before.leads = (cell, after)
        is_followed = after is hypotheses or key_of(machine, after) == key
        return cell.then if is_followed or self._are_equal(before, after, hypotheses) else None

    def _are_equal(self, before: Point, one: Hypotheses, other: Hypotheses) -> bool:
        """Return whether hypotheses are equal whose numbers differ as some were evicted since."""
        if before.generation == self._generation:
            return False
        describe = self._machine.describe
        with one_mask(self._most_steps, _REMEDY):
            return {*map(describe, one)} == {*map(describe, other)}

    def _find_point(
        self, hypotheses: Hypotheses, key: Hashable, generation: int, known: Known | None
    ) -> Point:
        here, follow = self._texts.stand_in(hypotheses), self._completions.follow
        name = key_of(self._machine, here)
        needs = Needs(here, self._completions.known, self._successors)
        needs = self._needs.setdefault(name, needs)
        found = self._points[key] = Point(hypotheses, key, generation, needs)
        found.cell = cell = self._completions.find(here, name, known)
        text = text_of(cell, MOST_CHECKED)
        if self._texts.key_at(here) != NO_KEY and not follow(hypotheses, text):
            before, rest = self._completions.cut_key(here, cell)
            text = text_of(rest, MOST_CHECKED)
            more = (before + byte for byte in _MORE if follow(hypotheses, before + byte + text))
            begun = next(more, None)
            found.cell = LOST if begun is None else self._writing.prepend(begun, rest)
        return found

    def mask(self, point: Point, tokens_left: int) -> Words | None:
        """Return the tokens that leave enough of a budget; ``None``: all that are legal.

        Raises:
            TokensLeftError: the known completion has more tokens, or there is none.
        """
        if tokens_left >= point.plain_from:
            return None
        found = point.masks.get(tokens_left)
        if found is not None:
            return found
        cell = point.cell
        if cell.n_tokens > tokens_left:
            raise TokensLeftError(None if cell.n_tokens >= FAR else cell.n_tokens, tokens_left)
        with self._lock:
            words = self._find_mask(point, cell, tokens_left)
            if words is not None:
                words.setflags(write=False)
                point.masks[tokens_left] = words
                self._n_mask_bytes += words.nbytes
            return words

    def _find_mask(self, point: Point, cell: Cell, tokens_left: int) -> Words | None:
        machine, needs = self._machine, point.needs
        by_token = needs.by_token
        if by_token is None and needs.most >= tokens_left:
            most_steps = self._mask_steps
            if tokens_left < cell.n_tokens + _NEAR_END:
                most_steps = min(most_steps, _STEPS_NEAR_END)
            by_token = self._measure(needs, most_steps)
        point.plain_from = min(point.plain_from, needs.most + 1)
        if by_token is None or tokens_left >= point.plain_from:
            return None
        ids = [token for token, n_tokens in needs.by_atom.items() if n_tokens < tokens_left]
        ids += [cell.token] if cell.token >= 0 else []
        words = self._index.pack(self._index.order[by_token < min(tokens_left, _MANY)])
        # Some tokens are both text and the end of it.
        plain, ends = self._plain(point.hypotheses), machine.pool.end_only.words
        words = self._index.set_bits(words, ids) & plain & ~ends | plain & ends
        if np.array_equal(words, plain):
            point.plain_from = min(point.plain_from, tokens_left)
            return None
        return words

    def _plain(self, here: Hypotheses) -> Words:
        words: Words = self._machine.pool.unite(map(self._machine.mask, here)).words
        return words

    def _measure(self, needs: Needs, most_steps: int) -> NDArray[np.uint16]:
        """Return of each token how many finish the text after it, ``_MANY``: not known."""
        text = self._plain(needs.here) & ~self._machine.pool.end_only.words
        needs.remember(self._completions.known, self._successors)
        needs.by_atom = self._measure_atoms(needs.here)
        bits = np.unpackbits(text.view(np.uint8), bitorder="little").view(np.bool_)
        is_text: NDArray[np.bool_] = bits[self._index.order]
        if needs.by_atom:
            is_text[np.isin(self._index.order, list(needs.by_atom))] = False
        with one_mask(most_steps, _REMEDY):
            start = self._successors.find(needs.here)
            states = self._successors.follow(start, is_text, most_steps)
        n_leading = np.bincount(states[is_text], minlength=NOT_FOLLOWED + 1)
        by_state = self._measure_states(n_leading, most_steps)
        is_known = by_state > 0
        found = np.where(is_known, np.minimum(by_state, _MANY), _MANY).astype(np.uint16)[states]
        if is_known[n_leading > 0].all():
            most = int(by_state[n_leading > 0].max(initial=0))
            needs.most = max(most, *needs.by_atom.values(), 0)
            needs.by_token = found
            self._measured.append(needs)
            if len(self._measured) > _MOST_MEASURED:
                self._measured.pop(0).by_token = None
        return found

    def _measure_states(self, n_leading: NDArray[np.intp], most_steps: int) -> NDArray[np.int32]:
        """Return by the number of a state how many tokens finish it; 0: that is not known.

        Those that the most tokens lead to are found first.
        """
        if len(n_leading) > len(self._by_state):
            more = np.zeros(2 * len(n_leading), dtype=np.int32)
            self._by_state = np.concatenate([self._by_state, more])
        found, reached = self._by_state[: len(n_leading)], self._successors
        asked = np.flatnonzero((n_leading > 0) & (found == 0))
        asked = asked[asked > NOT_FOLLOWED]
        with suppress(LimitError), one_mask(most_steps, _REMEDY):
            for state in asked[np.argsort(-n_leading[asked], kind="stable")].tolist():
                found[state] = self._completions.count(
                    reached.hypotheses[state], reached.keys[state]
                )
        return found

    def _measure_atoms(self, here: Hypotheses) -> dict[int, int]:
        """Return the tokens that are taken whole, each with how many finish the text after it."""
        link, found = self._machine, dict[int, int]()
        if isinstance(link, LinkMachine) and any(h.piece.has_atoms for h in here):
            with one_mask(self._most_steps, _REMEDY):
                for token_id in link.list_atoms(here):
                    after = link.take(here, token_id)
                    if after:
                        after = self._texts.stand_in(after)
                        key = self._successors.keys[self._successors.find(after)]
                        found[token_id] = self._completions.count(after, key)
        return found

    def completion(self, point: Point) -> Completion:
        """Return the tokens of a known completion; a TokensLeftError says that there is none."""
        tokens, here, machine = list_tokens(point.cell), point.hypotheses, self._machine
        for token_id in tokens:
            here = machine.take(here, token_id) if here else here
        if point.cell.n_tokens >= FAR or not here:
            raise TokensLeftError(None, None)
        words = self._plain(here)
        end = min(e for e in self._ends if words[e >> 5] >> (e & 31) & 1)
        return Completion([*tokens, end])

    @property
    def n_bytes(self) -> int:
        n_bytes = self._completions.n_bytes + self._successors.n_bytes
        n_bytes += self._n_mask_bytes + _POINT_BYTES * len(self._points)
        return n_bytes + 2 * len(self._index.order) * len(self._measured)


class SharedEndings:
    """The endings of the machines of one pool, within so many bytes. Safe from any thread."""

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._known: OrderedDict[object, Endings] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, machine: Machine[Any], index: TokenIndex, ends: frozenset[int]) -> Endings:
        key = _name(machine)
        with self._lock:
            if key not in self._known:
                self._known[key] = Endings(machine, index, ends, self._evict_old)
                if len(self._known) > _MOST_MACHINES:
                    self._known.popitem(last=False)
            self._known.move_to_end(key)
            return self._known[key]

    def _evict_old(self, asking: Endings) -> None:
        """Have endings forget, the one that was not asked for longest first, and who asks last."""
        asking.size = asking.n_bytes
        with self._lock:
            if self._known.get(asking.name) is asking:
                self._known.move_to_end(asking.name)
            others = [each for each in self._known.values() if each is not asking]
        too_many = asking.size + sum(each.size for each in others) - self._most_bytes
        for each in (*others, asking):
            size = each.size
            if too_many > 0 and each.forget():
                too_many -= size

    @property
    def n_bytes(self) -> int:
        with self._lock:
            return sum(each.n_bytes for each in self._known.values())


def _name(machine: Machine[Any]) -> object:
    """Return what machines of the same texts share."""
    return machine.root if isinstance(machine, LinkMachine) else machine


def endings_of(machine: Machine[Any], index: TokenIndex, ends: frozenset[int]) -> Endings:
    """Return what is known of the ends of a machine's texts; see :class:`Endings`."""
    pool = machine.pool
    with _LOCK:
        if pool.endings is None:
            share = pool.cache_bytes // 8
            if pool.budget is not None:
                pool.budget.give_up(share)
            pool.endings = SharedEndings(share)
    shared: SharedEndings = pool.endings
    return shared.get(machine, index, ends)
