"""``idn-hostname`` and ``idn-email`` as automata: characters, single names, the package idna."""

import itertools
import random
import unicodedata

import pytest
from jsonschema.validators import Draft202012Validator

from maskc.errors import SchemaError
from maskc.formats.character_sets import CHARACTERS, FIRST, LEFT, MARK, RIGHT, SECOND, kinds
from maskc.jsonschema.formats import build_format
from tests.jsonschema.texts import accepts_value, build_machine

HOSTS = build_format("idn-hostname")
# Scripts of today.
BLOCKS = (
    *((0xDF, 0x2AF), (0x370, 0x58F), (0x5D0, 0x5EA), (0x620, 0x6FF), (0x900, 0x109F)),
    *((0x10D0, 0x10FF), (0x1200, 0x139F), (0x1780, 0x17FF), (0x1E00, 0x1FFF), (0x3005, 0x312F)),
    *((0x3400, 0x9FFF), (0xAC00, 0xD7A3)),
)
COMBINING = {0: MARK, **{int(name): name for name in CHARACTERS if name.isdigit()}}


def list_joined():
    """Return the characters that NFC joins with one before: each with all of those."""
    found = {}
    for code in range(0x10000):
        parts = unicodedata.decomposition(chr(code)).split()
        if len(parts) == 2 and parts[0][0] != "<" and is_normal(chr(code)):
            first, second = (int(part, 16) for part in parts)
            found.setdefault(second, set()).add(first)
    return found


def is_normal(text):
    return unicodedata.is_normalized("NFC", text)


def name_of(code, joined, firsts):
    """Return the class of a permitted character, ``None`` if it is left out."""
    character = chr(code)
    if unicodedata.category(character) == "Cn" or not is_normal(character):
        return None
    bidi, combining = unicodedata.bidirectional(character), unicodedata.combining(character)
    if unicodedata.category(character)[0] != "M":
        return {"L": LEFT, "R": RIGHT, "AL": RIGHT}.get(bidi)
    if bidi not in ("L", "NSM") or combining not in COMBINING:
        return None
    if code in joined:
        by_marks = all(unicodedata.category(chr(first))[0] == "M" for first in joined[code])
        return SECOND if by_marks and not combining else None
    return FIRST if code in firsts else COMBINING[combining]


def test_characters_are_those_that_the_rules_permit():
    """Of a later Unicode there are more."""
    data = pytest.importorskip("idna.idnadata")
    permitted = [
        code
        for pair in data.codepoint_classes["PVALID"]
        for code in range(pair >> 32, pair & 0xFFFFFFFF)
        if any(low <= code <= high for low, high in BLOCKS)
    ]
    joined = list_joined()
    names = {code: name_of(code, joined, ()) for code in permitted}
    firsts = {first for code, name in names.items() if name == SECOND for first in joined[code]}
    wanted = {code: name_of(code, joined, firsts) for code in permitted}
    starts = [*kinds().items(), (0x110000, None)]
    found = {
        code: kind.name
        for (low, kind), (high, _) in itertools.pairwise(starts)
        for code in range(max(low, 0x80), high)
        if kind.name
    }
    same = {code: name for code, name in wanted.items() if name}
    if unicodedata.unidata_version != "14.0.0":
        same = {code: name for code, name in same.items() if code in found}
    assert found == same


@pytest.mark.parametrize(
    ("text", "valid"),
    [
        ("почта.example", True),
        ("例え.jp", True),
        ("a.b.c.d.e.f.g", True),
        ("a.b.c.d.é", False),
        ("WWW.Example.com", True),
        ("WWW.é", False),
        ("3com.com", True),
        ("3com.é", False),
        ("אב.co.il", True),
        ("אב1", False),
        ("aא", False),
        ("हिन्दी.भारत", True),
        ("বাংলা", True),
        ("ผู้", True),
        ("a-b", True),
        ("a--b", False),
        ("xn--bcher-kva", False),
        ("-a", False),
        ("a-", False),
        ("a.", False),
        ("", False),
        ("l·l", False),
        ("é", True),
        ("e\u0301", False),
        ("É", False),
        ("১\u09be", True),
        ("\u09be", False),
        ("ক\u09c7\u09be", False),
        ("क\u094d\u093c", False),
        ("é" * 16, True),
        ("é" * 17, False),
        ("例" * 12 + "ab", True),
        ("例" * 13, False),
        ("a" * 50, True),
        ("a" * 51, False),
        (".".join(["a" * 24] * 10), True),
        (".".join(["a"] * 11), False),
        (".".join(["a" * 25] * 5), False),
    ],
)
def test_a_host_name_is_of_few_labels_that_cost_little_or_of_short_ones(text, valid):
    assert (HOSTS.labels[HOSTS.read(text)] >= 0) is valid


