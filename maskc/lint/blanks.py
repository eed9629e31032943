r"""Where can a model write blanks for ever, and which blanks are forgotten?

A mask cannot say "enough": where blanks can follow blanks without an end (ML007), a model that
likes them writes nothing else until its budget is gone. There are three ways to that:

- an ignored terminal, or a newline, whose own pattern has no bound: ``%ignore /[ \t]+/``;
- an ignored terminal of bounded length that can come again and again: ``%ignore " "``;
- a rule that repeats a terminal of blanks: ``(NL | item)*``.

For Lark's LALR parser all three are loops of the scanner over blank bytes, in lexemes that began
with one; a terminal that takes letters in the same loop is text, and is left alone. Where texts are
split in every way, as with Earley and in other notations, the patterns say it: a repetition without
a bound whose characters are blanks only, and whatever is ignored at all.

A terminal of blanks that no rule holds and that no ``%ignore`` names (ML011) is left out by Lark,
and no text may have a blank then: mostly the line ``%ignore WS`` is missing. Only the text itself
is looked at: its definitions by a pattern or a string, and what it imports from ``common``.

Example of a bound: ``%ignore /(?<![ \n])[ \n]{1,8}/``: at most eight in a row, and no such lexeme
begins after a blank.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from maskc.grammar.sets import compute_nullable
from maskc.ids import DEAD, IGNORED
from maskc.lexer.scanner import Scanner
from maskc.lint.model import Finding, Place, Severity
from maskc.lint.subject import GrammarSubject, Subject
from maskc.regular.charset import class_set, unite
from maskc.regular.match_length import match_length
from maskc.regular.python import read_python
from maskc.regular.tree import Characters, Expression, Look, Repeat, children

ENDLESS = "ML007"
BLANKS = " \t\n\r\f\v"
_MANY = 300  # a pattern that matches so many blanks is taken for one without a bound

_Graph = Mapping[int, set[int]]


def find_blank_loops(subject: Subject) -> Iterator[Finding]:
    """Yield a finding for each terminal, and each rule, with which blanks go on for ever."""
    grammar = subject.grammar
    inside, after = _build_graphs(subject)
    looping = {s for s in inside if s in _reach(inside, inside[s])}
    looping -= {s for s in looping if _takes_letters(subject.scanner, inside, s)}
    ends = _ends_of(subject.scanner, looping)
    unbounded = [t for t in _blank_terminals(subject) if _is_unbounded(subject, t)]
    for terminal in unbounded:
        if (IGNORED if terminal in grammar.lexer.ignored else terminal) in ends:
            yield _report_terminal(subject, terminal)
    ignored = [t for t in _blank_terminals(subject) if t in grammar.lexer.ignored]
    joined = {s: inside[s] | after.get(IGNORED, {}).get(s, set()) for s in inside}
    if ignored and not set(ignored) & set(unbounded):
        again = after.get(IGNORED, {})
        if any(s in _reach(joined, targets) for s, targets in again.items()):
            yield _report_repetition(subject, ignored)
    yield from _find_rules(subject, inside, after)


def _build_graphs(subject: Subject) -> tuple[_Graph, dict[int, dict[int, set[int]]]]:
    """Return the moves on blank bytes: inside a lexeme, and by the terminal that one ends with."""
    scanner = subject.scanner
    classes = sorted({int(scanner.byte_class[ord(blank)]) for blank in BLANKS})
    entries = {
        row: {int(s) for s in scanner.entries[row, classes].tolist()} - {DEAD}
        for row in range(len(scanner.entries))
    }
    pending = [s for states in entries.values() for s in states]
    pending += [int(s) for s in scanner.next[scanner.start, classes].tolist() if s != DEAD]
    inside: dict[int, set[int]] = {}
    while pending:
        state = pending.pop()
        if state not in inside:
            inside[state] = {int(s) for s in scanner.next[state, classes].tolist()} - {DEAD}
            pending += inside[state]
    after: dict[int, dict[int, set[int]]] = {}
    for state in inside:
        for terminal, boundary in scanner.ends[state]:
            targets = {s for row in set(scanner.enter[boundary].tolist()) for s in entries[row]}
            after.setdefault(terminal, {}).setdefault(state, set()).update(targets)
    return inside, after


def _reach(graph: _Graph, states: set[int]) -> set[int]:
    found: set[int] = set()
    pending = list(states)
    while pending:
        state = pending.pop()
        if state not in found:
            found.add(state)
            pending += graph.get(state, ())
    return found


def _takes_letters(scanner: Scanner, inside: _Graph, state: int) -> bool:
    """Return whether a letter leads back into the loop, or stays in a loop of its own."""
    target = int(scanner.next[state, scanner.byte_class[ord("a")]])
    return target != DEAD and state in _reach(inside, {target})


def _ends_of(scanner: Scanner, states: set[int]) -> set[int]:
    found: set[int] = set()
    for state in states:
        found |= {terminal for terminal, _ in scanner.ends[state]}
        end = scanner.end_of_text[state]
        found |= {end} if end is not None and end >= 0 else set()
    return found


def _blank_terminals(subject: Subject) -> list[int]:
    """Return the terminals with a lexeme of one blank, or of one line break."""
    return [t for t in range(len(subject.grammar.bnf.terminals)) if _own_blanks(subject, t)]


def _own_blanks(subject: Subject, terminal: int) -> list[str]:
    return [b for b in (*BLANKS, "\r\n") if _matches(subject, terminal, b)]


def _matches(subject: Subject, terminal: int, text: str) -> bool:
    pattern = subject.grammar.lexer.patterns[terminal]
    if pattern is None:
        return False
    return match_length(pattern, text, subject.grammar.lexer.re_flags) == len(text)


def _is_unbounded(subject: Subject, terminal: int) -> bool:
    own = _own_blanks(subject, terminal)
    return any(
        _matches(subject, terminal, start + more * _MANY)
        for start in own
        for more in (*BLANKS, "\r\n")
    )


def _report_terminal(subject: Subject, terminal: int) -> Finding:
    grammar = subject.grammar
    name = subject.name(terminal)
    blanks = "".join(b for b in _own_blanks(subject, terminal) if len(b) == 1)
    if terminal in grammar.lexer.ignored:
        fact = f"{name} is ignored and has no bound: a model can write blanks for ever"
        # A class that holds more than blanks, as GraphQL's commas, keeps what it holds.
        same = re.fullmatch(r"/\[((?!\^)(?:[^\]\\]|\\.)+)\][+*]/", name)
        remedy = f"bound it and keep it from coming twice: {_rewrite(blanks, same and same[1])}"
    else:
        fact = f"{name} matches any number of blanks: a model can write them for ever"
        remedy = "write a bound in place of + or *, as in {1,3}"
    place = subject.place_of_terminal(terminal)
    return Finding(ENDLESS, Severity.WARNING, place, fact, (blanks[:1] or "\n") * 8, remedy)


def _report_repetition(subject: Subject, ignored: list[int]) -> Finding:
    blanks = "".join(b for b in BLANKS if any(_matches(subject, t, b) for t in ignored))
    names = subject.list_names(ignored)
    place = subject.place_of_terminal(ignored[0])
    return Finding(
        ENDLESS,
        Severity.WARNING,
        place,
        f"{names} {'are' if len(ignored) > 1 else 'is'} ignored as often as it comes: a model can "
        "write blanks for ever",
        blanks[:1] * 8,
        f"ignore a bounded run, and only one at a time: {_rewrite(blanks)}",
    )


def _rewrite(blanks: str, written: str | None = None) -> str:
    r"""Return the bounded form of an ignored run of blanks, or of a class as it is written.

    >>> print(_rewrite(" \n"))
    %ignore /(?<![ \n])[ \n]{1,16}/
    """
    shown = written or "".join(b if b == " " else repr(b)[1:-1] for b in blanks)
    return f"%ignore /(?<![{shown}])[{shown}]{{1,16}}/"


def _find_rules(
    subject: Subject, inside: _Graph, after: dict[int, dict[int, set[int]]]
) -> Iterator[Finding]:
    """Yield the rules that repeat a terminal of blanks, where the lexer lets it repeat."""
    grammar = subject.grammar
    again = set()
    for terminal in set(_blank_terminals(subject)) - grammar.lexer.ignored:
        moves = after.get(terminal, {})
        skipped = after.get(IGNORED, {})
        joined = {s: inside[s] | moves.get(s, set()) | skipped.get(s, set()) for s in inside}
        if any(s in _reach(joined, targets) for s, targets in moves.items()):
            again.add(terminal)
    if not again:
        return
    blank = set(compute_nullable(subject.reduced.productions))
    grew = True
    while grew:
        grew = False
        for production in subject.reduced.productions:
            if production.lhs not in blank and all(
                _is_blank(s, blank, again) for s in production.rhs
            ):
                blank.add(production.lhs)
                grew = True
    steps: dict[int, set[int]] = {}
    weighted: set[tuple[int, int]] = set()
    for production in subject.reduced.productions:
        for index, symbol in enumerate(production.rhs):
            rest = production.rhs[:index] + production.rhs[index + 1 :]
            if symbol < 0 and all(_is_blank(s, blank, again) for s in rest):
                steps.setdefault(production.lhs, set()).add(-1 - symbol)
                if any(s in again for s in rest):
                    weighted.add((production.lhs, -1 - symbol))
    reported = set()
    for lhs, target in sorted(weighted):
        if lhs in _reach(steps, {target}):
            place = subject.place_of_rule(lhs)
            if place.name in reported:
                continue
            reported.add(place.name)
            yield Finding(
                ENDLESS,
                Severity.WARNING,
                place,
                f"{place.name} repeats {subject.list_names(sorted(again))} without a bound: a "
                "model can write blanks for ever",
                None,
                "repeat the blank together with what it separates, as in item (NL item)*",
            )


def _is_blank(symbol: int, blank: set[int], terminals: set[int]) -> bool:
    return symbol in terminals if symbol >= 0 else -1 - symbol in blank


def find_unbounded_blanks(subject: GrammarSubject) -> Iterator[Finding]:
    """Yield a finding for each rule, or terminal, in which blanks go on without a bound."""
    lexer = subject.grammar.lexer
    reported = set()
    for terminal, pattern in enumerate(lexer.patterns):
        if pattern is None:
            continue
        is_ignored = terminal in lexer.ignored
        repeats = is_ignored and any(match_length(pattern, b, lexer.re_flags) for b in BLANKS)
        if not repeats and not _has_loop(read_python(pattern, lexer.re_flags)):
            continue
        place = subject.place_of_terminal(terminal)
        if place in reported:
            continue
        reported.add(place)
        what = "is ignored as often as it comes" if is_ignored else "takes any number of blanks"
        yield Finding(
            ENDLESS,
            Severity.WARNING,
            place,
            f"{place.name or subject.name(terminal)} {what}: a model can write them for ever",
            " " * 8,
            "let rules have blanks where they belong, with a bound, instead of ignoring them"
            if is_ignored
            else "write a bound in place of + or *, as in {0,3}",
        )


def _has_loop(node: Expression) -> bool:
    """Return whether an expression repeats one blank or another without a bound."""
    match node:
        case Repeat(Characters(ranges), _, None):
            blanks = class_set(r"\s", 0)
            return unite([*ranges, *blanks]) == blanks
        case Look():
            return False
    return any(map(_has_loop, children(node)))


NEVER_IGNORED = "ML011"
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


def find_never_ignored(subject: GrammarSubject) -> Iterator[Finding]:
    """Yield a finding for each terminal of blanks that is neither used nor ignored."""
    text = subject.text
    if subject.source.translation is not None:
        return
    for name, line in sorted(_list_blanks(text), key=lambda found: found[1]):
        if name in subject.grammar.bnf.terminals or _is_named_elsewhere(text, name):
            continue
        yield Finding(
            NEVER_IGNORED,
            Severity.WARNING,
            Place("terminal", name, line),
            f"{name} is made of blanks, and nothing uses or ignores it: where no rule has them, no "
            "blanks may stand",
            None,
            f"write %ignore {name}, or remove it",
        )


def _list_blanks(text: str) -> Iterator[tuple[str, int]]:
    """Yield the terminals of blanks that a text defines or imports, with their lines."""
    for match in _IMPORT.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        if match["one"] in _COMMON:
            yield match["as"] or match["one"], line
        for name in re.findall(r"\w+", match["many"] or ""):
            if name in _COMMON:
                yield name, line
    for match in _DEFINITION.finditer(text):
        value = match["value"][1:-1]
        if _BLANK.fullmatch(value) and re.search(r" |\\[tnrfvs]", value):
            yield match["name"], text.count("\n", 0, match.start()) + 1


def _is_named_elsewhere(text: str, name: str) -> bool:
    bare = re.sub(r"//[^\n]*", "", text)
    return len(re.findall(rf"\b{re.escape(name)}\b", bare)) > 1
