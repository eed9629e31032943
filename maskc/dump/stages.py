"""THE STAGES that ``maskc dump`` can print, in the order of the compiler's passes.

Those of a language need a grammar only; those of a store need a tokenizer too. A dump is bounded:
what is left out is counted in its last line.

Example: ``maskc dump csv --stage productions``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from maskc.dump.debts import dump_production_debts, dump_table_debts
from maskc.dump.grammar import dump_grammar, dump_productions
from maskc.dump.lexer import dump_boundaries, dump_scanner
from maskc.dump.parser import dump_general_table, dump_items, dump_table
from maskc.dump.store import StoreNames, dump_graph, dump_masks, dump_rows, dump_verdicts
from maskc.errors import StageError
from maskc.grammar.reduce import reduce_grammar
from maskc.pushdown.dft import build_dft
from maskc.stages import GeneralLanguage, LalrLanguage, Language, Stages
from maskc.streamline.order import STEPS
from maskc.vocab.vocabulary import Vocabulary

_OfLanguage = Callable[[Language], Iterator[str]]
_OfStore = Callable[[Stages, Vocabulary], Iterator[str]]


def _dft(language: Language) -> Iterator[str]:
    yield from build_dft(reduce_grammar(language.lexed.grammar.bnf)).format().splitlines()


def _items(language: Language) -> Iterator[str]:
    lalr = _lalr(language, "items")
    return dump_items(lalr.lexed.grammar, lalr.item_sets)


def _table(language: Language) -> Iterator[str]:
    if isinstance(language, GeneralLanguage):
        grammar = language.lexed.grammar
        names = [grammar.bnf.terminals[terminal] for terminal, _ in language.productions.symbols]
        return dump_general_table(names, language.table)
    return dump_table(language.lexed.grammar, language.lexed.boundaries, language.table)


def _productions(language: Language) -> Iterator[str]:
    if not isinstance(language, GeneralLanguage):
        raise StageError("productions", "an LALR grammar's are not rewritten", "grammar")
    return dump_productions(language.lexed.grammar, language.productions)


def _lalr(language: Language, stage: str) -> LalrLanguage:
    if not isinstance(language, LalrLanguage):
        raise StageError(stage, "a general grammar has no LALR table", "table")
    return language


def _name(step: str) -> str:
    return f"rows:{step.replace(' ', '-')}"


def _rows(step: str) -> _OfStore:
    def dump(stages: Stages, vocabulary: Vocabulary) -> Iterator[str]:
        for name, rows in stages.rows:
            if name == step:
                lexed = stages.language.lexed
                names = StoreNames(lexed.grammar, lexed.boundaries, rows, vocabulary.tokens)
                return dump_rows(names)
        taken = [_name(name) for name, _ in stages.rows]
        raise StageError(_name(step), "this step was not taken", " or ".join(taken))

    return dump


def _last_names(stages: Stages, vocabulary: Vocabulary) -> StoreNames:
    lexed = stages.language.lexed
    return StoreNames(lexed.grammar, lexed.boundaries, stages.rows[-1][1], vocabulary.tokens)


OF_LANGUAGE: dict[str, _OfLanguage] = {
    "grammar": lambda language: dump_grammar(language.lexed.grammar),
    "dft": _dft,
    "debts": dump_production_debts,
    "scanner": lambda language: dump_scanner(language.lexed.grammar, language.lexed.scanner),
    "boundaries": lambda language: dump_boundaries(
        language.lexed.grammar, language.lexed.scanner, language.lexed.boundaries
    ),
    "productions": _productions,
    "items": _items,
    "table": _table,
    "table-debts": dump_table_debts,
}
OF_STORE: dict[str, _OfStore] = {
    # The last streamlining step gives verdicts, not rows.
    **{_name(step): _rows(step) for step in STEPS[:-1]},
    "verdicts": lambda stages, vocabulary: dump_verdicts(
        _last_names(stages, vocabulary), stages.verdicts
    ),
    "graph": lambda stages, vocabulary: dump_graph(_last_names(stages, vocabulary), stages.graph),
    "masks": lambda stages, vocabulary: dump_masks(
        _last_names(stages, vocabulary), stages.graph, stages.unions, vocabulary.tokens
    ),
}
STAGES = (*OF_LANGUAGE, *OF_STORE)


def limit_lines(lines: Iterator[str], most: int) -> Iterator[str]:
    """Yield the first lines, and, if there are more, how many."""
    for number, line in enumerate(lines):
        if number == most:
            left_out = 1 + sum(1 for _ in lines)
            yield f"… {left_out:,} more line{'s' * (left_out > 1)}; --lines {number + left_out}"
            return
        yield line
