"""``maskc verify``: checks that an artifact keeps its promise."""

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
    "files": (300, "Maximum number of files.", 1),
    "max_bytes": (100_000, "Maximum size of a file.", 1),
    "texts": (40, "Number of generated texts.", 0),
    "max_tokens": (400, "Maximum length of a generated text.", 1),
    "positions": (400, "Number of masks to compare with the oracle.", 0),
    "segments": (200, "Number of ranges of text to cut into tokens in every way.", 0),
    "mutations": (300, "Number of texts to change by one byte.", 0),
    "raw_positions": (2_000, "Number of masks to compare with those before optimisation.", 0),
}
_amount_options = opt.gather(
    "amounts",
    dict,
    {
        name: opt.count(f"--{name.replace('_', '-')}", default, what, least=least)
        for name, (default, what, least) in _AMOUNTS.items()
    }
    | {"seed": opt.seed("Seed of all random choices.")},
)


@opt.command(
    "verify",
    "Check an artifact against its grammar and your texts.",
    opt.SOURCED,
    opt.CORPUS,
    _amount_options,
    opt.FOUND_TOKENIZER,
    opt.jobs("Number of processes; the report does not depend on it."),
    opt.EXECUTOR,
    opt.flag("--allow-refused", "Ignore files that Lark rejects, if at least one parses."),
    opt.PART_LIMIT,
    opt.LIMITS,
    as_json="Print the report as JSON.",
    defaults=True,
)
def verify_command(
    opened: opt.OpenedArtifact,
    corpus: tuple[str, ...],
    amounts: dict[str, int],
    tokenizer: str | None,
    jobs: int,
    executor: str | None,
    limits: Limits,
    **more: Any,
) -> opt.Outcome:
    """Check ARTIFACT in six experiments; exit status 1 if one fails or has nothing to check.

    corpus: the artifact accepts the files that Lark parses, token by token, and no others. A file
    that Lark rejects fails the run; see --allow-refused. Without --corpus, the other experiments
    use generated texts. generation: Lark parses the texts that are generated from the masks, and
    agrees with the artifact on texts that are drawn by the rules.
    oracle: masks agree with an oracle that shares no code with them. segmentation: however a text
    is cut into tokens, each is legal and the cuts lead to the same state. mutation: files with one
    byte changed are refused where Lark refuses them. optimisation: masks equal those of the rows
    before optimisation, bit for bit.

    For a JSON Schema the package jsonschema is the judge, and there is no optimisation. For a
    structural tag or tools the corpus is replies of a model, the judge reads the tag's JSON, and
    there is neither optimisation nor oracle.
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
