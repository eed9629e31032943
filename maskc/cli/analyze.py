"""``maskc analyze`` and ``maskc dump``: what the compiler knows of a grammar."""

from __future__ import annotations

import csv
import math
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from maskc.bounded import run_dedicated
from maskc.cli import options as opt
from maskc.cli.operands import LarkOptions, find_input, lark_options
from maskc.files import write_atomically
from maskc.limits import Limits
from maskc.report import Block, Facts, Lines, Report, Table, format_count
from maskc.report.render import print_json, show, show_progress

if TYPE_CHECKING:
    from maskc.compiler.pushdown.queries import (
        AlwaysAnswer,
        ClassesAnswer,
        FollowAnswer,
        GrammarQueries,
        JointAnswer,
        NeverAnswer,
        OverviewAnswer,
    )

    Answer = (
        AlwaysAnswer | ClassesAnswer | FollowAnswer | JointAnswer | NeverAnswer | OverviewAnswer
    )

# With a backspace of its own line click leaves the lines of a paragraph as they are.
_HELP = """Answer a question about GRAMMAR; without one, print an overview.

\b
never X S…          no text has the sequence S right after the terminal X
always X S…         S is legal wherever X was read
joint X "S…" "S…"   two sequences are legal after X on the same stacks
classes             the interchangeable terminals
follow X            the terminals that come right after X, a terminal or a rule
pda                 the DFT pushdown automaton

Give a terminal by its name, by its exact text if it is a string, or as $END for the end of
the text. Quote special characters of the shell: '<=', '$END'. Texts that begin with a dash
follow `--`.
"""


_Ask = Callable[..., Any]
_NONE = (0, 0, "no terminals")
# Question → the least and the greatest number of terminals, that number in words, and the answer.
_QUERIES: dict[str | None, tuple[int, float, str, _Ask]] = {
    "never": (1, math.inf, "X and a sequence", lambda q, x, *rest: q.ask_never(x, rest)),
    "always": (1, math.inf, "X and a sequence", lambda q, x, *rest: q.ask_always(x, rest)),
    "joint": (
        3,
        3,
        "X and two quoted sequences",
        lambda q, x, one, other: q.ask_joint(x, one.split(), other.split()),
    ),
    "follow": (1, 1, "one symbol", lambda q, x: q.ask_follow(x)),
    "classes": (*_NONE, lambda q: q.ask_classes()),
    "pda": (*_NONE, lambda q: q.dft),
    None: (*_NONE, lambda q: q.ask_overview()),
}


@opt.command(
    "analyze",
    "Answer questions about a grammar.",
    click.argument("grammar", required=False),
    click.argument("question", required=False, type=click.Choice([*filter(None, _QUERIES)])),
    click.argument("terminals", nargs=-1),
    opt.word("--regex", "PATTERN", "Analyze a regular expression instead of a grammar."),
    opt.flag("--dot", "With pda: print it in the language of Graphviz."),
    opt.word(
        "--export", "PATH", "Write the grammar (.cfg) or its automaton (.json) for pyformlang."
    ),
    lark_options,
    opt.json("Print the answer as JSON."),
    opt.flag("--csv", "Print the answer as CSV.", "as_csv"),
    opt.LIMITS,
    help=_HELP,
)
def analyze_command(
    grammar: str | None,
    *,
    regex: str | None,
    question: str | None,
    terminals: tuple[str, ...],
    dot: bool,
    export: str | None,
    lark: LarkOptions,
    as_json: bool,
    as_csv: bool,
    limits: Limits,
) -> opt.Outcome:
    """Answer a question about GRAMMAR; without one, print an overview."""
    if (grammar is None) == (regex is None):
        raise click.UsageError("Give one of GRAMMAR and --regex PATTERN.")
    least, most, needed, ask = _QUERIES[question]
    if not least <= len(terminals) <= most:
        raise click.UsageError(f"{question or 'analyze'} takes {needed}.")
    if grammar is not None and grammar.endswith((".json", ".maskc")):
        raise click.UsageError(
            "maskc analyze needs a grammar with terminals; a JSON Schema is "
            "for maskc lint, an artifact for maskc explain."
        )
    if as_csv and (as_json or question == "pda"):
        raise click.UsageError("--csv cannot be combined with --json or pda.")
    if dot and (question != "pda" or as_json):
        raise click.UsageError("--dot is for pda only, and not with --json.")
    if export is not None and question is not None:
        raise click.UsageError("--export takes no question; leave it out.")
    if export is not None and not export.endswith((".cfg", ".json")):
        raise click.UsageError("--export writes a file that ends in .cfg or .json.")

    def work() -> int:
        queries = _load(grammar or "", regex, lark)
        if export is not None:
            _export(queries, export)
            return 0
        answer = ask(queries, *terminals)
        if as_csv:
            csv.writer(sys.stdout, lineterminator="\n").writerows(tabulate_answer(answer))
        elif question != "pda":
            show(Report(asdict(answer), _list_blocks(answer)), as_json=as_json)
        elif as_json:
            print_json(answer.to_dict())
        else:
            click.echo(answer.to_dot() if dot else answer.format())
        return 0

    return run_dedicated(work, limits)


