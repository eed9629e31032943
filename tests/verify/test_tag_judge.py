"""The judge of tags says what the oracle of the tests says, which is another one again."""

import json
import random

import pytest

from maskc.verify.json_judge import NotJudgedError
from maskc.verify.tag_judge import MOST_CHARACTERS, TagJudge
from tests.examples import seeds
from tests.tags.drawing import TOKENS, draw_format
from tests.tags.oracle import Oracle, Re, nullable

pytest.importorskip("jsonschema")

BYTES = tuple(token for token in TOKENS if token is not None and len(token) == 1)
INTEGER = {"type": "json_schema", "json_schema": {"type": "integer"}}


def judge(form: object, text: str, *, strict: bool = False) -> bool:
    return TagJudge({"type": "structural_tag", "format": form}, ()).judge(text, strict=strict)


def walk(oracle: Oracle, language: Re, draw: random.Random) -> str:
    """Return a text that begins like one of the language, and sometimes is one."""
    text = bytearray()
    for _ in range(draw.randint(0, 9)):
        legal = sorted(oracle.legal(language))
        if not legal:
            break
        token = draw.choice(legal)
        text += BYTES[token]
        language = oracle.after(language, token)
    if draw.random() < 0.3:
        text += draw.choice(BYTES)
    return text.decode()


@pytest.mark.parametrize("seed", seeds(60))
def test_what_is_judged_is_the_language(seed: int) -> None:
    draw = random.Random(seed)
    form = draw_format(draw, 3)
    try:
        judge(form, "")
        oracle = Oracle(BYTES, {})
        language = oracle.read(form)
    except (NotJudgedError, ValueError):
        return  # it names special tokens, or counts tokens
    if not oracle.is_live(language):
        return
    for _ in range(6):
        text = walk(oracle, language, draw)
        here = language
        for byte in text.encode():
            here = oracle.after(here, BYTES.index(bytes([byte])))
        try:
            found = judge(form, text)  # each schema there says how many blanks there may be
        except NotJudgedError:
            return
        assert found == nullable(here), (text, json.dumps(form))


def test_blanks_around_a_value_are_none_of_it() -> None:
    assert not judge(INTEGER, " 12")
    assert not judge(INTEGER, "12\n")
    assert judge(INTEGER, "12")


def test_the_name_of_a_special_token_is_no_free_text() -> None:
    tag = {"type": "structural_tag", "format": {"type": "any_text"}}
    assert TagJudge(tag, ()).judge("a<call>")
    assert not TagJudge(tag, ["<call>"]).judge("a<call>")


def test_the_older_form_is_judged() -> None:
    structure = {"begin": "<f>", "schema": '{"type": "integer"}', "end": "</f>"}
    reader = TagJudge({"structures": [structure], "triggers": ["<f"]}, ())
    assert reader.judge("so <f>1</f>.")
    assert not reader.judge("so <f>a</f>.")


@pytest.mark.parametrize(
    "form",
    [
        {"type": "grammar", "grammar": 'root ::= "a"'},
        {"type": "any_tokens"},
        {"type": "json_schema", "json_schema": True, "style": "qwen_xml"},
        {"type": "any_text", "max_tokens": 3},
    ],
)
def test_what_is_not_judged_is_said(form: object) -> None:
    with pytest.raises(NotJudgedError):
        judge(form, "a")


def test_a_long_reply_is_not_judged() -> None:
    with pytest.raises(NotJudgedError, match="20,000 characters"):
        judge({"type": "any_text"}, "a" * (MOST_CHARACTERS + 1))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"a": 1}', True),
        ('{"a":\t\n1}', True),
        (' {"a":1}', False),
        ('{"a":   1}', False),
        ('{"a":\r1}', False),
        ('{"a ":1,"a":1}', False),
    ],
)
def test_blanks_are_counted_outside_of_strings(text: str, expected: bool) -> None:
    schema = {"type": "object", "maxProperties": 1}
    form = {"type": "json_schema", "json_schema": schema, "max_whitespace_cnt": 2}
    assert judge(form, text) is expected
    assert judge({**form, "max_whitespace_cnt": 0}, '{"a": 1}', strict=True) is False


def test_a_tag_of_the_older_form_is_judged_as_it_is_read() -> None:
    structure = {"begin": "<f>", "schema": {"type": "string"}, "end": "!", "excludes": ["</f>"]}
    tag = {"structures": [structure], "triggers": ["<f>"], "at_least_one": True}
    found = TagJudge(tag, ())
    assert found.judge('<f>"a"! b')
    assert not found.judge('<f>"</f>"!')
    assert not found.judge('a <f>"a"!')
    del structure["schema"]
    assert TagJudge(tag, ()).judge("<f>12!")


def test_nothing_ends_inside_the_name_of_a_special_token() -> None:
    form = {"type": "star", "content": {"type": "any_text"}}
    judged = TagJudge({"type": "structural_tag", "format": form}, ("[S]",))
    assert judged.judge("[S")
    assert not judged.judge("a[S]b")
