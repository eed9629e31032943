"""``maskc verify``: does the artifact keep its promise?"""

from __future__ import annotations

import click

import maskc
from maskc.artifact.sections import is_link, is_schema
from maskc.cli.json_schema import read_resources, resource_option
from maskc.cli.limits import limit_options, part_limit_option
from maskc.cli.options import (
    choose_jobs,
    corpus_option,
    executor_option,
    found_tokenizer_option,
    gather,
    jobs_option,
    json_option,
    start_option,
)
from maskc.cli.progress import show_parts
from maskc.cli.tokenizer import check_fingerprint, check_tokenizer
from maskc.limits import Limits
from maskc.report.render import print_json
from maskc.report.verify import print_report

_SOME, _ANY = click.IntRange(1), click.IntRange(0)


# How much to check. The defaults are those of VerifyOptions, which a test compares: importing it
# loads Lark.
_amount_options = gather(
    "amounts",
    dict,
    {
        "files": click.option(
            "--files", type=_SOME, default=300, metavar="N", help="Files to walk."
        ),
        "max_bytes": click.option(
            "--max-bytes", type=_SOME, default=100_000, metavar="N", help="Size of a file."
        ),
        "texts": click.option(
            "--texts", type=_ANY, default=40, metavar="N", help="Texts to generate; 0: none."
        ),
        "max_tokens": click.option(
            "--max-tokens", type=_SOME, default=400, metavar="N", help="Length of a text."
        ),
        "positions": click.option(
            "--positions", type=_ANY, default=400, metavar="N", help="Masks to compare; 0: none."
        ),
        "stretches": click.option(
            "--stretches",
            type=_ANY,
            default=200,
            metavar="N",
            help="Stretches of texts to cut into tokens in every way; 0: none.",
        ),
        "mutations": click.option(
            "--mutations",
            type=_ANY,
            default=300,
            metavar="N",
            help="Texts to change by a byte; 0: none.",
        ),
        "raw_positions": click.option(
            "--raw-positions",
            type=_ANY,
            default=2_000,
            metavar="N",
            help="Masks to compare with those before streamlining; 0: none.",
        ),
        "seed": click.option(
            "--seed", type=int, default=0, metavar="N", help="Of all random choices."
        ),
    },
)


@click.command(
    "verify",
    short_help="Check that an artifact keeps its promise.",
    context_settings={"show_default": True},
)
@click.argument("artifact")
@corpus_option
@_amount_options
@found_tokenizer_option
@start_option
@jobs_option("Processes; the report does not depend on it.")
@executor_option
@resource_option
@click.option(
    "--allow-refused",
    is_flag=True,
    default=False,
    help="Files that Lark refuses are no failure, as long as it parses one.",
)
@part_limit_option
@json_option()
@limit_options
def verify_command(
    artifact: str,
    *,
    corpus: tuple[str, ...],
    amounts: dict[str, int],
    tokenizer: str | None,
    start: str | None,
    jobs: int | None,
    executor: str | None,
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

    Of a JSON Schema, the judge is the package jsonschema, and there is no raw store. Of a
    structural tag or tools, the corpus is replies of a model, the judge reads the tag's JSON, and
    there are neither raw store nor oracle.
    """
    from maskc.verify import VerifyOptions, run_verify

    options = VerifyOptions(
        **amounts,
        tokenizer=tokenizer,
        start=start,
        allow_refused=allow_refused,
        part_seconds=part_seconds,
        limits=limits,
        resources=read_resources(resources),
    )
    loaded = maskc.load(artifact).for_start(start)
    check_fingerprint(artifact, loaded)
    if tokenizer is not None:
        check_tokenizer(artifact, loaded, tokenizer)
    if resources and not is_schema(loaded.header):
        raise click.UsageError("--resource goes with a JSON Schema only.")
    if is_link(loaded.header):
        _check_tag(loaded)
    with show_parts("verifying") as progress:
        report = run_verify(
            artifact,
            corpus,
            options,
            jobs=choose_jobs(jobs),
            executor=executor,
            progress=progress,
        )
    if as_json:
        print_json(report.to_dict())
    else:
        print_report(report.to_dict())
    click.get_current_context().exit(0 if report.ok else 1)


def _check_tag(artifact: maskc.Artifact) -> None:
    """Refuse a tag that is none: whoever made the file may have put anything in its place."""
    from maskc.runtime.link.plan.replies import names_of
    from maskc.tags.parsing import parse_tag
    from maskc.tags.reading import Reader

    tag = parse_tag(artifact.contents.arrays["link_source"].tobytes())
    Reader(artifact.vocab_size, names_of(artifact.header).get).read(tag)
