"""JSON without some words: masks are those of the language, bit by bit, with no dead end.

The language is written as an extended regular expression (:mod:`tests.tags.oracle`), which shares
nothing with the machines: what the schema's values may be written as, and no word in it.
"""

import json
import random

import pytest

import maskc
from maskc.kit.artifacts import compile_structural_tag
from maskc.kit.file import make_kit
from maskc.limits import Limits
from maskc.vocab.vocabulary import Vocabulary
from tests.compiled import legal_ids
from tests.examples import seeds
from tests.tags.oracle import (
    ALL,
    NIL,
    Oracle,
    both,
    cat,
    either,
    literal,
    negate,
    nullable,
    sets,
    star,
    times,
)

_SPECIAL = {"<s>": 0}
_TEXTS = [
    *(bytes([byte]) for byte in b'"\\<>/a1[]{},:ucefd02356!' + "｜｝".encode()),
    *(b"</", b"</a", b"</a>", b"a>", b">a", b"><", b'>"', b'a>"', b'"<', b'"</a>', b'/a>"}'),
    *(b"\\u", b"\\u003", b"003c", b"\\/", b"u003e", b'"]', b'"}', b'"},', b'["<', b'"a":', b'{"a'),
    *(b"<\xef\xbd", b"\xef\xbd", b"\x9c", b"\xbd\x9c>", b"\x9c>", b'\x9d"', b"a<", b'a"}</', b"<<"),
    *(b'<"}</a>', b'"]<', b"}</a>", b"1</", b"</a>!", b'/a"</', b'</a>"', b'["</a'),
]
TOKENS: tuple[bytes | None, ...] = (None, *dict.fromkeys(_TEXTS), None)
END = len(TOKENS) - 1
WORDS = ("</a>", "<", "a>", "</", "<｜", "｜>", "｜", "<<a", ">", "</a", "!<")
_DIGITS = "012356acdef"
_ORACLE = Oracle(TOKENS[:-1], _SPECIAL)


def _one_of(characters):
    return sets([ord(c) for c in characters])


def _any_character():
    """One character of a string, raw or as an escape, of the vocabulary's bytes."""
    h, raw = _one_of(_DIGITS), [b for b in _ORACLE.bytes if 0x20 <= b < 0x80 and b not in b'"\\']
    tails = sets([b for b in _ORACLE.bytes if 0x80 <= b < 0xC0])
    unit = either(
        cat(_one_of(_DIGITS.replace("d", "")), h, h, h),
        cat(literal("d"), _one_of("012356"), h, h),
        cat(literal("da"), h, h, literal("\\ud"), _one_of("cdef"), h, h),
    )
    short = cat(literal("\\"), _one_of(set('"\\/bfnrt') & {chr(b) for b in _ORACLE.bytes}))
    return either(
        sets(raw), cat(sets([0xEF]), tails, tails), short, cat(literal("\\u"), unit)
    )  # fmt: skip


_ANY = _any_character()
_TAILS = sets([b for b in _ORACLE.bytes if 0x80 <= b < 0xC0])
_RAW = either(sets([b for b in _ORACLE.bytes if b < 0x80]), cat(sets([0xEF]), _TAILS, _TAILS))


def _character(character):
    """How a character may be written."""
    ways = [literal(character)] if character not in '"\\' else []
    if character in '"\\/':
        ways.append(literal("\\" + character))
    digits = (sets([ord(d), ord(d.upper())]) for d in f"{ord(character):04x}")
    return either(*ways, cat(literal("\\u"), *digits))


def _quoted(inner):
    return cat(literal('"'), inner, literal('"'))


def _text(value):
    return _quoted(cat(*map(_character, value)))


