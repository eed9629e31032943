"""What a postlex does before the parser gets lexemes, as a value: an ``Indenter``, or rules.

It is all that a grammar's file or an artifact can bring: a name of a class would have to be
imported, which runs what its author wrote. docs/settings.md has how both are written in comments.

Whether a terminal has a rule with ``before`` also decides when Lark lexes on: its lexemes wait for
the next one, which is lexed as the parser stands before them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

PYTHON_INDENTER = "lark.indenter:PythonIndenter"
INDENTER = "indenter"  # what stands for an Indenter with the attributes beside it
_TERMINALS = ("NL_type", "INDENT_type", "DEDENT_type")
PAREN_TYPES = ("OPEN_PAREN_types", "CLOSE_PAREN_types")
_TAB = "tab_len"
ATTRIBUTES = (*_TERMINALS, *PAREN_TYPES, _TAB)
MAX_TAB = (1 << 16) - 1

RULES = "rules"  # what a comment names this postlex
RULE, BRACKETS, ALWAYS = "rule", "brackets", "always_accept"
SETTINGS = (RULE, BRACKETS, ALWAYS)
DROP, RENAME = "drop", "rename"
CONDITIONS = ("before", "after", "between")
TEXT_START, TEXT_END = "$START", "$END"
MOST_RULES = 50
_FORM = (
    "write rule=drop:A or rule=rename:A:B, and where it holds, if not everywhere: :before:C,D, "
    ":after:C,D, :between:C,D, as in rule=drop:NL:before:PLUS"
)
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True, slots=True)
class Indentation:
    """The attributes of an ``Indenter``, those of brackets sorted, and the columns of a tab."""

    newline: str
    indent: str
    dedent: str
    opens: tuple[str, ...]
    closes: tuple[str, ...]
    tab_len: int

    def names(self) -> frozenset[str]:
        """Return the named terminals; ``"("`` is not a terminal's name, and never comes."""
        brackets = filter(_is_name, (*self.opens, *self.closes))
        return frozenset((self.newline, self.indent, self.dedent, *brackets))

    def to_dict(self) -> dict[str, Any]:
        return {
            "NL_type": self.newline,
            "INDENT_type": self.indent,
            "DEDENT_type": self.dedent,
            "OPEN_PAREN_types": list(self.opens),
            "CLOSE_PAREN_types": list(self.closes),
            "tab_len": self.tab_len,
        }


_OPENS, _CLOSES = ("LBRACE", "LPAR", "LSQB"), ("RBRACE", "RPAR", "RSQB")
PYTHON = Indentation("_NEWLINE", "_INDENT", "_DEDENT", _OPENS, _CLOSES, 8)


def build_indentation(attributes: Mapping[str, Any]) -> Indentation:
    """Return the value of attributes under Lark's names; those of brackets are lists of names.

    Raises:
        ValueError: an attribute is missing, unknown or of another kind; the text says which.
    """
    for name in attributes:
        if name not in ATTRIBUTES:
            raise ValueError(f"{name!r} is not an attribute of an Indenter")
    for name in ATTRIBUTES:
        if name not in attributes:
            raise ValueError(f"{name} is missing")
    for name in _TERMINALS:
        if not _is_name(attributes[name]):
            raise ValueError(f"{name} is {_show(attributes[name])}, which is not a terminal's name")
    for name in PAREN_TYPES:
        names = attributes[name]
        if not isinstance(names, list | tuple | set | frozenset) or not all(map(_is_word, names)):
            raise ValueError(f"{name} is {_show(names)}, which is not a list of terminals' names")
    tab = attributes[_TAB]
    if type(tab) is not int or not 1 <= tab <= MAX_TAB:
        raise ValueError(
            f"{_TAB} is {_show(tab)}, which is not a number of columns from 1 to {MAX_TAB}"
        )
    newline, indent, dedent = (attributes[name] for name in _TERMINALS)
    opens, closes = (tuple(sorted(set(attributes[name]))) for name in PAREN_TYPES)
    return Indentation(newline, indent, dedent, opens, closes, tab)


