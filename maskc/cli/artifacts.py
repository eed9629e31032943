"""``maskc inspect`` and ``diff``: what an artifact says about itself, and how two differ."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import maskc
from maskc.cli import options as opt
from maskc.cli.operands import check_fingerprint, check_tokenizer
from maskc.errors import ArtifactError
from maskc.files import write_atomically
from maskc.kinds import kind_of
from maskc.limits import Limits
from maskc.report import Lines, Report, count, format_size
from maskc.report.compile import hash_artifact, load_timings
from maskc.report.inspect import Inspection, report_artifact, view_artifact
from maskc.report.render import show

if TYPE_CHECKING:
    from maskc.diff import Comparison, Difference, Tokens
    from maskc.runtime.artifact import Artifact

_MAX_BYTES = 100_000  # of a text
# Configurations that are asked for, for each text that is drawn: by rules, and by masks, which
# takes longer.
_PER_DRAWN, _PER_MASKED = 4, 20
_DRAWN_LENGTH = 60  # lexemes or tokens of a drawn text


@opt.command(
    "inspect",
    "Show the contents of an artifact.",
    click.argument("artifact"),
    opt.tokenizer("Fail if the artifact is for another tokenizer."),
    opt.json("Print everything as JSON."),
    opt.word("--html", "PATH", "Write one HTML file instead."),
    opt.text("Show how many tokens were legal at each token of this text;", default=""),
    opt.flag("--internals", "Also show the compiler's results and their cost."),
)
def inspect_command(
    artifact: str,
    *,
    tokenizer: str | None,
    as_json: bool,
    html: str | None,
    text: bytes,
    internals: bool,
) -> opt.Outcome:
    """Print what ARTIFACT was made from, its terminals, and what may come next.

    --html adds railroad diagrams of the rules. --text colours the tokens of a text by how many
    tokens were legal there. --internals adds counts, rows after each step, the automaton, and the
    sections of the file; times are known on the machine that compiled the artifact.
    """
    if html is not None and as_json:
        raise click.UsageError("Give --html or --json, not both.")
    loaded = maskc.load(artifact)
    check_fingerprint(artifact, loaded)
    if tokenizer is not None:
        check_tokenizer(artifact, loaded, tokenizer)
    kind = kind_of(loaded.header)
    if html is not None and not kind.has_rules:
        raise click.UsageError(f"--html draws grammars, not {kind.plural}.")
    inspection = Inspection(
        artifact,
        Path(artifact).stat().st_size,
        loaded.header,
        loaded.contents.arrays,
        load_timings(hash_artifact(artifact)) if kind.has_rules else (),
        None if as_json else view_artifact(loaded, text),
    )
    report = report_artifact(inspection, internals=internals)
    if html is not None:
        return _write_page(inspection, report, html)
    show(report, as_json=as_json)
    return None


def _write_page(inspection: Inspection, report: Report, path: str) -> Report:
    from maskc.report.html import build_page

    if os.path.exists(path) and os.path.samefile(path, inspection.path):
        raise click.UsageError(f"--html {path} is the artifact itself; choose another path.")
    header = inspection.header
    page = build_page(
        report,
        title=f"{header['grammar']['name']} for {header['tokenizer']['name']}",
        lead=f"maskc artifact {os.path.basename(inspection.path)}",
        version=header["maskc"],
    ).encode("utf-8", "xmlcharrefreplace")
    write_atomically(path, page)
    return Report({}, [Lines([f"{path}: {format_size(len(page))}"])])


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
    from maskc.diff import Comparison, compare, have_same_tables
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
    from maskc.verify.model import find_corpus, read_text

    for path in find_corpus(corpus, _MAX_BYTES).files:
        try:
            yield read_text(path, _MAX_BYTES).encode()
        except UnicodeDecodeError:
            click.echo(f"note: {path}: is not UTF-8, and is left out", err=True)


_MOST_SHOWN, _MOST_TOKENS = 20, 8


def report_comparison(names: Sequence[str], artifact: Artifact, found: Comparison) -> Report:
    """Return the differences, the shortest text first."""
    described = [_describe(difference, artifact) for difference in found.differences]
    texts = [None if text is None else _decode(text) for text in found.only]
    data = {
        "same_tables": found.is_same,
        "texts": dict(zip(("only_first", "only_second"), texts, strict=True)),
        "configurations": found.n_configurations,
        "differences": described,
        "left_out": found.n_left_out,
    }
    shortest = [
        f"only {name} accepts: {text!r}"
        for name, text in zip(names, texts, strict=True)
        if text is not None
    ]
    return Report(data, [Lines([*shortest, *_say(names, found, described)])])


def _describe(difference: Difference, artifact: Artifact) -> dict[str, Any]:
    def side(ids: Tokens) -> dict[str, Any]:
        texts = [
            "<end>" if i in artifact.ends else _decode(artifact.token_bytes(i) or b"")
            for i in ids[:_MOST_TOKENS].tolist()
        ]
        return {"count": len(ids), "tokens": texts}

    whole = difference.example
    return {
        "before": _decode(difference.before),
        "only_first": side(difference.only_first),
        "only_second": side(difference.only_second),
        "configurations": difference.n_configurations,
        "example": None if whole is None else _decode(whole),
    }


def _decode(text: bytes) -> str:
    return text.decode(errors="replace")


def _say(
    names: Sequence[str], found: Comparison, described: Sequence[dict[str, Any]]
) -> Iterator[str]:
    for entry in described[:_MOST_SHOWN]:
        counted = count(entry["configurations"], "configuration")
        yield f"after {entry['before']!r} ({counted})"
        for name, side in zip(names, ("only_first", "only_second"), strict=True):
            n_tokens, tokens = entry[side]["count"], entry[side]["tokens"]
            if n_tokens:
                more = n_tokens - len(tokens)
                shown = " ".join(map(repr, tokens)) + (f" and {more:,} more" if more else "")
                yield f"  only {name}: {shown}"
        if entry["example"] is not None:
            yield f"  a text of one of them: {entry['example']!r}"
    if len(described) > _MOST_SHOWN:
        yield f"and {len(described) - _MOST_SHOWN:,} more kinds of differences: --json"
    counted = count(found.n_configurations, "configuration")
    if found.is_same:
        yield "the same tables: no mask differs"
    elif described:
        yield f"{count(len(described), 'kind')} of difference in {counted}"
    else:
        yield f"no mask differs in {counted}"
