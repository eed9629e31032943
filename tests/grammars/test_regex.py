"""regex.lark against re: what is accepted compiles, but for a name that two groups have."""

import ast
import random
import re
import sys
import sysconfig
import warnings
from pathlib import Path

import pytest

from tests.grammars.derive import accepts, conflicts
from tests.grammars.walks import (
    generate,
    read_corpus,
    read_grammar,
    walk,
)

pytestmark = pytest.mark.skipif(
    sys.version_info < (3, 11), reason="atomic groups and possessive quantifiers came with 3.11"
)

GRAMMAR = "regex"
CORPUS = read_corpus(GRAMMAR)
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
SIGNS = [*"0123456789abT:-_.+\"'\\\n []{}=,xeZ()|*?<>!P&~^$"]


def compiles(pattern: str) -> bool:
    with warnings.catch_warnings():
        # What may mean something else one day is not written today.
        warnings.simplefilter("error", FutureWarning)
        try:
            re.compile(pattern)
        except re.error as error:
            return "redefinition of group name" in str(error)
        except FutureWarning:
            return False
        finally:
            re.purge()
    return True


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


def test_lark_makes_no_silent_choice():
    assert conflicts(read_grammar("regex"), "pattern") == []


@pytest.mark.parametrize("name", CORPUS)
def test_the_corpus_is_accepted_and_compiles(parser, name):
    assert accepts(parser, CORPUS[name])
    assert compiles(CORPUS[name])


@pytest.mark.parametrize("name", CORPUS)
def test_the_corpus_is_walked_token_by_token(artifact, name):
    assert walk(artifact, CORPUS[name]) == "ok"


@pytest.mark.costly
def test_most_patterns_of_the_standard_library_are_accepted(parser):
    patterns = standard_library_patterns()
    accepted = [pattern for pattern in patterns if accepts(parser, pattern)]
    assert len(accepted) > 0.75 * len(patterns)
    assert all(compiles(pattern) for pattern in accepted)


@pytest.mark.parametrize(
    "pattern",
    [
        "",
        "|",
        "()",
        "a||b",
        "a}b]",
        "[-a]",
        "[a-]",
        "[-]",
        "[^^-]",
        "[a|&~.b]",
        "[\\]\\[\\-\\b]",
        "[a-z\\d_A-Z\\x00-\\x1f]",
        "a{0}b{2,}c{,3}d{1,2}?e{10,99}+f{07}",
        "a*?b+?c??d*+e++f?+",
        "(?=a)*(?!b)+(?<=c)(?<!d{2})",
        "(?<=^[ab].\\d)",
        "(?i:a)(?-i:b)(?>c)(?P<d_1>e)",
        "(?i)a",
        "\\0\\x00\\uD800\\U0010FFFF\\_\\é\\\n",
        "\n é",
    ],
)
def test_a_pattern_is_accepted_and_compiles(parser, pattern):
    assert accepts(parser, pattern)
    assert compiles(pattern)


@pytest.mark.parametrize(
    "pattern",
    [
        "(",
        ")",
        "(a",
        "a)",
        "(?",
        "(?a",
        "(?<a>b)",
        "(?P<1>a)",
        "(?P<a b>c)",
        "(?P>a)",
        "(?z)",
        "(?L)a",
        "a(?i)",
        "(?i-i:a)",
        "(?-a:b)",
        "(?au:b)",
        "*",
        "|*",
        "(*a)",
        "^*",
        "\\b+",
        "\\Z?",
        "(?i)*",
        "a**",
        "a?*",
        "a*{2}",
        "a{2}{3}",
        "a*?+",
        "a{2,1}",
        "a{22,21}",
        "a{30,29}",
        "a{10,9}",
        "[",
        "[]",
        "[^]",
        "[a",
        "[z-a]",
        "[9-0]",
        "[a-\\d]",
        "[\\d-a]",
        "[\\x10-\\x0f]",
        "[\\B]",
        "[\\A]",
        "[[a]",
        "[a--b]",
        "[a&&b]",
        "[a||b]",
        "[a~~b]",
        "\\",
        "\\8",
        "\\q",
        "\\xg0",
        "\\x1",
        "\\u12",
        "\\U00110000",
        "(?<=a*)",
        "(?<=a|bc)",
        "(?<=a{2,3})",
    ],
)
def test_a_pattern_that_does_not_compile_is_refused(parser, pattern):
    assert not accepts(parser, pattern)
    assert not compiles(pattern)


@pytest.mark.parametrize(
    "pattern",
    [
        "(a)\\1",
        "(?P<a>b)(?P=a)",
        "(a)?(?(1)b|c)",
        "(?#a)",
        "(?x)a",
        "(?u)a",
        "a{",
        "{a}",
        "a{100}",
        "[]a]",
        "[ -~]",
        "[а-я]",
        "[\\x10-\\x1f]",
        "\\01",
        "\\N{BULLET}",
        "(?<=(?:a))b",
        "(?<=a|b)",
    ],
)
def test_what_the_header_leaves_out_is_refused(parser, pattern):
    assert not accepts(parser, pattern)
    assert compiles(pattern)


@pytest.mark.parametrize("seed", range(4))
def test_what_the_productions_derive_is_accepted_and_compiles(parser, deriver, seed):
    draw = random.Random(seed)
    for _ in range(200):
        pattern = deriver.text("pattern", draw, draw.choice([5, 15, 40]), join="".join)
        assert accepts(parser, pattern), pattern
        assert compiles(pattern), pattern


@pytest.mark.parametrize("seed", range(4))
def test_a_changed_pattern_that_is_still_accepted_compiles(parser, deriver, seed):
    draw = random.Random(seed)
    accepted = 0
    for _ in range(500):
        pattern = deriver.text("pattern", draw, draw.choice([5, 15]), join="".join)
        at = draw.randint(0, len(pattern))
        pattern = pattern[:at] + draw.choice(["", *SIGNS]) + pattern[at + draw.randrange(2) :]
        if accepts(parser, pattern):
            accepted += 1
            assert compiles(pattern), pattern
    assert accepted > 100


def test_generated_patterns_compile(parser, artifact):
    for pattern in generate(artifact, count=20, max_tokens=30):
        assert accepts(parser, pattern)
        assert compiles(pattern), pattern
