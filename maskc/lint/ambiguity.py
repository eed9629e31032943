"""A text that has two parse trees (ML014).

Terminal sequences of each nonterminal are listed by length, with up to two trees each; the first
that has two is put into the shortest text that the start symbol makes with it. Parts that Lark
names itself, as the repeated part of a rule, are shown in the rule that they are part of.

Limits: right sides of up to ``MAX_SYMBOLS``, sequences of up to ``MAX_LENGTH`` terminals,
``MAX_WORDS`` of each length and nonterminal, ``MAX_STEPS`` in all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from maskc.grammar import Production, rule_of
from maskc.lint import Finding, find
from maskc.lint.subject import LintedGrammar

MAX_LENGTH, MAX_WORDS, MAX_SYMBOLS, MAX_STEPS = 7, 60, 60, 150_000
_MOST_SHOWN = 3  # rules whose ambiguity is reported

Word = tuple[int, ...]


class Tree(NamedTuple):
    """A parse tree: a production, and what each symbol became, a terminal or a tree."""

    production: Production
    children: tuple[int | Tree, ...]


def find_ambiguities(subject: LintedGrammar) -> Iterator[Finding]:
    """Yield a finding for the first rules that have a text with two trees."""
    ignored = subject.grammar.lexer.ignored
    blank = " " if any(subject.match(t, " ") for t in ignored) else ""
    found: set[str] = set()
    for nonterminal, word, first, second in _Search(subject).find():
        name, one, other = (
            subject.name_rule(nonterminal),
            _show(subject, first),
            _show(subject, second),
        )
        if name not in found and one != other:
            found.add(name)
            yield find(
                "ambiguity",
                subject.locate_rule(nonterminal),
                blank.join(_lexeme(subject, t) for t in word),
                name=name,
                one=one,
                other=other,
                remedy=_remedy(subject, nonterminal),
            )
        if len(found) == _MOST_SHOWN:
            return


class _Search:
    """Lists words by length until two trees have the same."""

    def __init__(self, subject: LintedGrammar) -> None:
        self._productions = [p for p in subject.reduced.productions if len(p.rhs) <= MAX_SYMBOLS]
        self._words: dict[tuple[int, int], dict[Word, list[Tree]]] = {}
        self._n_steps = 0

    def find(self) -> Iterator[tuple[int, Word, Tree, Tree]]:
        """Yield nonterminals with a word that they derive in two ways."""
        reported = set()
        for length in range(MAX_LENGTH + 1):
            self._fill(length)
            for (nonterminal, n), words in sorted(self._words.items()):
                if n == length and nonterminal not in reported:
                    for word, trees in words.items():
                        if len(trees) > 1 and not _is_inside(trees[0], trees[1]):
                            reported.add(nonterminal)
                            yield nonterminal, word, trees[0], trees[1]
                            break
            if self._n_steps > MAX_STEPS:
                return

    def _fill(self, length: int) -> None:
        """List the words of a length; nonterminals that become one another take rounds."""
        grew = True
        while grew and self._n_steps <= MAX_STEPS:
            grew = False
            for production in self._productions:
                words = self._words.setdefault((production.lhs, length), {})
                for word, children in list(self._derive(production.rhs, length)):
                    trees, tree = words.get(word, []), Tree(production, children)
                    is_new = not trees and len(words) < MAX_WORDS
                    if is_new or (len(trees) == 1 and tree != trees[0]):
                        words[word] = [*trees, tree]
                        grew = True

    def _derive(
        self, symbols: Sequence[int], length: int
    ) -> Iterator[tuple[Word, tuple[int | Tree, ...]]]:
        """Yield the words of a length that symbols derive, with what each of them became."""
        if not symbols:
            if not length:
                yield (), ()
            return
        first, rest = symbols[0], symbols[1:]
        if first >= 0:
            if length > 0:
                for word, children in self._derive(rest, length - 1):
                    yield (first, *word), (first, *children)
            return
        for n in range(length + 1):
            heads = self._words.get((-1 - first, n))
            if not heads:
                continue
            tails = list(self._derive(rest, length - n))
            for head, trees in list(heads.items()):
                for tail, children in tails:
                    for tree in trees:
                        self._n_steps += 1
                        if self._n_steps > MAX_STEPS:
                            return
                        yield head + tail, (tree, *children)


def _is_inside(first: Tree, second: Tree) -> bool:
    """Return whether two trees differ in one child only, which is then what is ambiguous."""
    if first.production != second.production:
        return False
    pairs = [(a, b) for a, b in zip(first.children, second.children, strict=True) if a != b]
    if len(pairs) != 1:
        return False
    a, b = pairs[0]
    return isinstance(a, Tree) and isinstance(b, Tree) and _yield_of(a) == _yield_of(b)


def _yield_of(tree: Tree) -> list[int]:
    return [
        t
        for child in tree.children
        for t in (_yield_of(child) if isinstance(child, Tree) else [child])
    ]


def _show(subject: LintedGrammar, tree: Tree) -> str:
    """Return a tree as ``rule(…)``; those of a repetition are part of their rule."""
    return f"{subject.name_rule(tree.production.lhs)}({' '.join(_show_children(subject, tree))})"


def _show_children(subject: LintedGrammar, tree: Tree) -> Iterator[str]:
    for child in tree.children:
        if not isinstance(child, Tree):
            yield _lexeme(subject, child)
            continue
        name = subject.grammar.bnf.nonterminals[child.production.lhs]
        if rule_of(name) != name or subject.name_rule(child.production.lhs) != name:
            yield from _show_children(subject, child)
        else:
            yield _show(subject, child)


def _lexeme(subject: LintedGrammar, terminal: int) -> str:
    if terminal in subject.strings:
        return subject.strings[terminal]
    found = subject.find_lexeme(terminal)
    return found.decode(errors="backslashreplace") if found else subject.name(terminal)


def _quote(subject: LintedGrammar, terminal: int) -> str:
    """Return a terminal as a rule would have it: its text, if it is one, or its name."""
    text = subject.strings.get(terminal)
    return f'"{text}"' if text is not None else subject.name(terminal)


def _remedy(subject: LintedGrammar, nonterminal: int) -> str:
    """Return how the rule can be written; for operators, as levels of precedence."""
    own, name = -1 - nonterminal, subject.name_rule(nonterminal)
    sides = [p.rhs for p in subject.reduced.productions if p.lhs == nonterminal]
    operators = [
        _quote(subject, side[1])
        for side in sides
        if len(side) == 3 and side[0] == side[2] == own and side[1] >= 0
    ]
    others = [
        " ".join(map(subject.name_symbol, side)) for side in sides if not side or side[0] != own
    ]
    if not operators or not others:
        return (
            "none, if either tree will do; otherwise give the text to one alternative of "
            f"{name} only"
        )
    levels = [name, *(f"{name}_{n}" for n in range(2, len(operators) + 2))]
    lines = [
        f"{level}: {level} {operator} {below} | {below}"
        for level, below, operator in zip(levels, levels[1:], operators, strict=False)
    ]
    last = f"{levels[-1]}: {' | '.join(others)}"
    return f"write a rule for each level of precedence, as in {'; '.join([*lines, last])}"
