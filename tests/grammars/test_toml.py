"""toml.lark against tomllib: both read the same texts, but for what is defined twice."""

import re
import sysconfig
import tomllib
from contextlib import suppress
from pathlib import Path

import pytest

from tests.grammars.derive import accepts
from tests.grammars.laws import GrammarLaws

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
TEXTS = [
    *("", "\n\n", "# c", "a=1#c", "a = # c\n1", "a=1 b=2", "a=1,", "=1", '""=1', '"""a"""=1'),
    *("a.b . 'c'=1", "1.2=3", "a b=1", "a=", "a", "é=1", "[ a ]", "[[ a ]]", "[ [a] ]", "[]"),
    *("[a]]", "[a] b=1", "a=[[1],[2]]", "a=[\n# c\n1,#d\n]", "a=[,]", "a=[1 2]", "a=[1,,2]"),
    *("a={b=1,}", "a={b=1\n}", "a={b=1, c={}}", "a={[b]}", "a=01", "a=+01", "a=1__0", "a=_1"),
    *("a=1_", "a=+0x1", "a=0X1", "a=0xg", "a=0o8", "a=1.", "a=.1", "a=1.e1", "a=1e1.5"),
    *("a=0e0", "a=+inf", "a=Inf", "a=truex", "a=True", "a=1900-02-29", "a=2000-02-29"),
    *("a=2001-02-29", "a=2100-02-29", "a=0400-02-29", "a=0004-02-29", "a=0000-01-01"),
    *("a=0001-01-01", "a=2023-04-31", "a=2023-13-01", "a=2023-1-01", "a=24:00:00"),
    *("a=23:59:60", "a=07:32", "a=00:00:00.", "a=1979-05-27  07:32:00"),
    *("a=1979-05-27t07:32:00z", "a=1979-05-27 07:32:00+24:00", 'a="\\ud800"'),
    *('a="\\U00110000"', 'a="\\U0000d800"', 'a="\\q"', 'a="\\"', 'a="b\nc"', 'a="\x7f"'),
    *('a="\t"', 'a="""""""""', 'a=""""""', 'a=""""""""', 'a="""a\rb"""', 'a="""a\r\nb"""'),
    *('a="""\\  \n  b"""', 'a="""\\  b"""', "a='''a\r\nb'''", "a='''a'''''", "a='''a''''''"),
    *("a='\\'", "#\x00", "#\t", "a=1\r", "\ufeffa=1", "\u00a0a=1"),
]


def verdict(text: str) -> str:
    """Return ``ok``, ``twice`` if tomllib finds a definition too many, else ``refused``."""
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        return "twice" if TWICE.search(str(error)) else "refused"
    return "ok"


class TestToml(GrammarLaws):
    name = "toml"
    start = "document"
    lexemes = LEXEMES
    test_what_the_head_leaves_out_is_refused = None  # it leaves nothing out
    accepted = tuple(text for text in TEXTS if verdict(text) == "ok")
    refused = tuple(text for text in TEXTS if verdict(text) != "ok")
    signs = SIGNS
    is_whole = True
    n_derived, n_changed = 100, 300
    generated = (20, 60)

    def is_text(self, text):
        # tomllib stops at the first error: after a definition too many it reads nothing.
        return {"ok": True, "twice": None, "refused": False}[verdict(text)]

    def test_the_files_of_the_standard_librarys_tests_get_tomllibs_verdict(self, parser):
        folder = Path(sysconfig.get_path("stdlib")) / "test" / "test_tomllib" / "data"
        texts = []
        for path in sorted(folder.rglob("*.toml")):
            with suppress(UnicodeDecodeError):
                texts.append(path.read_bytes().decode("utf-8"))
        if not texts:
            pytest.skip("no tests in this standard library")
        assert [t for t in texts if self.is_text(t) not in {None, accepts(parser, t)}] == []
