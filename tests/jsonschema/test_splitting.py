"""Cases of a key's value of which one holds."""

from maskc.jsonschema.clauses import find_cases, join_members
from maskc.jsonschema.expressions import Space
from maskc.jsonschema.formulas import BIT
from tests.jsonschema.texts import accepts_value, build_machine

KEY = ("names", frozenset(["t"]))


def value(text):
    return ("string", text)


def excludes(space, *texts):
    """Return that the value of the key is none of some strings."""
    return space.all(KEY, space.make("novalues", frozenset(map(value, texts))))


def test_one_of_the_cases_holds_of_every_object():
    space = Space()
    cases = find_cases(
        space, [[excludes(space, "a")], [excludes(space, "b")], [excludes(space, "c")]]
    )
    objects = [("object", (("t", value(text)),)) for text in "abcd"] + [("object", ())]
    assert [sum(space.holds(case, held) for case in cases) for held in objects] == [1] * 5


def test_a_key_that_few_clauses_ask_for_makes_no_cases():
    space = Space()
    assert find_cases(space, [[excludes(space, "a")], [excludes(space, "b")], []]) is None


def test_cases_of_more_values_than_the_bound_are_not_made():
    space = Space()
    assert find_cases(space, [[excludes(space, str(n))] for n in range(201)]) is None


def test_an_object_without_a_key_or_with_another_value_is_one_option():
    space = Space()
    lacks, other = space.all(KEY, space.false), space.make("novalues", frozenset([value("a")]))
    has_other = space.both([space.types(BIT["object"]), space.some(KEY, other)])
    assert join_members(space, [lacks, has_other]) == [space.all(KEY, other)]


def test_a_key_that_both_options_require_is_required():
    space = Space()
    one, two = space.values([value("a")]), space.values([value("b")])
    joined = space.values([value("a"), value("b")])
    options = [space.some(KEY, one), space.some(KEY, two)]
    assert join_members(space, options) == [space.some(KEY, joined)]


def test_listed_objects_among_the_options_make_no_cases():
    """Cases are looked for from a hundred ways on in which options combine."""
    listed = {"z": 1, "y": 2}

    def clause(keys):
        options = [
            {"properties": {key: {"const": 1}}, "required": [key], "maxProperties": 9}
            for key in keys
        ]
        return {"anyOf": [*options, {"enum": [listed]}]}

    machine = build_machine(
        {"type": "object", "allOf": [clause(k) for k in ("ab", "cd", "ef", "gh", "ij")]}
    )
    assert accepts_value(machine, listed)
    assert accepts_value(machine, dict.fromkeys("adehi", 1))
    assert not accepts_value(machine, dict.fromkeys("adeh", 1))
    assert not accepts_value(machine, {**dict.fromkeys("adeh", 1), "i": 2})
