"""Blanks that a model can write for ever (ML007), and blanks that are forgotten (ML011).

Three ways lead to ML007: an ignored terminal, or a newline, without a bound; an ignored one that
can come again and again; a rule that repeats a terminal of blanks. For Lark's LALR parser all three
are loops of the scanner over blank bytes, in lexemes that began with one; a terminal that takes
letters in the same loop is text, and is left alone. Where texts are split in every way, as with
Earley and in other notations, the patterns say it.

Of ML011 only the text itself is looked at: its definitions by a pattern or a string, and what it
imports from ``common``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from maskc.grammar.sets import find_derivable, find_reachable
from maskc.ids import DEAD, IGNORED
from maskc.lint import Finding, SourceLocation, find
from maskc.lint.subject import LintedGrammar, LintedLalrGrammar
from maskc.regular import Characters, Expression, Look, Repeat, children
from maskc.regular.charset import class_set, unite
from maskc.regular.python import read_python

BLANKS = " \t\n\r\f\v"
_RUNS = (*BLANKS, "\r\n")
_MANY = 300  # a pattern that matches so many blanks is taken for one without a bound


def find_blank_loops(subject: LintedLalrGrammar) -> Iterator[Finding]:
    """Yield a finding for each terminal, and each rule, with which blanks go on for ever."""
    loops, ignored = _Loops(subject), subject.grammar.lexer.ignored
    blank = [t for t in range(len(subject.grammar.bnf.terminals)) if _own_blanks(subject, t)]
    unbounded = [
        t
        for t in blank
        if any(subject.matches(t, a + b * _MANY) for a in _own_blanks(subject, t) for b in _RUNS)
    ]
    ends = loops.find_ends()
    for terminal in unbounded:
        if (IGNORED if terminal in ignored else terminal) in ends:
            yield _report_run(subject, terminal)
    skipped = [t for t in blank if t in ignored]
    if skipped and not set(skipped) & set(unbounded) and loops.comes_again(IGNORED):
        names = subject.list_names(skipped)
        blanks = "".join(b for b in BLANKS if any(subject.matches(t, b) for t in skipped))
        yield find(
            "ignored again",
            subject.locate_terminal(skipped[0]),
            blanks[:1] * 8,
            names=f"{names} {'are' if len(skipped) > 1 else 'is'}",
            rewrite=_rewrite(blanks),
        )
    again = {t for t in blank if t not in ignored and loops.comes_again(t, IGNORED)}
    yield from _find_rules(subject, again)


class _Loops:
    """Moves of the scanner on blank bytes: inside a lexeme, and by what one ends as."""

    def __init__(self, subject: LintedLalrGrammar) -> None:
        scanner = self._scanner = subject.language.lexed.scanner
        classes = sorted({int(scanner.byte_class[ord(blank)]) for blank in BLANKS})
        entries = [set(row) - {DEAD} for row in scanner.entries[:, classes].tolist()]
        starts = set(scanner.next[scanner.start, classes].tolist()).union(*entries) - {DEAD}
        moves_of = [set(row) - {DEAD} for row in scanner.next[:, classes].tolist()]
        inside = find_reachable(starts, moves_of.__getitem__)
        self._inside = {state: moves_of[state] for state in inside}
        self._after: dict[int, dict[int, set[int]]] = {}
        for state in self._inside:
            for terminal, boundary in scanner.ends[state]:
                rows = set(scanner.enter[boundary].tolist())
                moves = self._after.setdefault(terminal, {}).setdefault(state, set())
                moves.update(*(entries[row] for row in rows))

    def find_ends(self) -> set[int]:
        """Return the terminals as which a lexeme ends that has a loop of blanks, but no text."""
        scanner = self._scanner
        found: set[int] = set()
        for state, moves in self._inside.items():
            if state not in _reach(self._inside, moves):
                continue
            # A letter may lead back into the loop, or stay in a loop of its own: that is text.
            target = int(scanner.next[state, scanner.byte_class[ord("a")]])
            if target == DEAD or state not in _reach(self._inside, [target]):
                end = scanner.end_of_text[state]
                found |= {terminal for terminal, _ in scanner.ends[state]}
                found |= {end} if end is not None and end >= 0 else set()
        return found

    def comes_again(self, terminal: int, *between: int) -> bool:
        moves = self._after.get(terminal, {})
        others = [self._after.get(other, {}) for other in (terminal, *between)]
        joined = {
            s: inside.union(*(o.get(s, ()) for o in others)) for s, inside in self._inside.items()
        }
        return any(s in _reach(joined, targets) for s, targets in moves.items())


def _reach(graph: Mapping[int, Iterable[int]], nodes: Iterable[int]) -> set[int]:
    return find_reachable(nodes, lambda node: graph.get(node, ()))


def _own_blanks(subject: LintedLalrGrammar, terminal: int) -> list[str]:
    return [b for b in _RUNS if subject.matches(terminal, b)]


def _report_run(subject: LintedLalrGrammar, terminal: int) -> Finding:
    location, name = subject.locate_terminal(terminal), subject.name(terminal)
    blanks = "".join(b for b in _own_blanks(subject, terminal) if len(b) == 1)
    witness = (blanks[:1] or "\n") * 8
    if terminal not in subject.grammar.lexer.ignored:
        return find("run", location, witness, name=name)
    # A class that holds more than blanks, as GraphQL's commas, keeps what it holds.
    same = re.fullmatch(r"/\[((?!\^)(?:[^\]\\]|\\.)+)\][+*]/", name)
    rewrite = _rewrite(blanks, same[1] if same else None)
    return find("ignored run", location, witness, name=name, rewrite=rewrite)


def _rewrite(blanks: str, written: str | None = None) -> str:
    r"""Return the bounded form of an ignored run of blanks, or of a class as it is written.

    >>> print(_rewrite(" \n"))
    %ignore /(?<![ \n])[ \n]{1,16}/
    """
    shown = written or "".join(b if b == " " else repr(b)[1:-1] for b in blanks)
    return f"%ignore /(?<![{shown}])[{shown}]{{1,16}}/"


def _find_rules(subject: LintedLalrGrammar, again: set[int]) -> Iterator[Finding]:
    """Yield the rules that repeat terminals of blanks that the lexer lets come again."""
    if not again:
        return
    productions = subject.reduced.productions
    blank = find_derivable(
        (p.lhs, p.rhs) for p in productions if all(s < 0 or s in again for s in p.rhs)
    )

    def is_blank(symbol: int) -> bool:
        return symbol in again if symbol >= 0 else -1 - symbol in blank

    steps: dict[int, set[int]] = {}
    weighted: set[tuple[int, int]] = set()
    for production in productions:
        for index, symbol in enumerate(production.rhs):
            rest = production.rhs[:index] + production.rhs[index + 1 :]
            if symbol < 0 and all(map(is_blank, rest)):
                steps.setdefault(production.lhs, set()).add(-1 - symbol)
                if any(s in again for s in rest):
                    weighted.add((production.lhs, -1 - symbol))
    looping = [lhs for lhs, target in sorted(weighted) if lhs in _reach(steps, [target])]
    for location in dict.fromkeys(map(subject.locate_rule, looping)):
        terminals = subject.list_names(sorted(again))
        yield find("repeated blank", location, name=location.name, terminals=terminals)


def find_unbounded_blanks(subject: LintedGrammar) -> Iterator[Finding]:
    """Yield a finding for each rule, or terminal, in which blanks go on without a bound."""
    lexer = subject.grammar.lexer
    reported = set()
    for terminal, pattern in enumerate(lexer.patterns):
        is_ignored = terminal in lexer.ignored
        repeats = is_ignored and any(subject.match(terminal, b) for b in BLANKS)
        if pattern is None or not (repeats or _has_loop(read_python(pattern, lexer.re_flags))):
            continue
        location = subject.locate_terminal(terminal)
        if location not in reported:
            reported.add(location)
            name = location.name or subject.name(terminal)
            yield find(
                "general ignored" if is_ignored else "general run", location, " " * 8, name=name
            )


def _has_loop(node: Expression) -> bool:
    match node:
        case Repeat(Characters(ranges), _, None):
            blanks = class_set(r"\s", 0)
            return unite([*ranges, *blanks]) == blanks
        case Look():
            return False
    return any(map(_has_loop, children(node)))


_IMPORT = re.compile(
    r"^%import[ \t]+common\.(?P<one>\w+)(?:[ \t]*->[ \t]*(?P<as>\w+))?"
    r"|^%import[ \t]+common[ \t]*\((?P<many>[^)]*)\)",
    re.MULTILINE,
)
_COMMON = frozenset(("WS", "WS_INLINE", "NEWLINE", "CR", "LF"))
_DEFINITION = re.compile(
    r"^(?P<name>_?_?[A-Z]\w*)(?:\.-?\d+)?[ \t]*:[ \t]*"
    r"(?P<value>/(?:\\.|[^/\n])+/|\"(?:\\.|[^\"\n])+\")",
    re.MULTILINE,
)
_BLANK = re.compile(r"(?:[ ]|\\[tnrfvs]|[][+*?(){}|:,\d])+")


def find_never_ignored(subject: LintedGrammar) -> Iterator[Finding]:
    """Yield a finding for each terminal of blanks that is neither used nor ignored."""
    text = subject.text
    if subject.source.translation is not None:
        return
    bare = re.sub(r"//[^\n]*", "", text)
    for name, line in sorted(_list_blanks(text), key=lambda found: found[1]):
        is_named_elsewhere = len(re.findall(rf"\b{re.escape(name)}\b", bare)) > 1
        if name not in subject.grammar.bnf.terminals and not is_named_elsewhere:
            yield find("never ignored", SourceLocation("terminal", name, line), name=name)


def _list_blanks(text: str) -> Iterator[tuple[str, int]]:
    for match in _IMPORT.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        if match["one"] in _COMMON:
            yield match["as"] or match["one"], line
        names = re.findall(r"\w+", match["many"] or "")
        yield from ((name, line) for name in names if name in _COMMON)
    for match in _DEFINITION.finditer(text):
        value = match["value"][1:-1]
        if _BLANK.fullmatch(value) and re.search(r" |\\[tnrfvs]", value):
            yield match["name"], text.count("\n", 0, match.start()) + 1
