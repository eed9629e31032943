"""A finding, and THE RULES by which there are some: of each its code, severity, words and remedy.

Example: ``find("unused", place, kind="rule", name="x")`` is a finding of ML010.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import Enum
from typing import Any, NamedTuple


class Severity(Enum):
    """How bad it is: a part of the grammar is lost; it may surprise; it is good to know."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Place:
    """What a finding is about.

    Attributes:
        kind: ``terminal``, ``rule``, ``grammar``, ``vocabulary`` or ``schema``.
        name: the terminal's or the rule's, or a JSON pointer.
        line: where the grammar's own text defines it, ``None`` if it does not.
    """

    kind: str
    name: str
    line: int | None


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that the author of a grammar should know.

    Attributes:
        code: ``ML`` and three digits, one code a check.
        severity: how bad it is.
        place: what it is about.
        fact: what was found, one sentence without its full stop.
        witness: a text or a lexeme that shows it, ``None`` if there is none.
        remedy: what to write instead, one sentence without its full stop.
    """

    code: str
    severity: Severity
    place: Place
    fact: str
    witness: str | None
    remedy: str

    def to_dict(self) -> dict[str, Any]:
        """Return the finding for ``--json``."""
        return asdict(self) | {"severity": self.severity.value}


class Rule(NamedTuple):
    """What a check looks for; fact and remedy name what was found in braces."""

    code: str
    severity: Severity
    fact: str
    remedy: str


_E, _W, _N = Severity.ERROR, Severity.WARNING, Severity.NOTE
_FOR_EVER = "a model can write blanks for ever"
_CONTRADICTION = "take out one of the keywords that contradict each other, or the whole of it"

RULES: dict[str, Rule] = {
    "collision": Rule(
        *("ML001", _W),
        "{winner} and {loser} match the same text, and where both may come ({where}) {winner} is "
        "taken, because Lark happens to try it first",
        "say which you mean with a priority, {loser}.1 or {winner}.1, or make the patterns exclude "
        "each other",
    ),
    "shadowed": Rule(
        *("ML002", _E),
        "{name} is never lexed{instead}, so whatever needs it is in no text",
        "give {name} a higher priority, as in {name}.1, or narrow what is taken instead",
    ),
    "reserved": Rule(
        *("ML003", _N),
        "{keywords} can nowhere be written as {name}",
        "nothing, if they are reserved words; else let the rule take {name} or the keyword",
    ),
    "reserved in places": Rule(
        *("ML003", _N),
        "{keywords} can be written as {name} in some places only: {worst} is itself in {count} "
        "contexts that take {name}",
        "where both should do, write the alternative out, as in ({name} | {worst}); to reserve the "
        "word everywhere, use lexer=basic",
    ),
    "no text": Rule("ML004", _E, "{fact}", "{remedy}"),
    "dead end": Rule(
        *("ML004", _E),
        "after {name} in {item} the end is never reached: {cause}",
        "write the rule so that one terminal decides, for a list left-recursively: x: x A | A",
    ),
    "neighbours": Rule(
        *("ML005", _W),
        "{second} right after {first} is in the grammar and in no text: the lexer cannot tell "
        "where one ends",
        "put a separator between them in the rule, ignore blanks, or narrow {first}",
    ),
    "choice": Rule(
        *("ML006", _W),
        "before {terminals}, Lark {instead} and never completes {production}",
        "nothing, if that is meant, as for a dangling else; else let the terminal come in one of "
        "the two only",
    ),
    "ignored run": Rule(
        *("ML007", _W),
        f"{{name}} is ignored and has no bound: {_FOR_EVER}",
        "bound it and keep it from coming twice: {rewrite}",
    ),
    "run": Rule(
        *("ML007", _W),
        "{name} matches any number of blanks: a model can write them for ever",
        "write a bound in place of + or *, as in {{1,3}}",
    ),
    "ignored again": Rule(
        *("ML007", _W),
        f"{{names}} ignored as often as it comes: {_FOR_EVER}",
        "ignore a bounded run, and only one at a time: {rewrite}",
    ),
    "repeated blank": Rule(
        *("ML007", _W),
        f"{{name}} repeats {{terminals}} without a bound: {_FOR_EVER}",
        "repeat the blank together with what it separates, as in item (NL item)*",
    ),
    "general ignored": Rule(
        *("ML007", _W),
        "{name} is ignored as often as it comes: a model can write them for ever",
        "let rules have blanks where they belong, with a bound, instead of ignoring them",
    ),
    "general run": Rule(
        *("ML007", _W),
        "{name} takes any number of blanks: a model can write them for ever",
        "write a bound in place of + or *, as in {{0,3}}",
    ),
    "useless tokens": Rule(
        *("ML008", _N),
        "{n_useless:,} of {n_tokens:,} tokens are legal nowhere",
        "nothing, if the language has no use for them; else look for the terminal that should take "
        "them",
    ),
    "unproductive": Rule(
        *("ML009", _E),
        "{production} is in no text: {empty} never ends",
        "give {first} an alternative that does not need itself",
    ),
    "never completed": Rule(
        *("ML009", _E),
        "{production} is never completed: wherever it could be, Lark resolved a conflict against "
        "it",
        "remove it, or let one terminal decide between it and what goes on",
    ),
    "unused": Rule(
        *("ML010", _W),
        "{kind} {name} is never reached from the start, and Lark leaves it out",
        "remove it, or use it where it belongs",
    ),
    "never ignored": Rule(
        *("ML011", _W),
        "{name} is made of blanks, and nothing uses or ignores it: where no rule has them, no "
        "blanks may stand",
        "write %ignore {name}, or remove it",
    ),
    "greedy quotes": Rule(
        *("ML012", _W),
        "{name} is greedy: it reads on to the last {q} that it finds, not to the next",
        "leave the quote out of what may stand between: {q}[^{q}]*{q}, or with escapes "
        "{q}(?:\\\\.|[^{q}\\\\])*{q}",
    ),
    "unparted words": Rule(
        *("ML013", _N),
        "after {names} no blank is needed before another word, as {after}: the lexer looks for no "
        "longer word there",
        "nothing, if that does no harm; else end the word, as in /{word}(?!\\w)/, or use "
        "lexer=basic",
    ),
    "ambiguity": Rule("ML014", _W, "{name} is ambiguous, two trees: {one} and {other}", "{remedy}"),
    "lost branch": Rule(
        *("ML101", _E),
        "no value fits this branch of {keyword}, with what stands beside it",
        _CONTRADICTION,
    ),
    "lost schema": Rule(
        *("ML101", _E),
        "no value fits this schema: its keywords contradict each other",
        _CONTRADICTION,
    ),
    "many subschemas": Rule(
        *("ML101", _N),
        "of {n_all:,} subschemas, {n_asked} were asked whether a value fits them",
        "lint the parts by themselves",
    ),
    "other dialect": Rule(
        *("ML102", _W),
        "{keyword} is no keyword of this dialect: it forbids nothing",
        "name the dialect that has it in $schema, or leave it out",
    ),
    "unknown keyword": Rule(
        *("ML102", _W), "{keyword} is an unknown keyword: it forbids nothing", "{remedy}"
    ),
    "unbounded string": Rule(
        *("ML103", _N),
        "a string here has no bound: a model can write it for ever",
        "add maxLength",
    ),
    "unbounded array": Rule(
        *("ML104", _N),
        "an array here has no bound: a model can write items for ever",
        "add maxItems",
    ),
    "unbounded number": Rule(
        *("ML106", _N),
        "a number here has no bound: a model can write digits for ever",
        "add minimum and maximum; the option digits bounds fractions",
    ),
    "forbidden key": Rule(
        *("ML105", _E),
        "the key {key!r} is required and forbidden: no object fits",
        "leave {key!r} out of required, or allow it in properties",
    ),
}


def find(
    rule: str,
    place: Place,
    witness: str | None = None,
    severity: Severity | None = None,
    **words: Any,
) -> Finding:
    """Return a finding of a rule; ``words`` fill its fact and its remedy."""
    code, usual, fact, remedy = RULES[rule]
    fact, remedy = fact.format(**words), remedy.format(**words)
    return Finding(code, severity or usual, place, fact, witness, remedy)


def in_order(findings: list[Finding]) -> tuple[Finding, ...]:
    """Return the findings: errors first, then by code, in the order in which they were found.

    What is a forgotten ``%ignore`` comes before all that may follow from it, and is not told once
    more as what nothing needs.
    """
    order = list(Severity)
    follow = {"ML002", "ML004", "ML005"} & {finding.code for finding in findings}
    forgotten = {finding.place for finding in findings if finding.code == "ML011"}
    findings = [f for f in findings if f.code != "ML010" or f.place not in forgotten]
    return tuple(
        sorted(
            findings,
            key=lambda f: (
                not (follow and f.code == "ML011"),
                order.index(f.severity),
                f.place.kind != "grammar",  # that there is no text at all is why others are lost
                f.code,
            ),
        )
    )
