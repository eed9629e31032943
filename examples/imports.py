"""Imports of Python's standard library, each of which resolves.

A module is one that this Python has, and what is imported from it is one of its names: so the names
follow the module that was written before.

A stand-in for a model draws random legal tokens; what it writes is run.

    python examples/imports.py [--texts N]
"""

from __future__ import annotations

import argparse
import importlib
import random
import sys
import warnings
from collections.abc import Sequence
from functools import cache

import maskc

GRAMMAR = r"""
start: statement+
statement: ("import " MODULE (", " MODULE)* | "from " source " import " NAME (", " NAME)*) "\n"
source: MODULE
MODULE: /[^\W\d]\w*/
NAME: /[^\W\d]\w*/
"""
# What does something when it is imported, or is no part of every Python.
LEFT_OUT = ("antigravity", "idlelib", "lib2to3", "this", "tkinter", "turtle", "turtledemo")


@cache
def list_modules() -> list[str]:
    """Return the modules of the standard library that can be imported here."""
    found = []
    for name in sorted(sys.stdlib_module_names):
        if name not in LEFT_OUT and not name.startswith("_"):
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", DeprecationWarning)
                    importlib.import_module(name)
            except ImportError:
                continue
            found.append(name)
    return found


@cache
def list_names(module: str) -> list[str]:
    """Return the names that can be imported from a module."""
    return [name for name in dir(importlib.import_module(module)) if name.isidentifier()]


def words_after(written: Sequence[tuple[str, str]]) -> dict[str, list[str]]:
    """Return the modules, and the names of the module that was written last."""
    return {"MODULE": list_modules(), "NAME": list_names(written[-1][1] if written else "sys")}


def draw_text(matcher: maskc.Matcher, artifact: maskc.Artifact, draw: random.Random) -> str:
    """Return a text of random legal tokens."""
    written = bytearray()
    while True:
        token = draw.choice(matcher.legal_tokens().tolist())
        matcher.accept_token(token)
        if matcher.is_terminated:
            return written.decode()
        written += artifact.token_bytes(token) or b""


def main() -> None:
    """Draw texts, and run them."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--texts", type=int, default=10)
    parser.add_argument("--tokenizer", default="bytes")
    given = parser.parse_args()
    artifact = maskc.compile_grammar(GRAMMAR, tokenizer=given.tokenizer)
    followed = maskc.follow(artifact, "source", on_complete=words_after)
    draw = random.Random(0)  # noqa: S311  # no secret
    for _ in range(given.texts):
        text = draw_text(followed.matcher(), artifact, draw)
        exec(text, {})  # noqa: S102 - imports of the standard library, and nothing else
        sys.stdout.write(f"{text}\n")


if __name__ == "__main__":
    main()
