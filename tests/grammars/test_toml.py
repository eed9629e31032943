"""toml.lark against tomllib: both read the same texts, but for what is defined twice."""

import random
import re
import sysconfig
import tomllib
from pathlib import Path

import pytest
from lark import Lark

from tests.grammars.derive import accepts, conflicts
from tests.grammars.walks import (
    generate,
    read_corpus,
    read_grammar,
    walk,
)

GRAMMAR = "toml"
CORPUS = read_corpus(GRAMMAR)
TWICE = re.compile("Cannot|[Dd]uplicate|immutable|overwrite")
LEXEMES = {
    "NEWLINE": ["\n", "\r\n"],
    "BARE_KEY": ["a", "1", "-_"],
    "BASIC_STRING": ['"s"', '""', '"\\u00e9\\U0010ffff\\""'],
    "LITERAL_STRING": ["'l'", "''"],
    "LONG_BASIC_STRING": ['"""\na\\\n  b""c"""', '""""a"""""', '"""\\""""'],
    "LONG_LITERAL_STRING": ["'''a''b\n'''", "'''''a'''''"],
    "INTEGER": ["0", "-1_0", "0xdead_beef", "+0"],
    "FLOAT": ["1.5", "-inf", "1e0_1", "+nan"],
    "DATE_TIME": ["1979-05-27T07:32:00Z", "2000-02-29 00:00:00.123-23:59"],
    "DATE": ["1999-12-31", "2024-02-29"],
    "TIME": ["23:59:59.9"],
    "BOOLEAN": ["true", "false"],
}
SIGNS = [*"0123456789abT:-_.+\"'\\\n\r #[]{}=,xeZ", *(x for v in LEXEMES.values() for x in v)]


def verdict(text: str) -> str:
    """Return ``ok``, ``twice`` if tomllib finds a definition too many, else ``refused``."""
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        return "twice" if TWICE.search(str(error)) else "refused"
    return "ok"


def agrees(parser: Lark, text: str) -> bool:
    # tomllib stops at the first error: after a definition too many it reads nothing.
    expected = verdict(text)
    return expected == "twice" or accepts(parser, text) == (expected == "ok")


def test_lark_makes_no_silent_choice():
    assert conflicts(read_grammar("toml"), "document") == []


@pytest.mark.parametrize("name", CORPUS)
def test_the_corpus_is_accepted_and_read_by_tomllib(parser, name):
    assert accepts(parser, CORPUS[name])
    assert verdict(CORPUS[name]) == "ok"


@pytest.mark.parametrize("name", CORPUS)
def test_the_corpus_is_walked_token_by_token(artifact, name):
    assert walk(artifact, CORPUS[name]) == "ok"


def test_the_files_of_the_standard_librarys_tests_get_tomllibs_verdict(parser):
    folder = Path(sysconfig.get_path("stdlib")) / "test" / "test_tomllib" / "data"
    files = sorted(folder.rglob("*.toml"))
    if not files:
        pytest.skip("no tests in this standard library")
    texts = {}
    for path in files:
        try:
            texts[path.name] = path.read_bytes().decode("utf-8")
        except UnicodeDecodeError:
            continue
    assert [name for name, text in texts.items() if not agrees(parser, text)] == []


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n\n",
        "# c",
        "a=1#c",
        "a = # c\n1",
        "a=1 b=2",
        "a=1,",
        "=1",
        '""=1',
        '"""a"""=1',
        "a.b . 'c'=1",
        "1.2=3",
        "a b=1",
        "a=",
        "a",
        "é=1",
        "[ a ]",
        "[[ a ]]",
        "[ [a] ]",
        "[]",
        "[a]]",
        "[a] b=1",
        "a=[[1],[2]]",
        "a=[\n# c\n1,#d\n]",
        "a=[,]",
        "a=[1 2]",
        "a=[1,,2]",
        "a={b=1,}",
        "a={b=1\n}",
        "a={b=1, c={}}",
        "a={[b]}",
        "a=01",
        "a=+01",
        "a=1__0",
        "a=_1",
        "a=1_",
        "a=+0x1",
        "a=0X1",
        "a=0xg",
        "a=0o8",
        "a=1.",
        "a=.1",
        "a=1.e1",
        "a=1e1.5",
        "a=0e0",
        "a=+inf",
        "a=Inf",
        "a=truex",
        "a=True",
        "a=1900-02-29",
        "a=2000-02-29",
        "a=2001-02-29",
        "a=2100-02-29",
        "a=0400-02-29",
        "a=0004-02-29",
        "a=0000-01-01",
        "a=0001-01-01",
        "a=2023-04-31",
        "a=2023-13-01",
        "a=2023-1-01",
        "a=24:00:00",
        "a=23:59:60",
        "a=07:32",
        "a=00:00:00.",
        "a=1979-05-27  07:32:00",
        "a=1979-05-27t07:32:00z",
        "a=1979-05-27 07:32:00+24:00",
        'a="\\ud800"',
        'a="\\U00110000"',
        'a="\\U0000d800"',
        'a="\\q"',
        'a="\\"',
        'a="b\nc"',
        'a="\x7f"',
        'a="\t"',
        'a="""""""""',
        'a=""""""',
        'a=""""""""',
        'a="""a\rb"""',
        'a="""a\r\nb"""',
        'a="""\\  \n  b"""',
        'a="""\\  b"""',
        "a='''a\r\nb'''",
        "a='''a'''''",
        "a='''a''''''",
        "a='\\'",
        "#\x00",
        "#\t",
        "a=1\r",
        "\ufeffa=1",
        "\u00a0a=1",
    ],
)
def test_a_text_is_accepted_iff_tomllib_reads_it(parser, text):
    assert accepts(parser, text) == (verdict(text) == "ok")


@pytest.mark.parametrize("seed", range(4))
def test_what_the_productions_derive_is_accepted_and_read_by_tomllib(parser, deriver, seed):
    draw = random.Random(seed)
    for _ in range(100):
        text = deriver.text("document", draw, draw.choice([5, 15, 40]))
        assert accepts(parser, text), text
        assert verdict(text) != "refused", text


@pytest.mark.parametrize("seed", range(4))
def test_a_derived_text_with_a_character_changed_is_accepted_iff_tomllib_reads_it(
    parser, deriver, seed
):
    draw = random.Random(seed)
    for _ in range(300):
        text = draw.choice([" ", ""]).join(deriver.words("document", draw, draw.choice([5, 15])))
        at = draw.randint(0, len(text))
        text = text[:at] + draw.choice(["", *SIGNS]) + text[at + draw.randrange(2) :]
        assert agrees(parser, text), text


def test_generated_texts_are_read_by_tomllib(parser, artifact):
    for text in generate(artifact, count=20, max_tokens=60):
        assert accepts(parser, text)
        assert verdict(text) != "refused", text
