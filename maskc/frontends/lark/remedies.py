"""Remedies for Lark's errors: a table of (Lark's message, where to look, our sentence).

Lark names the terminal or rule alone, and the fact. The sentence here adds the line of the grammar,
or of the file that it imports, and a way out. Of several rows for one message the first counts
whose pattern matches, or that needs no match.

Limits: a message that no row knows is told in Lark's words.

Source: Lark 1.2.2 and 1.3, ``load_grammar.py``, ``lexer.py``, ``parsers/xearley.py``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from lark.load_grammar import stdlib_loader

from maskc.budget import quote_symbol

_LONGEST = 200
_UNDEFINED = re.compile(r"Terminal used but not defined: (\w+)|Rule '(\w+)' used but not defined")
_DEFINED = re.compile(r"^([A-Z_][A-Z0-9_]*)(?:\.-?\d+)?\s*:", re.MULTILINE)
# What stands in quotes, between slashes or after // names nothing.
_NO_NAME = re.compile(r'"(?:\\.|[^"\\\n])*"|/(?!/)(?:\\.|[^/\\\n])+/|//[^\n]*')


class _Remedy(NamedTuple):
    """A row of the table; templates have the fields of the patterns' groups (:class:`_Word`)."""

    message: str  # pattern of Lark's message
    sentence: str  # template of ours; `{where}` is the line in brackets, `{line}` its number
    # template of a pattern that is searched in the grammar's text; the line is that of its match,
    # or of its group at
    pattern: str = ""
    needs_match: bool = False  # whether the row counts only if it matches


class _Word(str):
    """A part of a message, which a template's format spec says how to write."""

    __slots__ = ()

    def __format__(self, spec: str) -> str:
        unescaped = self.replace("\\\\", "\\")
        match spec:
            case "rule" | "template" | "terminal":
                return quote_symbol(spec, str(self))
            case "symbol":
                is_terminal = self.lstrip("_")[:1].isupper()
                return quote_symbol("terminal" if is_terminal else "rule", str(self))
            case "bare":
                return self.lstrip("_")
            case "raw":
                return unescaped
            case "escaped":
                return re.escape(unescaped)
            case "short":
                is_short = len(unescaped) <= _LONGEST
                return unescaped if is_short else f"{unescaped[:_LONGEST]}…"
            case "optional":
                return "a ? after it" if self.startswith("__") else f"{self}?"
            case "define":
                return _define(str(self))
        return str(self)