@pytest.mark.parametrize(
    ("text", "valid"),
    [
        ("é.ü@почта.example", True),
        ("a" * 64 + "@b", True),
        ("a" * 65 + "@b", False),
        ("é" * 32 + "@b", True),
        ("é" * 33 + "@b", False),
        ("a..b@c", False),
        (".a@c", False),
        ("a.@c", False),
        ("a b@c", False),
        ("@c", False),
        ("a@", False),
        ("a", False),
    ],
)
def test_an_address_has_a_bounded_name_and_such_a_host(text, valid):
    dfa = build_format("idn-email")
    assert (dfa.labels[dfa.read(text)] >= 0) is valid


def draw(source):
    """Return a random host name: of each class of characters alike many."""
    ranges = {}
    for low, high, kind in zip(HOSTS.starts, [*HOSTS.starts[1:], 0], HOSTS.classes, strict=True):
        ranges.setdefault(kind, []).append((low, high - 1))
    text, state, stop = "", HOSTS.start, source.choice([0.0, 0.05])
    while len(text) < 253 and (HOSTS.labels[state] < 0 or source.random() > stop):
        row, default = HOSTS.rows[state], HOSTS.defaults[state]
        live = [kind for kind in ranges if row.get(kind, default)]
        if not live:
            break
        low, high = source.choice(ranges[source.choice(live)])
        text += chr(source.choice([low, high]))
        state = HOSTS.step(state, ord(text[-1]))
    return text


@pytest.mark.parametrize("seed", range(4))
def test_what_the_package_idna_says_of_random_names(seed):
    idna = pytest.importorskip("idna")
    source = random.Random(seed)
    for _ in range(8):
        text = draw(source)
        if HOSTS.labels[HOSTS.read(text)] >= 0:
            assert len(idna.encode(text, strict=True)) <= 253
            assert is_normal(text)


def test_a_format_that_is_negated_excludes_all_that_may_be_of_it():
    machine = build_machine({"not": {"format": "idn-hostname"}, "type": "string"})
    texts = ["a.example", "l·l", "a b", "@"]
    assert [accepts_value(machine, text) for text in texts] == [False, False, True, True]


def test_a_listed_string_that_only_the_standard_knows_is_refused():
    with pytest.raises(SchemaError, match="/items: format is idn-hostname, and does not tell"):
        build_machine({"items": {"format": "idn-hostname", "enum": ["a", "l·l"]}})
    machine = build_machine({"format": "idn-hostname", "enum": ["a", "a b", 7]})
    assert [accepts_value(machine, value) for value in ("a", "a b", 7)] == [True, False, True]


@pytest.mark.parametrize(
    ("names", "wanted"),
    [
        ({"format": "idn-hostname"}, [True, False, False, False]),
        ({"not": {"format": "idn-hostname"}}, [False, False, False, True]),
    ],
)
def test_keys_are_of_the_format_or_surely_not(names, wanted):
    keys = ("a.é", "l·l", "xn--a", "a b")
    machine = build_machine({"propertyNames": names})
    assert [accepts_value(machine, {key: 1}) for key in keys] == wanted
    machine = build_machine({"type": "object", "not": {"propertyNames": names}})
    assert [accepts_value(machine, {key: 1}) for key in keys] == [
        key == ("a b" if "format" in names else "a.é") for key in keys
    ]


HOST = {"format": "idn-hostname", "type": "string"}
AMONG_OTHERS = [
    {"contains": HOST, "maxContains": 1},
    {"not": {"contains": HOST}},
    {"contains": HOST, "unevaluatedItems": {"type": "integer"}},
    {"oneOf": [HOST, {"pattern": "l", "type": "string"}]},
    {"oneOf": [{"contains": HOST}, {"contains": {"maxLength": 3, "type": "string"}}]},
    {"oneOf": [{"propertyNames": {"format": "idn-hostname"}}, {"maxProperties": 1}]},
    {"if": HOST, "then": {"maxLength": 2}, "else": {"type": "string"}},
    {"not": {"oneOf": [HOST, {"minLength": 4}]}},
    {"not": {"properties": {"a": HOST}}},
]


@pytest.mark.parametrize("schema", AMONG_OTHERS)
def test_no_value_is_allowed_that_the_standard_forbids(schema):
    """Some texts are host names of the standard alone; they are neither of the format nor not."""
    pytest.importorskip("idna")
    judge = Draft202012Validator(schema, format_checker=Draft202012Validator.FORMAT_CHECKER)
    machine = build_machine(schema)
    texts = ["a", "l·l", "a b", "é.l"]
    pairs = [list(pair) for pair in itertools.product(texts, texts)]
    objects = [{"a": text} for text in texts] + [{text: 0, "b": 0} for text in texts]
    for value in (*texts, *([text] for text in texts), *pairs, *objects, {}, [], [3, "a"]):
        assert judge.is_valid(value) or not accepts_value(machine, value), value


def test_lengths_and_patterns_may_stand_beside_it():
    machine = build_machine({"format": "idn-email", "maxLength": 9, "pattern": "@é[.]"})
    assert [accepts_value(machine, text) for text in ("a@é.c", "a@é", "abcdef@é.c")] == [1, 0, 0]
