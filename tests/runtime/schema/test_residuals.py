from bisect import bisect_right

import numpy as np
import pytest

from maskc.jsonschema.formats import build_format
from maskc.jsonschema.patterns import build_pattern
from maskc.runtime.schema.scans import residuals, scan_all
from maskc.runtime.schema.scans.residuals import matrix_of, residual_of
from tests.runtime.schema.spelling import trie_below
from tests.runtime.schema.vocabularies import build_index

PATTERNS = ["^(ab|b)*c?.*$", "^x-[0-9a-f]+$", "^\\d{1,3}$", "[^,é]b", "^(a1|b[12])$"]
CHARACTERS = "abcfx-,19 é€😁\U0010ffff"


def residual_after(pattern, text):
    dfa = build_pattern(pattern)
    return residual_of(dfa, matrix_of(dfa), dfa.read(text))


@pytest.mark.parametrize("most_cells", [0, 1 << 15])
@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_residual_leads_where_its_automaton_does(monkeypatch, pattern, most_cells):
    monkeypatch.setattr(residuals, "_MOST_CELLS", most_cells)
    dfa = build_pattern(pattern)
    matrix = matrix_of(dfa)
    for start in range(1, dfa.n_states):
        residual = residual_of(dfa, matrix, start)
        automaton = residual.automaton
        assert residual.states[residual.start] == start
        for number, state in enumerate(residual.states):
            for character in CHARACTERS:
                of_range = bisect_right(automaton.starts.tolist(), ord(character)) - 1
                after = automaton.delta[number, automaton.classes[of_range]]
                assert residual.states[after] == dfa.step(state, ord(character))


@pytest.mark.parametrize(
    ("left", "right", "are_equal"),
    [
        (("^a-[0-9]+$", "a-"), ("^bc-[0-9]+$", "bc-"), True),
        (("^a-[0-9]+$", "a-"), ("^a-[0-8]+$", "a-"), False),
        (("^a-[0-9]+$", "a-"), ("^a-[0-9]+$", "a-1"), False),
        (("^[ab]x$", "a"), ("^[ab]x$", "b"), True),
        (("^x[ab]$", "x"), ("^x[ac]$", "x"), False),
    ],
)
def test_residuals_are_equal_where_they_read_the_same(left, right, are_equal):
    found = residual_after(*left), residual_after(*right)
    digests = {(residual.automaton.digest, residual.start) for residual in found}
    assert (len(digests) == 1) is are_equal


def test_equal_residuals_of_different_automata_are_scanned_once():
    index = build_index(sorted(bytes([a, b]) for a in range(97, 123) for b in range(97, 123)))
    trie, found = trie_below(index=index), []
    for pattern, text in (("^a-x+$", "a-"), ("^bc-x+$", "bc-")):
        dfa = build_pattern(pattern)
        found.append(scan_all(index, trie, dfa, matrix_of(dfa), dfa.read(text)).reached)
    assert found[0] is not None
    assert found[0] is found[1]


def test_no_mask_waits_for_the_matrix_of_names_in_all_letters():
    dfa = build_format("idn-hostname")
    assert dfa is not None
    made = matrix_of(dfa)
    assert np.array_equal(dfa.matrix.cells, made.cells)
    assert np.array_equal(dfa.matrix.starts, made.starts)
    assert np.array_equal(dfa.matrix.classes, made.classes)
