r"""Which lexemes does a postlex drop or rename before the parser gets them?

Beside ``Indenter`` there are postlex classes that look at one terminal, at the one after it, or at
the bracket around it. What they do is written as rules, and a grammar's comments hold them::

    // maskc: postlex=rules rule=drop:_NL:between:LPAR brackets=LPAR:RPAR,LSQB:RSQB
    // maskc: rule=rename:_NL:_SEMI:after:NAME,RPAR always_accept=_NL

A rule drops the lexemes of a terminal, or renames them. Its conditions must all hold:

- ``before:A,B``: the next lexeme is an A or a B; ``$END`` is the end of the text;
- ``after:A,B``: the lexeme before it was one, dropped or not; ``$START`` is the text's beginning;
- ``between:A,B``: the innermost open bracket of ``brackets`` is one of these.

Of several rules for a terminal the first whose conditions hold is taken; a lexeme for which there
is none goes to the parser. Ignored terminals are no lexemes here. Whether a terminal has a rule
with ``before`` also decides when Lark lexes on: its lexemes wait for the next one, which is lexed
as the parser stands before them.

Example: ``rule=drop:NL:after:NL`` leaves the first of several newlines.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

RULES = "rules"  # what a comment names this postlex
RULE, BRACKETS, ALWAYS = "rule", "brackets", "always_accept"
SETTINGS = (RULE, BRACKETS, ALWAYS)
DROP, RENAME = "drop", "rename"
CONDITIONS = ("before", "after", "between")
TEXT_START, TEXT_END = "$START", "$END"
MOST_RULES = 50
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_FORM = (
    "write rule=drop:A or rule=rename:A:B, and where it holds, if not everywhere: :before:C,D, "
    ":after:C,D, :between:C,D, as in rule=drop:NL:before:PLUS"
)


@dataclass(frozen=True, slots=True)
class PostlexRule:
    """What becomes of the lexemes of one terminal.

    Attributes:
        terminal: its name.
        becomes: the terminal that the parser gets in its place; ``None`` if it gets none.
        before, after, between: names of terminals, sorted; empty without this condition.
    """

    terminal: str
    becomes: str | None
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    between: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return the rule as a comment writes it."""
        head = [DROP, self.terminal] if self.becomes is None else [RENAME, self.terminal]
        head += [] if self.becomes is None else [self.becomes]
        for condition in CONDITIONS:
            names = getattr(self, condition)
            head += [condition, ",".join(names)] if names else []
        return ":".join(head)


@dataclass(frozen=True, slots=True)
class PostlexRules:
    """A postlex that is written as rules.

    Attributes:
        rules: in the order in which they are tried.
        brackets: (opening, closing) terminals.
        always_accept: terminals that Lark lexes in every context, sorted.
    """

    rules: tuple[PostlexRule, ...]
    brackets: tuple[tuple[str, str], ...] = ()
    always_accept: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return them as an artifact's header carries them."""
        return {
            "rules": [str(rule) for rule in self.rules],
            "brackets": [f"{left}:{right}" for left, right in self.brackets],
            ALWAYS: list(self.always_accept),
        }

    def names(self) -> frozenset[str]:
        """Return the terminals that are named, marks of the text's ends excepted."""
        found = {name for pair in self.brackets for name in pair} | {*self.always_accept}
        for rule in self.rules:
            found |= {rule.terminal, *rule.before, *rule.after, *rule.between}
            found |= set() if rule.becomes is None else {rule.becomes}
        return frozenset(found - {TEXT_START, TEXT_END})

    def waiting(self) -> frozenset[str]:
        """Return the terminals whose lexemes wait for the next one."""
        return frozenset(rule.terminal for rule in self.rules if rule.before)


