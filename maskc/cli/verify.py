"""``maskc verify``: checks that an artifact keeps its promise."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import click

from maskc.cli import options as opt
from maskc.cli.operands import check_fingerprint, check_tokenizer
from maskc.limits import Limits
from maskc.report import Block, Facts, Lines, Report, Table, format_count
from maskc.report.render import show_parts

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


# Further failures and refused texts are in the JSON.
N_SHOWN = 5
_N_REFUSED = 10
_N_EXPECTED = 6
_ALLOW = "give --corpus texts of the grammar, or --allow-refused"


def report_verification(found: Mapping[str, Any]) -> Report:
    """Return the report of a :meth:`maskc.verify.model.VerifyReport.to_dict`."""
    return Report(found, _list_blocks(found))


def _list_blocks(found: Mapping[str, Any]) -> Iterator[Block]:
    rows = []
    for experiment in found["experiments"]:
        yield from _list_experiment(experiment)
        yield Lines([""])
        checked = [f"{_format_value(n)} {name}" for name, n in experiment["checked"].items()]
        n_failures = _format_value(experiment["counts"].get("failures", 0))
        outcome = "FAILED" if experiment["failures"] else experiment["outcome"]
        rows.append((experiment["name"], outcome, ", ".join(checked), n_failures))
    columns = ("experiment", "outcome", "checked", "failures")
    yield Table("Summary", columns, rows, ("failures",))
    yield Lines([format_verdict(found)])


def _list_experiment(experiment: Mapping[str, Any]) -> Iterator[Block]:
    """Yield the outcome and counts of an experiment, the first witnesses and refused texts."""
    failures, refused = experiment["failures"], experiment["refused"]
    outcome, style = experiment["outcome"], "bold yellow"
    if experiment["ok"]:
        outcome, style = "passed", "bold green"
    elif failures:
        outcome, style = "FAILED", "bold red"
    yield Lines([((f"{experiment['name']}: {outcome}", style),)])
    yield _list_values(experiment["counts"], "  ")
    n_failures = _format_value(experiment["counts"].get("failures", len(failures)))
    for number, failure in enumerate(failures[:N_SHOWN], 1):
        yield Lines([((f"  failure {number} of {n_failures}", "red"),)])
        yield _list_values(failure, "    ")
    yield Lines([f"  {format_refused(text)}" for text in refused[:_N_REFUSED]])
    if len(refused) > _N_REFUSED:
        yield Lines([f"  … and {format_count(len(refused) - _N_REFUSED)} more, with --json"])


def _list_values(values: Mapping[str, Any], indent: str) -> Facts:
    return Facts([(indent + k.replace("_", " "), _format_value(v)) for k, v in values.items()])


def format_verdict(found: Mapping[str, Any]) -> str:
    """Return the last line: whether the artifact is right, wrong, or was not verified, and why."""
    versions = found.get("unicode")
    differ = versions and (
        f"It was compiled with the characters of Unicode {versions['artifact']}, and this Python "
        f"has those of Unicode {versions['python']}"
    )
    if found["ok"]:
        kept = "The artifact keeps its promise."
        return f"{kept} {differ}: in these texts the result is the same." if differ else kept
    if found["wrong"] and differ:
        return (
            f"The artifact and this Python do not agree. {differ}: what \\w, \\d, \\s and the flag "
            "i match may differ. Verify it with the Python that compiled it, or compile it again "
            "with this one."
        )
    if found["wrong"]:
        return "The artifact is WRONG."
    reasons = [_explain(experiment) for experiment in found["experiments"] if not experiment["ok"]]
    return f"The artifact was NOT VERIFIED: {'; '.join(reasons)}."


def _explain(experiment: Mapping[str, Any]) -> str:
    if experiment["lack"]:
        return f"{experiment['name']}: {experiment['lack']}"
    n_refused = len(experiment["refused"])
    texts = "1 file is" if n_refused == 1 else f"{format_count(n_refused)} files are"
    return f"{experiment['name']}: {texts} refused by {experiment['refused_by']} ({_ALLOW})"


def format_refused(text: Mapping[str, Any]) -> str:
    """Return where a text was refused, and what was expected.

    >>> where = {"file": "a.json", "line": 1, "column": 4, "reason": "unexpected ','"}
    >>> format_refused({**where, "expected": ["STRING"]})
    "a.json:1:4: unexpected ','; expected STRING"
    """
    expected = list(text["expected"])
    more = len(expected) - _N_EXPECTED
    names = ", ".join(expected[:_N_EXPECTED]) + (f" or {more} others" if more > 0 else "")
    where = f"{text['file']}:{text['line']}:{text['column']}: {text['reason']}"
    return f"{where}; expected {names}" if names else where


def _format_value(value: Any) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return format_count(value)
    if isinstance(value, float):
        return f"{value:,.1f}"
    return value if isinstance(value, str) else repr(value)
