"""``maskc verify``: does the artifact keep its promise?"""

from __future__ import annotations

import os
from typing import Any

import click

import maskc
from maskc.artifact.sections import is_schema
from maskc.cli.json_schema import read_resource, resource_option
from maskc.cli.limits import limit_options, part_limit_option
from maskc.cli.progress import show_parts
from maskc.cli.tokenizer import check_fingerprint, check_tokenizer
from maskc.limits import Limits
from maskc.report.render import print_json
from maskc.report.verify import print_report

_SOME, _ANY = click.IntRange(1), click.IntRange(0)
MOST_JOBS = 8  # each process holds Lark's parser, the tokenizer, and masks


@click.command("verify", context_settings={"show_default": True})
@click.argument("artifact")
@click.option(
    "--corpus",
    multiple=True,
    required=True,
    metavar="PATH",
    help="A file or a folder of texts; can be repeated.",
)
# The defaults are those of VerifyOptions, which a test compares: importing it loads Lark.
@click.option("--files", type=_SOME, default=300, metavar="N", help="Files to walk.")
@click.option("--max-bytes", type=_SOME, default=100_000, metavar="N", help="Size of a file.")
@click.option("--texts", type=_ANY, default=40, metavar="N", help="Texts to generate; 0: none.")
@click.option("--max-tokens", type=_SOME, default=400, metavar="N", help="Length of a text.")
@click.option("--positions", type=_ANY, default=400, metavar="N", help="Masks to compare; 0: none.")
@click.option(
    "--stretches",
    type=_ANY,
    default=200,
    metavar="N",
    help="Stretches of texts to cut into tokens in every way; 0: none.",
)
@click.option(
    "--mutations",
    type=_ANY,
    default=300,
    metavar="N",
    help="Texts to change by a byte; 0: none.",
)
@click.option(
    "--raw-positions",
    type=_ANY,
    default=2_000,
    metavar="N",
    help="Masks to compare with those before streamlining; 0: none.",
)
@click.option("--seed", type=int, default=0, metavar="N", help="Of all random choices.")
@click.option(
    "--tokenizer",
    metavar="NAME|PATH",
    help="Where the tokenizer is, if the artifact's name for it does not find it.",
)
@click.option(
    "--jobs",
    type=_SOME,
    default=None,
    metavar="N",
    show_default=f"one for each core, at most {MOST_JOBS}",
    help="Processes; the report does not depend on it.",
)
@resource_option
@click.option(
    "--allow-refused",
    is_flag=True,
    default=False,
    help="Files that Lark refuses are no failure, as long as it parses one.",
)
@part_limit_option
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@limit_options
def verify_command(
    artifact: str,
    *,
    corpus: tuple[str, ...],
    files: int,
    max_bytes: int,
    texts: int,
    max_tokens: int,
    positions: int,
    stretches: int,
    mutations: int,
    raw_positions: int,
    seed: int,
    tokenizer: str | None,
    jobs: int | None,
    resources: tuple[str, ...],
    allow_refused: bool,
    part_seconds: float,
    as_json: bool,
    limits: Limits,
) -> None:
    """Check ARTIFACT in six experiments; exit status 1 if one fails or has nothing to check.

    corpus: what Lark parses of the files is accepted token by token, and nothing else is.
    Files that Lark refuses are named, and fail the run unless they are allowed.
    generation: Lark parses the texts that are generated from the masks.
    oracle: masks agree with an oracle that shares no code with them.
    segmentation: however a text is cut into tokens, each is legal and all lead to the same.
    mutation: files changed by a byte are refused where Lark refuses them, at the right byte.
    raw store: masks are those of the rows before streamlining, in every bit.

    Of a JSON Schema, the judge is the package jsonschema, and there are corpus and generation.
    """
    from maskc.verify import VerifyOptions, run_verify
    from maskc.verify.json_schema import verify_schema_files
    from maskc.vocab import load_encoder

    options = VerifyOptions(
        files=files,
        max_bytes=max_bytes,
        texts=texts,
        max_tokens=max_tokens,
        positions=positions,
        stretches=stretches,
        mutations=mutations,
        raw_positions=raw_positions,
        seed=seed,
        tokenizer=tokenizer,
        allow_refused=allow_refused,
        part_seconds=part_seconds,
        limits=limits,
    )
    loaded = maskc.load(artifact)
    check_fingerprint(artifact, loaded)
    if tokenizer is not None:
        check_tokenizer(artifact, loaded, tokenizer)
    if is_schema(loaded.header):
        name: str = tokenizer or loaded.header["tokenizer"]["name"]
        documents = dict(map(read_resource, resources))
        report = verify_schema_files(loaded, corpus, options, lambda: load_encoder(name), documents)
        _print(report.to_dict(), as_json=as_json)
        click.get_current_context().exit(0 if report.ok else 1)
    if resources:
        raise click.UsageError("--resource goes with a JSON Schema only.")
    with show_parts("verifying") as progress:
        report = run_verify(
            artifact,
            corpus,
            options,
            jobs=jobs or min(_count_cores(), MOST_JOBS),
            progress=progress,
        )
    _print(report.to_dict(), as_json=as_json)
    click.get_current_context().exit(0 if report.ok else 1)


def _print(report: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        print_json(report)
    else:
        print_report(report)


def _count_cores() -> int:
    """Return the cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
