import pytest
from lark import Lark
from lark.load_grammar import load_grammar

from maskc.bounded import run_bounded
from maskc.errors import GrammarError, LimitError
from maskc.frontends.lark.expansion import check_expansion
from maskc.limits import Limits


def check(written: str, **limits) -> None:
    grammar, _ = load_grammar(written, "x.lark", [], False)
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
    assert caught.value.place == "x.lark: rule large"


def test_a_terminal_is_counted_with_what_it_names():
    text = 'start: A\nA: B B B B\nB: C C C C\nC: "abcdefgh"\n'
    check(text, text=1000)
    with pytest.raises(LimitError) as caught:
        check(text, text=150)
    assert caught.value.place == "x.lark: terminal A"


def test_the_name_of_a_template_may_be_an_argument():
    check('outer{t}: t{"a"}\ninner{x}: x x\nstart: outer{inner}\n', work=100)


def test_a_count_of_many_digits_is_refused():
    with pytest.raises(GrammarError, match="5000 digits"):
        check(f'start: "a"~{"9" * 5000}\n')


@pytest.mark.parametrize("name", ["python", "sql", "c", "regex", "graphql", "lua"])
def test_our_own_grammars_are_far_below_the_limit(name):
    with open(f"grammars/{name}.lark", encoding="utf-8") as file:
        check(file.read(), work=Limits().work // 20)
