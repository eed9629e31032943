"""``maskc lint``: what the author of a grammar should know before shipping it."""

from __future__ import annotations

import click

from maskc.cli.compile import find_grammar
from maskc.cli.limits import limit_options, run_alone
from maskc.limits import Limits
from maskc.report.render import print_json


@click.command("lint")
@click.argument("grammar")
@click.option("--start", metavar="RULE", help="The start symbol.")
@click.option("--lexer", type=click.Choice(["contextual", "basic"]), help="Which lexer of Lark's.")
@click.option("--postlex", metavar="MODULE:CLASS", help="An Indenter, for indentation.")
@click.option("--tokenizer", metavar="NAME|PATH", help="Also look for tokens that are useless.")
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
@limit_options
def lint_command(
    grammar: str,
    *,
    start: str | None,
    lexer: str | None,
    postlex: str | None,
    tokenizer: str | None,
    as_json: bool,
    limits: Limits,
) -> None:
    """Print what is odd about GRAMMAR; exit status 1 if something is an error.

    Each finding has a code, a severity, a place, a witness where there is one, and a remedy.
    With --tokenizer the grammar is compiled, which takes as long as `maskc compile`.
    """
    from maskc.frontends.source import GrammarSource, load_source
    from maskc.lint.model import Finding, Severity
    from maskc.lint.order import lint_grammar
    from maskc.lint.overlap import is_installed
    from maskc.report.lint import print_findings, to_dict
    from maskc.vocab import load_vocabulary

    vocabulary = load_vocabulary(tokenizer) if tokenizer is not None else None

    def lint() -> tuple[GrammarSource, tuple[Finding, ...]]:
        source = load_source(find_grammar(grammar), start=start, lexer=lexer, postlex=postlex)
        return source, lint_grammar(source, vocabulary)

    source, findings = run_alone(lint, limits)
    if not is_installed():
        click.echo(
            "maskc: interegular is not installed, so collisions come from maskc's own search "
            "alone; pip install 'maskc[lint]'",
            err=True,
        )
    if as_json:
        print_json(to_dict(source.name, findings))
    else:
        print_findings(source.name, findings)
    has_errors = any(finding.severity is Severity.ERROR for finding in findings)
    click.get_current_context().exit(1 if has_errors else 0)