def _load(grammar: str, regex: str | None, lark: LarkOptions) -> GrammarQueries:
    from maskc.compiler.pushdown.queries import GrammarQueries
    from maskc.frontends.loading import load_grammar
    from maskc.frontends.texts import REGEX

    source = lark.load(regex, REGEX.name) if regex is not None else lark.load(find_input(grammar))
    return GrammarQueries(load_grammar(source)[0], source.name)


def _export(queries: GrammarQueries, path: str) -> None:
    from maskc.compiler.pushdown.dft import format_cfg, format_pda

    is_grammar = path.endswith(".cfg")
    text = format_cfg(queries.reduced) if is_grammar else format_pda(queries.dft)
    write_atomically(path, f"{text}\n".encode())


@opt.command(
    "dump",
    "Print the compiler's value after a stage.",
    click.argument("grammar"),
    opt.word("--stage", "NAME", "Stage to print; --stage help lists them.", required=True),
    opt.tokenizer("Tokenizer, for stages from rows:raw on."),
    lark_options,
    opt.count("--lines", 1_000, "Maximum number of lines."),
    opt.LIMITS,
    defaults=True,
)
def dump_command(
    grammar: str,
    *,
    stage: str,
    tokenizer: str | None,
    lark: LarkOptions,
    lines: int,
    limits: Limits,
) -> opt.Outcome:
    """Print the compiler's value for GRAMMAR after one of its stages.

    From the grammar alone: grammar, dft, debts, scanner, boundaries, items, table, table-debts, and
    productions for a general grammar. With a tokenizer: rows:STEP after each step that optimises
    rows, from rows:raw on; verdicts, graph, masks. The same input gives the same lines.
    """
    from maskc.compiler.pipeline import PATHS, build_language, compile_stages
    from maskc.dump import OF_LANGUAGE, OF_ROWS, STAGES, limit_lines
    from maskc.vocab import load_vocabulary

    if stage not in STAGES:
        raise click.UsageError(f"--stage is one of {', '.join(STAGES)}.")
    if stage in OF_ROWS and tokenizer is None:
        raise click.UsageError(f"--stage {stage} needs --tokenizer NAME.")
    if stage in OF_LANGUAGE and tokenizer is not None:
        raise click.UsageError(f"--stage {stage} takes no --tokenizer; leave it out.")

    def work() -> list[str]:
        source = lark.load(find_input(grammar))
        with show_progress("compiling") as progress:
            if tokenizer is None:
                language = build_language(source, PATHS[source.parser])
                dumped = OF_LANGUAGE[stage](language)
            else:
                vocabulary = load_vocabulary(tokenizer)
                dumped = OF_ROWS[stage](compile_stages(source, vocabulary, progress), vocabulary)
            return list(limit_lines(dumped, lines))

    found = run_dedicated(work, limits)
    return Report(found, [Lines(found)])


