"""What does Lark refuse in a grammar, in which line, and what can its author do?

Lark names the terminal or rule alone, and the fact. Here the same is said with the line of the
grammar, or of the file that it imports, and with a way out.

Example: of ``A: /a*/`` Lark says "Lexer does not allow zero-width terminals. (A: 'a*')", and this
"terminal A (line 2): its pattern a* matches nothing, too, and Lark takes no such terminal; let it
match one character at least, as with + for *, and write A? in the rules".

Limits: what is no sentence of these is told in Lark's words.

Source: Lark 1.2.2 and 1.3, ``load_grammar.py``, ``lexer.py``, ``parsers/xearley.py``.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from maskc.budget import quote_symbol
from maskc.frontends.lark.undefined import NO_NAME, list_common

_LONGEST = 200


def explain_refusal(message: str, text: str) -> str | None:
    """Return the message for what Lark says; ``None`` if it is none of what is known here.

    Args:
        message: Lark's.
        text: the grammar's.
    """
    for pattern, explain in _KNOWN:
        found = pattern.search(message)
        if found:
            return explain(found, text)
    return None


def _place(pattern: str, text: str) -> str:
    """Return the line of a grammar in which a pattern begins to match, in brackets."""
    found = re.search(pattern, NO_NAME.sub(_blank, text), re.MULTILINE)
    return f" (line {text.count(chr(10), 0, found.start()) + 1})" if found else ""


def _blank(found: re.Match[str]) -> str:
    """Return blanks for a comment, and a string or pattern as it is."""
    return " " * len(found[0]) if found[0].startswith("//") else found[0]


def _quote(name: str) -> str:
    return quote_symbol("terminal" if name.lstrip("_")[:1].isupper() else "rule", name)


def _zero_width(found: re.Match[str], _: str) -> str:
    name, pattern = found["name"], found["pattern"].replace("\\\\", "\\")
    has_name = not name.startswith("__")
    shown = pattern if len(pattern) <= _LONGEST else f"{pattern[:_LONGEST]}…"
    return (
        f"{quote_symbol('terminal', name)}: its pattern {shown} matches nothing, too, and Lark "
        "takes no such terminal; let it match one character at least, as with + for *, and write "
        f"{f'{name}?' if has_name else 'a ? after it'} in the rules"
    )


def _defined_twice(found: re.Match[str], text: str) -> str:
    name = found["name"]
    imported = _place(rf"^%import\b.*\b{re.escape(name)}\b", text)
    if imported:
        return (
            f"{_quote(name)} is imported{imported}, too; write %override in front of its own "
            f"definition, or import the other by another name, with -> OTHER"
        )
    again = [
        number
        for number, line in enumerate(text.split("\n"), 1)
        if re.match(rf"[?!]*{re.escape(name)}\b[^:]*:", line)
    ]
    second = f", and again in line {again[1]}" if len(again) > 1 else " more than once"
    return (
        f"{_quote(name)} is defined{second}; join the definitions with |, or write %extend or "
        "%override in front of the second"
    )


def _recursive(found: re.Match[str], _: str) -> str:
    return (
        f"{_quote(found['name'])} is made of itself, and Lark allows that of rules alone; give it "
        "a name in lower case, and the same to terminals on the way"
    )


def _rule_inside(found: re.Match[str], text: str) -> str:
    rule, name = found["rule"], found["name"]
    if name.startswith("__IGNORE"):
        place = _place(rf"^%ignore.*\b{rule}\b", text)
        return (
            f"%ignore{place} names {_quote(rule)}, and Lark ignores terminals alone; write it as a "
            "terminal, in upper case"
        )
    if re.search(rf"^{name}\b.*[^\\]/{rule}\b", text, re.MULTILINE):
        return (
            f"{_quote(name)}: {rule} is no flag of a pattern; there are i, m, s, l, u and x; "
            "correct it, or write a blank after the pattern"
        )
    return (
        f"{_quote(name)} is made of {_quote(rule)}, and Lark makes terminals of terminals alone; "
        f"give {name} a name in lower case, or {rule} one in upper case"
    )


def _wrong_arguments(found: re.Match[str], _: str) -> str:
    return (
        f"{quote_symbol('rule', found['rule'])} uses {quote_symbol('template', found['name'])} "
        f"with {found['got']} arguments; give it {found['expected']}"
    )


def _not_there(found: re.Match[str], text: str) -> str:
    word, name = found["word"].lower(), found["name"]
    place = _place(rf"^%{word}\s+{name}\b", text)
    return (
        f"%{word} {name}{place}: nothing defines {name} before; define or import it above, or "
        f"leave %{word} out"
    )


def _not_ignored(found: re.Match[str], text: str) -> str:
    name = found["name"]
    remedy = f"write %import common.{name}, or define it" if name in list_common() else "define it"
    place = _place(rf"^%ignore.*\b{name}\b", text)
    return f"%ignore{place} names terminal {name}, which nothing defines; {remedy}"


def _empty_string(_: re.Match[str], text: str) -> str:
    place = _place(r'(?<![\\"])""(?!")', text)
    return (
        f'the string ""{place} matches nothing, and Lark takes no such '
        'terminal; leave it out: what stands beside a | may be nothing, as in a: "x" |'
    )


def _empty_terminal(found: re.Match[str], text: str) -> str:
    name = found["name"]
    if name.startswith("__IGNORE"):
        place = _place(r"^%ignore[ \t]*$", text)
        return f"%ignore{place} names nothing; write what is ignored after it, or leave it out"
    return (
        f"{_quote(name)} is nothing, and Lark takes no such terminal; leave it out, or give it a "
        "text"
    )


def _no_template(found: re.Match[str], _: str) -> str:
    kind, user, name = found["kind"], found["user"], found["name"]
    if kind == "terminal":
        return (
            f"{_quote(user)} uses template {name}, and Lark has templates of rules alone; give "
            f"{user} a name in lower case"
        )
    return (
        f"{_quote(user)} uses template {name}, which nothing defines; define it, as {name}{{x}}: "
        "x, or correct its name"
    )


def _template_inside(found: re.Match[str], text: str) -> str:
    name = found["name"]
    place = _place(rf"^[A-Z_][A-Z0-9_]*[^:\n]*:.*\b{name}\{{", text)
    return (
        f"{quote_symbol('template', name)} is used in a terminal{place}, and Lark has templates of "
        "rules alone; give the terminal a name in lower case"
    )


def _bad_range(found: re.Match[str], text: str) -> str:
    least, most = found["least"], found["most"]
    return (
        f"~{least}..{most}{_place(rf'~[ ]*{least}[ ]*[.][.][ ]*{most}', text)} counts from more to "
        "less, or below nothing; write the smaller number first"
    )


def _bad_ends(_: re.Match[str], text: str) -> str:
    return (
        f"a range{_place(_LONG_END, text)} has an end that is not one character; write it from one "
        'character to another, as "a".."z", or as a pattern'
    )


def _renamed_terminal(_: re.Match[str], text: str) -> str:
    place = _place(r"^[A-Z_][A-Z0-9_]*[^:\n]*:.*->", text)
    return (
        f"a terminal{place} has an ->, which names an "
        "alternative of a rule; leave it out, or give the terminal a name in lower case"
    )


def _kept_and_inlined(_: re.Match[str], text: str) -> str:
    found = re.search(r"^[!?]*\?[!?]*(_\w+)", text, re.MULTILINE)
    name = _quote(found[1]) if found else "a rule"
    return f"{name} begins with ? and with _, which say two things of its node; leave one out"


def _renamed_inlined(found: re.Match[str], _: str) -> str:
    name, alias = found["name"], found["alias"]
    return (
        f"{_quote(name)} begins with _, so that it has no node that -> {alias} could name; leave "
        f"the -> out, or name the rule {name.lstrip('_')}"
    )


def _bad_escape(found: re.Match[str], text: str) -> str:
    written = found["text"].replace("\\\\", "\\")
    return (
        f"the text {written}{_place(re.escape(written), text)} has an escape that Python does not "
        r"read; write a backslash as \\, and \x with two digits"
    )


def _no_rule(found: re.Match[str], text: str) -> str:
    name = found["name"]
    place = _place(rf"^%import\b.*->[ ]*{name}\b", text)
    if place:
        return (
            f"%import{place} gives a terminal the name {name}, which is one of a rule; write it "
            "in upper case"
        )
    return f"rule {name} is used and nothing defines it; define it, or correct its name"


def _nothing_imported(found: re.Match[str], text: str) -> str:
    name = found["name"]
    place = _place(rf"^%import[ ]+[.]?{name}[ ]*$", text)
    return f"%import {name}{place} names no symbol of it; write %import {name}.NAME"


def _bad_parameter(found: re.Match[str], _: str) -> str:
    name, template = found["name"], found["template"]
    fact = "twice" if found["twice"] else "and a rule has that name"
    return (
        f"{quote_symbol('template', template)} has the parameter {name}, {fact}; give it another "
        "name"
    )


_LONG_END = r'"(?!\\?[^"\n]")[^"\n]*"[ ]*[.][.]|[.][.][ ]*"(?!\\?[^"\n]")[^"\n]*"'
_Explain = Callable[[re.Match[str], str], str]
_KNOWN: tuple[tuple[re.Pattern[str], _Explain], ...] = (
    (
        re.compile(r"does not allow zero-width terminals\. \((?P<name>\w+): '(?P<pattern>.*)'\)"),
        _zero_width,
    ),
    (
        re.compile(
            r"doesn't allow zero-width regexps.*TerminalDef\('(?P<name>\w+)', '(?P<pattern>.*?)'"
            r"(?:, priority=-?\d+)?\)"
        ),
        _zero_width,
    ),
    (re.compile(r"(?:Rule|Terminal) '(?P<name>\w+)' defined more than once"), _defined_twice),
    (re.compile(r"Recursion in terminal '(?P<name>\w+)'"), _recursive),
    (
        re.compile(
            r"Rules aren't allowed inside terminals "
            r"\((?:NonTerminal\(')?(?P<rule>\w+)(?:'\))? in (?P<name>\w+)\)"
        ),
        _rule_inside,
    ),
    (
        re.compile(
            r"Wrong number of template arguments used for (?P<name>\w+) "
            r"\(expected (?P<expected>\d+), got (?P<got>\d+)\) \(in rule (?P<rule>\w+)\)"
        ),
        _wrong_arguments,
    ),
    (
        re.compile(r"Cannot (?P<word>override) a nonexisting (?:rule|terminal) (?P<name>\w+)"),
        _not_there,
    ),
    (re.compile(r"Can't (?P<word>extend) (?:rule|terminal) (?P<name>\w+) as it"), _not_there),
    (re.compile(r"Terminals \{'(?P<name>\w+)'.*\} were marked to ignore but"), _not_ignored),
    (re.compile(r"Empty terminals are not allowed"), _empty_string),
    (re.compile(r"Terminals cannot be empty \((?P<name>\w+)\)"), _empty_terminal),
    (
        re.compile(
            r"Template '(?P<name>\w+)' used but not defined "
            r"\(in (?P<kind>rule|terminal) (?P<user>\w+)\)"
        ),
        _no_template,
    ),
    (
        re.compile(r"Tree\('template_usage', \[NonTerminal\('(?P<name>\w+)'\)"),
        _template_inside,
    ),
    (re.compile(r"Bad Range for .*\((?P<least>-?\d+)\.\.(?P<most>-?\d+) isn't"), _bad_range),
    (re.compile(r'Error trying to process rule "range"'), _bad_ends),
    (re.compile(r"Aliasing not allowed in terminals"), _renamed_terminal),
    (re.compile(r"Inlined rules \(_rule\) cannot use the \?rule modifier"), _kept_and_inlined),
    (
        re.compile(r"Rule (?P<name>\w+) is marked for expansion.*\(alias=(?P<alias>\w+)\)"),
        _renamed_inlined,
    ),
    (re.compile(r"\('(?P<text>.*?)', SyntaxError\("), _bad_escape),
    (re.compile(r"Using an undefined rule: NonTerminal\('(?P<name>\w+)'\)"), _no_rule),
    (re.compile(r"Nothing was imported from grammar `(?P<name>\w+)`"), _nothing_imported),
    (
        re.compile(
            r"Template Parameter conflicts with rule (?P<name>\w+) "
            r"\(in template (?P<template>\w+)\)(?P<twice>)"
        ),
        _bad_parameter,
    ),
    (
        re.compile(
            r"(?P<twice>Duplicate) Template Parameter (?P<name>\w+) "
            r"\(in template (?P<template>\w+)\)"
        ),
        _bad_parameter,
    ),
)
