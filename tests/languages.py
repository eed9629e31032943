"""What the compiler makes of small grammars, by the names that they use."""

from collections.abc import Iterator
from functools import cache

from maskc.compiler.optimise import Rows
from maskc.compiler.pipeline import PATHS, Language, Stages, build_language, compile_stages
from maskc.dump.rows import RowNames
from maskc.frontends.source import load_source
from maskc.vocab.vocabulary import Vocabulary


@cache
def language_of(text: str, **settings: str) -> Language:
    """Return what a grammar decides without a tokenizer."""
    source = load_source(text, **settings)
    return build_language(source, PATHS[source.parser])


@cache
def stages_of(text: str, tokens: tuple[bytes, ...], **settings: str) -> Stages:
    """Return all values of one compilation."""
    vocabulary = Vocabulary(tokens=(*tokens, None), eos_ids=(len(tokens),), name="test")
    return compile_stages(load_source(text, **settings), vocabulary)


def terminal(language: Language, name: str) -> int:
    """Return a terminal's number."""
    return language.lexed.grammar.bnf.terminals.index(name)


def rows_of(stages: Stages, step: str) -> Rows:
    """Return the rows after a step."""
    return dict(stages.optimised.after)[step]


def describe(stages: Stages, step: str, tokens: tuple[bytes, ...]) -> set[tuple[str, str, str]]:
    """Return each row after a step: its first event, its sequence, its tokens, blank between."""
    return set(_describe(stages, rows_of(stages, step), tokens))


def _describe(
    stages: Stages, rows: Rows, tokens: tuple[bytes, ...]
) -> Iterator[tuple[str, str, str]]:
    lexed = stages.language.lexed
    names = RowNames(lexed.grammar, lexed.boundaries, rows, tokens)
    for first, sequence, number in zip(
        rows.first.tolist(), rows.sequence.tolist(), rows.token_set.tolist(), strict=True
    ):
        ids = rows.tokens.read(number).tolist()
        event = names.event(rows.events[first]).partition(" in context")[0]
        shown = " · ".join(
            part.partition(" in context")[0] for part in names.sequence(sequence).split(" · ")
        )
        yield event, shown, " ".join(tokens[token].decode() for token in ids)
