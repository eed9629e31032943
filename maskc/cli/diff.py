"""``maskc diff``: the tokens that are legal in one artifact and not in another."""

from __future__ import annotations

from collections.abc import Iterator

import click

import maskc
from maskc.cli import options as opt
from maskc.errors import ArtifactError
from maskc.limits import Limits

_MAX_BYTES = 100_000  # of a text
# Configurations that are asked for, for each text that is drawn: by rules, and by masks, which
# takes longer.
_PER_DRAWN, _PER_MASKED = 4, 20
_DRAWN_LENGTH = 60  # lexemes or tokens of a drawn text


@opt.command(
    "diff",
    "Compare the masks of two artifacts.",
    click.argument("paths", nargs=2, metavar="FIRST SECOND"),
    opt.count("--positions", 2_000, "Number of configurations to compare."),
    opt.many("--corpus", "PATH", "Also compare along these texts; can be repeated."),
    opt.seed("Seed of the random texts."),
    opt.START,
    opt.PART_LIMIT,
    opt.LIMITS,
    as_json="Print the differences as JSON.",
    defaults=True,
)
def diff_command(
    paths: tuple[str, str],
    positions: int,
    corpus: tuple[str, ...],
    seed: int,
    start: str | None,
    part_seconds: float,
    limits: Limits,
) -> opt.Outcome:
    """Compare the masks of two artifacts; exit status 1 if they differ.

    First come the shortest texts that were found of one artifact only. Then each line lists tokens
    that are legal in one artifact only, the text before them, and the number of compared
    configurations with this difference. Configurations are the nearest to the start, those of
    random texts of both, and those of --corpus. Equal tables mean equal masks; otherwise the
    comparison proves nothing beyond these texts.
    """
    from maskc.diff.walking import Comparison, compare, have_same_tables
    from maskc.kinds import kind_of
    from maskc.report.diff import report_comparison
    from maskc.verify.generation import DrawingProcess

    one, other = (maskc.load(path).for_start(start) for path in paths)
    if one.fingerprint != other.fingerprint:
        names = [artifact.header["tokenizer"]["name"] for artifact in (one, other)]
        raise ArtifactError(
            paths[1],
            f"is for the tokenizer {names[1]}, and {paths[0]} is for other tokens ({names[0]})",
            "compile both for one tokenizer",
        )
    texts = list(_read_texts(corpus)) if corpus else []
    if have_same_tables(one, other):
        return report_comparison(paths, one, Comparison(is_same=True))
    drawn: list[bytes] = []
    for path, artifact in zip(paths, (one, other), strict=True):
        kind = kind_of(artifact.header)
        encoding = kind.encoding(artifact.header)
        count = -(-positions // (2 * (_PER_DRAWN if kind.has_rules else _PER_MASKED)))
        with DrawingProcess(path, start, part_seconds, limits) as drawing:
            for text in drawing.draw(count, _DRAWN_LENGTH, seed):
                if text.problem is None:
                    drawn.append(text.text.encode(encoding))
    found = compare(one, other, positions=positions, drawn=drawn, texts=texts)
    return report_comparison(paths, one, found), int(bool(found.differences))


def _read_texts(corpus: tuple[str, ...]) -> Iterator[bytes]:
    from maskc.verify.files import find_corpus, read_text

    for path in find_corpus(corpus, _MAX_BYTES).files:
        try:
            yield read_text(path, _MAX_BYTES).encode()
        except UnicodeDecodeError:
            click.echo(f"note: {path}: is not UTF-8, and is left out", err=True)
