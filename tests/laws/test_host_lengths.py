"""Near 63 octets a label, and 253 in all: which tokens are legal is asked of the package idna.

The judge knows texts that are whole. A text can go on if some text that begins with it is one: up
to two characters more of some that end labels of every kind. What it finds must be legal, and what
is legal must have an end that it knows. Lengths are those of Python's own codec.
"""

import itertools
import random

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import maskc
from maskc.jsonschema.compiling import compile_schema
from maskc.vocab.vocabulary import TokenizerTokens, build_vocabulary
from tests.examples import examples

idna = pytest.importorskip("idna")
idnadata = pytest.importorskip("idna.idnadata")

DOTS = ".。．｡"
# What labels near their end are made of: what is short and what is long in Punycode.
SCRIPTS = [
    "äöüß",
    "abcdefghijklmnopqrstuvwxyz-äöüß",
    "abz019-é",
    "приветмир",
    "例え日本語한국",
    "カタナ・一例",
    "אבגד١۱-׳",
    "यकष\u094d\u200dा",
    "ي\u200cبت١٢",
    "αβγ͵l·ŀ",
    "aä𐐨例\U00020000",
    "xn-ab1",
]
ENDS = "al1-αאيカक例äüß·\u094d\u0301"
PIECES = [
    *("a", "b", "l", "1", "-", "--", "ab", "com", "ä", "ü", "ß", "é", "ää", "aü", "üa", "a-ü"),
    *(".", "。", ".a", ".ä", "ä.", "a.b", "·", "·l", "l·l", "α", "͵", "א", "אב", "א1", "ي", "١"),
    *(
        "例",
        "例え",
        "・",
        "カ",
        "क",
        "\u094d",
        "\u094d\u200c",
        "\u200d",
        "привет",
        "한국",
        "e\u0301",
    ),
    *("𐐨", "\U00020000", "aaaaa", "a" * 10, "ä" * 6, "例" * 4, "X", "_", "xn--", "\u0301", "ŀ"),
]
TEXTS = sorted({*PIECES, *map("".join, itertools.product(PIECES[:18], "abä例-."))})
# Parts of characters: what can become one that fits is legal.
CUTS = sorted({text.encode()[:n] for text in ["ä例𐐨"] for n in (1, 2, 3)})
TOKENS = sorted({*(text.encode() for text in TEXTS), *(bytes([byte]) for byte in range(256))})
VOCABULARY = build_vocabulary("near", TokenizerTokens((*TOKENS, None), (len(TOKENS),)))
ARTIFACT = maskc.Artifact(
    compile_schema({"type": "string", "format": "idn-hostname-exact"}, VOCABULARY)
)


def list_codes():
    """Return the characters that labels may have, but of large scripts only some."""
    found = []
    for pair in idnadata.codepoint_classes["PVALID"]:
        first, last = pair >> 32, pair & 0xFFFFFFFF
        if last > 0x80:
            found += range(max(first, 0x80), last, 1 if last - first < 500 else 97)
    return found


CODES = list_codes()


def octets(label):
    """Return how long a label is in ASCII, by Python's own codec."""
    return len(label) if label.isascii() else 4 + len(label.encode("punycode"))


def is_label(label):
    if not label or any(octets(label[:n]) > 63 for n in range(1, len(label) + 1)):
        return False
    if label.isascii() and not label.lower().startswith("xn--"):
        label = label.lower()
    try:
        idna.alabel(label)
    except UnicodeError:
        return False
    return True


def labels_of(text):
    for dot in DOTS[1:]:
        text = text.replace(dot, ".")
    return text.split(".")


def is_host(text):
    labels = labels_of(text)
    return all(map(is_label, labels)) and sum(map(octets, labels)) + len(labels) - 1 <= 253


def find_end(text, longest=2):
    """Return what makes a host name of a text, ``None`` if nothing was found."""
    *done, last = labels_of(text)
    used = sum(map(octets, done)) + len(done)
    if used >= 253 or not all(map(is_label, done)):
        return None
    if any(octets(last[:n]) > min(63, 253 - used) for n in range(1, len(last) + 1)):
        return None
    signs = "".join(dict.fromkeys(last[::-1] + ENDS))
    ends = ("".join(end) for n in range(longest + 1) for end in itertools.product(signs, repeat=n))
    room = min(63, 253 - used)
    found = next((e for e in ends if octets(last + e) <= room and is_label(last + e)), None)
    if found is None and longest > 1 and is_near(last, room):
        every = (chr(code) for code in CODES)
        found = next((e for e in every if octets(last + e) <= room and is_label(last + e)), None)
    return found


def is_near(label, room):
    """Return whether a label that could go on otherwise is nearly too long for that."""
    if octets(label) + 12 < room:
        return False
    # Of some tails the first character is one that no label begins with.
    tails = {label[-n:].lstrip("-") for n in range(5, 9)}
    return any(is_label(tail + end) for tail in tails for end in ENDS)


def legal_after(prefix):
    matcher = ARTIFACT.matcher()
    assert matcher.accept_bytes(('"' + prefix).encode()), prefix
    bitmask = maskc.allocate_bitmask(1, ARTIFACT.vocab_size)
    matcher.fill_bitmask(bitmask, 0)
    bits = np.unpackbits(bitmask[0].view(np.uint8), bitorder="little")[: len(TOKENS)]
    return matcher, {token for token, bit in zip(TOKENS, bits, strict=True) if bit}


def draw_label(rng, room, most):
    """Return a beginning of a label of up to so many octets, most of the time nearly as many."""
    script, label = rng.choice(SCRIPTS), ""
    if rng.random() < 0.3:
        script += rng.choice(SCRIPTS)
    wanted = min(room, rng.randint(most - 14, most))
    for _ in range(80):
        more = label + rng.choice(script)
        if octets(more) <= wanted and find_end(more, 1) is not None:
            label = more
        elif octets(label) > wanted - 2:
            break
    return label


def draw_prefix(seed):
    rng = random.Random(seed)
    labels, used = [], 0
    if rng.random() < 0.4:
        # Labels before, so that fewer than 63 octets are left.
        left = rng.randint(1, 62)
        while used < 253 - left:
            size = min(63, 253 - left - used - 1)
            if size < 1:
                break
            labels.append("a" * size if rng.random() < 0.5 or size < 12 else "ä" + "b" * (size - 7))
            if octets(labels[-1]) > size:
                labels[-1] = "a" * size
            used += octets(labels[-1]) + 1
    room = min(63, 252 - used)
    return "".join(label + "." for label in labels) + draw_label(
        rng, max(room, 0), min(63, max(room, 1))
    )


@pytest.mark.costly
@examples(5)
@given(st.integers(0, 1 << 32))
@example(59987)  # some Hebrew letters fit, and others are an octet too long
def test_legal_near_the_end_is_what_idna_takes(seed):
    prefix = draw_prefix(seed)
    matcher, legal = legal_after(prefix)
    for text in random.Random(seed).sample(TEXTS, 60):
        end = find_end(prefix + text)
        if end is not None:
            assert text.encode() in legal, (prefix, text, end)
        elif text.encode() in legal:
            after = matcher.fork()
            assert after.accept_bytes(text.encode())
            assert find_end(prefix + text, 3) is not None, (prefix, text)
    for token in random.Random(seed).sample(TOKENS, 60):
        assert (token in legal) == matcher.fork().accept_bytes(token), (prefix, token)
    assert legal or matcher.is_accepting
    closes = matcher.fork().accept_bytes(b'"')
    assert closes == is_host(prefix), prefix
