"""What a string or a key that opens inside a token does to the rest of it.

It is found once for each automaton and each set of nodes after a quote, whatever the stack is.

Example: of ``{"id":`` the key ``id`` ends before the colon, and ``{"i`` leaves one open.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, NamedTuple

from maskc.runtime.cache import ENTRY_BYTES, Budget, Cache
from maskc.runtime.schema.plan import Plan
from maskc.runtime.schema.plan.blanks import BLANK_BYTES
from maskc.runtime.schema.plan.custom import CustomRule
from maskc.runtime.schema.plan.objects import ObjectRule
from maskc.runtime.schema.scans.character_trie import CharacterTrie, build_character_trie, free_body
from maskc.runtime.schema.scans.custom import CustomScans
from maskc.runtime.schema.scans.searching import Searched, find_names, search_all
from maskc.runtime.schema.strings import Body, decode_body
from maskc.runtime.schema.strings.characters import DEAD, FREE_LABEL, NO_LABEL, CharDfa
from maskc.runtime.schema.tries import Nodes, TokenIndex, Trie
from maskc.runtime.schema.tries.summary import EndedKeys, Part, part_of_texts
from maskc.runtime.step_budget import charge_steps, charge_vector_steps

_QUOTE: Final = 0x22
_COLON: Final = 0x3A
_AFTER_KEY: Final = frozenset([_COLON]) | BLANK_BYTES
_NOTHING = Searched([], [], [], [], [], [])


class Opened(NamedTuple):
    """What a string does that opens somewhere, and the tokens of ``inside.free``."""

    inside: Searched
    free: Part | None

    @property
    def n_bytes(self) -> int:
        """About how many bytes it takes."""
        return self.inside.n_bytes + (self.free.n_bytes if self.free else 0)


_NOTHING_OPENED: Final = Opened(_NOTHING, None)


class OpenedStrings:
    """Strings and keys that open inside tokens. Shared by all matchers of an artifact."""

    def __init__(self, index: TokenIndex, plan: Plan, budget: Budget) -> None:
        self._index, self._plan = index, plan
        self._known = Cache(budget, _measure)
        self._custom_scans = CustomScans(budget)
        self._escapes = plan.layout.escapes
        self._free = free_body(index, escapes=self._escapes)

    def inside(
        self, trie: Trie, body: Body, nodes: Nodes, *, exactly: bool, dropped: int = DEAD
    ) -> Opened:
        """Return what a string that opens at some nodes does.

        Args:
            trie: of the vocabulary.
            body: of the string.
            nodes: after its quote.
            exactly: whether states and sizes are wanted where every character may follow.
            dropped: a state that counts as dead.
        """
        is_rest = trie is self._index.suffixes
        if not trie.lead_on(nodes):
            return _NOTHING_OPENED
        key = (id(body), nodes, is_rest, exactly, dropped)
        found: Opened | None = self._known.get(key)
        if found is None:
            if body.dfa.is_universal:
                found = self._open_any(trie, nodes, exactly=exactly)
            else:
                found = self._open(trie, body.dfa, nodes, exactly=exactly, dropped=dropped)
            self._known.put(key, found)
        return found

    def custom(self, trie: Trie, rule: CustomRule, nodes: Nodes) -> tuple[list[int], Nodes]:
        """Return the texts that stay inside a string that a reader reads, and nodes that end it."""
        if not trie.lead_on(nodes):
            return [], ()
        key = (id(rule), nodes, trie is self._index.suffixes)
        found: tuple[list[int], Nodes] | None = self._known.get(key)
        if found is None:
            character_trie = self.character_trie(trie, nodes)
            walked = self._custom_scans.walk(character_trie, rule, rule.begin)
            origins = character_trie.tables.places
            found = origins[walked.inside].tolist(), tuple(origins[walked.ended].tolist())
            self._known.put(key, found)
        return found

    def character_trie(self, trie: Trie, nodes: Nodes) -> CharacterTrie:
        """Return what the texts after some quotes write."""
        return build_character_trie(self._index, trie, nodes, escapes=self._escapes)

    def _open(
        self, trie: Trie, dfa: CharDfa, nodes: Nodes, *, exactly: bool, dropped: int = DEAD
    ) -> Opened:
        found = search_all(self.character_trie(trie, nodes), dfa, exactly=exactly, dropped=dropped)
        free = part_of_texts(self._index, trie, found.free) if found.free else None
        return Opened(found, free)

    def _open_any(self, trie: Trie, nodes: Nodes, *, exactly: bool) -> Opened:
        """Return what a string of any characters does, which is the same in all artifacts."""
        key = ("opened", self._escapes, nodes, trie is self._index.suffixes, exactly)
        found: Opened | None = self._index.shared.get(key)
        if found is None:
            found = self._open(trie, self._free.dfa, nodes, exactly=exactly)
            self._index.shared.put(key, found, ENTRY_BYTES + found.n_bytes)
        return found

    def inside_key(
        self, trie: Trie, number: int, nodes: Nodes, *, exactly: bool, dropped: int
    ) -> Opened:
        """Return what a key of an object's rule that opens at some nodes does while it is open.

        Arguments are as :meth:`inside` has them; where it ends is what :meth:`ended_keys` says.
        """
        if exactly or dropped or not self._plan.objects[number].is_flat:
            body = self._plan.key_bodies[number]
            return self.inside(trie, body, nodes, exactly=exactly, dropped=dropped)
        if not trie.lead_on(nodes):
            return _NOTHING_OPENED
        # Whatever was read can become a key without a name.
        return self._open_any(trie, nodes, exactly=False)

    def ended_keys(
        self, trie: Trie, number: int, nodes: Nodes, dropped: int
    ) -> tuple[EndedKeys, ...]:
        """Return the keys of an object's rule that end within a trie, whatever may come."""
        key = ("keys", number, nodes, trie is self._index.suffixes, dropped)
        known: tuple[EndedKeys, ...] | None = self._known.get(key)
        if known is None:
            known = self._find_ended(trie, number, nodes, dropped)
            self._known.put(key, known)
        return known

    def _find_ended(
        self, trie: Trie, number: int, nodes: Nodes, dropped: int
    ) -> tuple[EndedKeys, ...]:
        rule = self._plan.objects[number]
        if not trie.lead_on(nodes):
            return ()
        if not dropped and rule.is_flat:
            return self._find_flat(trie, rule, nodes)
        body = self._plan.key_bodies[number]
        opened = self.inside(trie, body, nodes, exactly=False, dropped=dropped)
        pairs = [(ended.node, body.dfa.labels[ended.state]) for ended in opened.inside.ended]
        pairs = [pair for pair in pairs if pair[1] != NO_LABEL]
        charge_steps(len(pairs))
        return self._group(trie, nodes, pairs, rule.n_names, has_finite_keys=rule.has_finite_keys)

    def _find_flat(self, trie: Trie, rule: ObjectRule, nodes: Nodes) -> tuple[EndedKeys, ...]:
        """Return the same of a rule whose keys are names and any others.

        All are of the class of keys without a name, but for the names, and words that are none.
        """
        named: dict[int, int] = {}
        for label, quotes in self.ended_names(trie, rule, nodes):
            named.update(dict.fromkeys(quotes, label))
        free = self._any_ended(trie, nodes)
        if not named:
            return free
        found: list[EndedKeys] = []
        for keys in free:
            charge_vector_steps(len(keys.nodes))
            pairs = [(t, n) for t, n in zip(keys.texts, keys.nodes, strict=True) if n not in named]
            if pairs:
                texts, ends = tuple([t for t, _ in pairs]), tuple([n for _, n in pairs])
                found.append(keys._replace(texts=texts, nodes=ends))
        names = [pair for pair in named.items() if pair[1] != NO_LABEL]
        return (*found, *self._group(trie, nodes, names, rule.n_names))

    def ended_names(
        self, trie: Trie, rule: ObjectRule, nodes: Nodes
    ) -> list[tuple[int, tuple[int, ...]]]:
        """Return the names that end within a trie, and words that are no key."""
        dfa = rule.dfa
        return find_names(self.character_trie(trie, nodes), dfa, dfa.start, dfa.sink)

    def _any_ended(self, trie: Trie, nodes: Nodes) -> tuple[EndedKeys, ...]:
        """Return where keys end that may be any, which is the same in all artifacts."""
        key = ("any ended", self._escapes, trie is self._index.suffixes, nodes)
        known: tuple[EndedKeys, ...] | None = self._index.shared.get(key)
        if known is None:
            opened = self._open_any(trie, nodes, exactly=False)
            known = self._group(
                trie, nodes, [(end.node, FREE_LABEL) for end in opened.inside.ended], 0
            )
            n_bytes = sum(100 * len(keys.nodes) for keys in known)
            self._index.shared.put(key, known, ENTRY_BYTES + n_bytes)
        return known

    def _group(
        self,
        trie: Trie,
        quotes: Nodes,
        ended: Iterable[tuple[int, int]],
        n_names: int,
        *,
        has_finite_keys: bool = False,
    ) -> tuple[EndedKeys, ...]:
        """Return keys that end as JSON may go on, those together that nothing tells apart.

        ``ended`` are the nodes after closing quotes, with labels. Where keys are scarce, all that
        have no name are told apart.
        """
        together: dict[tuple[int, bool, str], list[tuple[str, int]]] = {}
        for node, label in ended:
            goes_on = has_finite_keys or self._goes_on(trie, node)
            if not goes_on and not trie.n_ending[node]:
                continue
            text = "" if label < n_names else self._key_before(trie, node, quotes)
            is_bare = not text or not goes_on or not has_finite_keys and self._is_bare(trie, node)
            group = (label, goes_on, "" if is_bare else text)
            together.setdefault(group, []).append((text, node))
        return tuple(
            EndedKeys(label, tuple(t for t, _ in pairs), tuple(n for _, n in pairs), goes_on)
            for (label, goes_on, _), pairs in together.items()
        )

    def _goes_on(self, trie: Trie, node: int) -> bool:
        """Return whether some text goes on after a key that ends at a node as JSON may."""
        after = trie.bytes[trie.first[node] : trie.first[node + 1]]
        return not _AFTER_KEY.isdisjoint(after)

    def _is_bare(self, trie: Trie, node: int) -> bool:
        """Return whether no text goes on to a value after a key that ends at a node."""
        key = ("bare", trie is self._index.suffixes, node)
        found: bool | None = self._index.shared.get(key)
        if found is None:
            found, open_ = True, [(node, False)]
            while open_ and found:
                here, is_value = open_.pop()
                for child, byte in trie.children(here, None):
                    if byte in BLANK_BYTES:
                        open_.append((child, is_value))
                    elif is_value:
                        found = False
                    elif byte == _COLON:
                        open_.append((child, True))
            self._index.shared.put(key, found, ENTRY_BYTES)
        return found

    def _key_before(self, trie: Trie, node: int, quotes: Nodes) -> str:
        """Return the key that ends at a node and begins after one of some quotes."""
        key = ("key", trie is self._index.suffixes, node, quotes)
        found: str | None = self._index.shared.get(key)
        if found is None:
            found = decode_body(after_quote(trie, trie.path(node), quotes)[:-1])
            self._index.shared.put(key, found, ENTRY_BYTES)
        return found


def _measure(_: object, found: Opened | tuple[Any, ...]) -> int:
    if isinstance(found, Opened):
        return ENTRY_BYTES + found.n_bytes
    if found and isinstance(found[0], EndedKeys):
        return ENTRY_BYTES + sum(200 + 100 * len(keys.nodes) for keys in found)
    return ENTRY_BYTES + sum(40 * len(some) for some in found)


def after_quote(trie: Trie, text: bytes, quotes: Nodes) -> bytes:
    """Return what a text has after the one of some quotes that it begins with."""
    # No path begins with another: each is white space and signs up to its only quote.
    paths = (trie.path(quote) for quote in quotes)
    return next(text[len(path) :] for path in paths if text.startswith(path))