_ZERO_WIDTH = (
    "{name:terminal}: its pattern {pattern:short} matches nothing, too, and Lark takes no such "
    "terminal; let it match one character at least, as with + for *, and write {name:optional} in "
    "the rules"
)
_TWICE = r"(?:Rule|Terminal) '(?P<name>\w+)' defined more than once"
_INSIDE = (
    r"Rules aren't allowed inside terminals "
    r"\((?:NonTerminal\(')?(?P<rule>\w+)(?:'\))? in (?P<name>%s)\)"
)
_NOT_THERE = (
    "%{word} {name}{where}: nothing defines {name} before; define or import it above, or leave "
    "%{word} out"
)
_NO_TEMPLATE = r"Template '(?P<name>\w+)' used but not defined \(in %s (?P<user>\w+)\)"
_KEPT_AND_INLINED = r"Inlined rules \(_rule\) cannot use the \?rule modifier"
_NO_RULE = r"Using an undefined rule: NonTerminal\('(?P<name>\w+)'\)"
_TERMINAL_LINE = r"^[A-Z_][A-Z0-9_]*[^:\n]*:.*"
_REMEDIES = (
    _Remedy(
        r"does not allow zero-width terminals\. \((?P<name>\w+): '(?P<pattern>.*)'\)", _ZERO_WIDTH
    ),
    _Remedy(
        r"doesn't allow zero-width regexps.*TerminalDef\('(?P<name>\w+)', '(?P<pattern>.*?)'"
        r"(?:, priority=-?\d+)?\)",
        _ZERO_WIDTH,
    ),
    _Remedy(
        _TWICE,
        "{name:symbol} is imported{where}, too; write %override in front of its own definition, or "
        "import the other by another name, with -> OTHER",
        r"^%import\b.*\b{name}\b",
        needs_match=True,
    ),
    _Remedy(
        _TWICE,
        "{name:symbol} is defined, and again in line {line}; join the definitions with |, or write "
        "%extend or %override in front of the second",
        r"^[?!]*{name}\b[^:\n]*:[\s\S]*?\n(?P<at>[?!]*{name}\b[^:\n]*:)",
        needs_match=True,
    ),
    _Remedy(
        _TWICE,
        "{name:symbol} is defined more than once; join the definitions with |, or write %extend or "
        "%override in front of the second",
    ),
    _Remedy(
        r"Recursion in terminal '(?P<name>\w+)'",
        "{name:symbol} is made of itself, and Lark allows that of rules alone; give it a name in "
        "lower case, and the same to terminals on the way",
    ),
    _Remedy(
        _INSIDE % r"__IGNORE\w*",
        "%ignore{where} names {rule:symbol}, and Lark ignores terminals alone; write it as a "
        "terminal, in upper case",
        r"^%ignore.*\b{rule}\b",
    ),
    _Remedy(
        _INSIDE % r"\w+",
        "{name:symbol}: {rule} is no flag of a pattern; there are i, m, s, l, u and x; correct it, "
        "or write a blank after the pattern",
        r"^{name}\b.*[^\\]/{rule}\b",
        needs_match=True,
    ),
    _Remedy(
        _INSIDE % r"\w+",
        "{name:symbol} is made of {rule:symbol}, and Lark makes terminals of terminals alone; give "
        "{name} a name in lower case, or {rule} one in upper case",
    ),
    _Remedy(
        r"Wrong number of template arguments used for (?P<name>\w+) "
        r"\(expected (?P<expected>\d+), got (?P<got>\d+)\) \(in rule (?P<rule>\w+)\)",
        "{rule:rule} uses {name:template} with {got} arguments; give it {expected}",
    ),
    _Remedy(
        r"Cannot (?P<word>override) a nonexisting (?:rule|terminal) (?P<name>\w+)",
        _NOT_THERE,
        r"^%{word}\s+{name}\b",
    ),
    _Remedy(
        r"Can't (?P<word>extend) (?:rule|terminal) (?P<name>\w+) as it",
        _NOT_THERE,
        r"^%{word}\s+{name}\b",
    ),
    _Remedy(
        r"Terminals \{'(?P<name>\w+)'.*\} were marked to ignore but",
        "%ignore{where} names terminal {name}, which nothing defines; {name:define}",
        r"^%ignore.*\b{name}\b",
    ),
    _Remedy(
        r"Empty terminals are not allowed",
        'the string ""{where} matches nothing, and Lark takes no such terminal; leave it out: what '
        'stands beside a | may be nothing, as in a: "x" |',
        r'(?<![\\"])""(?!")',
    ),
    _Remedy(
        r"Terminals cannot be empty \(__IGNORE\w*\)",
        "%ignore{where} names nothing; write what is ignored after it, or leave it out",
        r"^%ignore[ \t]*$",
    ),
    _Remedy(
        r"Terminals cannot be empty \((?P<name>\w+)\)",
        "{name:symbol} is nothing, and Lark takes no such terminal; leave it out, or give it a "
        "text",
    ),
    _Remedy(
        _NO_TEMPLATE % "terminal",
        "{user:symbol} uses template {name}, and Lark has templates of rules alone; give {user} a "
        "name in lower case",
    ),
    _Remedy(
        _NO_TEMPLATE % "rule",
        "{user:symbol} uses template {name}, which nothing defines; define it, as {name}{{x}}: x, "
        "or correct its name",
    ),
    _Remedy(
        r"Tree\('template_usage', \[NonTerminal\('(?P<name>\w+)'\)",
        "{name:template} is used in a terminal{where}, and Lark has templates of rules alone; give "
        "the terminal a name in lower case",
        _TERMINAL_LINE + r"\b{name}\{{",
    ),
    _Remedy(
        r"Bad Range for .*\((?P<least>-?\d+)\.\.(?P<most>-?\d+) isn't",
        "~{least}..{most}{where} counts from more to less, or below nothing; write the smaller "
        "number first",
        r"~[ ]*{least}[ ]*[.][.][ ]*{most}",
    ),
    _Remedy(
        r'Error trying to process rule "range"',
        "a range{where} has an end that is not one character; write it from one character to "
        'another, as "a".."z", or as a pattern',
        r'"(?!\\?[^"\n]")[^"\n]*"[ ]*[.][.]|[.][.][ ]*"(?!\\?[^"\n]")[^"\n]*"',
    ),
    _Remedy(
        r"Aliasing not allowed in terminals",
        "a terminal{where} has an ->, which names an alternative of a rule; leave it out, or give "
        "the terminal a name in lower case",
        _TERMINAL_LINE + "->",
    ),
    _Remedy(
        _KEPT_AND_INLINED,
        "{name:symbol} begins with ? and with _, which say two things of its node; leave one out",
        r"^[!?]*\?[!?]*(?P<name>_\w+)",
        needs_match=True,
    ),
    _Remedy(
        _KEPT_AND_INLINED,
        "a rule begins with ? and with _, which say two things of its node; leave one out",
    ),
    _Remedy(
        r"Rule (?P<name>\w+) is marked for expansion.*\(alias=(?P<alias>\w+)\)",
        "{name:symbol} begins with _, so that it has no node that -> {alias} could name; leave the "
        "-> out, or name the rule {name:bare}",
    ),
    _Remedy(
        r"\('(?P<text>.*?)', SyntaxError\(",
        "the text {text:raw}{where} has an escape that Python does not read; write a backslash as "
        r"\\, and \x with two digits",
        "{text:escaped}",
    ),
    _Remedy(
        _NO_RULE,
        "%import{where} gives a terminal the name {name}, which is one of a rule; write it in "
        "upper case",
        r"^%import\b.*->[ ]*{name}\b",
        needs_match=True,
    ),
    _Remedy(_NO_RULE, "rule {name} is used and nothing defines it; define it, or correct its name"),
    _Remedy(
        r"Nothing was imported from grammar `(?P<name>\w+)`",
        "%import {name}{where} names no symbol of it; write %import {name}.NAME",
        r"^%import[ ]+[.]?{name}[ ]*$",
    ),
    _Remedy(
        r"Template Parameter conflicts with rule (?P<name>\w+) \(in template (?P<template>\w+)\)",
        "{template:template} has the parameter {name}, and a rule has that name; give it another "
        "name",
    ),
    _Remedy(
        r"Duplicate Template Parameter (?P<name>\w+) \(in template (?P<template>\w+)\)",
        "{template:template} has the parameter {name}, twice; give it another name",
    ),
)


