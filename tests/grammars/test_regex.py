"""regex.lark against re: what is accepted compiles, but for a name that two groups have."""

import ast
import re
import sysconfig
import warnings
from pathlib import Path

import pytest

from tests.grammars.derive import accepts
from tests.grammars.laws import GrammarLaws

LEXEMES = {
    "FLAGS": ["(?i)", "(?ams)"],
    "GROUP_START": ["(?:", "(?>", "(?i:", "(?-ms:", "(?P<a>"],
    "LOOK_AHEAD": ["(?=", "(?!"],
    "LOOK_BEHIND": ["(?<=", "(?<!"],
    "LITERAL": ["a", "1", "}", "]", "-", " ", "\n", "é", "#"],
    "ANCHOR": ["^", "$", "\\b", "\\Z"],
    "ESCAPE": ["\\d", "\\\\", "\\.", "\\xff", "\\U0010FFFF"],
    "SET_ESCAPE": ["\\w", "\\]", "\\b"],
    "SET_START": ["[", "[^"],
    "SET_LITERAL": ["a", "+", ".", '"'],
    "TIMES": ["{2}"],
    "QUANTIFIER": ["*", "+?", "?+", "{3}?", "{1,}", "{,4}?", "{10,12}+", "{9,10}", "{8,8}"],
    "RANGE": ["a-z", "\\x00-\\x1f", "0-0"],
}
ACCEPTED = [
    *("", "|", "()", "a||b", "a}b]", "[-a]", "[a-]", "[-]", "[^^-]", "[a|&~.b]"),
    *("[\\]\\[\\-\\b]", "[a-z\\d_A-Z\\x00-\\x1f]", "a{0}b{2,}c{,3}d{1,2}?e{10,99}+f{07}"),
    *("a*?b+?c??d*+e++f?+", "(?=a)*(?!b)+(?<=c)(?<!d{2})", "(?<=^[ab].\\d)"),
    *("(?i:a)(?-i:b)(?>c)(?P<d_1>e)", "(?i)a", "\\0\\x00\\uD800\\U0010FFFF\\_\\é\\\n", "\n é"),
]
REFUSED = [
    *("(", ")", "(a", "a)", "(?", "(?a", "(?<a>b)", "(?P<1>a)", "(?P<a b>c)", "(?P>a)", "(?z)"),
    *("(?L)a", "a(?i)", "(?i-i:a)", "(?-a:b)", "(?au:b)", "*", "|*", "(*a)", "^*", "\\b+"),
    *("\\Z?", "(?i)*", "a**", "a?*", "a*{2}", "a{2}{3}", "a*?+", "a{2,1}", "a{22,21}"),
    *("a{30,29}", "a{10,9}", "[", "[]", "[^]", "[a", "[z-a]", "[9-0]", "[a-\\d]", "[\\d-a]"),
    *("[\\x10-\\x0f]", "[\\B]", "[\\A]", "[[a]", "[a--b]", "[a&&b]", "[a||b]", "[a~~b]", "\\"),
    *("\\8", "\\q", "\\xg0", "\\x1", "\\u12", "\\U00110000", "(?<=a*)", "(?<=a|bc)"),
    "(?<=a{2,3})",
]
LEFT_OUT = [
    *("(a)\\1", "(?P<a>b)(?P=a)", "(a)?(?(1)b|c)", "(?#a)", "(?x)a", "(?u)a", "a{", "{a}"),
    *("a{100}", "[]a]", "[ -~]", "[а-я]", "[\\x10-\\x1f]", "\\01", "\\N{BULLET}"),
    *("(?<=(?:a))b", "(?<=a|b)"),
]


def standard_library_patterns() -> set[str]:
    """Return what the standard library's modules compile, as far as it stands there as text."""
    found = set()
    for path in Path(sysconfig.get_path("stdlib")).glob("*.py"):
        for node in ast.walk(ast.parse(path.read_bytes())):
            if (
                isinstance(node, ast.Call)
                and ast.unparse(node.func) == "re.compile"
                and isinstance(node.args[0], ast.Constant)
                and isinstance(node.args[0].value, str)
                and "VERBOSE" not in ast.unparse(node)
                and "re.X" not in ast.unparse(node)
            ):
                found.add(node.args[0].value)
    return found


class TestRegex(GrammarLaws):
    name = "regex"
    start = "pattern"
    lexemes = LEXEMES
    accepted, refused, left_out = ACCEPTED, REFUSED, LEFT_OUT
    signs = "0123456789abT:-_.+\"'\\\n []{}=,xeZ()|*?<>!P&~^$"
    n_derived, n_changed = 200, 500
    generated = (20, 30)

    def is_text(self, text):
        with warnings.catch_warnings():
            # What may mean something else one day is not written today.
            warnings.simplefilter("error", FutureWarning)
            try:
                re.compile(text)
            except re.error as error:
                return "redefinition of group name" in str(error)
            except FutureWarning:
                return False
            finally:
                re.purge()
        return True

    def join(self, words, _separator=None):
        return "".join(words)

    def test_what_the_head_leaves_out_is_refused(self, parser, left_out):
        super().test_what_the_head_leaves_out_is_refused(parser, left_out)
        assert self.is_text(left_out)

    @pytest.mark.costly
    def test_most_patterns_of_the_standard_library_are_accepted(self, parser):
        patterns = standard_library_patterns()
        accepted = [pattern for pattern in patterns if accepts(parser, pattern)]
        assert len(accepted) > 0.75 * len(patterns)
        assert self.list_faults(accepted) == []
