import pytest

from maskc.jsonschema.patterns import build_pattern
from maskc.native import is_compiled
from maskc.runtime.schema.scans import classes, subtrees
from maskc.runtime.schema.scans.classes import matrix_of, scan_all
from maskc.runtime.schema.scans.folding import whole_shape
from maskc.runtime.schema.scans.subtrees import subtrees_of
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
    groups, which = scanned.groups()
    columns = (scanned.units.quote_places, scanned.quote_states, scanned.units.quote_sizes)
    quotes = sorted(zip(*(column.tolist() for column in columns), strict=True))
    return [groups[n] for n in which[scanned.units.unit_of].tolist()], quotes


@pytest.mark.skipif(is_compiled(), reason="exchanges a function")
@pytest.mark.parametrize("pattern", PATTERNS)
def test_what_is_left_alone_ends_where_all_nodes_are_followed(monkeypatch, pattern):
    dfa = build_pattern(pattern)
    monkeypatch.setattr(classes, "shape_for", lambda index, spelled, _: whole_shape(index, spelled))
    found = []
    for most in (1, 1 << 20):
        monkeypatch.setattr(subtrees, "_MOST_REACHED", most)
        index = build_index()
        spelled, delta = spell_below(index=index), matrix_of(dfa)
        scanned = [scan_all(index, spelled, dfa, delta, s) for s in range(1, dfa.n_states)]
        units = subtrees_of(index, spelled).units
        assert [each.units is units for each in scanned] == [most == 1] * len(scanned)
        found.append([(*list_ends(each), each.pack_live().tolist()) for each in scanned])
    assert found[0] == found[1]
