"""lua.lark against Lua 5.4 itself, where the package ``lupa`` is installed.

The judge loads a chunk and does not run it. Of its errors those that no context-free grammar can
see do not count: `...`, `break`, `goto` and constants in the wrong place.
"""

import functools
import re
from importlib.util import find_spec

from tests.grammars.derive import Deriver
from tests.grammars.laws import GrammarLaws

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
ACCEPTED = [
    *("", ";;", "return", "return;", "return 1, ...", "f()", "f{}'a'\"b\"[[c]]:d{}:e'f'"),
    *("f\n(g)()", "a = 1(f)()", "a.b['c'], d = 1;(f)()", "local a <const>, b <close>, c = 1"),
    *("local function f(a, b, ...) end", "function a.b.c:d() end"),
    *("for i = 1, 2, 3 do end for a, b in c, d do end", "if a then elseif b then else end"),
    *("while a do break end repeat local b until b", "goto l ::l::"),
    "return a or b and c < d | e ~ f & g << h .. i + j * -k ^ -l",
    "return not - # ~ a ~= b == c <= d >= e > f // g % h / i >> j",
    "return 2^-3^2, a..b..c, a.. .5, a..b",
    "return {[[x]], [ [[x]] ] = 1, a = 2; 3, {}, function() end, }",
    "return 'a\\z \n  b\\\nc\\x41\\65\\255\\u{7FFFFFFF}\\'\\\\'",
    *("return [=[]]]=], [[\n]], [==[]=]]==]", "return 0x.8p-1, 0XA, 1e+5, 3., .5, 08"),
    *("-- comment\n--[[ long\n ]]--[==[ ]] ]==]a()--[=", "a---b\n()", "(a).b = 1", "andy = notx"),
]
REFUSED = [
    *("return return", "return 1 a()", "a", "a.b", "1", "a()=1", "(a)=1", "a, b()=1", "a b"),
    *("a::b()", "a:b", "a:b.c()", "local a.b = 1", "local x <const>=1", "local x <constant> = 1"),
    *("local function a.b() end", "function a:b:c() end", "function a:b.c() end"),
    *("function f(..., a) end", "function f(a,) end", "for a.b = 1, 2 do end", "for a = 1 do end"),
    *("if a then else elseif b then end", "goto = 1", "end", "do", "return a andb"),
    *("return (a andb)", "x = a...5", "return 1..2", "return 3..2", "return 0x", "return 0x1p"),
    *("return 1e", "return 1a", "return 1.5.2", "return '\\300'", "return '\\256'", "return '\\q'"),
    *("return '\\x4'", "return '\\u{80000000}'", "return '\\u{}'", "return 'a\nb'", "return 'a"),
    *("return ''''", "return [[a", "return [=[a]]", "return {,}", "return {a b}"),
    *("return {[[x]]=1}", "return a = b", "return a < > b", "return ^1", "return 1 ! 2"),
    *("x = a != b", "é = 1", "--[[", "--[==[ ]]"),
]


@functools.cache
def find_judge():
    """Return a function from a chunk to Lua's complaint, ``None`` where Lua is not installed."""
    if find_spec("lupa") is None:
        return None
    from lupa import lua54

    return lua54.LuaRuntime(encoding="latin-1").eval(
        "function(text) local chunk, message = load(text, '=text', 't') return message or '' end"
    )


class TestLua(GrammarLaws):
    name = "lua"
    start = "chunk"
    # Calls over statements that begin with a bracket.
    choices = 4 * ("Shift/Reduce conflict for terminal LPAR: (resolving as shift)",)
    accepted, refused = ACCEPTED, REFUSED
    left_out = ("return [===[a]===]", "#!lua\nreturn 1")
    separators = ("", " ", "\n")
    generated = (5, 30)

    def is_text(self, text):
        load = find_judge()
        if load is None:
            return None
        # Lua stops at the first error, so one that does not count hides those after it.
        message = load(text.encode("utf-8").decode("latin-1"))
        return not message or NO_SYNTAX.search(message) is not None

    def list_lexemes(self, parser):
        words = {t.name: [t.name.lower()] for t in parser.terminals if t.name.isalpha()}
        return {**words, **Deriver(parser, {}).lexemes, **LEXEMES}
