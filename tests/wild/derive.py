"""What Lark makes of a grammar in a project's settings, and texts that its rules derive.

    python -m tests.wild.derive SETTINGS TEXTS N [--seed N]

Run in a process of its own, that others can bound. Printed is ``{"loads": true}``, or Lark's words,
and then ``{"parsed": N}``, how many of the texts Lark parses.
The texts are drawn by ``hypothesis.extra.lark`` from rules and patterns alone: no lexer looks at
them, so Lark parses only some, and ``maskc verify`` holds both kinds against the artifact.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import warnings
from pathlib import Path
from typing import Any, cast

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from hypothesis.errors import HypothesisException
from hypothesis.extra.lark import from_lark
from lark import Lark
from lark.exceptions import LarkError
from lark.indenter import Indenter, PythonIndenter

from maskc.frontends.lark.rule_postlex import RulePostlex
from maskc.frontends.postlex import PYTHON_INDENTER, build_rules
from tests.wild.settings import Entry, read_entries

LONGEST = 400
FLAGS = {"i": re.IGNORECASE, "m": re.MULTILINE, "s": re.DOTALL, "x": re.VERBOSE, "a": re.ASCII}


def load(entry: Entry) -> Lark:
    """Return Lark's own parser with the project's settings.

    Raises:
        LarkError: Lark refuses the grammar.
    """
    given_ = entry.given
    postlex = None
    attributes = dict(given_["postlex"]) if isinstance(given_["postlex"], dict) else {}
    kind = attributes.pop("kind", None)
    if kind == "indenter":
        postlex = cast(Any, type("Given", (Indenter,), attributes))()
    elif kind == "rules":
        postlex = RulePostlex(build_rules({**attributes, "rules": attributes.get("rule")}))
    elif kind == PYTHON_INDENTER:
        postlex = PythonIndenter()
    flags = 0
    for letter in given_["flags"]:
        flags |= FLAGS[letter]
    options = {key: given_[key] for key in ("lexer", "priority") if given_[key]}
    return Lark(
        entry.grammar.read_text(encoding="utf-8"),
        parser=given_["parser"],
        start=given_["start"],
        postlex=postlex,
        g_regex_flags=flags,
        regex=given_["regex"],
        strict=given_["strict"],
        use_bytes=given_["use_bytes"],
        source_path=str(entry.grammar),
        **options,
    )


def derive(parser: Lark, start: str, number: int, random: int) -> list[str]:
    """Return texts that the rules derive from a start symbol, all different."""
    found: dict[str, None] = {}
    known = {str(terminal.name) for terminal in parser.terminals}
    used = {str(s.name) for rule in parser.rules for s in rule.expansion if s.is_term}
    declared = sorted(used - known)  # an Indenter's

    @seed(random)
    @settings(
        max_examples=4 * number,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(from_lark(parser, start=start, explicit={name: st.just("") for name in declared}))
    def collect(text: str) -> None:
        if text and len(text) <= LONGEST:
            found.setdefault(text)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        collect()
    return list(found)[:number]


def parses(lark: Lark, text: str, start: str) -> bool:
    """Return whether Lark parses a text; its Indenter raises more than LarkError."""
    try:
        lark.parse(text, start=start)
    except (LarkError, IndexError, KeyError, AssertionError, RuntimeError):
        return False
    return True


def main() -> None:
    """Load one grammar, write its texts, print what became of it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("settings", type=Path)
    parser.add_argument("texts", type=Path)
    parser.add_argument("number", type=int)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    entries = {entry.settings: entry for entry in read_entries(arguments.settings.parent)}
    entry = entries[arguments.settings]
    try:
        lark = load(entry)
    except (LarkError, re.error, AssertionError, ValueError, FileNotFoundError) as error:
        print(json.dumps({"loads": False, "why": " ".join(str(error).split())[:300]}))
        return
    print(json.dumps({"loads": True}), flush=True)
    try:
        texts = derive(lark, entry.given["start"][0], arguments.number, arguments.seed)
    except (
        HypothesisException,
        re.error,
        RecursionError,
        AssertionError,
        TypeError,
        IndexError,
    ) as error:
        print(f"no texts: {error}", file=sys.stderr)
        return
    for number, text in enumerate(texts):
        (arguments.texts / f"derived-{number}.txt").write_text(text, encoding="utf-8", newline="")
    print(
        json.dumps({"parsed": sum(parses(lark, text, entry.given["start"][0]) for text in texts)})
    )


if __name__ == "__main__":
    main()
