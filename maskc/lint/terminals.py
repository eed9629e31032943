"""Terminals that the lexer takes for one another.

- *Collide* (ML001): a difference of priority is the author's word, and a string that a pattern
  matches too is a keyword: both are left alone. The witness stands alone.
- *Shadowed* (ML002): in every context that has it, another one is taken wherever it would match.
  The scanner says which terminals it gives, exactly; ignored terminals are not told apart there.
- *Keyword* (ML003): with the contextual lexer it is an identifier again wherever the keyword itself
  is not legal, which may be what the author wants, or a trap.
- *Neighbours* (ML005): written one after the other they are one lexeme, or two others.
- *Greedy quote* (ML012): only quotes of one character, with one repetition between them.
- *Unparted words* (ML013): the two are adjacent in some text, and the lexer's own order is asked in
  each context; that the parser comes into that context there is not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from maskc import bits
from maskc.compiler.rows.unlexed import find_adjacencies
from maskc.grammar import Context
from maskc.grammar.sets import compute_adjacent, compute_sets
from maskc.ids import END, TerminalId
from maskc.lint import Finding, find
from maskc.lint.subject import LintedGrammar, LintedLalrGrammar
from maskc.regular import GREEDY, Expression, Look, Repeat, Sequence, children, literal
from maskc.regular.python import read_python

_MOST_KEYWORDS, _MOST_WORDS = 12, 8  # that are named
_QUOTES: Mapping[Expression, str] = {literal(quote): quote for quote in "\"'`"}

Pair = tuple[TerminalId, TerminalId]


def find_collisions(subject: LintedLalrGrammar) -> Iterator[Finding]:
    """Yield a finding for each pair of terminals that some context tries one after the other.

    Where a third one is taken for the same lexeme, or the second is never lexed, that is told.
    """
    contexts = subject.grammar.lexer.contexts
    pairs: dict[Pair, set[int]] = {}
    for number, context in enumerate(contexts):
        for position, first in enumerate(context.alternatives):
            for second in context.alternatives[position + 1 :]:
                pairs.setdefault((first, second), set()).add(number)
    for context in contexts:
        for owner, names in context.keywords:
            for name in names:
                pairs.pop((owner, name), None)
                pairs.pop((name, owner), None)
    taken: dict[tuple[int, str], set[int]] = {}  # of a loser and its lexeme the contexts
    for (first, second), where in sorted(pairs.items()):
        found = subject.find_lexeme(first, second) if _is_silent(subject, first, second) else None
        lexeme = (found or b"").decode(errors="surrogateescape")
        if not lexeme or not all(subject.matches(t, lexeme) for t in (first, second)):
            continue
        is_told = where <= taken.get((first, lexeme), set()) or second in subject.never_lexed
        taken.setdefault((second, lexeme), set()).update(where)
        if not is_told:
            yield find(
                "collision",
                subject.locate_terminal(second),
                (found or b"").decode(errors="backslashreplace"),
                winner=subject.name(first),
                loser=subject.name(second),
                where=f"in {len(where)} of {len(contexts)} contexts",
            )


def _is_silent(subject: LintedLalrGrammar, first: int, second: int) -> bool:
    names = subject.grammar.bnf.terminals[first], subject.grammar.bnf.terminals[second]
    if subject.priorities.get(names[0]) != subject.priorities.get(names[1]):
        return False
    texts = subject.strings.get(first), subject.strings.get(second)
    return None in texts or texts[0] == texts[1]


def find_shadowed(subject: LintedLalrGrammar) -> Iterator[Finding]:
    """Yield a finding for each terminal of the productions that no text holds."""
    for terminal in sorted(subject.never_lexed):
        lexeme = subject.find_lexeme(terminal)
        winners = _find_winners(subject, terminal, lexeme)
        name, own = subject.name(terminal), subject.grammar.bnf.terminals[terminal]
        yield find(
            "shadowed",
            subject.locate_terminal(terminal),
            lexeme.decode(errors="backslashreplace") if lexeme else None,
            name=name,
            higher=f"{own}.1: {name}" if name.startswith('"') else f"{name}.1",
            instead=f": {subject.list_names(winners)} is taken instead" if winners else "",
        )


def _find_winners(subject: LintedLalrGrammar, terminal: int, lexeme: bytes | None) -> list[int]:
    if lexeme is None:
        return []
    text = lexeme.decode(errors="surrogateescape")
    contexts = [c for c in subject.grammar.lexer.contexts if _offers(c, terminal)]
    taken = {_take(subject, context, text) for context in contexts}
    return sorted(found for found in taken if found not in (None, terminal))


def _take(subject: LintedLalrGrammar, context: Context, text: str) -> int | None:
    """Return the terminal that the lexer takes for the beginning of a text."""
    return next((t for t in context.alternatives if subject.match(t, text) is not None), None)


def _offers(context: Context, terminal: int) -> bool:
    return terminal in context.alternatives or any(terminal in ns for _, ns in context.keywords)


def find_keywords(subject: LintedLalrGrammar) -> Iterator[Finding]:
    """Yield the keywords of each identifier that are reserved, always or in some contexts."""
    grammar = subject.grammar
    wanted_in: dict[int, set[int]] = {}  # identifier → contexts in which the parser takes it
    for state, row in enumerate(grammar.lalr.states):
        for terminal in (*row.shifts, *row.reduces):
            wanted_in.setdefault(terminal, set()).add(grammar.lalr.context_of[state])
    lost: dict[TerminalId, dict[TerminalId, set[int]]] = {}  # identifier → keyword → contexts
    for number, context in enumerate(grammar.lexer.contexts):
        for owner, names in context.keywords:
            if owner not in grammar.lexer.ignored and number in wanted_in.get(owner, ()):
                for keyword in names:
                    if keyword not in grammar.lexer.roles:
                        lost.setdefault(owner, {}).setdefault(keyword, set()).add(number)
    for owner, keywords in sorted(lost.items()):
        n_contexts = len(wanted_in[owner])
        reserved = [k for k, found in sorted(keywords.items()) if len(found) == n_contexts]
        partly = [k for k in sorted(keywords) if k not in reserved]
        location, name = subject.locate_terminal(owner), subject.name(owner)
        if reserved:
            listed = subject.list_names(reserved, _MOST_KEYWORDS)
            witness = _find_keyword(subject, owner, reserved[0])
            yield find("reserved", location, witness, keywords=listed, name=name)
        if partly:
            worst = max(partly, key=lambda k: len(keywords[k]))
            yield find(
                "reserved in some contexts",
                location,
                _find_keyword(subject, owner, worst),
                keywords=subject.list_names(partly, _MOST_KEYWORDS),
                name=name,
                worst=subject.name(worst),
                count=f"{len(keywords[worst])} of {n_contexts}",
            )


def _find_keyword(subject: LintedLalrGrammar, owner: TerminalId, keyword: TerminalId) -> str | None:
    arrivals = [
        arrival.terminals
        for state, row in enumerate(subject.grammar.lalr.states)
        if (owner in row.shifts or owner in row.reduces) and keyword in row.shifts
        if (arrival := subject.witnesses.find_arrival(state))
    ]
    best = min(arrivals, key=len, default=None)
    text = None if best is None else subject.witnesses.find_text((*best, keyword))
    return text or subject.strings.get(keyword)


def find_neighbours(subject: LintedLalrGrammar) -> Iterator[Finding]:
    """Yield a finding for each pair of terminals that cannot be lexed apart.

    Where no text can be parsed at all, the pair that is to blame is told by ML004.
    """
    if subject.no_text is not None:
        return
    grammar, lexed = subject.grammar, subject.language.lexed
    table = subject.language.table
    for pair in find_adjacencies(grammar.lexer, lexed.scanner, lexed.boundaries, table):
        first, second = (grammar.bnf.terminals.index(name) for name in (pair.first, pair.second))
        yield find(
            "neighbours",
            subject.locate_terminal(first),
            pair.witness.decode(errors="backslashreplace"),
            first=subject.name(first),
            second=subject.name(second),
        )


def find_greedy_quotes(subject: LintedGrammar) -> Iterator[Finding]:
    """Yield a finding for each terminal that reads over its own closing quote."""
    lexer = subject.grammar.lexer
    for terminal, pattern in enumerate(lexer.patterns):
        quotes = _find_quotes(read_python(pattern, lexer.re_flags)) if pattern else ()
        for quote in sorted(quotes):
            witness = f"{quote}a{quote} {quote}b{quote}"
            if subject.matches(terminal, witness):
                location, name = subject.locate_terminal(terminal), subject.name(terminal)
                yield find("greedy quotes", location, witness, name=name, q=quote)


def _find_quotes(node: Expression) -> Iterator[str]:
    if isinstance(node, Sequence):
        parts = node.parts
        for before, here, after in zip(parts, parts[1:], parts[2:], strict=False):
            is_greedy = isinstance(here, Repeat) and here.mode == GREEDY
            if is_greedy and before == after and before in _QUOTES:
                yield _QUOTES[before]
    if not isinstance(node, Repeat | Look):
        for inner in children(node):
            yield from _find_quotes(inner)


def find_unparted_words(subject: LintedLalrGrammar) -> Iterator[Finding]:
    """Yield one finding, of all words that others may follow without a blank."""
    lexer = subject.grammar.lexer
    words = {t: s for t, s in subject.strings.items() if re.fullmatch(r"\w+[^\W\d_]", s)}
    if not words or not any(subject.match(t, " ") for t in lexer.ignored):
        return
    adjacent = compute_adjacent(subject.reduced, compute_sets(subject.reduced))
    starts: dict[int, str] = {}
    for terminal in sorted({n for w in words for n in bits.iterate(adjacent.get(w, 0))} - {END}):
        found = subject.strings.get(terminal)
        lexeme = found or (subject.find_lexeme(terminal) or b"").decode(errors="replace")
        if re.match(r"\w", lexeme):
            starts[terminal] = lexeme
    unparted: dict[int, list[int]] = {}
    for word, text in sorted(words.items()):
        for terminal, lexeme in starts.items():
            if adjacent.get(word, 0) >> terminal & 1 and _runs_into(subject, word, text + lexeme):
                contexts = (lexer.contexts[c] for c in lexer.contexts_after.get(word, ()))
                if any(_offers(context, terminal) for context in contexts):
                    unparted.setdefault(word, []).append(terminal)
    for first in list(unparted)[:1]:
        # A pattern shows it better than another word.
        after = min(unparted[first], key=lambda t: (t in subject.strings, t))
        yield find(
            "unparted words",
            subject.locate_terminal(first),
            words[first] + starts[after],
            names=subject.list_names(unparted, _MOST_WORDS),
            after=subject.name(after),
            word=words[first],
        )


def _runs_into(subject: LintedLalrGrammar, word: int, text: str) -> bool:
    contexts = (c for c in subject.grammar.lexer.contexts if word in c.alternatives)
    is_read = subject.match(word, text) == len(subject.strings[word])
    return is_read and any(_take(subject, context, text) == word for context in contexts)
