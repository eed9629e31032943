"""What the compiler made of a grammar, from a header: optimisation, undecided rows, lexing.

Rows are stored once where lexer states share them, and counted as often as they are read. A row is
*undecided* for an LALR state on top if the stack below decides it (header entry ``residue``).

The grammar that an artifact was made from is built again. Lark names the terminals that a grammar
writes as strings: ``__ANON_2`` is called ``"+="`` here. In the terminal sequences of a header the
last entry is what stays open: ``open: NAME | NUMBER``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from maskc.compiler.pushdown.dft import build_dft
from maskc.errors import GrammarError, LimitError
from maskc.frontends.loading import load_grammar
from maskc.frontends.postlex import build_indentation, build_rules, format_indentation, format_rules
from maskc.frontends.source import source_from_header
from maskc.grammar import Grammar, string_of
from maskc.grammar.sets import reduce_grammar
from maskc.report import (
    Bar,
    Block,
    Chip,
    Chips,
    Code,
    Curves,
    Facts,
    Note,
    Section,
    Table,
    Tiles,
    count,
    format_count,
    format_seconds,
    format_size,
)
from maskc.report.compile import OptimiseStep, Timings, format_change, list_steps
from maskc.vocab.vocabulary import quote_bytes

# Further examples of undecided rows, and pairs that are not lexed apart, are in the JSON.
N_SHOWN = 10
# A longer table helps nobody; `maskc dump --stage dft` prints it all.
_MOST_TRANSITIONS = 200

_EXPLANATIONS = {
    "raw": "a row for each lexer state and each terminal sequence that some token completes there",
    "open lexemes": "rows that differ only in what their open lexeme may become are one",
    "interchangeable": "rows that differ only in terminals of one class are one",
    "never legal": "sequences that no text has after the terminal before them are dropped",
    "always legal": "suffixes that are legal on every stack are dropped",
    "jointly legal": "sequences that are legal on the same stacks of Lark's parser are one",
    # Of artifacts that an older version made.
    "closings": "rows that differ only in what their open lexeme may become are one",
}

_OPEN, _OR = "open: ", " | "
UNNAMED = "__ANON_"

Texts = Mapping[str, str]


def list_tiles(header: Mapping[str, Any], n_bytes: int, timings: Timings) -> Tiles:
    """Return the numbers that matter most."""
    steps, undecided = list_steps(header, timings), header["residue"]
    first, last = steps[0].rows, steps[-1].rows
    note = ", ".join(filter(None, [f"of {format_count(first)}", format_change(first, last)]))
    tiles = [("Rows left", format_count(last), note)]
    if undecided:
        note = f"rows at the median, {format_count(undecided['max'])} at most"
        tiles.append(("Depend on the stack", format_count(undecided["median"]), note))
    tiles.append(("Artifact", format_size(n_bytes), f"{format_count(n_bytes)} bytes"))
    if timings:
        seconds = format_seconds(sum(record.seconds for record in timings))
        return Tiles([*tiles, ("Compiled in", seconds, "on this machine")])
    counts = header["counts"]
    kind, name = ("general",) * 2 if "general_states" in counts else ("lalr", "LALR")
    note = f"{format_count(counts[f'{kind}_states'])} {name} states"
    return Tiles([*tiles, ("Productions", format_count(counts["productions"]), note)])


def list_internals(header: Mapping[str, Any], timings: Timings) -> Iterator[Section]:
    grammar = rebuild_grammar(header)
    texts, steps = list_texts(grammar), list_steps(header, timings)
    yield Section("Optimisation", _list_optimisation(steps), "streamlining")
    yield Section("Rows per lexer state", _list_lexer_states(steps), "lexer-states")
    classes = _list_classes(header["classes"], texts)
    yield Section("Interchangeable terminals", classes, "classes")
    if header["residue"]:
        title = "Rows that depend on the stack below the LALR state"
        yield Section(title, _list_undecided(header["residue"], texts), "undecided")
    yield Section("Terminals that cannot be lexed apart", _list_unlexed(header, texts), "lexing")
    yield Section("Pushdown automaton", _list_automaton(grammar, texts), "automaton")


def _list_optimisation(steps: Sequence[OptimiseStep]) -> list[Block]:
    note = Note(
        "A row is a distinct pair of a lexer state and a terminal sequence, with the tokens that "
        "make the sequence there. No step changes a mask. Raw rows are terminal sequences alone; "
        "each terminal that an open lexeme may become ends one. From the second step on, a row "
        "also has the contexts of its terminals, so there can be more rows."
    )
    changes = [format_change(a.rows, b.rows) for a, b in pairwise((*steps[:1], *steps))]
    columns = ("step", "rows", "stored", "change", "time", "what it does")
    rows = [
        (
            step.step,
            format_count(step.rows),
            format_count(step.stored),
            change,
            "" if step.seconds is None else format_seconds(step.seconds),
            _EXPLANATIONS.get(step.step, ""),
        )
        for step, change in zip(steps, changes, strict=True)
    ]
    table = Table(
        "Rows (lexer state, terminal sequence) after each step",
        columns,
        rows,
        columns[1:5],
        bars=[Bar(s.step, s.rows, s.stored, c) for s, c in zip(steps, changes, strict=True)],
        chart=(
            "Rows after each step",
            "Wide bars: rows. Thin bars: stored rows, which lexer states share.",
            "number of rows",
        ),
        of_page=("what it does",),
    )
    return [note, table]


def _list_lexer_states(steps: Sequence[OptimiseStep]) -> list[Block]:
    note = Note(
        "While a token is chosen, only the rows of one lexer state count. The further left a curve "
        "rises, the fewer parser queries a mask needs."
    )
    curves = Curves(
        "Rows of a lexer state: cumulative distribution after each step",
        "A point at x, y: y % of the lexer states have at most x rows.",
        [(step.step, step.per_state) for step in steps],
        ("rows of a lexer state (logarithmic)", "share of lexer states"),
    )
    return [note, curves]


def _list_classes(classes: Sequence[Sequence[str]], texts: Texts) -> list[Block]:
    if not classes:
        return [Note("No two terminals are interchangeable.")]
    how_many = f"{len(classes):,} {'class' if len(classes) == 1 else 'classes'}"
    note = (
        f"{count(sum(map(len, classes)), 'terminal')} in {how_many}: exchanging members of a class "
        "anywhere in a text never changes whether it is legal."
    )
    rows = [(str(n), make_chips(members, texts, "  ")) for n, members in enumerate(classes, 1)]
    return [Note(note), Table("", ("class", "terminals"), rows, ("class",))]


def _list_undecided(undecided: Mapping[str, Any], texts: Texts) -> list[Block]:
    note = Note(
        "The LALR state on top of the stack accepts or rejects most rows alone. The others depend "
        "on the stack below it: some stack with that state on top takes them, and another refuses "
        "them. They are counted for each pair of a lexer state, or boundary of lexemes, at which a "
        "token can start, and an LALR state that can be on top there."
    )
    facts = Facts(
        [
            ("pairs of a lexer and an LALR state", format_count(undecided["pairs"])),
            ("rows of a pair that depend on the stack", _format_spread(undecided)),
            ("parser queries that decide them", _format_spread(undecided["moves"])),
        ]
    )
    if not undecided["examples"]:
        return [note, facts, Note("No row depends on the stack.")]
    curves = Curves(
        "Rows that depend on the stack: cumulative distribution over the pairs",
        "A point at x, y: in y % of the pairs of a lexer and an LALR state, at most x rows depend "
        "on the stack.",
        [("rows that depend on the stack", undecided["per_pair"])],
        ("rows that depend on the stack (logarithmic)", "share of pairs"),
    )
    rows = [
        (
            make_chips(found["sequence"], texts),
            format_count(found["pairs"]),
            name_unnamed(found["why"], texts),
        )
        for found in undecided["examples"]
    ]
    title = "Sequences that depend on the stack in the most pairs"
    columns = ("terminal sequence", "pairs", "why")
    return [note, facts, curves, Table(title, columns, rows, ("pairs",), most=N_SHOWN)]


def _format_spread(counts: Mapping[str, int]) -> str:
    return (
        f"{format_count(counts['median'])} at the median, {format_count(counts['p99'])} at the "
        f"99th percentile, {format_count(counts['max'])} at most"
    )


def _list_unlexed(header: Mapping[str, Any], texts: Texts) -> list[Block]:
    pairs, n_pairs = header["not_lexed_apart"], header["counts"]["not_lexed_apart"]
    if not pairs:
        return [Note("None: what the grammar puts side by side, a text can have side by side.")]
    shown = f"; the first {len(pairs)} are shown" if len(pairs) != n_pairs else ""
    note = Note(
        f"{format_count(n_pairs)} pairs of terminals are side by side in the grammar, and never in "
        f"a text: the lexer takes the witness for something else{shown}."
    )
    rows = [
        (
            make_chips([pair["first"]], texts),
            make_chips([pair["second"]], texts),
            Code(quote_bytes(pair["witness"])),
        )
        for pair in pairs
    ]
    title = "Adjacent in the grammar, never in a text"
    return [note, Table(title, ("first", "second", "witness"), rows, most=N_SHOWN)]


def _list_automaton(grammar: Grammar | None, texts: Texts) -> list[Block]:
    if grammar is None:
        return [Note("Not available: the installed Lark refuses the grammar.")]
    reduced = reduce_grammar(grammar.bnf)
    names = tuple(format_terminal(name, texts) for name in reduced.terminals)
    automaton = build_dft(replace(reduced, terminals=names))
    n_transitions = len(automaton.transitions)
    note = Note(
        "The DFT pushdown automaton walks the syntax tree depth first. A state is a terminal that "
        "was just read, or the start •X or the end X• of a nonterminal; entering a terminal reads "
        f"it. It has {format_count(len(automaton.states))} states and "
        f"{format_count(n_transitions)} transitions. For a picture, give Graphviz what "
        "maskc analyze GRAMMAR pda --dot prints."
    )
    if n_transitions > _MOST_TRANSITIONS:
        return [note]
    keys = ("state", "reads", "pops", "pushes", "next")
    rows = [tuple(row[k] or "ε" for k in keys) for row in automaton.to_dict()["transitions"]]
    fold, title = f"All {n_transitions} transitions", "Transitions; ε is nothing"
    return [note, Table(title, (*keys[:-1], "next state"), rows, fold=fold)]


def rebuild_grammar(header: Mapping[str, Any]) -> Grammar | None:
    """Return the grammar of a header; ``None`` if this Lark, or a default limit, refuses it.

    Productions and terminals do not need the postlex, of which an older version wrote a name only.
    """
    try:
        return load_grammar(source_from_header({**header["grammar"], "postlex": None}))[0]
    except (GrammarError, LimitError):
        return None


def format_postlex(value: Any) -> str:
    """Return what a header's ``postlex`` is called: an older version wrote a class's name.

    >>> format_postlex(None), format_postlex("lark.indenter:PythonIndenter")
    ('none', 'lark.indenter:PythonIndenter')
    """
    if not isinstance(value, dict):
        return str(value or "none")
    try:
        if "rules" in value:
            return format_rules(build_rules(value))
        return format_indentation(build_indentation(value))
    except ValueError as error:
        return f"none that is known: {error}"


def list_texts(grammar: Grammar | None) -> dict[str, str]:
    """Return terminal → its text in quotes, of the terminals that are one string."""
    if grammar is None:
        return {}
    pairs = zip(grammar.bnf.terminals, grammar.lexer.patterns, strict=True)
    return {name: f'"{text}"' for name, p in pairs if (text := string_of(p)) is not None}


def format_terminal(name: str, texts: Texts) -> str:
    """Return what a terminal is called, by its text if Lark had to name it.

    >>> format_terminal("__ANON_2", {"__ANON_2": '"+="'}), format_terminal("PLUS", {"PLUS": '"+"'})
    ('"+="', 'PLUS')
    """
    return texts.get(name, name) if name.startswith(UNNAMED) else name


def format_entry(entry: str, texts: Texts) -> str:
    """Return an entry of a terminal sequence, which may be what stays open.

    >>> format_entry("open: __ANON_2 | NAME", {"__ANON_2": '"+="'})
    'open: "+=" | NAME'
    """
    if not entry.startswith(_OPEN):
        return format_terminal(entry, texts)
    return _OPEN + _OR.join(format_terminal(n, texts) for n in entry.removeprefix(_OPEN).split(_OR))


def name_unnamed(sentence: str, texts: Texts) -> str:
    """Return a sentence with the texts of the terminals in it that Lark had to name."""
    return re.sub(rf"{UNNAMED}\d+", lambda match: format_terminal(match[0], texts), sentence)


def make_chips(entries: Iterable[str], texts: Texts, separator: str = " ") -> Chips:
    """Return a cell of terminals, as a terminal sequence has them."""
    found = (Chip(entry, format_entry(entry, texts), texts.get(entry, "")) for entry in entries)
    return Chips(tuple(found), separator)
