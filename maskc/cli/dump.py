"""``maskc dump``: the value of one of the compiler's stages, as text."""

from __future__ import annotations

import click

from maskc.cli.grammar import LarkOptions, find_input, lark_options
from maskc.cli.options import count_option, limit_options, tokenizer_option
from maskc.cli.progress import show_progress
from maskc.limits import Limits
from maskc.work.alone import run_alone


@click.command(
    "dump",
    short_help="Print what the compiler knows after a stage.",
    context_settings={"show_default": True},
)
@click.argument("grammar")
@click.option(
    "--stage", metavar="NAME", required=True, help="Which stage; --stage help lists them."
)
@tokenizer_option("For stages from the mask store on.")
@lark_options
@count_option("--lines", 1_000, "Print at most so many lines.")
@limit_options
def dump_command(
    grammar: str,
    *,
    stage: str,
    tokenizer: str | None,
    lark: LarkOptions,
    lines: int,
    limits: Limits,
) -> None:
    """Print what the compiler knows of GRAMMAR after one of its stages.

    From the grammar alone: grammar, dft, debts, scanner, boundaries, items, table, table-debts, and
    productions for a general grammar. With a tokenizer: rows:STEP after each streamlining step,
    from rows:raw on, verdicts, graph, masks. The same input gives the same lines.
    """
    from maskc.dump.stages import OF_LANGUAGE, OF_STORE, STAGES, limit_lines
    from maskc.glr.pipeline import build_general_language
    from maskc.lalr_path import build_language
    from maskc.pipeline import compile_stages
    from maskc.vocab import load_vocabulary

    if stage not in STAGES:
        raise click.UsageError(f"--stage is one of {', '.join(STAGES)}.")
    if stage in OF_STORE and tokenizer is None:
        raise click.UsageError(f"--stage {stage} needs --tokenizer: rows are made of its tokens.")
    if stage in OF_LANGUAGE and tokenizer is not None:
        raise click.UsageError(f"--stage {stage} does without --tokenizer; leave it out.")

    def work() -> list[str]:
        source = lark.load(find_input(grammar))
        with show_progress("compiling") as progress:
            if tokenizer is None:
                build = build_general_language if source.parser == "earley" else build_language
                dumped = OF_LANGUAGE[stage](build(source))
            else:
                vocabulary = load_vocabulary(tokenizer)
                dumped = OF_STORE[stage](compile_stages(source, vocabulary, progress), vocabulary)
            return list(limit_lines(dumped, lines))

    for line in run_alone(work, limits):
        click.echo(line)
