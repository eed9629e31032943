import numpy as np
import pytest

from maskc.jsonschema.patterns import build_pattern
from maskc.native import is_compiled
from maskc.runtime.schema.scans import classes
from maskc.runtime.schema.scans.classes import matrix_of, scan_all
from tests.runtime.schema.spelling import spell_below
from tests.runtime.schema.vocabularies import build_index

PATTERNS = [
    "",
    "b.*b",
    "^[^,]*$",
    "^([ab]|é)+$",
    "^\\s*[^\\s]+$",
    "^(ab|b)*c?.*$",
    "^[^\\\\]*x?$",
    "^.{0,2}$",
]


def list_ends(scanned):
    """Return what each token leads to, and each that closes the string, with what stands before."""
    groups, which = scanned.groups
    units = scanned.units
    columns = (units.closers.places, scanned.quote_states, units.sizes[units.quotes])
    quotes = sorted(zip(*(column.tolist() for column in columns), strict=True))
    return [groups[n] for n in which[units.unit_of].tolist()], quotes


def turn_all(delta, _):
    return np.full((2, len(delta)), -1, dtype=np.int64).view(np.uint64)


@pytest.mark.skipif(is_compiled(), reason="exchanges a function")
@pytest.mark.parametrize("pattern", PATTERNS)
def test_what_is_left_alone_ends_where_all_nodes_are_followed(monkeypatch, pattern):
    dfa = build_pattern(pattern)
    found = []
    for _ in range(2):
        index = build_index()
        spelled, delta = spell_below(index=index), matrix_of(dfa)
        scanned = [scan_all(index, spelled, dfa, delta, s) for s in range(1, dfa.n_states)]
        found.append([(*list_ends(each), each.pack_live().tolist()) for each in scanned])
        monkeypatch.setattr(classes, "turns_of", turn_all)
    assert found[0] == found[1]