def build_rules(value: Mapping[str, Any]) -> PostlexRules:
    """Return the value of what a header carries, or of a comment's words in lists.

    Raises:
        ValueError: a rule is none; the text says which.
    """
    lists = []
    for key in ("rules", BRACKETS, ALWAYS):
        words = value.get(key, [])
        if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
            raise ValueError(f"{key} is no list of texts")
        lists.append(words)
    rules, pairs, always = lists
    if not rules:
        raise ValueError(f"{RULE} is missing; {_FORM}")
    if len(rules) > MOST_RULES:
        raise ValueError(f"there are more than {MOST_RULES} rules")
    made = tuple(map(_read_rule, rules))
    brackets = []
    for pair in pairs:
        left, colon, right = pair.partition(":")
        if not colon or left == right or not (_is_name(left) and _is_name(right)):
            raise ValueError(f"{BRACKETS} has {pair[:80]!r}; write pairs, as LPAR:RPAR,LSQB:RSQB")
        brackets.append((left, right))
    bad = next((name for name in always if not _is_name(name)), None)
    if bad is not None:
        raise ValueError(f"{ALWAYS} has {bad[:80]!r}, which is no terminal's name")
    _check_brackets(made, brackets)
    return PostlexRules(made, tuple(sorted(set(brackets))), tuple(sorted(set(always))))


def read_rules(settings: Mapping[str, str]) -> PostlexRules:
    """Return the value of what a grammar's comments say.

    Raises:
        ValueError: as :func:`build_rules`.

    >>> print(read_rules({"rule": "drop:NL:after:NL"}).rules[0])
    drop:NL:after:NL
    """
    return build_rules(
        {
            "rules": settings.get(RULE, "").split(),
            BRACKETS: _split(settings.get(BRACKETS, "")),
            ALWAYS: _split(settings.get(ALWAYS, "")),
        }
    )


def format_rules(rules: PostlexRules) -> str:
    """Return what a grammar's comment says for them.

    >>> format_rules(build_rules({"rules": ["rename:A:B:before:C"]}))
    'rules rule=rename:A:B:before:C'
    """
    words = [RULES, *(f"{RULE}={rule}" for rule in rules.rules)]
    if rules.brackets:
        words.append(f"{BRACKETS}={','.join(f'{a}:{b}' for a, b in rules.brackets)}")
    if rules.always_accept:
        words.append(f"{ALWAYS}={','.join(rules.always_accept)}")
    return " ".join(words)


def _read_rule(text: str) -> PostlexRule:
    action, *words = text.split(":")
    n_named = {DROP: 1, RENAME: 2}.get(action)
    if n_named is None or len(words) < n_named or (len(words) - n_named) % 2:
        raise ValueError(f"{RULE}={text[:80]} is no rule; {_FORM}")
    named, rest = words[:n_named], words[n_named:]
    for name in named:
        if not _is_name(name):
            raise ValueError(f"{RULE}={text[:80]} has {name[:40]!r}, which is no terminal's name")
    given: dict[str, tuple[str, ...]] = {}
    for condition, names in zip(rest[::2], rest[1::2], strict=True):
        if condition not in CONDITIONS or condition in given:
            raise ValueError(f"{RULE}={text[:80]} has {condition[:40]!r}, which is no condition")
        mark = {"before": TEXT_END, "after": TEXT_START}.get(condition)
        found = names.split(",")
        bad = next((name for name in found if name != mark and not _is_name(name)), None)
        if bad is not None:
            raise ValueError(f"{RULE}={text[:80]} has {bad[:40]!r}, which is no terminal's name")
        given[condition] = tuple(sorted(set(found)))
    if named[-1] == named[0] and n_named == 2:
        raise ValueError(f"{RULE}={text[:80]} renames to the same terminal; name another")
    return PostlexRule(named[0], named[1] if n_named == 2 else None, **given)


def _check_brackets(rules: Sequence[PostlexRule], brackets: Sequence[tuple[str, str]]) -> None:
    opening = [left for left, _ in brackets]
    all_of = [name for pair in brackets for name in pair]
    if len(set(all_of)) < len(all_of):
        raise ValueError(f"{BRACKETS} names a terminal twice")
    for rule in rules:
        unknown = next((name for name in rule.between if name not in opening), None)
        if unknown is not None:
            raise ValueError(
                f"{RULE}={rule} is about {unknown}, which opens no bracket; "
                f"write {BRACKETS}={unknown}:CLOSING"
            )
        if rule.terminal in all_of or rule.becomes in all_of:
            raise ValueError(f"{RULE}={rule} changes a bracket; brackets stay")


def _split(text: str) -> list[str]:
    return text.split(",") if text else []


def _is_name(text: str) -> bool:
    return _NAME.fullmatch(text) is not None
