"""lark.lark against Lark: what is accepted is read by Lark's own reader of grammars."""

from pathlib import Path

import lark
import pytest
from lark.exceptions import LarkError
from lark.load_grammar import _parse_grammar

from tests.grammars.derive import accepts
from tests.grammars.folder import GRAMMARS
from tests.grammars.laws import GrammarLaws

FILES = [*GRAMMARS.glob("*.lark"), *(Path(lark.__file__).parent / "grammars").glob("*.lark")]
LEXEMES = {
    "RULE": ["a", "_b1"],
    "TERMINAL": ["A", "_B1"],
    "MODIFIERS": ["!", "?", "!?", "?!"],
    "NUMBER": ["1", "-2"],
    "OPERATOR": ["*", "+", "? "],
    "STRING": ['"s"', '"\\""i', '"\\n\\\\"'],
    "REGEXP": ["/a/", '/\\/[\\/]"/imsux', "/\\\\/"],
    "_NEWLINE": ["\n", "\n\n // c | d\n  ", "\r\n# x\n"],
    "_NEWLINE_OR": ["\n |", "\n // c\n\n  |"],
    "IGNORE": ["%ignore"],
    "IMPORT": ["%import"],
    "DECLARE": ["%declare"],
    "OVERRIDE": ["%override"],
    "EXTEND": ["%extend"],
}
ACCEPTED = [
    *("a: b", "\n\na:\n", "// only a comment\na: b // and one"),
    *("a: b\n | c\n\n // d | e\n | f", "a: b\n// c | d\ne: f"),
    *("!?_a.-1: (b | c)* [d] e~2 f~3..4 -> g", 'a: "b".."c" | "d"i | /e/ims'),
    *('a{b, c}: b{c, a{c}} "d"', 'A: "b" | (C | [/d/])+'),
    "%import a.b\n%import .a (B, c)\n%import a.b.C -> D",
    *('%ignore " " | /#.*/\n%declare A b\n%override a: b\n%extend A: "b"', "a: b?\nc: d ? e"),
    *("a: b#c", "a: /b/ /c/", "A: /a\n b/x"),
]
REFUSED = [
    *("a", "a:b:c", "a: b\nc", "a: (b", "a: b)", "a: [b", "a: *", "a: b**", "a: b~"),
    *("a: b~1..", 'a: "b"..c', 'a: "b', "a: 'b'", "a: /b", "a: -> b -> c", "a: b -> C"),
    *("a: b?c", "? a: b", "?A: b", "a{}: b", "a{B}: b", "a: b{}", "a.: b", "a.b: c", "A{b}: c"),
    *("__a: b", "%import", "%import a ()", "%ignore", "%declare", "%declare a:"),
    *("%override %extend a: b", "%unknown a", "a: é", "a = b"),
]
LEFT_OUT = [
    *("", "a: (b -> c)", "A: b", 'A: "b" -> c', "A:", "%import a", "aB: c", 'a: "\\q"'),
    *("a: /b\nc/", "a: b \\\n c"),
]


class TestLark(GrammarLaws):
    name = "lark"
    start = "grammar"
    lexemes = LEXEMES
    accepted, refused, left_out = ACCEPTED, REFUSED, LEFT_OUT
    taken = ("%ignore",)
    signs = "01abAB:-_.+\"'\\\n #[]{}(),|~/*?!%>"
    n_derived = 100

    def is_text(self, text):
        try:
            _parse_grammar(text, "test")
        except (LarkError, TypeError):
            # Lark fails over its own message where it finds two explanations of an error.
            return False
        return True

    def join(self, words, _separator=None):
        """Put blanks between lexemes, but none after modifiers."""
        return "".join(word if word in LEXEMES["MODIFIERS"] else f"{word} " for word in words)

    @pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
    def test_grammars_that_lark_reads_are_accepted(self, parser, path):
        assert accepts(parser, path.read_bytes().decode("utf-8"))
