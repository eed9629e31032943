"""What the rules ask of labels, and host names, held against the package idna where it is."""

import itertools

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from maskc.formats.hosts import hosts_of, is_ace, may_become_ace
from maskc.formats.labels import kind_of, label_codes, read_label

DOTS = ".。．｡"
# Each of these may need what follows it, or what stands before it.
ALPHABET = "alx1A-.ß·͵αאב׳ي١۱・カक्\u200c\u200d\u0301e"
ANY = st.sampled_from(label_codes().tolist()).map(chr)


def read(text, *, is_strict=True):
    hosts = hosts_of(is_strict=is_strict)
    host = hosts.start()
    for character in text:
        host = host and hosts.step(host, character)
    return host


def is_host(text, *, is_strict=True):
    host = read(text, is_strict=is_strict)
    return host is not None and hosts_of(is_strict=is_strict).may_end(host)


def is_valid(text):
    """Return what idna says, which lets a host name end with a dot."""
    idna = pytest.importorskip("idna")
    try:
        idna.encode(text)
    except UnicodeError:
        return False
    return text[-1] not in DOTS


@pytest.mark.parametrize(
    ("text", "valid"),
    [
        ("실례.테스트", True),
        ("a。b．c｡d", True),
        ("a.", False),
        ("Example.com", True),
        ("Exämple.com", False),
        ("ab--c", False),
        ("xn--bcher-kva", True),
        ("XN--BCHER-KVA", True),
        ("xn---bbk", False),
        ("l·l", True),
        ("l·", False),
        ("אב", True),
        ("אa", False),
        ("a" * 63, True),
        ("a" * 64, False),
        (".".join(["a" * 63] * 3 + ["b" * 61]), True),
        (".".join(["a" * 63] * 3 + ["b" * 62]), False),
        ("例" * 28, True),
        ("e\u0301", False),
        ("x\u0323\u0302", True),
    ],
)
def test_a_host_name_is_what_its_standards_say(text, valid):
    assert is_host(text) is valid


@given(st.lists(st.one_of(st.sampled_from(ALPHABET), ANY), min_size=1, max_size=12).map("".join))
def test_a_host_name_is_what_idna_says(text):
    assert is_host(text) == is_valid(text)


@given(st.text("abß例ש١", min_size=1, max_size=6), st.integers(0, 3), st.sampled_from("abz019-"))
def test_a_label_in_punycode_is_what_idna_says(text, n_cut, more):
    label = "xn--" + text.encode("punycode").decode()
    for changed in (label, label[: len(label) - n_cut] + more):
        assert is_host(changed) == is_valid(changed)


FULL = ["", "例" * 24, "例" * 27, "é" * 40 + "例" * 6, "אב" * 20, "xn--" + "a" * 52, "a" * 60]


@given(st.sampled_from(FULL), st.lists(st.sampled_from(ALPHABET), max_size=4).map("".join))
def test_what_is_no_beginning_begins_nothing(before, more):
    """Search: no text of the alphabet with up to three more characters is valid."""
    text = before + more
    if read(text) is None:
        for tail in itertools.product("", *[["", *ALPHABET]] * 2):
            assert not is_valid(text + "".join(tail))
        shorter = next(n for n in range(len(text)) if read(text[: n + 1]) is None)
        assert read(text[:shorter]) is not None


@given(st.sampled_from(FULL), st.lists(st.sampled_from(ALPHABET), max_size=6).map("".join))
def test_a_beginning_has_an_end(before, more):
    text = before + more
    if read(text) is not None and "xn--" not in text.lower():
        ends = ("".join(end) for n in range(3) for end in itertools.product(ALPHABET, repeat=n))
        assert any(is_host(text + end) for end in ends)


@pytest.mark.costly
@pytest.mark.parametrize("basic", ["a", "-", "--", "---", "a--", "-a-", "ab-c", "1" * 46])
def test_letters_and_a_hyphen_can_become_a_label_where_there_is_room(basic):
    """With ten letters left nothing is looked up: here is what they are needed for."""
    ways = (
        basic[:i] + "ß" + basic[i:j] + "ß" + basic[j:k] + "ß" + basic[k:]
        for i, j, k in itertools.combinations_with_replacement(range(len(basic) + 1), 3)
    )
    labels = ["xn--" + way.encode("punycode").decode() for way in ways]
    fitting = [label for label in labels if is_ace(label) and label.startswith(f"xn--{basic}-")]
    assert min(map(len, fitting)) <= len(basic) + 4 + 10


@pytest.mark.parametrize("text", ["xn--" + "a" * 55, "xn--" + "a" * 54 + "-"])
def test_a_label_in_punycode_needs_room(text):
    assert may_become_ace(text, 4) or text.endswith("-")
    assert not may_become_ace(text, 0)


@pytest.mark.parametrize(
    ("text", "valid"),
    [
        ("a" * 100, True),
        ("xn--zzz", True),
        ("ab--c", True),
        ("a。b", False),
        ("例え.jp", True),
        ("a" * 70 + "é", False),
        ("l·a", False),
        ("a-", False),
    ],
)
def test_labels_of_a_domain_are_those_of_email_or_in_unicode(text, valid):
    assert is_host(text, is_strict=False) is valid


def test_the_table_says_what_the_rules_ask():
    assert kind_of(ord("l")) == ("P", "L", "U", "")
    assert kind_of(0x94D).flags == "vm"
    assert kind_of(0x200D).rule == "J"
    assert kind_of(ord("_")) is None


@pytest.mark.parametrize(
    ("text", "simple"),
    [
        ("abc", "abc"),
        ("abcd", "aaad"),
        ("Abcd", "AAAd"),
        ("a-c-", "aaa-"),
        ("exémpql", "axémaal"),
        ("l·lab", "l·lab"),
        ("l·labc", "l·laac"),
        ("x\u0323b", "x\u0323b"),
        ("XN--ab", "xn--ab"),
        ("אב12", "אב12"),
    ],
)
def test_labels_after_which_the_same_may_come_are_one(text, simple):
    assert read_label(text).simplify().text == simple


@given(
    st.sampled_from(["", "x-", "abcl", "カbcl"]),
    st.lists(st.one_of(st.sampled_from(ALPHABET), ANY), max_size=8),
    ANY,
)
@example("x-", ["۱", "͵"], "क")
@example("abcl", ["·"], "b")
def test_a_label_goes_on_as_the_simpler_one(first, characters, more):
    label = simple = read_label("")
    for character in [*first, *characters, more, *"al-", "1"]:
        label = label and label.follow(ord(character), is_strict=True)
        simple = simple and simple.follow(ord(character), is_strict=True)
        assert (label is None) == (simple is None)
        if label is not None:
            assert (label.may_end, label.length) == (simple.may_end, simple.length)
            simple = simple.simplify()
            assert read_label(simple.text).simplify().text == simple.text
