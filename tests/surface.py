"""Print everything that maskc says to people into one text: help, errors, findings, reports.

Usage: python -m tests.surface [PATH]

Errors are printed as the sentence that their class makes of the literals in the source, with
``{…}`` for each value; findings, explanations and reports as the literals of their packages.
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from maskc import errors
from maskc.cli.main import COMMANDS, commands

MASKC = Path(errors.__file__).parent
TELLING = ("explain", "lint", "play", "report", "integrations", "generation", "build", "diff")
_SENTENCE = re.compile(r"[A-Za-z…}`'\"].* .*[A-Za-z…}`'\"]")


def print_help() -> Iterator[str]:
    """Yield the help of every command."""
    context = click.Context(commands, info_name="maskc")
    yield context.get_help()
    for name in sorted(COMMANDS):
        command = commands.get_command(context, name)
        assert command is not None
        with click.Context(command, context, info_name=name) as inner:
            yield f"\n=== maskc {name}\n{command.get_help(inner)}"


def fold(node: ast.expr) -> str | None:
    """Return the text of a literal with {…} for values; ``None``: it is not text."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=values):
            return "".join(
                (fold(v) if isinstance(v, ast.Constant) else "{…}") or "" for v in values
            )
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            sides = [fold(left), fold(right)]
            return None if sides == [None, None] else "".join(s or "{…}" for s in sides)
        case ast.IfExp(body=body, orelse=orelse):
            found = [text for text in map(fold, (body, orelse)) if text]
            return " | ".join(found) or None
    return None


def make_sentence(name: str, given: list[str]) -> str:
    """Return what an error's class makes of its fields, by position."""
    kind = getattr(errors, name, None)
    if kind is None:
        return " ".join(given)
    fields = [f for f in inspect.signature(kind.__init__).parameters.values() if f.name != "self"]
    filled = [*given, *("{…}" for _ in fields)][: len(fields)]
    number = {"int", "float", "int | None"}
    made = [7 if f.annotation in number else v for f, v in zip(fields, filled, strict=True)]
    try:
        return kind(*(("{…}",) if f.annotation == "tuple[str, ...]" else v
                      for f, v in zip(fields, made, strict=True)))._sentence()  # fmt: skip
    except (TypeError, ValueError):
        return " ".join(given)


def list_errors(tree: ast.AST) -> Iterator[str]:
    """Yield the sentences of the errors that a module makes."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = getattr(node.func, "id", getattr(node.func, "attr", ""))
        if not re.search(r"(Error|ClickException|BadParameter)$", name):
            continue
        given = [fold(argument) or "{…}" for argument in node.args]
        if any(_SENTENCE.search(text) for text in given):
            yield f"{name}: {make_sentence(name, given)}"


def list_literals(tree: ast.Module) -> Iterator[str]:
    """Yield the literals of a module that read as words of a sentence, without docstrings."""
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    left_out = set()
    for node in ast.walk(tree):
        if isinstance(node, documented) and ast.get_docstring(node, clean=False) is not None:
            left_out.add(node.body[0].value)  # type: ignore[attr-defined]
        if isinstance(node, ast.JoinedStr):
            left_out.update(node.values)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant | ast.JoinedStr) and node not in left_out:
            text = fold(node)
            if text and _SENTENCE.search(text):
                yield " ".join(text.split())


def print_surface() -> Iterator[str]:
    yield from print_help()
    for path in sorted(MASKC.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        name = path.relative_to(MASKC.parent).as_posix()
        is_telling = path.relative_to(MASKC).parts[0] in TELLING
        found = [*list_errors(tree), *(list_literals(tree) if is_telling else ())]
        if found:
            yield f"\n=== {name}"
            yield from dict.fromkeys(found)


if __name__ == "__main__":
    text = "\n".join(print_surface()) + "\n"
    if len(sys.argv) > 1:
        Path(sys.argv[1]).write_text(text, encoding="utf-8")
    else:
        sys.stdout.write(text)
