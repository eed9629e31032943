"""The settings and the roles that a grammar's text carries in comment lines (docs/settings.md).

Several start symbols share one LALR table, which can change its contexts: ``start=a,b`` is Lark's
``start=["a", "b"]``, and texts are parsed from ``a``. ``allow=ML007`` is for ``maskc lint`` alone.

A role is a pattern of a terminal in certain rules (docs/roles.md). Roles that are given as an
argument are written as comment lines at the end of the grammar's text, so an artifact carries them
as it carries its grammar; the last line of a role counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from maskc.arguments import as_mapping, as_text
from maskc.errors import GrammarError
from maskc.frontends.backreferences import MOST_VALUES
from maskc.frontends.postlex import (
    ATTRIBUTES,
    INDENTER,
    PYTHON,
    PYTHON_INDENTER,
    RULE,
    RULES,
    Indentation,
    PostlexRules,
    read_indentation,
    read_rules,
)
from maskc.frontends.postlex import SETTINGS as RULE_SETTINGS
from maskc.regular.python import name_not_plain

# Lark's parsers, each with the lexers that go with it, its default first.
LEXERS = {"lalr": ("contextual", "basic"), "earley": ("dynamic", "dynamic_complete", "basic")}
PRIORITIES = {"normal": "normal", "invert": "invert", "none": None}
FLAGS = {"a": re.ASCII, "i": re.IGNORECASE, "m": re.MULTILINE, "s": re.DOTALL, "x": re.VERBOSE}
_SETTINGS = (
    *("start", "parser", "lexer", "postlex", "flags", "priority", "regex", "use_bytes"),
    *("hole", "pattern", "backreference"),
)
_REPEATED = (RULE, "pattern", "backreference")
_SETTING = re.compile(r"^//\s*maskc:\s*(.*)$")


# A terminal, and what follows its colon.
_PATTERN, _TEXTS = re.compile(r"([^:]+):(.+)"), re.compile(r"([^:]+):(.*)")
_NO_PATTERN = r"a pattern; write pattern=IN:in(?!\w)", "one of them"
_NO_TEXTS = (
    "texts; write a comma between them, as in backreference=LONG_COMMENT:,=,==",
    "all texts in one",
)

Postlex = Indentation | PostlexRules

_LINE = re.compile(r"^//\s*maskc-terminal:(.*)$", re.MULTILINE)
_ROLE = re.compile(r"\s*([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+)\s*=(.*)", re.DOTALL)
_EXAMPLE = "class_name.NAME=[A-Z][A-Za-z0-9]*"


def check_given(settings: Mapping[str, Any]) -> None:
    """Check the types of settings that are given as arguments; ``None`` is none.

    Raises:
        WrongTypeError: one is not a text, or ``roles`` are not texts by name.
    """
    for name, value in settings.items():
        if value is None:
            continue
        if name == "roles":
            for role, pattern in as_mapping(name, value).items():
                as_text(f"the role {role[:40]}", pattern)
        else:
            as_text(name, value)


def read_postlex(location: str, settings: Mapping[str, str]) -> Postlex | None:
    """Return the postlex that a grammar's comments ask for.

    Raises:
        GrammarError: they name a class, or its attributes are not complete.
    """
    spec = settings.get("postlex")
    attributes = {name: settings[name] for name in ATTRIBUTES if name in settings}
    if spec != INDENTER and attributes:
        raise GrammarError(location, f"{next(iter(attributes))} needs postlex={INDENTER}; add it")
    about_rules = [name for name in RULE_SETTINGS if name in settings]
    if spec != RULES and about_rules:
        raise GrammarError(location, f"{about_rules[0]} needs postlex={RULES}; add it")
    if spec is None or spec == PYTHON_INDENTER:
        return None if spec is None else PYTHON
    if spec == RULES:
        try:
            return read_rules(settings)
        except ValueError as error:
            raise GrammarError(location, f"postlex={RULES}: {error}") from None
    if spec != INDENTER:
        raise GrammarError(
            location,
            f"postlex={spec} names a class, and importing one would run its code: "
            f"give --postlex {spec} on the command line, or write the Indenter's attributes: "
            f"postlex={INDENTER} {'=… '.join(ATTRIBUTES)}=…, or what it drops and renames: "
            f"postlex={RULES} {RULE}=drop:A:before:B,C",
        )
    try:
        return read_indentation(attributes)
    except ValueError as error:
        raise GrammarError(
            location, f"postlex={INDENTER}: {error}; write {'=… '.join(ATTRIBUTES)}=…"
        ) from None


def default_lexer(parser: str, *, has_postlex: bool) -> str:
    """Return the lexer that Lark takes where none is chosen; that of an unknown parser is empty."""
    if parser == "earley" and has_postlex:
        return "basic"
    return LEXERS.get(parser, ("",))[0]


def check_parser(name: str, parser: str, lexer: str, *, has_postlex: bool) -> None:
    """Refuse a parser, lexer and postlex that Lark does not put together."""
    if parser not in LEXERS:
        raise GrammarError(name, f"unknown parser {parser!r}; choose one of {', '.join(LEXERS)}")
    if lexer not in LEXERS[parser]:
        other = next((p for p in LEXERS if lexer in LEXERS[p]), None)
        raise GrammarError(
            name,
            f"unknown lexer {lexer!r} for parser {parser}; "
            f"choose one of {', '.join(LEXERS[parser])}"
            f"{f', or parser {other}, which has it' if other else ''}",
        )
    if parser == "earley" and has_postlex and lexer != "basic":
        raise GrammarError(name, f"Lark takes no postlex with lexer={lexer}; leave one of them out")


def read_settings(name: str, text: str) -> tuple[dict[str, str], str]:
    """Return the settings of a text, and the location of the last that is about its postlex."""
    settings: dict[str, str] = {}
    location = name
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() and not line.startswith("//"):
            break
        match = _SETTING.match(line)
        if not match:
            continue
        for word in match[1].split():
            key, equals, value = word.partition("=")
            if key == "allow" and value:
                break  # for maskc lint; what follows on the line is the author's reason
            if not equals or not value or key not in (*_SETTINGS, *ATTRIBUTES, *RULE_SETTINGS):
                raise GrammarError(
                    f"{name}:{number}",
                    f"{word!r} is not a setting; write {', '.join(f'{s}=' for s in _SETTINGS)}",
                )
            again = key in _REPEATED and key in settings
            settings[key] = f"{settings[key]} {value}" if again else value
            if key == "postlex" or key in (*ATTRIBUTES, *RULE_SETTINGS):
                location = f"{name}:{number}"
    return settings, location


def read_options(name: str, text: str, settings: Mapping[str, str]) -> dict[str, Any]:
    """Return what the settings of a text say beside its parser, by the fields of a source."""
    priority = settings.get("priority", "normal")
    if priority not in PRIORITIES:
        raise GrammarError(
            name, f"unknown priority {priority!r}; choose one of {', '.join(PRIORITIES)}"
        )
    is_regex = _read_truth(name, settings, "regex")
    if is_regex and settings.get("flags"):
        raise GrammarError(
            name, "flags= cannot be combined with regex=true; write the flags at the terminals"
        )
    return {
        "flags": _read_flags(name, settings),
        "priority": priority,
        "regex": is_regex,
        "use_bytes": _read_use_bytes(name, text, settings),
        "patterns": tuple(_read_pairs(name, settings, "pattern", _PATTERN, *_NO_PATTERN)),
        "backreferences": tuple(_read_backreferences(name, settings)),
        "roles": read_roles(name, text),
        "holes": tuple(dict.fromkeys(filter(None, settings.get("hole", "").split(",")))),
    }


def _read_flags(name: str, settings: Mapping[str, str]) -> int:
    flags = 0
    for letter in settings.get("flags", ""):
        if letter not in FLAGS:
            raise GrammarError(name, f"unknown flag {letter!r}; choose among {', '.join(FLAGS)}")
        flags |= FLAGS[letter]
    return flags


def _read_use_bytes(name: str, text: str, settings: Mapping[str, str]) -> bool:
    """Return whether texts are bytes and not characters, which does not go with all settings."""
    if not _read_truth(name, settings, "use_bytes"):
        return False
    others = [f"{key}=" for key in ("regex", "hole") if settings.get(key, "false") != "false"]
    fact = None
    if not text.isascii():
        fact = (
            "Lark takes ASCII alone with use_bytes=true; write other bytes as \\xff, also in "
            "comments"
        )
    elif settings.get("postlex") not in (None, RULES):
        fact = (
            "use_bytes=true cannot be combined with an Indenter: Lark's finds no line break in "
            "bytes; leave one of them out"
        )
    elif others:
        fact = f"use_bytes=true cannot be combined with {others[0]}; leave one of them out"
    if fact:
        raise GrammarError(name, fact)
    return True


def _read_backreferences(
    name: str, settings: Mapping[str, str]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    for terminal, value in _read_pairs(name, settings, "backreference", _TEXTS, *_NO_TEXTS):
        texts = tuple(value.split(","))
        if len(texts) > MOST_VALUES:
            raise GrammarError(
                name, f"backreference={terminal[:80]} has more than {MOST_VALUES} texts; name fewer"
            )
        yield terminal, texts


def _read_pairs(
    name: str, settings: Mapping[str, str], key: str, form: re.Pattern[str], fact: str, once: str
) -> Iterator[tuple[str, str]]:
    """Yield the words of a setting: a terminal, and what follows its colon."""
    seen = set[str]()
    for word in settings.get(key, "").split():
        match = form.fullmatch(word)
        if match is None:
            raise GrammarError(name, f"{key}={word[:80]} is not a terminal with {fact}")
        if match[1] in seen:
            raise GrammarError(name, f"{key}= names {match[1][:80]} twice; write {once}")
        seen.add(match[1])
        yield match[1], match[2]


def _read_truth(name: str, settings: Mapping[str, str], key: str) -> bool:
    value = settings.get(key, "false")
    if value not in ("true", "false"):
        raise GrammarError(name, f"{key}={value} is neither true nor false; write one of them")
    return value == "true"


@dataclass(frozen=True, slots=True)
class Role:
    """A terminal where it plays a role."""

    rules: tuple[str, ...]  # the rule, and others on the way to the terminal
    terminal: str  # the terminal's name
    pattern: str  # re source that its lexemes match there

    @property
    def title(self) -> str:
        return ".".join([*self.rules, self.terminal])


def read_roles(name: str, text: str) -> tuple[Role, ...]:
    """Return the roles of a text, each once.

    Raises:
        GrammarError: a line is not such a role, or its pattern cannot be used for one.
    """
    found: dict[str, Role] = {}
    for match in _LINE.finditer(text):
        location = f"{name}:{text.count(chr(10), 0, match.start()) + 1}"
        role = _read_role(location, match[1].strip())
        found.pop(role.title, None)
        found[role.title] = role
    return tuple(found.values())


def write_roles(name: str, text: str, patterns: Mapping[str, str]) -> str:
    for title, pattern in patterns.items():
        if "\n" in pattern or pattern != pattern.strip():
            raise GrammarError(
                name,
                f"the pattern of {title} begins or ends with a blank, or has a line break; "
                r"write [ ] or \n",
            )
        _read_role(name, f"{title}={pattern}")
        text = f"{text.rstrip(chr(10))}\n// maskc-terminal: {title}={pattern}\n"
    return text


def split_role(word: str) -> tuple[str, str]:
    """Return role and pattern of a word of a command line.

    >>> split_role("class_name.NAME=[A-Z]+")
    ('class_name.NAME', '[A-Z]+')
    """
    title, equals, pattern = word.partition("=")
    if not equals:
        raise GrammarError(word, f"it is not a role; write RULE.TERMINAL=PATTERN, as {_EXAMPLE}")
    return title, pattern


def _read_role(location: str, text: str) -> Role:
    match = _ROLE.fullmatch(text)
    if match is None:
        raise GrammarError(
            location, f"{text!r} is not a role; write RULE.TERMINAL=PATTERN, as {_EXAMPLE}"
        )
    *rules, terminal = match[1].split(".")
    _check_pattern(location, match[1], match[2])
    return Role(tuple(rules), terminal, match[2])


def _check_pattern(location: str, title: str, pattern: str) -> None:
    try:
        found = name_not_plain(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise GrammarError(location, f"the pattern of {title} is not one of re: {error}") from None
    if found:
        raise GrammarError(
            location,
            f"the pattern of {title} has {found}, and a role's pattern has to match whole lexemes; "
            "leave it out",
        )
