"""``maskc diff``: which tokens are legal in one artifact and not in another, and where?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

import maskc
from maskc.cli.options import (
    count_option,
    json_option,
    many_option,
    seed_option,
    start_option,
)
from maskc.errors import ArtifactError
from maskc.report.render import show


@click.command(
    "diff",
    short_help="Say where the masks of two artifacts differ.",
    context_settings={"show_default": True},
)
@click.argument("first")
@click.argument("second")
@count_option("--positions", 2_000, "Configurations in which to compare.")
@many_option("--corpus", "PATH", "Texts to compare along; can be repeated.")
@seed_option("Of the texts that are drawn.")
@start_option
@json_option("Print what was found as JSON.")
def diff_command(
    first: str,
    second: str,
    *,
    positions: int,
    corpus: tuple[str, ...],
    seed: int,
    start: str | None,
    as_json: bool,
) -> None:
    """Compare the masks of two artifacts; exit status 1 if they differ.

    Both are walked with the same texts: the shortest first, then texts that are drawn, then those
    of --corpus. Each line says which tokens are legal in one of them only, after which text, and
    in how many of the configurations that were compared. Equal tables are the same masks
    everywhere; otherwise, that no difference was found proves nothing beyond these texts.
    """
    from maskc.diff.walking import compare
    from maskc.report.diff import report_comparison

    loaded = [maskc.load(path).for_start(start) for path in (first, second)]
    if loaded[0].fingerprint != loaded[1].fingerprint:
        names = [artifact.header["tokenizer"]["name"] for artifact in loaded]
        raise ArtifactError(
            second,
            f"is for the tokenizer {names[1]}, and {first} is for other tokens ({names[0]})",
            "compile both for one tokenizer",
        )
    texts = list(_read_texts(corpus)) if corpus else []
    found = compare(loaded[0], loaded[1], positions=positions, seed=seed, texts=texts)
    show(report_comparison((first, second), loaded[0], found), as_json=as_json)
    click.get_current_context().exit(1 if found.differences else 0)


def _read_texts(corpus: tuple[str, ...]) -> Any:
    from maskc.verify.files import find_corpus, read_text

    most_bytes = 100_000
    for path in find_corpus(corpus, most_bytes).files:
        try:
            yield read_text(Path(path), most_bytes).encode()
        except UnicodeDecodeError:
            click.echo(f"note: {path}: is not UTF-8, and is left out", err=True)
