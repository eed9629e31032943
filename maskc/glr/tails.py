"""The same language with tails that alternatives share as nonterminals of their own.

Lark writes n optional parts in a row as 2^n alternatives. An LR(0) automaton shares what they begin
with, and has a state for each way to have left parts out, so it grows likewise; and each
alternative is intersected with the lexer alone (:mod:`maskc.glr.adjacency`). Seen as words, all
alternatives are a finite language: the smallest automaton of it has few states, and each of them to
which several ways lead becomes a nonterminal that generates what is left. Rules with the same tails
share them.

Grammars of less than ``MOST_SYMBOLS`` symbols stay as they are, and so do those that would not
shrink to half: a tail that ends is one more reduction while a text is parsed.

Example: ``S -> a c d e | b c d e`` becomes ``S -> a T | b T`` with ``T -> c d e``.

Source: Daciuk, Mihov, Watson, Watson 2000 (doi:10.1162/089120100561601).
"""

from __future__ import annotations

from collections.abc import Iterator

from maskc.glr.cfg import Cfg, make_cfg
from maskc.grammar.model import Production

# Small C-like languages have 500 to 800. With sharing, one of 1,981 (panda) compiles for llama3 in
# half the time, and its masks take as long as without.
MOST_SYMBOLS = 1_000

_END = 0  # the node after which nothing is left
_Node = tuple[bool, tuple[tuple[int, int], ...]]  # whether a word may end; symbol → next node


def share_tails(cfg: Cfg) -> Cfg:
    """Return a grammar of the same language in which large alternatives share their tails."""
    size = _measure(cfg)
    if size < MOST_SYMBOLS:
        return cfg
    shared = factor_tails(cfg)
    return shared if 2 * _measure(shared) <= size else cfg


def factor_tails(cfg: Cfg) -> Cfg:
    """Return a grammar of the same language in which equal tails are a nonterminal each."""
    tails = _Tails()
    roots = {lhs: tails.add(sides) for lhs, sides in cfg.alternatives().items()}
    n_ways = [0] * len(tails.nodes)
    for _, targets in tails.nodes:
        for _, target in targets:
            n_ways[target] += 1
    number: dict[int, int] = {}
    for node, n in enumerate(n_ways):
        if n > 1 and node != _END and not tails.is_symbol(node):
            number[node] = cfg.n_nonterminals + len(number)
    starts = [*roots.items(), *((lhs, node) for node, lhs in number.items())]
    return make_cfg(
        cfg.start,
        cfg.n_nonterminals + len(number),
        (Production(lhs, rhs) for lhs, node in starts for rhs in tails.list_words(node, number)),
        has_empty=cfg.has_empty,
    )


def _measure(cfg: Cfg) -> int:
    return sum(len(production.rhs) for production in cfg.productions)


class _Tails:
    """The smallest automaton of several finite sets of words, without cycles.

    Attributes:
        nodes: each after those that it leads to.
    """

    def __init__(self) -> None:
        self.nodes: list[_Node] = [(True, ())]
        self._number: dict[_Node, int] = {self.nodes[_END]: _END}

    def add(self, words: list[tuple[int, ...]]) -> int:
        """Return the node of a set of words; equal sets have the same."""
        # One list for each letter of the word before: where it leads, once that is known.
        open_: list[dict[int, int]] = [{}]
        ends = [False]
        previous: tuple[int, ...] = ()

        def close(depth: int) -> None:
            while len(open_) > depth + 1:
                target = self._intern((ends.pop(), tuple(sorted(open_.pop().items()))))
                open_[-1][previous[len(open_) - 1]] = target

        for word in sorted(words):
            n_common = 0
            while n_common < min(len(word), len(previous)) and word[n_common] == previous[n_common]:
                n_common += 1
            close(n_common)
            for _ in word[n_common:]:
                open_.append({})
                ends.append(False)
            ends[-1] = True
            previous = word
        close(0)
        return self._intern((ends[0], tuple(sorted(open_[0].items()))))

    def _intern(self, node: _Node) -> int:
        number = self._number.setdefault(node, len(self.nodes))
        if number == len(self.nodes):
            self.nodes.append(node)
        return number

    def is_symbol(self, node: int) -> bool:
        """Return whether one symbol and nothing else is left: it stands for itself."""
        ends, targets = self.nodes[node]
        return not ends and len(targets) == 1 and targets[0][1] == _END

    def list_words(self, start: int, number: dict[int, int]) -> Iterator[tuple[int, ...]]:
        """Yield the words that are left at a node, up to the nodes that are nonterminals."""
        pending: list[tuple[int, tuple[int, ...]]] = [(start, ())]
        while pending:
            node, word = pending.pop()
            ends, targets = self.nodes[node]
            if word and ends:
                yield word
            if word and node in number:
                yield (*word, -1 - number[node])
                continue
            pending += ((target, (*word, symbol)) for symbol, target in targets)