def read_indentation(settings: Mapping[str, str]) -> Indentation:
    """Return the value of attributes as a comment writes them; brackets left out are none.

    >>> written = dict(NL_type="_NL", INDENT_type="_I", DEDENT_type="_D", tab_len="4")
    >>> read_indentation({**written, "OPEN_PAREN_types": "LPAR,LSQB"}).opens
    ('LPAR', 'LSQB')
    """
    attributes: dict[str, Any] = dict(settings)
    for name in PAREN_TYPES:
        attributes[name] = settings[name].split(",") if name in settings else []
    if re.fullmatch(r"[0-9]{1,9}", settings.get(_TAB, "")):
        attributes[_TAB] = int(settings[_TAB])
    return build_indentation(attributes)


def format_indentation(indentation: Indentation) -> str:
    """Return what a grammar's comment says for it.

    >>> format_indentation(PYTHON)
    'lark.indenter:PythonIndenter'
    """
    if indentation == PYTHON:
        return PYTHON_INDENTER
    written = {
        name: ",".join(value) if isinstance(value, list) else str(value)
        for name, value in indentation.to_dict().items()
    }
    return " ".join([INDENTER, *(f"{name}={text}" for name, text in written.items() if text)])


@dataclass(frozen=True, slots=True)
class PostlexRule:
    """What becomes of the lexemes of one terminal."""

    terminal: str  # its name
    becomes: str | None  # the terminal that the parser gets in its place; None if it gets none
    # before, after, between: names of terminals, sorted; empty without this condition
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    between: tuple[str, ...] = ()

    def __str__(self) -> str:
        head = [DROP, self.terminal] if self.becomes is None else [RENAME, self.terminal]
        head += [] if self.becomes is None else [self.becomes]
        for condition in CONDITIONS:
            names = getattr(self, condition)
            head += [condition, ",".join(names)] if names else []
        return ":".join(head)


@dataclass(frozen=True, slots=True)
class PostlexRules:
    """A postlex that is written as rules."""

    rules: tuple[PostlexRule, ...]  # in the order in which they are tried
    brackets: tuple[tuple[str, str], ...] = ()  # (opening, closing) terminals
    always_accept: tuple[str, ...] = ()  # terminals that Lark lexes in every context, sorted

    def to_dict(self) -> dict[str, Any]:
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
            raise ValueError(f"{key} is not a list of texts")
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
    _check_names(always, ALWAYS, 80)
    _check_brackets(made, brackets)
    return PostlexRules(made, tuple(sorted(set(brackets))), tuple(sorted(set(always))))


def read_rules(settings: Mapping[str, str]) -> PostlexRules:
    """Return the value of what a grammar's comments say.

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
        raise ValueError(f"{RULE}={text[:80]} is not a rule; {_FORM}")
    named, rest = words[:n_named], words[n_named:]
    where = f"{RULE}={text[:80]}"
    _check_names(named, where, 40)
    given: dict[str, tuple[str, ...]] = {}
    for condition, names in zip(rest[::2], rest[1::2], strict=True):
        if condition not in CONDITIONS or condition in given:
            raise ValueError(f"{where} has {condition[:40]!r}, which is not a condition")
        mark = {"before": TEXT_END, "after": TEXT_START}.get(condition)
        found = set(names.split(","))
        _check_names([name for name in names.split(",") if name != mark], where, 40)
        given[condition] = tuple(sorted(found))
    if named[-1] == named[0] and n_named == 2:
        raise ValueError(f"{where} renames to the same terminal; name another")
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


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and _NAME.fullmatch(value) is not None


def _is_word(value: Any) -> bool:
    """Return whether a comment can write it; Lark compares names, whatever they are."""
    return isinstance(value, str) and re.fullmatch(r"[^\s,]+", value) is not None


def _show(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:80]}…"


def _check_names(names: Iterable[str], where: str, longest: int) -> None:
    for name in names:
        if not _is_name(name):
            raise ValueError(f"{where} has {name[:longest]!r}, which is not a terminal's name")
