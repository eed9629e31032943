"""What atoms about objects imply, and whether they contradict each other."""

from maskc.jsonschema.clauses import Entailment
from maskc.jsonschema.expressions import Space
from maskc.jsonschema.formulas import BIT

SPACE = Space()
A, B = (("names", frozenset([name])) for name in "ab")
TEXT, NUMBER = SPACE.types(BIT["string"]), SPACE.types(BIT["number"])
ENTAILMENT = Entailment(SPACE, "object", joins_existential=True)


def test_a_constraint_that_no_member_fulfils_needs_a_name_that_may_be_missing():
    constraint = SPACE.any([SPACE.some(A, TEXT), SPACE.all(B, SPACE.false)])
    atoms = frozenset([constraint, SPACE.all(A, NUMBER)])
    assert ENTAILMENT.is_consistent(atoms)
    assert not ENTAILMENT.is_consistent(atoms | {SPACE.some(B, SPACE.true)})


def test_a_constraint_is_implied_where_a_name_is_missing_or_fits():
    constraint = SPACE.any([SPACE.some(A, TEXT), SPACE.all(B, NUMBER)])
    assert ENTAILMENT.implies(frozenset([SPACE.all(B, SPACE.false)]), constraint)
    assert ENTAILMENT.implies(frozenset([SPACE.all(B, NUMBER)]), constraint)
    assert not ENTAILMENT.implies(frozenset([SPACE.all(B, TEXT)]), constraint)
