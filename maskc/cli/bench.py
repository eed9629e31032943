"""``maskc bench``: how fast is an artifact on the user's own texts?"""

from __future__ import annotations

import click

import maskc
from maskc.cli.options import corpus_option, count_option, found_tokenizer_option, json_option
from maskc.cli.tokenizer import check_tokenizer
from maskc.report.bench import print_bench
from maskc.report.render import print_json


@click.command(
    "bench",
    short_help="Time an artifact on texts of yours.",
    context_settings={"show_default": True},
)
@click.argument("artifact")
@corpus_option
# The defaults are those of BenchOptions, which a test compares: importing it loads Lark.
@count_option("--files", 60, "Files to walk.")
@count_option("--max-bytes", 100_000, "Size of a file.")
@found_tokenizer_option
@json_option()
def bench_command(
    artifact: str,
    *,
    corpus: tuple[str, ...],
    files: int,
    max_bytes: int,
    tokenizer: str | None,
    as_json: bool,
) -> None:
    """Time ARTIFACT on texts, token by token, beside what copying the same masks costs.

    fill writes a mask, accept takes the text's next token, step is both. Cold is the first pass
    after loading, warm the second. Garbage collection is off; what it adds is told apart.
    """
    from maskc.bench import BenchOptions, run_bench

    # No progress bar: its thread would be in the times.
    options = BenchOptions(files=files, max_bytes=max_bytes, tokenizer=tokenizer)
    if tokenizer is not None:
        check_tokenizer(artifact, maskc.load(artifact), tokenizer)
    report = run_bench(artifact, corpus, options).to_dict()
    if as_json:
        print_json(report)
    else:
        print_bench(report)
