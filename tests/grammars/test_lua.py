"""lua.lark against Lua 5.4 itself, where the package ``lupa`` is installed.

The judge loads a chunk and does not run it. Of its errors those that no context-free grammar can
see do not count: `...`, `break`, `goto` and constants in the wrong place.
"""

import random
import re

import pytest
from lark import Lark

from tests.grammars.derive import Deriver, accepts, conflicts
from tests.grammars.walks import (
    generate,
    read_corpus,
    read_grammar,
    walk,
)

GRAMMAR = "lua"
CORPUS = read_corpus(GRAMMAR)
NO_SYNTAX = re.compile(
    r"cannot use '\.\.\.'|outside a? ?loop|no visible label|already defined|const variable"
    "|jumps into|multiple to-be-closed"
)
LEXEMES = {
    "NAME": ["a", "b", "f"],
    "NUMBER": ["1", ".5", "0x1p4", "3.e2", "0xA.8"],
    "STRING": ['"s"', "'\\n\\065'", "[[x]]", "[==[]]]==]", '"\\z  b\\u{7FFFFFFF}"'],
    "CONCATENATE": [".."],
    "_GREATER": [">"],
    "ATTRIBUTE": ["const", "close"],
}


def list_lexemes(parser: Lark) -> dict[str, list[str]]:
    words = {t.name: [t.name.lower()] for t in parser.terminals if t.name.isalpha()}
    strings = Deriver(parser, {}).lexemes
    return {**words, **strings, **LEXEMES}


@pytest.fixture(scope="module")
def is_lua():
    lua = pytest.importorskip("lupa.lua54")
    load = lua.LuaRuntime(encoding="latin-1").eval(
        "function(text) local chunk, message = load(text, '=text', 't') return message or '' end"
    )

    def judge(text: str) -> bool:
        message = load(text.encode("utf-8").decode("latin-1"))
        return not message or NO_SYNTAX.search(message) is not None

    return judge


def test_the_only_silent_choices_are_calls_over_statements_that_begin_with_a_bracket():
    assert set(conflicts(read_grammar("lua"), "chunk")) == {
        "Shift/Reduce conflict for terminal LPAR: (resolving as shift)"
    }


@pytest.mark.parametrize("name", CORPUS)
def test_the_corpus_is_accepted(parser, name):
    assert accepts(parser, CORPUS[name])


@pytest.mark.parametrize("name", CORPUS)
def test_the_corpus_is_loaded_by_lua(is_lua, name):
    assert is_lua(CORPUS[name])


@pytest.mark.parametrize("name", CORPUS)
def test_the_corpus_is_walked_token_by_token(artifact, name):
    assert walk(artifact, CORPUS[name]) == "ok"


ACCEPTED = [
    "",
    ";;",
    "return",
    "return;",
    "return 1, ...",
    "f()",
    "f{}'a'\"b\"[[c]]:d{}:e'f'",
    "f\n(g)()",
    "a = 1(f)()",
    "a.b['c'], d = 1;(f)()",
    "local a <const>, b <close>, c = 1",
    "local function f(a, b, ...) end",
    "function a.b.c:d() end",
    "for i = 1, 2, 3 do end for a, b in c, d do end",
    "if a then elseif b then else end",
    "while a do break end repeat local b until b",
    "goto l ::l::",
    "return a or b and c < d | e ~ f & g << h .. i + j * -k ^ -l",
    "return not - # ~ a ~= b == c <= d >= e > f // g % h / i >> j",
    "return 2^-3^2, a..b..c, a.. .5, a..b",
    "return {[[x]], [ [[x]] ] = 1, a = 2; 3, {}, function() end, }",
    "return 'a\\z \n  b\\\nc\\x41\\65\\255\\u{7FFFFFFF}\\'\\\\'",
    "return [=[]]]=], [[\n]], [==[]=]]==]",
    "return 0x.8p-1, 0XA, 1e+5, 3., .5, 08",
    "-- comment\n--[[ long\n ]]--[==[ ]] ]==]a()--[=",
    "a---b\n()",
    "(a).b = 1",
    "andy = notx",
]


@pytest.mark.parametrize("text", ACCEPTED)
def test_a_chunk_is_accepted(parser, text):
    assert accepts(parser, text)


@pytest.mark.parametrize("text", ACCEPTED)
def test_an_accepted_chunk_is_loaded_by_lua(is_lua, text):
    assert is_lua(text)


REFUSED = [
    "return return",
    "return 1 a()",
    "a",
    "a.b",
    "1",
    "a()=1",
    "(a)=1",
    "a, b()=1",
    "a b",
    "a::b()",
    "a:b",
    "a:b.c()",
    "local a.b = 1",
    "local x <const>=1",
    "local x <constant> = 1",
    "local function a.b() end",
    "function a:b:c() end",
    "function a:b.c() end",
    "function f(..., a) end",
    "function f(a,) end",
    "for a.b = 1, 2 do end",
    "for a = 1 do end",
    "if a then else elseif b then end",
    "goto = 1",
    "end",
    "do",
    "return a andb",
    "return (a andb)",
    "x = a...5",
    "return 1..2",
    "return 3..2",
    "return 0x",
    "return 0x1p",
    "return 1e",
    "return 1a",
    "return 1.5.2",
    "return '\\300'",
    "return '\\256'",
    "return '\\q'",
    "return '\\x4'",
    "return '\\u{80000000}'",
    "return '\\u{}'",
    "return 'a\nb'",
    "return 'a",
    "return ''''",
    "return [[a",
    "return [=[a]]",
    "return {,}",
    "return {a b}",
    "return {[[x]]=1}",
    "return a = b",
    "return a < > b",
    "return ^1",
    "return 1 ! 2",
    "x = a != b",
    "é = 1",
    "--[[",
    "--[==[ ]]",
]


@pytest.mark.parametrize("text", REFUSED)
def test_a_chunk_that_is_not_lua_is_refused(parser, text):
    assert not accepts(parser, text)


@pytest.mark.parametrize("text", REFUSED)
def test_a_refused_chunk_is_refused_by_lua(is_lua, text):
    assert not is_lua(text)


@pytest.mark.parametrize("text", ["return [===[a]===]", "#!lua\nreturn 1"])
def test_what_the_header_leaves_out_is_refused(parser, text):
    assert not accepts(parser, text)


@pytest.mark.parametrize("seed", range(4))
def test_what_the_productions_derive_is_accepted(parser, deriver, seed):
    draw = random.Random(seed)
    for _ in range(80):
        text = deriver.text("chunk", draw, draw.choice([5, 15, 40]))
        assert accepts(parser, text), text


@pytest.mark.parametrize("seed", range(4))
def test_a_derived_chunk_changed_or_not_that_is_accepted_is_loaded_by_lua(
    parser, deriver, is_lua, seed
):
    draw = random.Random(seed)
    for _ in range(300):
        words = list(deriver.words("chunk", draw, draw.choice([5, 15, 40])))
        if draw.randrange(3):
            words = deriver.change(words, draw)
        text = draw.choice(["", " ", "\n"]).join(words)
        # Lua stops at the first error, so one that does not count hides those after it.
        if accepts(parser, text):
            assert is_lua(text), text


def test_generated_chunks_are_loaded_by_lua(parser, artifact, is_lua):
    for text in generate(artifact, count=5, max_tokens=30):
        assert accepts(parser, text)
        assert is_lua(text), text