def draw_schema(draw, depth):
    """Return a random schema, and how its values may be written."""
    kind = draw.randrange(7 if depth else 4)
    match kind:
        case 0:
            return {"type": "string"}, _quoted(star(_ANY))
        case 1:
            low, high = draw.choice([(0, 1), (1, 3), (2, 2), (0, 4)])
            schema = {"type": "string", "minLength": low, "maxLength": high}
            return schema, _quoted(times(_ANY, low, high))
        case 2:
            texts = ["</a>", "a</a>", "<", "a", "<｜", "｜", "<<a", "<｜>", "", "!<a", "｝", '"<']
            values = draw.sample([*texts, [], {}], draw.randint(1, 3))
            ways = [_text(v) if isinstance(v, str) else literal(json.dumps(v)) for v in values]
            return {"enum": values}, either(*ways)
        case 3:
            first = draw.choice("<｜/")
            schema = {"type": "string", "pattern": f"^[{first}>]*$"}
            return schema, _quoted(star(either(_character(first), _character(">"))))
        case 4:
            inner, written = draw_schema(draw, depth - 1)
            most = draw.randint(1, 2)
            more = times(cat(literal(","), written), 0, most - 1)
            schema = {"type": "array", "items": inner, "maxItems": most}
            return schema, cat(literal("["), times(cat(written, more), 0, 1), literal("]"))
        case _:
            names = draw.sample(["a", "<", "</a>", "a｜", ""], draw.randint(1, 2))
            drawn = [draw_schema(draw, depth - 1) for _ in names]
            schema = {
                "type": "object",
                "properties": {n: inner for n, (inner, _) in zip(names, drawn, strict=True)},
                "required": names,
                "additionalProperties": False,
            }
            parts = []
            for n, (_, written) in zip(names, drawn, strict=True):
                parts += [literal(","), _text(n), literal(":"), written]
            return schema, cat(literal("{"), *parts[1:], literal("}"))


def draw_tag(draw):
    """Return a random tag with JSON in it, and its language."""
    schema, written = draw_schema(draw, 2)
    words = draw.sample(WORDS, draw.randint(1, 3))
    whole = both(written, *(negate(cat(ALL, literal(word), ALL)) for word in words))
    begin, end = draw.choice(["", "<", "</a>", "a"]), draw.choice(["", "</a>", "</", "!"])
    form = {
        "type": "json_schema",
        "json_schema": schema,
        "excludes": words,
        "max_whitespace_cnt": 0,
    }
    elements = [form]
    if begin:
        elements.insert(0, {"type": "const_string", "value": begin})
    if end:
        elements.append({"type": "const_string", "value": end})
    parts = [_ORACLE.text(begin), whole, _ORACLE.text(end)]
    if draw.random() < 0.3:
        elements.append({"type": "any_text", "excludes": ["</a>"]})
        parts.append(both(star(_RAW), negate(cat(ALL, literal("</a>"), ALL))))
    tag = {"type": "structural_tag", "format": {"type": "sequence", "elements": elements}}
    return tag, cat(*parts)


@pytest.fixture(scope="module")
def vocabulary():
    return Vocabulary(TOKENS, (END,), "small", _SPECIAL)


@pytest.fixture(scope="module")
def kit(vocabulary):
    return make_kit(vocabulary)


def follow(make, language, draw, tag):
    """Hold masks against the language along a random text, back and forth."""
    matcher, here, path = make(), language, []
    for n in range(14):
        expected = _ORACLE.legal(here) | ({END} if nullable(here) else set())
        found = legal_ids(matcher, len(TOKENS))
        assert found == expected, (
            [TOKENS[t] for t in path],
            [TOKENS[t] for t in sorted(found - expected)],
            [TOKENS[t] for t in sorted(expected - found)],
            json.dumps(tag, ensure_ascii=False),
        )
        choices = sorted(expected - {END})
        if not choices:
            assert END in expected, "a dead end"
            break
        # What begins a word is what matters.
        near = [t for t in choices if set(TOKENS[t] or b"") & set("<>/a｜".encode())]
        token = draw.choice(near if near and draw.random() < 0.7 else choices)
        other = draw.choice(choices)
        fork = matcher.fork()
        assert fork.accept_token(other)
        fork.rollback(1)
        assert legal_ids(fork, len(TOKENS)) == expected
        assert matcher.accept_token(token)
        path.append(token)
        here = _ORACLE.after(here, token)
        if n == 5:
            again = make()
            for one in path:
                assert again.accept_token(one)
            assert again.configuration() == matcher.configuration()


@pytest.mark.parametrize("seed", seeds(60))
def test_masks_of_json_without_words_are_those_of_the_language(seed, kit):
    draw = random.Random(seed)
    tag, language = draw_tag(draw)
    assert language != NIL
    constraint = kit.structural_tag(tag)
    for _ in range(3):
        follow(constraint.matcher, language, draw, tag)


@pytest.mark.parametrize("seed", range(100, 112))
def test_an_artifact_of_json_without_words_has_the_same_masks(seed, vocabulary):
    draw = random.Random(seed)
    tag, language = draw_tag(draw)
    artifact = maskc.Artifact(compile_structural_tag(tag, vocabulary, limits=Limits()))
    follow(artifact.matcher, language, draw, tag)
