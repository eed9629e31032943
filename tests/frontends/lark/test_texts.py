"""What is read of a text before Lark has it: imports, literals, what it writes out, and shapes."""

import lark
import pytest
from lark import Lark
from lark.load_grammar import load_grammar as read_by_lark

import maskc
from maskc.bounded import run_bounded
from maskc.errors import GrammarError, LimitError
from maskc.frontends.lark.expansion import check_expansion
from maskc.frontends.lark.grammar_texts import MOST_BACKSLASHES, MOST_BLANKS, check_literals
from maskc.frontends.lark.shapes import MAX_PARTS, Shape, read_shapes
from maskc.frontends.loading import load_grammar
from maskc.frontends.source import load_source
from maskc.frontends.texts import find_grammar, list_grammars
from maskc.limits import Limits


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "words.lark").write_text("%import .more (TAIL)\nWORD: /[a-z]/ TAIL\n")
    (tmp_path / "parts" / "more.lark").write_text("TAIL: /[0-9]+/\n")
    (tmp_path / "g.lark").write_text("%import .parts.words.WORD\nstart: WORD\n")
    return tmp_path


def test_imports_of_imports_are_carried_with_the_grammar(folder):
    artifact = maskc.compile_grammar(folder / "g.lark", tokenizer="bytes")
    assert set(artifact.header["grammar"]["imports"]) == {"parts/words.lark", "parts/more.lark"}
    matcher = artifact.matcher()
    assert matcher.accept_bytes(b"a12")
    assert not matcher.accept_bytes(b"b")


def test_a_grammar_beside_the_library_is_not_taken_for_it(tmp_path, monkeypatch):
    """Lark would look in the current folder for what its library does not have."""
    (tmp_path / "mine.lark").write_text("X: /x/\n")
    (tmp_path / "common.lark").write_text("INT: /wrong/\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(GrammarError, match="imports mine, which Lark's library does not have"):
        load_grammar(load_source("%import mine.X\nstart: X\n"))
    artifact = maskc.compile_grammar("%import common.INT\nstart: INT\n", tokenizer="bytes")
    assert artifact.matcher().accept_bytes(b"7")
    assert not artifact.matcher().accept_bytes(b"w")


def test_a_file_named_like_one_of_the_library_does_not_hide_it(tmp_path):
    (tmp_path / "common.lark").write_text("%import common (INT)\nstart: INT\n")
    load_grammar(load_source(tmp_path / "common.lark"))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "it imports parts/words.lark, which is not there; check the path"),
        (b"X: /\xff/\n", "it imports parts/words.lark, whose byte 4 is not UTF-8"),
        (b"X: /x\n", "words.lark"),
    ],
)
def test_what_cannot_be_imported_is_named(folder, content, said):
    words = folder / "parts" / "words.lark"
    words.unlink() if content is None else words.write_bytes(content)
    with pytest.raises(GrammarError) as refused:
        load_grammar(load_source(folder / "g.lark"))
    assert said in str(refused.value)


def test_all_texts_count_together(folder):
    n_characters = sum(len(path.read_text()) for path in folder.rglob("*.lark"))

    def load(most):
        return run_bounded(lambda: load_grammar(load_source(folder / "g.lark")), Limits(text=most))

    load(n_characters)
    with pytest.raises(LimitError):
        load(n_characters - 1)


LONG = "\\" * 60


@pytest.mark.parametrize(
    "text",
    [
        f'start: "{LONG}"\n',
        f"start: /{LONG}/\n",
        'start: "' + '\\"' * 60 + "\n",
        f'start: "a" // "{LONG}\n',
        f'start: "a" # "{LONG}\n',
        'start: "\\\\" /[\\/"]/ "//" /#/\n',
        f'start: "{LONG}"i "{LONG}"\n// "\n',
        'start: "' + "\\" * MOST_BACKSLASHES + "\n",
        'start: "a"' + "\n" * MOST_BLANKS + "//x",
        "",
    ],
)
def test_what_lark_reads_or_refuses_soon_passes(text):
    try:
        check_literals(text, "x.lark")
    except LimitError:
        pytest.fail("it is within the limit")


@pytest.mark.parametrize(
    ("text", "location"),
    [
        (f'start: "{LONG}\n', "x.lark:1"),
        (f'start: "a"\nb: "{LONG}a\nc: "x"\n', "x.lark:2"),
        (f"start: /{LONG}\n", "x.lark:1"),
        (f'start: "a" /x/ "b" "{LONG}\n', "x.lark:1"),
    ],
)
def test_a_literal_that_nothing_closes_is_refused_with_its_line(text, location):
    with pytest.raises(GrammarError) as caught:
        check_literals(text, "x.lark")
    assert caught.value.name == location


def test_what_is_refused_for_a_literal_lark_refuses_too():
    short = 'start: "' + "\\" * 8 + "\n"
    with pytest.raises(lark.exceptions.GrammarError):
        lark.Lark(short)


def test_blank_lines_beyond_the_limit_are_refused():
    with pytest.raises(LimitError) as caught:
        check_literals('start: "a"\n' + " \n" * MOST_BLANKS, "x.lark")
    assert caught.value.location == "x.lark:1"


