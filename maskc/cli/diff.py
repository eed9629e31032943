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
from maskc.report.render import print_json

_MOST_SHOWN, _MOST_TOKENS = 20, 8


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
    described = [_describe(difference, loaded[0]) for difference in found.differences]
    if as_json:
        print_json(
            {
                "same_tables": found.is_same,
                "configurations": found.n_places,
                "differences": described,
                "left_out": found.n_left_out,
            }
        )
    else:
        _show(first, second, found, described)
    click.get_current_context().exit(1 if found.differences else 0)


def _read_texts(corpus: tuple[str, ...]) -> Any:
    from maskc.verify.files import find_corpus, read_text

    most_bytes = 100_000
    for path in find_corpus(corpus, most_bytes).files:
        try:
            yield read_text(Path(path), most_bytes).encode()
        except UnicodeDecodeError:
            click.echo(f"note: {path}: is not UTF-8, and is left out", err=True)


def _describe(difference: Any, artifact: maskc.Artifact) -> dict[str, Any]:
    def texts(ids: Any) -> list[str]:
        ends = artifact.ends
        return [
            "<end>" if i in ends else (artifact.token_bytes(i) or b"").decode(errors="replace")
            for i in ids[:_MOST_TOKENS].tolist()
        ]

    whole = difference.example
    sides = {name: getattr(difference, name) for name in ("only_first", "only_second")}
    return {
        "before": difference.before.decode(errors="replace"),
        **{name: {"count": len(ids), "tokens": texts(ids)} for name, ids in sides.items()},
        "configurations": difference.n_places,
        "example": None if whole is None else whole.decode(errors="replace"),
    }


def _show(first: str, second: str, found: Any, described: list[dict[str, Any]]) -> None:
    for entry in described[:_MOST_SHOWN]:
        places = _count(entry["configurations"], "configuration")
        click.echo(f"after {entry['before'][-60:]!r} ({places})")
        for path, side in ((first, "only_first"), (second, "only_second")):
            count, tokens = entry[side]["count"], entry[side]["tokens"]
            if count:
                more = f" and {count - len(tokens):,} more" if count > len(tokens) else ""
                click.echo(f"  only {path}: {' '.join(map(repr, tokens))}{more}")
        if entry["example"] is not None:
            click.echo(f"  a text of one of them: {entry['example'][-80:]!r}")
    if len(described) > _MOST_SHOWN:
        click.echo(f"and {len(described) - _MOST_SHOWN:,} more kinds of differences: --json")
    if found.is_same:
        click.echo("the same tables: no mask differs")
    elif described:
        kinds = _count(len(described), "kind")
        click.echo(f"{kinds} of difference in {_count(found.n_places, 'configuration')}")
    else:
        click.echo(f"no mask differs in {_count(found.n_places, 'configuration')}")


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"
