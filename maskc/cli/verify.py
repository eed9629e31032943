"""``maskc verify``: does the artifact keep its promise?"""

from __future__ import annotations

from typing import Any

import click

from maskc.cli import options as opt
from maskc.cli.progress import show_parts
from maskc.cli.tokenizer import check_fingerprint, check_tokenizer
from maskc.limits import Limits
from maskc.report.verify import report_verification

# How much to check: the default, what is counted, and whether there may be none. The defaults are
# those of VerifyOptions, which a test compares: importing it loads Lark.
_AMOUNTS: dict[str, tuple[int, str, int]] = {
    "files": (300, "Files to walk.", 1),
    "max_bytes": (100_000, "Size of a file.", 1),
    "texts": (40, "Texts to generate; 0: none.", 0),
    "max_tokens": (400, "Length of a text.", 1),
    "positions": (400, "Masks to compare; 0: none.", 0),
    "stretches": (200, "Stretches of texts to cut into tokens in every way; 0: none.", 0),
    "mutations": (300, "Texts to change by a byte; 0: none.", 0),
    "raw_positions": (2_000, "Masks to compare with those before streamlining; 0: none.", 0),
}
_amount_options = opt.gather(
    "amounts",
    dict,
    {
        name: opt.count(f"--{name.replace('_', '-')}", default, what, least=least)
        for name, (default, what, least) in _AMOUNTS.items()
    }
    | {"seed": opt.seed("Of all random choices.")},
)


@opt.command(
    "verify",
    "Check that an artifact keeps its promise.",
    opt.SOURCED,
    opt.CORPUS,
    _amount_options,
    opt.FOUND_TOKENIZER,
    opt.jobs("Processes; the report does not depend on it."),
    opt.EXECUTOR,
    opt.flag(
        "--allow-refused", "Files that Lark refuses are no failure, as long as it parses one."
    ),
    opt.PART_LIMIT,
    opt.LIMITS,
    as_json="Print the report as JSON.",
    defaults=True,
)
def verify_command(
    opened: opt.Opened,
    corpus: tuple[str, ...],
    amounts: dict[str, int],
    tokenizer: str | None,
    jobs: int,
    executor: str | None,
    limits: Limits,
    **more: Any,
) -> opt.Outcome:
    """Check ARTIFACT in six experiments; exit status 1 if one fails or has nothing to check.

    corpus: what Lark parses of the files is accepted token by token, and nothing else is; left out
    without --corpus, where the other experiments take the texts that are generated.
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

    if not corpus and not amounts["texts"]:
        raise click.UsageError("--texts 0 needs --corpus PATH: there would be no text to check.")
    path, artifact = opened.path, opened.artifact
    check_fingerprint(path, artifact)
    if tokenizer is not None:
        check_tokenizer(path, artifact, tokenizer)
    opened.kind.check_source(artifact)
    settings: dict[str, Any] = {**amounts, **more, "tokenizer": tokenizer, "start": opened.start}
    options = VerifyOptions(**settings, limits=limits, resources=opened.resources)
    with show_parts("verifying") as progress:
        found = run_verify(path, corpus, options, jobs=jobs, executor=executor, progress=progress)
    return report_verification(found.to_dict()), 0 if found.ok else 1