def check(written: str, **limits) -> None:
    grammar, _ = read_by_lark(written, "x.lark", [], False)
    run_bounded(lambda: check_expansion(grammar, "x.lark"), Limits(**limits))


def count_symbols(text: str) -> int:
    """Return what Lark makes of the rules, the ends of alternatives included."""
    rules = Lark(text, parser="earley", lexer="dynamic_complete").rules
    return sum(len(rule.expansion) + 1 for rule in rules)


EXACT = [
    'start: ("a"|"b") ["c"]\n',
    'start: ["a"] ["b"] ["c"] "d"\n',
    'start: ("a"|"b")~3..5 "c"*\n',
    'start: "a" ["b"] -> x | "c"\n',
    'start: ("a"|"b")~100 ["x"]\n',
    '_sep{x,y}: x (y x)*\nstart: _sep{"a",","} _sep{A,_sep{"b","c"}}\nA:"q"\n',
]
BOUNDED = [
    'start: "a"~60..80 "b"+\n',
    'start: ("a"|"b"|"c" "d" ["e"])~0..70\n',
    'start: (("a"|"b"?)~2..3)~1..2\n',
    'start: ("a"? "b"?)+ ("a"? "b"?)+\n',
]


@pytest.mark.parametrize("text", EXACT)
def test_the_count_is_larks(text):
    n_symbols = count_symbols(text)
    check(text, work=n_symbols)
    with pytest.raises(LimitError):
        check(text, work=n_symbols - 1)


@pytest.mark.parametrize("text", BOUNDED)
def test_the_count_is_never_below_larks(text):
    with pytest.raises(LimitError):
        check(text, work=count_symbols(text) - 1)


def test_the_largest_rule_is_named():
    text = 'start: small large\nsmall: ["a"]\nlarge: ["a"] ["b"] ["c"] ["d"] ["e"] ["f"]\n'
    with pytest.raises(LimitError) as caught:
        check(text, work=100)
    assert caught.value.location == "x.lark: rule large"


def test_a_terminal_is_counted_with_what_it_names():
    text = 'start: A\nA: B B B B\nB: C C C C\nC: "abcdefgh"\n'
    check(text, text=1000)
    with pytest.raises(LimitError) as caught:
        check(text, text=150)
    assert caught.value.location == "x.lark: terminal A"


def test_the_name_of_a_template_may_be_an_argument():
    check('outer{t}: t{"a"}\ninner{x}: x x\nstart: outer{inner}\n', work=100)


def test_a_count_of_many_digits_is_refused():
    with pytest.raises(GrammarError, match="5000 digits"):
        check(f'start: "a"~{"9" * 5000}\n')


@pytest.mark.parametrize("name", ["python", "sql", "c", "regex", "graphql", "lua"])
def test_our_own_grammars_are_far_below_the_limit(name):
    with open(f"grammars/{name}.lark", encoding="utf-8") as file:
        check(file.read(), work=Limits().work // 20)


def write_shape(shape):
    """Return a shape as text, to be compared."""
    inner = [write_shape(part) for part in shape.parts]
    match shape.kind:
        case "row":
            return f"({' '.join(inner)})"
        case "either":
            return f"({' | '.join(inner)})"
        case "repeat":
            return f"{inner[0]}{shape.text.replace(' ', '-')}{shape.low}{'+' * shape.is_many}"
    return shape.text


@pytest.mark.parametrize(
    ("side", "written"),
    [
        ('"a" B', '("a" B)'),
        ('"a" | x', '("a" | x)'),
        ('("a" | x)* B', '(("a" | x)*0+ B)'),
        ('["a"] x+', '("a"?0 x+1+)'),
        ('"a"?', '"a"?0'),
        ('"a"~3', '"a"3-times1+'),
        ('"a"~0..1', '"a"0-to-1-times0'),
        ('"a"~2..5', '"a"2-to-5-times1+'),
        ("two{x, B} -> name", "two{x, B}"),
        ("/a+b/i", "/a+b/i"),
        ('"a" |', '("a" | ())'),
    ],
)
def test_a_rule_is_read_as_it_is_written(side, written):
    text = f'start: {side}\nx: "x"\nB: "a".."c"\ntwo{{a, b}}: a b\n'
    shapes = {rule.name: rule.shape for rule in read_shapes(load_source(text))}
    assert write_shape(shapes["start"]) == written
    assert list(shapes) == ["start", "x", "two{a, b}"]


def test_every_grammar_that_comes_with_maskc_has_shapes():
    for name in list_grammars():
        rules = read_shapes(load_source(find_grammar(name)))
        assert len(rules) > 3 or name == "csv"


def test_what_is_large_or_deep_ends_in_dots():
    wide = read_shapes(load_source("start: " + " ".join(['"a"'] * (2 * MAX_PARTS)) + "\n"))[0].shape
    assert len(wide.parts) == MAX_PARTS
    assert wide.parts[-1] == Shape("more", "…")
    deep = read_shapes(load_source(f'start: {"(" * 60}"a" "b"{")?" * 60}\n'))[0].shape
    depth = 0
    while deep.parts:
        deep, depth = deep.parts[0], depth + 1
    assert (deep.kind, depth < 60) == ("more", True)


def test_what_lark_refuses_is_refused():
    with pytest.raises(GrammarError, match="Lark refuses it"):
        read_shapes(load_source("start: (\n"))
