from maskc.jsonschema.expressions import Space
from maskc.jsonschema.formulas import BIT, EVERY_TYPE

SPACE = Space()
TEXT, NUMBER = SPACE.types(BIT["string"]), SPACE.types(BIT["number"])


def test_sets_of_formulas_have_the_same_order_in_every_process():
    formulas = [SPACE.make("length", n, None) for n in range(9)]
    assert [hash(formula) for formula in formulas] == [formula.number for formula in formulas]


def test_a_formula_or_its_negation_holds_of_everything():
    short = SPACE.make("length", 0, 3)
    assert SPACE.either([short, SPACE.negate(short)]) is SPACE.true


def test_a_negated_length_is_about_strings_only():
    found = SPACE.negate(SPACE.make("length", 0, 3))
    assert SPACE.holds(found, ("string", "abcd"))
    assert not SPACE.holds(found, ("string", "abc"))
    assert not SPACE.holds(found, ("null", None))


def test_exactly_one_of_values_is_those_that_come_once():
    parts = [SPACE.values([("string", "a"), ("string", "b")]), SPACE.values([("string", "b")])]
    assert SPACE.exactly_one(parts) is SPACE.values([("string", "a")])


def test_every_type_is_true():
    assert SPACE.types(EVERY_TYPE) is SPACE.true


def test_a_conjunction_leaves_out_options_of_other_types():
    word = SPACE.values([("string", "a")])
    assert SPACE.both([TEXT, SPACE.either([NUMBER, word])]) is word


def test_a_disjunction_that_has_all_the_types_of_a_conjunction_asks_nothing():
    short = SPACE.make("length", 0, 3)
    assert SPACE.both([NUMBER, SPACE.either([NUMBER, short])]) is NUMBER


def test_values_that_are_excluded_are_one_set():
    a, b = ("string", "a"), ("string", "b")
    both = SPACE.make("novalues", frozenset([a, b]))
    parts = [SPACE.make("novalues", frozenset([value])) for value in (a, b)]
    assert SPACE.both(parts) is both
    assert SPACE.both([both, parts[0]]) is both


def test_values_of_other_types_need_not_be_excluded():
    assert SPACE.both([NUMBER, SPACE.make("novalues", frozenset([("string", "a")]))]) is NUMBER
