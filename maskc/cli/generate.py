"""``maskc generate``: texts made of random legal tokens."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import partial

import click

from maskc.cli.options import (
    Opened,
    artifact_options,
    count_option,
    json_option,
    limit_options,
    part_limit_option,
    seed_option,
)
from maskc.limits import Limits
from maskc.report.render import format_count, print_json

MOST_SHOWN = 12  # rules that no text holds


@click.command(
    "generate",
    short_help="Print random texts of a grammar.",
    context_settings={"show_default": True},
)
@artifact_options
@count_option("--count", 1, "How many.")
@count_option("--max-tokens", 400, "About the most that a text has; a lexeme counts as one.")
@seed_option("Of the random choices.")
@click.option(
    "--unreached",
    is_flag=True,
    default=False,
    help="Say at the end which alternatives of the grammar's rules no text holds.",
)
@json_option("Print them as JSON.")
@part_limit_option
@limit_options
def generate_command(
    opened: Opened,
    *,
    count: int,
    max_tokens: int,
    seed: int,
    unreached: bool,
    as_json: bool,
    part_seconds: float,
    limits: Limits,
) -> None:
    """Print random texts that the grammar of ARTIFACT accepts.

    They are drawn by the rules of the grammar, each alternative in its turn. Each text is printed
    exactly, in UTF-8 (of a grammar of bytes, its bytes), with a line break after it if it does not
    end in one. Exit status 1 if a text cannot be finished.
    """
    if unreached and not opened.kind.has_rules:
        raise click.UsageError("--unreached goes with a grammar only.")
    drawn = opened.kind.draw(opened.artifact, count, max_tokens, seed)
    if drawn is not None:
        click.get_current_context().exit(_show_drawn(opened.path, drawn, as_json=as_json))
    from maskc.verify.generation import draw_text, list_unreached
    from maskc.verify.grammar import read_encoding
    from maskc.work.executors import result_of
    from maskc.work.processes import ProcessExecutor, Timed

    path, encoding = opened.path, read_encoding(opened.artifact.header)
    problems, dictionaries, rules = 0, [], frozenset[int]()
    draw = partial(draw_text, path, opened.start, max_tokens=max_tokens, seed=seed, limits=limits)
    others: tuple[int, tuple[str, ...]] | None = None
    with ProcessExecutor(1) as executor:
        for number in range(count):
            timed = Timed(draw, f"{path}: text {number + 1}", part_seconds)
            text = result_of(executor.submit(timed, number))
            rules |= text.rules
            problems += text.problem is not None
            if as_json:
                dictionaries.append(text.to_dict())
            else:
                _write(text.text, encoding)
            if text.problem is not None:
                click.echo(f"maskc: {path}: {text.problem}", err=True)
        if unreached:
            listing = partial(list_unreached, path, opened.start, limits=limits)
            timed_listing = Timed(listing, f"{path}: its rules", part_seconds)
            others = result_of(executor.submit(timed_listing, rules))
    if as_json:
        print_json(dictionaries)
    if others is not None:
        click.echo(_say_reached(*others), err=True)
    click.get_current_context().exit(1 if problems else 0)


def _say_reached(n_rules: int, others: tuple[str, ...]) -> str:
    """Return how many rules the texts hold, and which not."""
    said = f"{format_count(n_rules - len(others))} of {format_count(n_rules)} alternatives reached"
    if not others:
        return said
    shown = [f"\n  {rule}" for rule in others[:MOST_SHOWN]]
    more = len(others) - MOST_SHOWN
    return f"{said}; not:{''.join(shown)}" + (f"\n  and {more} more" if more > 0 else "")


def _show_drawn(name: str, texts: Iterator[tuple[str, bool]], *, as_json: bool) -> int:
    """Print the texts of a JSON Schema or of a tag; return the exit status."""
    status, dictionaries = 0, []
    for text, is_whole in texts:
        problem = None if is_whole else "no end was found within the search"
        if as_json:
            dictionaries.append({"text": text, "problem": problem})
        else:
            _write(text)
        if problem:
            status = 1
            click.echo(f"maskc: {name}: {problem}", err=True)
    if as_json:
        print_json(dictionaries)
    return status


def _write(text: str, encoding: str = "utf-8") -> None:
    data = text.encode(encoding)
    sys.stdout.buffer.write(data if data.endswith(b"\n") else data + b"\n")
    sys.stdout.buffer.flush()
