import pytest

from maskc.jsonschema.patterns import build_pattern
from maskc.runtime.schema.scans.scans import Scanner, scan_levels
from maskc.runtime.schema.strings.strings import Body
from tests.runtime.schema.vocabularies import build_index

INDEX = build_index()


def as_sets(scan):
    inside = zip(scan.places.tolist(), scan.states.tolist(), scan.sizes.tolist(), strict=True)
    columns = (scan.quote_places, scan.quote_rests, scan.quote_states, scan.quote_sizes)
    return set(inside), set(zip(*(column.tolist() for column in columns), strict=True))


@pytest.mark.parametrize("pattern", ["^ab*$", "^a|b$", "^\\d{1,3}$", "^(?!a).b*$"])
def test_both_ways_to_scan_find_the_same(pattern):
    body = Body(build_pattern(pattern), minimal=False)
    few = Scanner(INDEX, minimal=False)._scan_few(body, body.start)
    assert few is not None
    assert as_sets(few) == as_sets(scan_levels(INDEX, body, body.start))


def test_a_scan_of_an_equal_automaton_is_not_made_again():
    scanner = Scanner(INDEX, minimal=False)
    bodies = [Body(build_pattern("^a+$"), minimal=False) for _ in range(2)]
    first, second = (scanner.scan(body, body.start, is_shared=True) for body in bodies)
    assert first is second


BEGUN = [b"", b"\\", b"\\u", b"\\u0", b"\\u006", b"\xc3", b"\xf0", b"\xf0\x9f\x98"]
BEGUN += [b"\\ud83d", b"\\ud83d\\", b"\\ud83d\\ud", b"\\ud8", b"\xe0", b"\xe0\xa0"]


@pytest.mark.parametrize("minimal", [False, True])
@pytest.mark.parametrize("begun", BEGUN)
@pytest.mark.parametrize(
    "pattern", ['^(?!(a|ab|é|😀|"|\\\\)$)', "^(?!a)", "^[^b]", "a", "^\\u0000?"]
)
def test_a_scan_of_exceptions_is_that_of_all_texts(pattern, begun, minimal):
    body = Body(build_pattern(pattern), minimal=minimal)
    at = body.start
    for byte in begun:
        at = body.step(at, byte)
    usual = body.usual_target(at)
    if not usual:
        return
    found = Scanner(INDEX, minimal=minimal)._scan_exceptions(body, at, usual)
    assert found is not None
    assert as_sets(found) == as_sets(scan_levels(INDEX, body, at))
