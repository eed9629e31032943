"""``maskc verify``: does the artifact keep its promise?"""

from __future__ import annotations

import click

from maskc.cli.options import (
    Opened,
    corpus_option,
    count_option,
    executor_option,
    found_tokenizer_option,
    gather,
    jobs_option,
    json_option,
    limit_options,
    part_limit_option,
    seed_option,
    sourced_artifact_options,
)
from maskc.cli.progress import show_parts
from maskc.cli.tokenizer import check_fingerprint, check_tokenizer
from maskc.limits import Limits
from maskc.report.render import show
from maskc.report.verify import report_verification

# How much to check. The defaults are those of VerifyOptions, which a test compares: importing it
# loads Lark.
_amount_options = gather(
    "amounts",
    dict,
    {
        "files": count_option("--files", 300, "Files to walk."),
        "max_bytes": count_option("--max-bytes", 100_000, "Size of a file."),
        "texts": count_option("--texts", 40, "Texts to generate; 0: none.", least=0),
        "max_tokens": count_option("--max-tokens", 400, "Length of a text."),
        "positions": count_option("--positions", 400, "Masks to compare; 0: none.", least=0),
        "stretches": count_option(
            *("--stretches", 200, "Stretches of texts to cut into tokens in every way; 0: none."),
            least=0,
        ),
        "mutations": count_option(
            "--mutations", 300, "Texts to change by a byte; 0: none.", least=0
        ),
        "raw_positions": count_option(
            *("--raw-positions", 2_000),
            "Masks to compare with those before streamlining; 0: none.",
            least=0,
        ),
        "seed": seed_option("Of all random choices."),
    },
)


@click.command(
    "verify",
    short_help="Check that an artifact keeps its promise.",
    context_settings={"show_default": True},
)
@sourced_artifact_options
@corpus_option
@_amount_options
@found_tokenizer_option
@jobs_option("Processes; the report does not depend on it.")
@executor_option
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
    opened: Opened,
    *,
    corpus: tuple[str, ...],
    amounts: dict[str, int],
    tokenizer: str | None,
    jobs: int,
    executor: str | None,
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

    path, artifact = opened.path, opened.artifact
    check_fingerprint(path, artifact)
    if tokenizer is not None:
        check_tokenizer(path, artifact, tokenizer)
    opened.kind.check_source(artifact)
    options = VerifyOptions(
        **amounts,
        tokenizer=tokenizer,
        start=opened.start,
        allow_refused=allow_refused,
        part_seconds=part_seconds,
        limits=limits,
        resources=opened.resources,
    )
    with show_parts("verifying") as progress:
        report = run_verify(path, corpus, options, jobs=jobs, executor=executor, progress=progress)
    show(report_verification(report.to_dict()), as_json=as_json)
    click.get_current_context().exit(0 if report.ok else 1)
