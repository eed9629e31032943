"""What the author of a grammar or a JSON Schema should know before shipping it.

Here are findings, and THE RULES by which there are some: each with code, severity and remedy.
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
class SourceLocation:
    """What a finding is about."""

    kind: str  # terminal, rule, grammar, vocabulary or schema
    name: str  # the terminal's or the rule's, or a JSON pointer
    line: int | None  # where the grammar's own text defines it, None if it does not


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that the author of a grammar should know."""

    code: str  # ML and three digits, one code a check
    severity: Severity  # how bad it is
    location: SourceLocation  # what it is about
    fact: str  # what was found, one sentence without its full stop
    witness: str | None  # a text or a lexeme that shows it, None if there is none
    remedy: str  # what to write instead, one sentence without its full stop

    def to_dict(self) -> dict[str, Any]:
        """Return the finding for ``--json``."""
        return asdict(self) | {"severity": self.severity.value}


class LintRule(NamedTuple):
    """What a check looks for; fact and remedy name what was found in braces."""

    code: str
    severity: Severity
    fact: str
    remedy: str


_E, _W, _N = Severity.ERROR, Severity.WARNING, Severity.NOTE
_FOR_EVER = "a model can write white space for ever"
_CONTRADICTION = "remove one of the contradicting keywords, or all of it"

