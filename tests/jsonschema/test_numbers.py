"""What a conjunction asks of a number, as one rule."""

from fractions import Fraction

import pytest

from maskc.errors import SchemaError
from maskc.jsonschema.drafts import build_rule
from maskc.jsonschema.expressions import Space

SPACE = Space()


def rule(*atoms):
    return build_rule([SPACE.make(kind, *args) for kind, *args in atoms], "/a")


def test_a_multiple_of_too_many_digits_is_refused_where_it_is_asked():
    factors = [Fraction(3**31_000), Fraction(7**20_000)]
    with pytest.raises(SchemaError) as caught:
        rule(*(("multiple", factor, True) for factor in factors))
    assert (caught.value.pointer, caught.value.keyword) == ("/a", "multipleOf")