def explain_refusal(message: str, text: str) -> str | None:
    """Return our sentence for Lark's message about a grammar's text; ``None``: it is not known."""
    # Comments say nothing; strings and patterns may be what is meant.
    shown = _NO_NAME.sub(lambda m: " " * len(m[0]) if m[0].startswith("//") else m[0], text)
    for remedy in _REMEDIES:
        found = re.search(remedy.message, message)
        if found is None:
            continue
        words = {name: _Word(word) for name, word in found.groupdict().items()}
        match = re.search(remedy.pattern.format_map(words), shown, re.MULTILINE)
        if match is None and remedy.needs_match:
            continue
        line = ""
        if remedy.pattern and match is not None:
            named = match.groupdict()
            words |= {name: _Word(word) for name, word in named.items()}
            line = str(shown.count("\n", 0, match.start("at" if "at" in named else 0)) + 1)
        where = f" (line {line})" if line else ""
        return remedy.sentence.format_map({**words, "line": line, "where": where})
    return None


def explain_undefined(message: str, text: str, imports: Mapping[str, str]) -> str | None:
    """Return the sentence for a name that is not defined; ``None`` if Lark says something else.

    Many such terminals are of Lark's library ``common``, and only the import is missing; so of
    ``NAME: LETTER+`` the remedy is ``%import common.LETTER``. ``imports`` is path → text.
    """
    found = _UNDEFINED.search(message)
    if found is None:
        return None
    name = found[1] or found[2]
    line, of = _find_line(name, text), ""
    for path, imported in sorted(imports.items()) if line is None else ():
        # Lark puts the file's name in front.
        stem = path.rpartition("/")[2].removesuffix(".lark")
        own = re.sub(rf"^(_?)(?:\w+__)?{re.escape(stem)}__", r"\1", name)
        line = _find_line(own, imported) if own != name else None
        if line is not None:
            name, of = own, f" of {path}"
            break
    if line is not None and not of and re.search(rf"->\s*{name}\b", text.split("\n")[line - 1]):
        return (
            f"-> {name} (line {line}) stands inside of brackets, where it names no alternative; "
            "write it after a whole alternative of the rule"
        )
    kind = "terminal" if name.isupper() else "rule"  # Lark says "Rule" of both
    where = f" (line {line}{of})" if line else ""
    return f"{kind} {name}{where} is used and nothing defines it; {_define(name, 'correct')}"


def _define(name: str, otherwise: str = "") -> str:
    if name in _list_common():
        return f"write %import common.{name}, or define it"
    return f"define it, or {otherwise} its name" if otherwise else "define it"


def _find_line(name: str, text: str) -> int | None:
    """Return the first line that uses a name; ``None`` if it is in no text but an imported one."""
    for number, line in enumerate(text.split("\n"), 1):
        if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", _NO_NAME.sub(" ", line)):
            return number
    return None


@cache
def _list_common() -> frozenset[str]:
    _, text = stdlib_loader(None, "common.lark")
    return frozenset(_DEFINED.findall(text))
