"""A general table is read back from its arrays as it was."""

import numpy as np
import pytest

from maskc.frontends.source import load_source
from maskc.glr.arrays import general_sections
from maskc.glr.pipeline import build_general_language
from maskc.runtime.glr.tables import Lr0Tables

GRAMMARS = (
    'start: "a" start "b" | "c"\n',
    'start: start start | "a" | "b" start "c"\n',
    'start: x start | x\nx: "a" | "a" "b"\n',
)


def tables_of(text):
    language = build_general_language(load_source(text, parser="earley"))
    boundaries, symbols = language.lexed.boundaries, language.productions.symbols
    arrays = general_sections(
        language.table,
        symbols,
        boundaries.n_lookaheads,
        boundaries.end,
        language.lexed.scanner.closed,
        [boundaries.everything] * len(language.table.shifts),
        np.zeros(len(language.table.shifts), dtype=np.int32),
    )
    return language, symbols, arrays, Lr0Tables(arrays)


@pytest.mark.parametrize("text", GRAMMARS)
def test_each_action_is_read_back(text):
    language, symbols, _, tables = tables_of(text)
    table = language.table
    for state, row in enumerate(table.shifts):
        found = {(t, target) for t, targets in tables.shifts(state).items() for target in targets}
        assert found == {(symbols[s].terminal, target) for s, target in row.items()}
        assert tables.gotos(state) == dict(table.gotos[state])
        assert tables.reduces(state) == tuple(tuple(reduce) for reduce in table.reduces[state])


@pytest.mark.parametrize("text", GRAMMARS)
def test_a_state_takes_what_it_shifts_and_the_end_where_it_accepts(text):
    language, symbols, _, tables = tables_of(text)
    for state, taken in enumerate(tables.taken):
        expected = language.lexed.boundaries.end if language.table.accepts[state] else 0
        for symbol in language.table.shifts[state]:
            expected |= symbols[symbol].lookaheads
        assert taken == expected


def test_boundaries_say_where_the_text_may_end():
    language, _, arrays, _ = tables_of(GRAMMARS[0])
    assert arrays["general_closed"].tolist() == list(map(int, language.lexed.scanner.closed))
