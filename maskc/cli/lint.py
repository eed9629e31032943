"""``maskc lint``: what the author of a grammar should know before shipping it."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

import click

import maskc
from maskc.bounded import run_dedicated
from maskc.cli import options as opt
from maskc.cli.input import name_schema, read_resources, read_schema_file, split_schema
from maskc.cli.operands import LarkOptions, find_input, lark_options
from maskc.files import write_atomically
from maskc.limits import Limits
from maskc.lint import Finding, Severity
from maskc.report import Line, Lines, Report, count, point_at
from maskc.report.render import print_json, show, show_progress

if TYPE_CHECKING:
    from maskc.frontends.source import GrammarSource


@opt.command(
    "lint",
    "Report errors and surprises of a grammar or JSON Schema.",
    click.argument("grammar", required=False),
    opt.word("--regex", "PATTERN", "Lint a regular expression instead of a grammar."),
    opt.schema("Lint"),
    opt.RESOURCES,
    lark_options,
    opt.tokenizer("Also find tokens that no mask contains."),
    opt.json("Print the findings as JSON."),
    opt.word("--sarif", "FILE", "Also write the findings as SARIF 2.1.0; - prints them."),
    opt.LIMITS,
)
def lint_command(
    grammar: str | None,
    *,
    regex: str | None,
    json_schema: str | None,
    resources: tuple[str, ...],
    lark: LarkOptions,
    tokenizer: str | None,
    as_json: bool,
    sarif: str | None,
    limits: Limits,
) -> opt.Outcome:
    """Report errors and surprises of GRAMMAR; exit status 1 if there is an error.

    Each finding has a code, a severity, a location, a witness if there is one, and a remedy.
    GRAMMAR can be a JSON Schema if its name ends in .schema.json. With --tokenizer the grammar is
    compiled as well. A comment with `maskc: allow=ML007` drops the findings of a code: among the
    first lines in the whole file, elsewhere on its own line and the next one.
    """
    if as_json and sarif == "-":
        raise click.UsageError("Give --json or --sarif -, not both.")
    grammar, json_schema = split_schema(grammar, json_schema)
    if json_schema is not None:
        if grammar or regex is not None or lark.is_given or tokenizer:
            raise click.UsageError(
                "A JSON Schema has no start, lexer, postlex or tokenizer; leave these options out."
            )
        linted = _lint_schema(json_schema, resources, limits)
    else:
        if (grammar is None) == (regex is None):
            raise click.UsageError("Give one of GRAMMAR, --regex PATTERN and --json-schema FILE.")
        if resources:
            raise click.UsageError("--resource is for JSON Schemas only; leave it out.")
        found = find_input(grammar or "") if regex is None else regex
        linted = _lint_grammar(found, None if regex is None else "regex", lark, tokenizer, limits)
    return _show(linted, as_json=as_json, sarif=sarif)


class _Linted(NamedTuple):
    """What was looked at: its name, its path or ``-``, its text, and what was found."""

    name: str
    path: str
    text: str
    findings: tuple[Finding, ...]


def _lint_grammar(
    given: str | Path, dialect: str | None, lark: LarkOptions, tokenizer: str | None, limits: Limits
) -> _Linted:
    from maskc.lint.order import lint_grammar
    from maskc.vocab import load_vocabulary

    vocabulary = load_vocabulary(tokenizer) if tokenizer is not None else None

    def lint() -> tuple[GrammarSource, tuple[Finding, ...]]:
        source = lark.load(given, dialect)
        with show_progress("linting") as progress:
            return source, lint_grammar(source, vocabulary, progress)

    source, findings = run_dedicated(lint, limits)
    text = source.text if source.original is None else source.original
    return _Linted(source.name, "-" if isinstance(given, str) else str(given), text, findings)


def _lint_schema(path: str, resources: tuple[str, ...], limits: Limits) -> _Linted:
    from maskc.lint.schemas import lint_schema

    text, documents = read_schema_file(path), read_resources(resources)
    with name_schema(path):
        findings = run_dedicated(lambda: lint_schema(text, documents), limits)
    name = "schema" if path == "-" else Path(path).name
    return _Linted(name, path, text.decode(errors="replace"), findings)


def _show(linted: _Linted, *, as_json: bool, sarif: str | None) -> int:
    """Print findings; return the exit status, 1 if something is an error."""
    name, path, text, findings = linted
    if sarif is not None:
        log = to_sarif(path, findings, text)
        if sarif == "-":
            print_json(log)
        else:
            write_atomically(sarif, f"{json.dumps(log, indent=2)}\n".encode())
    if sarif != "-":
        show(report_findings(name, findings, text), as_json=as_json)
    return int(any(finding.severity is Severity.ERROR for finding in findings))


_STYLES = {Severity.ERROR: "bold red", Severity.WARNING: "yellow", Severity.NOTE: "dim"}


def report_findings(grammar: str, findings: Sequence[Finding], text: str = "") -> Report:
    """Return the findings, each with its line of the text, and how many there are."""
    counts = Counter(finding.severity for finding in findings)
    data = {
        "grammar": grammar,
        "counts": {f"{severity.value}s": counts[severity] for severity in Severity},
        "findings": [finding.to_dict() for finding in findings],
    }
    lines = text.splitlines()
    shown = [line for finding in findings for line in _say_finding(grammar, finding, lines)]
    summary = ", ".join(count(counts[severity], severity.value) for severity in Severity)
    return Report(data, [Lines([*shown, f"{grammar}: {summary}"])])


def _say_finding(grammar: str, finding: Finding, lines: Sequence[str]) -> Iterator[Line]:
    location, severity = finding.location, finding.severity
    where = f":{location.line}" if location.line is not None else ""
    what = f" {finding.code}: {location.kind} {location.name}".rstrip()
    yield (f"{grammar}{where}: ", ""), (severity.value, _STYLES[severity]), (what, "")
    if location.line is not None and 0 < location.line <= len(lines):
        line = lines[location.line - 1]
        before = line[: find_column(finding, line) - 1]
        length = len(location.name) if location.name in line else 1
        yield from point_at(line.encode(), len(before.encode()), length)
    yield f"  {finding.fact}"
    if finding.witness is not None:
        # Those of a vocabulary are quoted one by one.
        is_quoted = location.kind == "vocabulary"
        yield f"  witness: {finding.witness if is_quoted else repr(finding.witness)}"
    yield f"  remedy: {finding.remedy}"


def find_column(finding: Finding, line: str) -> int:
    """Return the column, from 1, of what a finding is about in its line."""
    name = finding.location.name
    found = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", line) if name else None
    return (found.start() if found else len(line) - len(line.lstrip())) + 1


def to_sarif(uri: str, findings: Sequence[Finding], text: str) -> dict[str, Any]:
    """Return findings as a SARIF log, for code hosts and editors.

    One run with a result for each finding and a rule for each code. Locations in a grammar are
    lines and columns; those of a JSON Schema are JSON pointers, as logical locations.

    Source: OASIS, *Static Analysis Results Interchange Format (SARIF) Version 2.1.0*, 2020.
    """
    codes = sorted({finding.code for finding in findings})
    rules = [{"id": code} for code in codes]
    driver = {"name": "maskc lint", "version": maskc.__version__, "rules": rules}
    lines = text.splitlines()
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_to_result(uri, f, codes.index(f.code), lines) for f in findings],
    }
    schema = "https://json.schemastore.org/sarif-2.1.0.json"
    return {"$schema": schema, "version": "2.1.0", "runs": [run]}


def _to_result(uri: str, finding: Finding, rule: int, lines: Sequence[str]) -> dict[str, Any]:
    witness = f" (witness: {finding.witness!r})" if finding.witness is not None else ""
    return {
        "ruleId": finding.code,
        "ruleIndex": rule,
        "level": finding.severity.value,
        "message": {"text": f"{finding.fact}{witness}; {finding.remedy}"},
        "locations": [_locate(uri, finding, lines)],
    }


def _locate(uri: str, finding: Finding, lines: Sequence[str]) -> Mapping[str, Any]:
    physical: dict[str, Any] = {"artifactLocation": {"uri": quote(uri)}}
    number = finding.location.line
    if number is not None and 0 < number <= len(lines):
        column = find_column(finding, lines[number - 1])
        physical["region"] = {"startLine": number, "startColumn": column}
    found: dict[str, Any] = {"physicalLocation": physical}
    if finding.location.name:
        kind = {"kind": "member"} if finding.location.kind != "schema" else {}
        found["logicalLocations"] = [{"fullyQualifiedName": finding.location.name, **kind}]
    return found
