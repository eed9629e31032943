"""``maskc generate``: texts made of random legal tokens."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import partial

import click

import maskc
from maskc.artifact.sections import is_link, is_schema
from maskc.cli.limits import limit_options, part_limit_option
from maskc.cli.options import json_option, start_option
from maskc.limits import Limits
from maskc.report.render import print_json


@click.command("generate", context_settings={"show_default": True})
@click.argument("artifact")
@click.option("--count", type=click.IntRange(1), default=1, metavar="N", help="How many.")
@click.option(
    "--max-tokens",
    type=click.IntRange(1),
    default=400,
    metavar="N",
    help="Tokens after which a text is steered to its end.",
)
@click.option("--seed", type=int, default=0, metavar="N", help="Of the random choices.")
@start_option
@json_option("Print them as JSON.")
@part_limit_option
@limit_options
def generate_command(
    artifact: str,
    *,
    start: str | None,
    count: int,
    max_tokens: int,
    seed: int,
    as_json: bool,
    part_seconds: float,
    limits: Limits,
) -> None:
    """Print random texts that the grammar of ARTIFACT accepts.

    Each is printed exactly, in UTF-8, with a line break after it if it does not end in one.
    Exit status 1 if a text cannot be finished.
    """
    from maskc.verify.generation import draw_text
    from maskc.work.executors import result_of
    from maskc.work.processes import ProcessExecutor, Timed

    loaded = maskc.load(artifact).for_start(
        start
    )  # what is no artifact is refused before a process is started
    if is_schema(loaded.header):
        from maskc.verify.json_texts import draw_texts

        texts = draw_texts(loaded, count, max_tokens, seed)
        click.get_current_context().exit(_show_drawn(artifact, texts, as_json=as_json))
    if is_link(loaded.header):
        from maskc.verify.link_texts import draw_replies

        texts = draw_replies(loaded, count, max_tokens, seed)
        click.get_current_context().exit(_show_drawn(artifact, texts, as_json=as_json))
    problems, dictionaries = 0, []
    draw = partial(draw_text, artifact, start, max_tokens=max_tokens, seed=seed, limits=limits)
    with ProcessExecutor(1) as executor:
        for number in range(count):
            timed = Timed(draw, f"{artifact}: text {number + 1}", part_seconds)
            text = result_of(executor.submit(timed, number))
            problems += text.problem is not None
            if as_json:
                dictionaries.append(text.to_dict())
            else:
                _write(text.text)
            if text.problem is not None:
                click.echo(f"maskc: {artifact}: {text.problem}", err=True)
    if as_json:
        print_json(dictionaries)
    click.get_current_context().exit(1 if problems else 0)


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


def _write(text: str) -> None:
    data = text.encode()
    sys.stdout.buffer.write(data if data.endswith(b"\n") else data + b"\n")
    sys.stdout.buffer.flush()