_MAX_PATTERN = 60  # of a longer one, so much is shown


def tabulate_answer(answer: Answer) -> list[list[Any]]:
    """Return the rows of an answer for a program, the names of the columns first."""
    from maskc.compiler.pushdown import queries

    match answer:
        case queries.FollowAnswer():
            return [["terminal"], *([name] for name in answer.followers)]
        case queries.ClassesAnswer():
            members = ((n, name) for n, found in enumerate(answer.classes, 1) for name in found)
            rows = [[n, name, answer.texts[name]] for n, name in members]
            return [["class", "terminal", "pattern"], *rows]
        case queries.OverviewAnswer():
            counted = [*answer.counts.items(), *(answer.pairs.items())]
            return [["of", "number"], *map(list, counted)]
    values = asdict(answer)
    row = [" ".join(v) if isinstance(v, list | tuple) else v for v in values.values()]
    return [list(values), row]


def _list_blocks(answer: Answer) -> Iterator[Block]:
    from maskc.compiler.pushdown import queries

    match answer:
        case queries.NeverAnswer():
            yield Lines([_say_never(answer)])
        case queries.AlwaysAnswer():
            yield Lines([_say_always(answer)])
            facts = [("by the productions", answer.verdict)]
            if answer.lalr_verdict:
                n_conflicts = format_count(answer.n_conflicts)
                facts.append(("by Lark's table", answer.lalr_verdict))
                facts.append(("conflicts resolved by Lark", n_conflicts))
            yield Facts(facts)
        case queries.JointAnswer():
            yield Lines([_say_joint(answer)])
        case queries.FollowAnswer():
            yield Lines(answer.followers)
        case queries.ClassesAnswer() if not answer.classes:
            yield Lines(["no two terminals are interchangeable"])
        case queries.ClassesAnswer():
            columns: tuple[str, ...] = ("class", "terminal", "pattern")
            members_of = []
            for number, members in enumerate(answer.classes, 1):
                for name in members:
                    text = answer.texts[name]
                    shown = text if len(text) <= _MAX_PATTERN else f"{text[: _MAX_PATTERN - 1]}…"
                    members_of.append((str(number), name, shown))
            yield Table("Interchangeable terminals", columns, members_of, ("class",))
        case queries.OverviewAnswer():
            yield Facts([(name, format_count(n)) for name, n in answer.counts.items()])
            pairs = [(verdict, format_count(n)) for verdict, n in answer.pairs.items() if n]
            columns = ("is the second legal after the first?", "pairs")
            yield Table("\nPairs of terminals", columns, pairs, ("pairs",))


def _say_never(answer: NeverAnswer) -> str:
    words = " ".join((answer.x, *answer.sequence))
    if answer.unused:
        return f"never-legal: {', '.join(answer.unused)} is in no production that a text uses"
    if answer.never_legal:
        return f"never-legal: no text has {words}"
    return f"not never-legal: some text has {words}"


def _say_always(answer: AlwaysAnswer) -> str:
    words = " ".join(answer.sequence) or "nothing"
    if answer.always_legal:
        return f"always-legal: wherever {answer.x} is legal, {words} is legal after it"
    if answer.verdict == "depends" and answer.lalr_verdict in ("depends", None):
        return f"unknown: after {answer.x}, whether {words} is legal depends on the stack"
    return f"unknown: it is not proven that {words} is always legal after {answer.x}"


def _say_joint(answer: JointAnswer) -> str:
    both = f"{' '.join(answer.one) or 'nothing'} and {' '.join(answer.other) or 'nothing'}"
    if answer.lalr_jointly_legal:
        reason = answer.reason or "Lark's table has the same verdict for both on every stack"
        return f"jointly legal after {answer.x}: {both} ({reason})"
    if answer.jointly_legal:
        return (
            f"jointly legal after {answer.x} by the productions: {both} ({answer.reason}); "
            f"not proven for Lark's table, which resolves {answer.n_conflicts} conflicts"
        )
    return f"unknown: it is not proven that {both} are jointly legal after {answer.x}"
