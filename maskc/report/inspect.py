"""What an artifact says about itself: what its author asks, what it was made from, what is in it.

Of an artifact whose grammar this Lark refuses, or whose schema refers to documents that it does not
hold, the header has what there is to say.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from numpy.typing import NDArray

from maskc.artifact.starts import starts_of
from maskc.errors import GrammarError, LimitError, PostlexError, SchemaError, escape
from maskc.explain import Explanation, measure_heat
from maskc.frontends.lark.shapes import read_shapes
from maskc.frontends.loading import load_grammar
from maskc.frontends.source import GrammarSource, source_from_header
from maskc.kinds import kind_of
from maskc.report import (
    Block,
    Code,
    Diagrams,
    Fact,
    Facts,
    Heat,
    Lines,
    Note,
    Report,
    Section,
    Table,
    format_count,
    format_seconds,
    format_size,
)
from maskc.report.compile import (
    Timings,
    describe_added,
    describe_file,
    list_origin,
    list_steps,
    tabulate_passes,
)
from maskc.report.explain import list_groups, say_death
from maskc.report.internals import UNNAMED, format_postlex, list_internals, list_texts, list_tiles
from maskc.runtime.artifact import Artifact
from maskc.vocab.vocabulary import quote_bytes

N_LARGEST = 12  # sections of the file; smaller ones are one line
_END = "$END"  # of the text, which has no pattern


@dataclass(frozen=True, slots=True, eq=False)
class Inspection:
    """An artifact that was read."""

    path: str
    n_bytes: int
    header: Mapping[str, Any]
    arrays: Mapping[str, NDArray[Any]]
    timings: Timings = ()  # what it cost; none if this machine did not compile it
    # what its author asks; None if its grammar cannot be read here
    view: Sequence[Section] | None = None


def view_artifact(artifact: Artifact, text: bytes) -> list[Section] | None:
    """Return sections for the grammar's author; ``None`` if the grammar cannot be read here.

    They show the rules of a grammar in Lark's notation, its terminals, and what may come next. With
    a text, that is what may come after the text, and it stands first.
    """
    kind, sections = kind_of(artifact.header), list[Section]()
    try:
        if kind.has_rules:
            source = source_from_header({**artifact.header["grammar"], "postlex": None})
            sections = [
                Section("Rules", [Diagrams(read_shapes(source))], "rules"),
                Section("Terminals", [_list_terminals(source)], "terminals"),
            ]
        sample = kind.explain(artifact, text)
    except (GrammarError, LimitError, PostlexError, SchemaError):
        return None
    of_text = [_show_next(sample)]
    heat = [(part.token, part.n_legal) for part in measure_heat(artifact, text)]
    if heat:
        of_text.insert(0, Section("How many tokens were legal", [Heat(heat)], "heat"))
    return [*of_text, *sections] if text else [*sections, *of_text]


def _list_terminals(source: GrammarSource) -> Table:
    """Return the terminals: those with a name first, those that are ignored last."""
    grammar, _ = load_grammar(source)
    texts, ignored = list_texts(grammar), grammar.lexer.ignored
    pairs = zip(grammar.bnf.terminals, grammar.lexer.patterns, strict=True)
    found = [
        (
            "" if name.startswith(("__IGNORE_", UNNAMED)) else name,
            texts.get(name) or ("made by the Indenter" if pattern is None else escape(pattern)),
            "ignored" if n in ignored else "a hole" if name in source.holes else "",
        )
        for n, (name, pattern) in enumerate(pairs)
        if name != _END
    ]
    found.sort(key=lambda row: (row[2] == "ignored", not row[0]))
    rows = [(name, Code(pattern), note) for name, pattern, note in found]
    return Table("", ("name", "matches", ""), rows)


def _show_next(found: Explanation) -> Section:
    where = quote_bytes(found.text) if found.text else "the start of a text"
    blocks: list[Block]
    if found.death is not None:
        blocks = [
            Lines([f"The text {where} is illegal."]),
            Lines(say_death(found.death, found.text)),
            list_groups(found),
        ]
    else:
        said = (
            f"After {where}, {format_count(found.n_legal)} of {format_count(found.n_tokens)} "
            f"tokens are legal. The text may {'' if found.may_end else 'not '}end here."
        )
        blocks = [Lines([said]), list_groups(found)]
    return Section("What may come next", blocks, "next")


def report_artifact(inspection: Inspection, *, internals: bool = False) -> Report:
    """Return the report of an artifact; with ``internals`` also what the compiler made."""
    return Report(_to_dict(inspection), _list_blocks(inspection, internals=internals))


def _to_dict(inspection: Inspection) -> dict[str, Any]:
    header, kind = inspection.header, kind_of(inspection.header)
    found = {"path": inspection.path, "n_bytes": inspection.n_bytes, "header": dict(header)}
    if not kind.has_rules:
        return {**found, **kind.describe(inspection.arrays)}
    # What is no UTF-8 in a witness is escaped.
    unlexed = [
        {**pair, "witness": pair["witness"].decode("utf-8", "backslashreplace")}
        for pair in header["not_lexed_apart"]
    ]
    steps = list_steps(header, inspection.timings)
    sections = {
        name: {"dtype": a.dtype.name, "shape": list(a.shape), "nbytes": a.nbytes}
        for name, a in sorted(inspection.arrays.items())
    }
    return {
        **found,
        "header": {**header, "not_lexed_apart": unlexed},
        "streamlining": [asdict(step) for step in steps],
        "classes": header["classes"],
        "residue": header["residue"],
        "sections": sections,
    }


def _list_blocks(inspection: Inspection, *, internals: bool) -> Iterator[Block | Section]:
    header, view = inspection.header, inspection.view
    has_rules = kind_of(header).has_rules
    if view is not None:
        yield from view
    elif has_rules:
        refused = Note("Not available: the installed Lark refuses the grammar.")
        yield Section("Rules", [refused], "rules")
    origin = list_origin(inspection.path, inspection.n_bytes, header)
    facts = Facts(list_facts(inspection) if has_rules else origin)
    if not has_rules or not internals:
        yield Section("Artifact", [facts], "artifact")
        return
    yield list_tiles(header, inspection.n_bytes, inspection.timings)
    yield from list_internals(header, inspection.timings)
    counts = [(name.replace("_", " "), format_count(n)) for name, n in header["counts"].items()]
    blocks: list[Block] = [
        facts,
        Table("Counts", ("of", "number"), counts, ("number",)),
        list_sections(inspection),
    ]
    if inspection.timings:
        steps = list_steps(header, inspection.timings)
        passes, title = tabulate_passes(inspection.timings, steps), "Passes, on this machine"
        blocks.append(replace(passes, title=title, fold="What each pass cost"))
    yield Section("Artifact", blocks, "artifact")


def list_facts(inspection: Inspection) -> list[Fact]:
    """Return what the artifact of a grammar was made from."""
    header = inspection.header
    grammar, tokenizer = header["grammar"], header["tokenizer"]
    padding = tokenizer["vocab_size"] - tokenizer["n_tokens"]
    return [
        *describe_file(inspection.path, inspection.n_bytes, header),
        *([("characters", f"Unicode {header['unicode']}")] if "unicode" in header else []),
        ("grammar", grammar["name"]),
        *([("written as", grammar["dialect"])] if "dialect" in grammar else []),
        ("start", ", ".join(starts_of(header))),
        ("parser", grammar.get("parser", "lalr")),
        ("lexer", grammar["lexer"]),
        ("postlex", format_postlex(grammar["postlex"])),
        ("imports", ", ".join(sorted(grammar["imports"])) or "none in its own folder"),
        ("grammar hash", grammar["sha256"]),
        ("tokenizer", tokenizer["name"]),
        (
            "vocabulary",
            f"{format_count(tokenizer['vocab_size'])} ids: "
            f"{format_count(tokenizer['n_tokens'])} with text, "
            f"{format_count(padding)} special or padding",
        ),
        *describe_added(tokenizer),
        ("ends with", ", ".join(str(eos) for eos in tokenizer["eos_ids"])),
        ("fingerprint", tokenizer["fingerprint"]),
        *([("left out", header["left_out"])] if header["left_out"] else []),
        (
            "work of one fill",
            f"at most {format_count(header['counts']['questions'])} parser queries, "
            "whatever the text",
        ),
        ("compiled in", _format_cost(inspection.timings)),
    ]


def _format_cost(timings: Timings) -> str:
    if not timings:
        return "unknown on this machine"
    seconds = sum(record.seconds for record in timings)
    cpu_seconds = sum(record.cpu_seconds for record in timings)
    time = f"{format_seconds(seconds)}, {format_seconds(cpu_seconds)} of the processor"
    return f"{time}, with at most {max(r.peak_mb for r in timings):,.0f} MiB of memory"


def list_sections(inspection: Inspection) -> Table:
    """Return the largest sections of the file and the rest."""
    by_size = sorted(inspection.arrays.items(), key=lambda item: (-item[1].nbytes, item[0]))
    rows = [
        (
            name,
            array.dtype.name,
            " × ".join(format_count(length) for length in array.shape),
            format_size(array.nbytes),
        )
        for name, array in by_size[:N_LARGEST]
    ]
    rest = by_size[N_LARGEST:]
    if rest:
        size = format_size(sum(array.nbytes for _, array in rest))
        rows.append((f"{len(rest)} smaller ones", "", "", size))
    in_arrays = sum(array.nbytes for _, array in by_size)
    rows.append(("header and padding", "", "", format_size(inspection.n_bytes - in_arrays)))
    columns = ("section", "type", "shape", "size")
    return Table("Sections of the file", columns, rows, ("shape", "size"))
