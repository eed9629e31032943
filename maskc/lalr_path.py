"""What the compiler does for a grammar that Lark's LALR parser reads.

The other parser's is :mod:`maskc.glr.pipeline`; :mod:`maskc.pipeline` takes one of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from maskc.artifact.model import Contents
from maskc.emit.graph import DecisionGraph
from maskc.emit.lalr_arrays import describe_layout, lalr_sections
from maskc.errors import GrammarError
from maskc.frontends.dialects import LARK
from maskc.frontends.loading import load_lalr_grammar
from maskc.frontends.source import GrammarSource
from maskc.grammar.model import LalrGrammar
from maskc.ids import TerminalId
from maskc.lexer.boundaries import build_boundaries
from maskc.lexer.columns import build_columns
from maskc.lexer.narrowed import WordStates, narrow_scanner
from maskc.lexer.rewritten import rewrite_scanner
from maskc.lexer.scanner import Scanner, build_scanner
from maskc.parser.all_texts import check_reads_all
from maskc.parser.balance import find_bracket_depths
from maskc.parser.items import build_item_sets
from maskc.parser.refine import build_refined_table
from maskc.stages import LalrLanguage, Lexed, ParserPath, Run, run_plainly
from maskc.store.adjacency import Adjacency, find_adjacencies
from maskc.store.model import MaskStore
from maskc.store.no_text import explain_no_text
from maskc.store.steps import build_steps
from maskc.store.walk import build_store
from maskc.streamline.lalr_decider import make_lalr_decider
from maskc.streamline.order import Decider, Streamlined
from maskc.vocab.trie import TokenTrie
from maskc.wording import Phrase


def build_language(
    source: GrammarSource,
    run: Run = run_plainly,
    holes: Mapping[str, WordStates] = MappingProxyType({}),
) -> LalrLanguage:
    """Return what a grammar for Lark's LALR parser decides, without a tokenizer.

    Args:
        source: the grammar.
        run: does a pass.
        holes: terminals that are narrowed to words.

    Raises:
        GrammarError, PostlexError, UnsupportedTerminalError: the grammar cannot be compiled.
        LimitError: a stated bound was reached.
    """
    grammar, source = run("grammar", lambda: load_lalr_grammar(source))
    if source.is_earleys:
        check_reads_all(grammar, source.name)
    # After this point: terminals, productions, Lark's LALR table and its contexts, all numbered.

    return analyse_grammar(grammar, source, run, holes)


def analyse_grammar(
    grammar: LalrGrammar,
    source: GrammarSource,
    run: Run = run_plainly,
    holes: Mapping[str, WordStates] = MappingProxyType({}),
) -> LalrLanguage:
    """Return what a grammar that is loaded decides; as :func:`build_language`."""
    numbers = {name: TerminalId(n) for n, name in enumerate(grammar.bnf.terminals)}
    words = {numbers[name]: automaton for name, automaton in sorted(holes.items())}

    def scan() -> Scanner:
        scanner = rewrite_scanner(build_scanner(grammar.lexer), grammar.lexer)
        return narrow_scanner(scanner, words) if words else scanner

    scanner = run("scanner", scan)
    # After this point: bytes become terminals; what a lexeme's end demands is a boundary.

    columns = build_columns(grammar.lexer, scanner)
    boundaries = run("boundaries", lambda: build_boundaries(grammar.lexer, scanner, columns))
    # After this point: lookaheads; what the lexer lets follow what.

    item_sets, brackets = build_item_sets(grammar), find_bracket_depths(grammar)

    table = run("parser", lambda: build_refined_table(grammar, item_sets, boundaries, brackets))
    # After this point: a stack's top names exactly the lookaheads that lead to an end.
    return LalrLanguage(Lexed(source, grammar, scanner, columns, boundaries), item_sets, table)


def _find_unlexed(language: LalrLanguage) -> tuple[Adjacency, ...]:
    lexed, table = language.lexed, language.table
    bnf, lexer, boundaries = lexed.grammar.bnf, lexed.grammar.lexer, lexed.boundaries
    newline = lexer.layout.newline if lexer.layout else None
    first = boundaries.first(lexed.scanner.start, table.context_of[0], newline)
    # The start of the parser may take what the lexer never gives there.
    if not table.live[0] & (first | boundaries.end):
        is_larks = lexed.source.dialect == LARK.name
        why = explain_no_text(bnf, lexer, lexed.scanner, boundaries, first) if is_larks else None
        raise GrammarError(lexed.source.name, why or Phrase.NO_TEXT)
    return find_adjacencies(lexer, lexed.scanner, boundaries, table)


def _make_decider(language: LalrLanguage) -> Decider:
    lexed = language.lexed
    return make_lalr_decider(
        lexed.grammar,
        lexed.scanner,
        language.item_sets,
        lexed.boundaries,
        lexed.columns,
        language.table,
    )


def _walk(language: LalrLanguage, trie: TokenTrie, progress: Callable[[float], None]) -> MaskStore:
    grammar, scanner = language.lexed.grammar, language.lexed.scanner
    steps = build_steps(grammar.lexer, scanner)
    return build_store(grammar, scanner, language.lexed.boundaries, steps, trie, progress)


def _count(language: LalrLanguage) -> dict[str, int]:
    grammar = language.lexed.grammar
    return {
        "lalr_states": len(grammar.lalr.states),
        "refined_states": len(language.table.live),
        "contexts": len(grammar.lexer.contexts),
    }


def _complete(
    language: LalrLanguage,
    store: MaskStore,
    streamlined: Streamlined,
    graph: DecisionGraph,
    contents: Contents,
) -> Contents:
    del store
    lexed = language.lexed
    layout = describe_layout(lexed.grammar.lexer.layout, lexed.boundaries)
    more = lalr_sections(
        lexed.grammar,
        lexed.boundaries,
        lexed.columns,
        language.table,
        streamlined.rows.sequences.open_lexemes,
        graph.profile_of,
    )
    return Contents({**contents.header, "layout": layout}, {**contents.arrays, **more})


LALR_PATH = ParserPath(build_language, _find_unlexed, _make_decider, _walk, _count, _complete)
