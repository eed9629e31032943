"""``maskc diff``: the tokens that are legal in one artifact and not in another."""

from __future__ import annotations

from collections.abc import Iterator

import click

import maskc
from maskc.cli import options as opt
from maskc.errors import ArtifactError

_MAX_BYTES = 100_000  # of a text


@opt.command(
    "diff",
    "Say where the masks of two artifacts differ.",
    click.argument("first"),
    click.argument("second"),
    opt.count("--positions", 2_000, "Configurations in which to compare."),
    opt.many("--corpus", "PATH", "Texts to compare along; can be repeated."),
    opt.seed("Of the texts that are drawn."),
    opt.START,
    as_json="Print what was found as JSON.",
    defaults=True,
)
def diff_command(
    first: str, second: str, positions: int, corpus: tuple[str, ...], seed: int, start: str | None
) -> opt.Outcome:
    """Compare the masks of two artifacts; exit status 1 if they differ.

    Both are walked with the same texts: the shortest first, then texts that are drawn, then those
    of --corpus. Each line says which tokens are legal in one of them only, after which text, and
    in how many of the configurations that were compared. Equal tables are the same masks
    everywhere; otherwise, that no difference was found proves nothing beyond these texts.
    """
    from maskc.diff.walking import compare
    from maskc.report.diff import report_comparison

    one, other = (maskc.load(path).for_start(start) for path in (first, second))
    if one.fingerprint != other.fingerprint:
        names = [artifact.header["tokenizer"]["name"] for artifact in (one, other)]
        raise ArtifactError(
            second,
            f"is for the tokenizer {names[1]}, and {first} is for other tokens ({names[0]})",
            "compile both for one tokenizer",
        )
    texts = list(_read_texts(corpus)) if corpus else []
    found = compare(one, other, positions=positions, seed=seed, texts=texts)
    return report_comparison((first, second), one, found), int(bool(found.differences))


def _read_texts(corpus: tuple[str, ...]) -> Iterator[bytes]:
    from maskc.verify.files import find_corpus, read_text

    for path in find_corpus(corpus, _MAX_BYTES).files:
        try:
            yield read_text(path, _MAX_BYTES).encode()
        except UnicodeDecodeError:
            click.echo(f"note: {path}: is not UTF-8, and is left out", err=True)