RULES: dict[str, LintRule] = {
    "collision": LintRule(
        *("ML001", _W),
        "{winner} and {loser} match the same text, and where both may come ({where}) {winner} is "
        "taken, because Lark happens to try it first",
        "say which you mean with a priority, {loser}.1 or {winner}.1, or make the patterns exclude "
        "each other",
    ),
    "shadowed": LintRule(
        *("ML002", _E),
        "{name} is never lexed{instead}, so nothing that needs it is in any text",
        "give {name} a higher priority, as in {higher}, or restrict the other terminal",
    ),
    "reserved": LintRule(
        *("ML003", _N),
        "{keywords} can never be used as {name}",
        "none, if they are reserved words; otherwise let the rule accept {name} or the keyword",
    ),
    "reserved in some contexts": LintRule(
        *("ML003", _N),
        "{keywords} can be used as {name} only in some contexts: {worst} is a keyword in {count} "
        "contexts that allow {name}",
        "where both should work, write the alternative, as in ({name} | {worst}); to reserve the "
        "word everywhere, use lexer=basic",
    ),
    "no text": LintRule("ML004", _E, "{fact}", "{remedy}"),
    "dead end": LintRule(
        *("ML004", _E),
        "after {name} in {item} no text can end: {cause}",
        "write the rule so that one terminal decides; for a list use left recursion, x: x A | A",
    ),
    "neighbours": LintRule(
        *("ML005", _W),
        "the grammar allows {second} right after {first}, but no text has it: the lexer cannot "
        "separate them",
        "put a separator between them in the rule, ignore white space, or restrict {first}",
    ),
    "choice": LintRule(
        *("ML006", _W),
        "before {terminals}, Lark {instead} and never completes {production}",
        "none, if this is intended, as for a dangling else; otherwise allow the terminal in one of "
        "the two only",
    ),
    "ignored run": LintRule(
        *("ML007", _W),
        f"{{name}} is ignored and has no bound: {_FOR_EVER}",
        "bound it, and do not let it follow itself: {rewrite}",
    ),
    "run": LintRule(
        *("ML007", _W),
        "{name} matches any amount of white space: a model can write it for ever",
        "write a bound instead of + or *, as in {{1,3}}",
    ),
    "ignored again": LintRule(
        *("ML007", _W),
        f"{{names}} ignored any number of times: {_FOR_EVER}",
        "ignore a bounded run that cannot follow itself: {rewrite}",
    ),
    "repeated blank": LintRule(
        *("ML007", _W),
        f"{{name}} repeats {{terminals}} without a bound: {_FOR_EVER}",
        "repeat the white space together with what it separates, as in item (NL item)*",
    ),
    "general ignored": LintRule(
        *("ML007", _W),
        "{name} is ignored any number of times: a model can write it for ever",
        "put bounded white space into the rules instead of ignoring it",
    ),
    "general run": LintRule(
        *("ML007", _W),
        "{name} matches any amount of white space: a model can write it for ever",
        "write a bound instead of + or *, as in {{0,3}}",
    ),
    "useless tokens": LintRule(
        *("ML008", _N),
        "{n_useless:,} of {n_tokens:,} tokens are never legal",
        "none, if the language does not need them; otherwise look for the terminal that should "
        "match them",
    ),
    "unproductive": LintRule(
        *("ML009", _E),
        "{production} is in no text: {empty} never ends",
        "give {first} an alternative without itself",
    ),
    "never completed": LintRule(
        *("ML009", _E),
        "{production} is never completed: Lark resolves every conflict against it",
        "remove it, or let one terminal decide between it and the other alternative",
    ),
    "unused": LintRule(
        *("ML010", _W),
        "the start symbol does not reach {kind} {name}, and Lark leaves it out",
        "remove it, or use it where it belongs",
    ),
    "never ignored": LintRule(
        *("ML011", _W),
        "{name} is white space that nothing uses or ignores: no white space is allowed",
        "write %ignore {name}, or remove it",
    ),
    "greedy quotes": LintRule(
        *("ML012", _W),
        "{name} is greedy: it reads to the last {q}, not to the next",
        "exclude the quote from what may stand between: {q}[^{q}]*{q}, or with escapes "
        "{q}(?:\\\\.|[^{q}\\\\])*{q}",
    ),
    "unparted words": LintRule(
        *("ML013", _N),
        "after {names} no space is needed before another word, as in {after}: the lexer looks for "
        "no longer word there",
        "none, if that is harmless; otherwise end the word, as in /{word}(?!\\w)/, or use "
        "lexer=basic",
    ),
    "ambiguity": LintRule(
        "ML014", _W, "{name} is ambiguous: a text has two trees, {one} and {other}", "{remedy}"
    ),
    "lost branch": LintRule(
        *("ML101", _E),
        "no value fits this branch of {keyword} together with its sibling keywords",
        _CONTRADICTION,
    ),
    "lost schema": LintRule(
        *("ML101", _E),
        "no value fits this schema: its keywords contradict each other",
        _CONTRADICTION,
    ),
    "false schema": LintRule(
        *("ML101", _E),
        "the schema is false: no value is valid",
        "write true for any value, or describe the values that are meant",
    ),
    "many subschemas": LintRule(
        *("ML101", _N),
        "only {n_asked} of {n_all:,} subschemas were checked",
        "lint the parts one by one",
    ),
    "other dialect": LintRule(
        *("ML102", _W),
        "{keyword} is not a keyword of this dialect: it has no effect",
        "name a dialect with it in $schema, or leave it out",
    ),
    "unknown keyword": LintRule(
        *("ML102", _W), "{keyword} is an unknown keyword: it has no effect", "{remedy}"
    ),
    "unbounded string": LintRule(
        *("ML103", _N),
        "this string has no length bound: a model can write it for ever",
        "add maxLength",
    ),
    "unbounded array": LintRule(
        *("ML104", _N), "this array has no bound: a model can write items for ever", "add maxItems"
    ),
    "unbounded number": LintRule(
        *("ML106", _N),
        "a number here has no bound: a model can write digits for ever",
        "add minimum and maximum; the option digits bounds fractions",
    ),
    "forbidden key": LintRule(
        *("ML105", _E),
        "the key {key!r} is both required and forbidden: no object fits",
        "leave {key!r} out of required, or allow it in properties",
    ),
}


def find(
    rule: str,
    location: SourceLocation,
    witness: str | None = None,
    severity: Severity | None = None,
    **words: Any,
) -> Finding:
    """Return a finding of a rule; ``words`` fill its fact and its remedy."""
    code, usual, fact, remedy = RULES[rule]
    fact, remedy = fact.format(**words), remedy.format(**words)
    return Finding(code, severity or usual, location, fact, witness, remedy)


def in_order(findings: list[Finding]) -> tuple[Finding, ...]:
    """Return the findings: errors first, then by code, in the order in which they were found.

    What is a forgotten ``%ignore`` comes before all that may follow from it, and is not told once
    more as what nothing needs.
    """
    order = list(Severity)
    follow = {"ML002", "ML004", "ML005"} & {finding.code for finding in findings}
    forgotten = {finding.location for finding in findings if finding.code == "ML011"}
    findings = [f for f in findings if f.code != "ML010" or f.location not in forgotten]
    return tuple(
        sorted(
            findings,
            key=lambda f: (
                not (follow and f.code == "ML011"),
                order.index(f.severity),
                f.location.kind != "grammar",  # that there is no text at all is why others are lost
                f.code,
            ),
        )
    )
