"""The grammar of a workload as each peer reads it, from one file.

``NAME.lark`` is written in llguidance's Lark, in a subset that can be rewritten mechanically:

- terminals are made of strings and character classes (``"x"``, ``"x"i``, ``/[a-z]/``), with
  ``& ~/(word|word)/`` at most at the end;
- rules and terminals start in column 0, and further lines of them do not.

For xgrammar, which has no lexer, the rewriting puts ``ws`` after each terminal of a rule, spells
``"x"i`` as ``[xX]`` and drops ``& ~…``: nothing keeps a name from being a keyword there. Where two
words may follow each other, ``GAP`` asks for a blank, which makes masks ten times faster; for
llguidance, whose lexer keeps words apart, it is left out.

Rules after a line ``// twins`` are written twice: as they are, and for use inside brackets, with
``_in`` after their names and ``nl?`` after each of their terminals. That is how line breaks end a
statement outside brackets, and nothing inside.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

FOLDER = Path(__file__).parent
TWINS = "// twins"
_PIECE = re.compile(r'("(?:[^"\\]|\\.)*"i?|/\[(?:[^\]\\]|\\.)*\]/)|([A-Za-z_]\w*)')
_RESERVED = re.compile(r"& ~/[^/]*/i?")


def read_lark(workload: str) -> str:
    """Return a workload's grammar in llguidance's dialect; blanks may come first."""
    text = re.sub(r"\bGAP\b", "", _read(workload))
    return f'%llguidance {{"allow_initial_skip": true}}\n{text}'


def read_plain(workload: str) -> str:
    """Return the same grammar in what all Larks have; nothing keeps a name from being a keyword."""
    return _RESERVED.sub("", re.sub(r"\bGAP\b", "", _read(workload)))


def read_ebnf(workload: str) -> str:
    """Return the same grammar, as far as it goes, in xgrammar's EBNF; its root is ``root``."""
    ignored, lines = [], []
    for definition in _split(_RESERVED.sub("", _read(workload))):
        if definition.startswith("%ignore"):
            ignored.append(definition.removeprefix("%ignore").strip())
            continue
        name, body = (part.strip() for part in definition.split(":", 1))
        if name == "BLANKS":
            # ws repeats it; both repeated would be read in as many ways as there are blanks.
            body = body.removesuffix("+")
        is_rule = name.islower()
        lines.append(f"{name} ::= {_rewrite(body, is_rule=is_rule)}")
    blanks = " | ".join(_rewrite(piece, is_rule=False) for piece in ignored)
    lines.append("GAP ::= [ \\t\\r\\n]")
    lines.append(f"ws ::= ({blanks})*" if blanks else 'ws ::= ""')
    return "root ::= ws start\n" + "\n".join(lines) + "\n"


def _read(workload: str) -> str:
    text = (FOLDER / f"{workload}.lark").read_text()
    plain, _, doubled = text.partition(TWINS)
    lines = _split(plain)
    twins = _split(doubled)
    names = {definition.split(":", 1)[0].strip() for definition in twins}
    for definition in twins:
        name, body = definition.split(":", 1)
        lines += [definition, f"{name.strip()}_in: {_map(body, lambda p: _inside(p, names))}"]
    return "\n".join(lines) + "\n"


def _split(text: str) -> list[str]:
    """Return the definitions, each on one line, without comments."""
    kept = [line for line in text.split("\n") if line.strip() and not line.startswith("//")]
    found: list[str] = []
    for line in kept:
        if line[0].isspace():
            found[-1] += f" {line.strip()}"
        else:
            found.append(line)
    return found


def _map(body: str, change: Callable[[re.Match[str]], str]) -> str:
    return _PIECE.sub(change, body)


def _inside(piece: re.Match[str], names: set[str]) -> str:
    literal, name = piece.groups()
    if literal or name.isupper():
        return f"({piece[0]} nl?)"
    return f"{name}_in" if name in names else name


def _rewrite(body: str, *, is_rule: bool) -> str:
    def change(piece: re.Match[str]) -> str:
        literal, name = piece.groups()
        if name:
            return f"({name} ws)" if is_rule and name.isupper() else name
        if literal.startswith("/"):
            text = literal[1:-1]
        elif literal.endswith("i"):
            text = " ".join(f"[{c.lower()}{c.upper()}]" for c in literal[1:-2])
        else:
            text = literal
        return f"({text} ws)" if is_rule else f"({text})"

    return _map(body, change)
