"""Whatever grammar comes in, compiling it ends: with an artifact, or with a sentence.

Families of the grammars that once had no end, each at two sizes and with small limits: the small
one compiles or is refused as the large one is, by the bound that is named here.
"""

import threading
import time

import lark.lexer
import pytest

import maskc
from maskc import Limits
from maskc.budget import open_budget
from maskc.errors import GrammarError, LimitError, MaskcError, UnsupportedTerminalError
from maskc.frontends.lark.build import build_lark
from maskc.frontends.source import load_source
from maskc.lint.order import lint_grammar

MEGABYTE = 1_000_000
SMALL = Limits(seconds=1, bytes=300 * MEGABYTE)
BRIEF = Limits(seconds=0.3, bytes=300 * MEGABYTE)  # for what has no end
EARLEY = "// maskc: parser=earley\n"
WORK, NAMES = "symbols in rules", "characters in the names of the templates"
TERMINALS, SECONDS = "characters in terminals", "seconds of processor time"
MEMORY, NODES = "MB of memory", "automaton nodes"


def parts(n: int, part: str) -> str:
    return "start: " + " ".join(part.format(i=i) for i in range(n)) + "\n"


def alternatives(n: int, part: str) -> str:
    return "start: " + " | ".join(part.format(i=i) for i in range(n)) + "\n"


def lines(n: int, line: str) -> str:
    return "".join(line.format(i=i, j=i + 1) for i in range(n))


def compile_small(text: str, limits: Limits = SMALL, **options) -> maskc.Artifact:
    return maskc.compile_grammar(text, tokenizer="bytes", limits=limits, **options)


def refused(text: str, limits: Limits = SMALL, **options) -> LimitError:
    with pytest.raises(LimitError) as caught:
        compile_small(text, limits, **options)
    error = caught.value
    assert open_budget() is None
    assert error.location
    assert str(error).count("\n") == 0
    return error


def end_of(text: str) -> str:
    """Return the sentence that refuses a grammar, or that it is compiled."""
    try:
        compile_small(text, BRIEF)
    except MaskcError as error:
        return str(error)
    return "compiled"


COUNTED = {
    "optional parts": lambda n: parts(n, '["a{i}"]'),
    "optional groups in Earley": lambda n: EARLEY + parts(n, '("a"|"b")?'),
    "groups": lambda n: parts(n, '("a{i}"|"b{i}")'),
    "optional groups in groups": lambda n: parts(n, '("a{i}" ["b{i}"] | ["c{i}"] "d{i}")'),
}


@pytest.mark.parametrize("family", COUNTED)
def test_what_lark_would_write_out_is_counted_before(family):
    assert compile_small(COUNTED[family](3))
    error = refused(COUNTED[family](40))
    assert error.what.startswith(WORK)
    assert "rule start (line " in error.location


@pytest.mark.parametrize("family", COUNTED)
def test_the_count_is_the_bound_that_a_larger_grammar_reaches(family):
    error = refused(COUNTED[family](16), Limits(seconds=60, work=5_000))
    assert error.limit == 5_000


@pytest.mark.parametrize(
    "text",
    [
        # It is what the message tells to do.
        parts(40, "o{i}") + lines(40, 'o{i}: ["a{i}"]\n'),
        parts(40, "o{i}") + lines(40, 'o{i}: "a{i}" | "b{i}"\n'),
        EARLEY + parts(30, "o") + 'o: ("a"|"b")?\n',
        # A high count of one symbol, and a template that uses itself with the same argument.
        'start: "a"~0..1000\n',
        'start: "a"~0..1000000000\n',
        't{x}: x | "(" t{x} ")"\nstart: t{"a"}\n',
        # Patterns that re tries in many ways, beside a keyword.
        *(f'start: A | B\nA: /(a|a)*b/\nB: "{"a" * n}c"\n' for n in (20, 60)),
    ],
)
def test_rules_of_their_own_and_what_only_looks_large_compile(text):
    assert compile_small(text, Limits())


def test_a_larger_limit_lets_the_same_rules_through():
    text = parts(7, '["a{i}"]')
    assert refused(text, Limits(work=100)).limit == 100
    assert compile_small(text, Limits(work=10_000))


@pytest.mark.parametrize("count", [8, 40])
def test_counts_inside_each_other_are_refused(count):
    error = refused(f'start: (("a"|"b")~0..{count})~0..{count}\n')
    assert error.what.startswith(WORK)


@pytest.mark.parametrize("n_digits", [11, 5_000])
def test_a_count_of_many_digits_is_refused(n_digits):
    with pytest.raises(GrammarError, match="write a smaller one"):
        compile_small(f'start: "a"~{"9" * n_digits}\n')


@pytest.mark.parametrize("argument", ["_w{x}", "_w{_w{x}}"])
def test_a_template_that_uses_itself_with_ever_new_arguments_is_refused(argument):
    text = f'_t{{x}}: "a" _t{{{argument}}}\n_w{{x}}: x\nstart: _t{{"b"}}\n'
    error = refused(text)
    assert error.what.startswith(NAMES)
    assert error.location == "<text>: rule _t (line 1)"


@pytest.mark.parametrize("depth", [9, 12])
def test_terminals_that_double_each_other_are_refused(depth):
    text = "start: T0\n" + lines(depth, "T{i}: T{j} T{j}\n") + f'T{depth}: "abcdefgh"\n'
    error = refused(text, Limits(seconds=30, text=2_000))
    assert error.what.startswith((TERMINALS, SECONDS))


@pytest.mark.parametrize("pattern", ["(?:|){20}b?", "(?:|){60}b?", "((a?){50}){50}"])
def test_a_pattern_that_reads_nothing_in_many_ways_is_read_once(pattern):
    assert "start: | PATTERN\n" in load_source(pattern, dialect="regex").text


@pytest.mark.parametrize("n", [26, 100])
@pytest.mark.parametrize("sign", ['"', "/"])
def test_a_literal_that_is_not_closed_is_refused_before_lark_tries_it(sign, n):
    with pytest.raises(GrammarError, match="is not closed"):
        compile_small(f"start: {sign}" + "\\" * n + "\n")


@pytest.mark.parametrize("n", [30_000, 500_000])
def test_blank_lines_without_end_are_refused(n):
    assert refused('start: "a"' + "\n" * n).what == "blank characters in a row"


@pytest.mark.parametrize("n", [60_000, 300_000])
def test_a_large_text_is_refused_before_it_is_read(n):
    error = refused("start: a\n" + 'a: "b"\n' * n, Limits(text=400_000))
    assert error.what == "characters of grammar"
    assert "--text-limit" in error.remedy


def test_a_file_without_end_is_not_opened():
    with pytest.raises(GrammarError, match="not a regular file"):
        maskc.compile_grammar("/dev/zero", tokenizer="bytes", limits=SMALL)


def test_imports_count_with_the_grammar_that_imports_them(tmp_path):
    (tmp_path / "big.lark").write_text('a: "b"\n' + "// " + "x" * 5_000 + "\n")
    (tmp_path / "main.lark").write_text("%import .big.a\nstart: a\n")
    with pytest.raises(LimitError, match=r"big\.lark"):
        maskc.compile_grammar(tmp_path / "main.lark", tokenizer="bytes", limits=Limits(text=2_000))


ENDLESS = {
    "flat rules": lambda n: alternatives(n, "r{i}") + lines(n, 'r{i}: "k{i}" "x"\n'),
    "right recursion": lambda n: "start: r0\n" + lines(n, 'r{i}: "a{i}" r{j}\n') + f'r{n}: "x"\n',
    "keywords": lambda n: (
        "start: (NAME | k)+\nNAME: /[a-z0-9]+/\nk: "
        + " | ".join(f'"k{i}"' for i in range(n))
        + "\n"
    ),
    "subsets": lambda n: f"start: A+\nA: /(a|b)*?a(a|b){{{n // 100}}}c/\n",
    "look-behind": lambda n: f"start: A+\nA: /[ab]*(?<=a[ab]{{{n // 100}}})c/\n",
    "lengths": lambda n: (
        alternatives(40, "T{i}")
        + "".join(f"T{i}: /[a-z]{{1,{n * (i + 1) // 10}}}/\n" for i in range(40))
    ),
    "overlaps in Earley": lambda n: (
        EARLEY
        + "start: (A|B|C|D)+\nA: /[a-z]+/\nB: /[a-m]+/\nC: /[n-z]+/\nD: /[aeiou]+/\n"
        + lines(n // 100, "E{i}: /[a-z]{{1,{i}}}x/\n")
        + "e: "
        + " | ".join(f"E{i}" for i in range(n // 100))
        + "\n"
    ),
    "units in Earley": lambda n: (
        EARLEY
        + "start: r0\n"
        + lines(n // 4, 'r{i}: r{j} | "a{i}" | r{j} r{j}\n')
        + f'r{n // 4}: "x"\n'
    ),
}


@pytest.mark.parametrize("n", [1_500, 3_000])
@pytest.mark.parametrize("family", ENDLESS)
def test_a_compilation_ends_soon_after_its_time_is_spent(family, n):
    start = time.thread_time()
    said = end_of(ENDLESS[family](n))
    assert said == "compiled" or said.startswith("<text>: pass ")
    # One call of C code may be under way: well below what the family would take.
    assert time.thread_time() - start < 10


def test_memory_ends_a_compilation():
    error = refused(ENDLESS["lengths"](3_000), Limits(bytes=20 * MEGABYTE))
    assert error.what.startswith((MEMORY, "lexer", "scanner"))


@pytest.mark.parametrize("depth", [3_000, 20_000])
def test_brackets_inside_each_other_are_told_in_a_sentence(depth):
    for text in (
        "start: " + "(" * depth + '"a"' + ")" * depth + "\n",
        "start: A\nA: /" + "(" * depth + "a" + ")" * depth + "/\n",
    ):
        assert "\n" not in end_of(text)


@pytest.mark.parametrize("count", [100, 500])
def test_counts_inside_counts_of_a_pattern_are_refused(count):
    text = f"start: A\nA: /((a{{1,{count}}}){{1,{count}}}){{1,{count}}}/\n"
    error = refused(text, BRIEF)
    assert error.what in (NODES, SECONDS)
    assert "terminal A (line 2)" in error.location


@pytest.mark.parametrize("digits", [10, 20])
def test_a_count_beyond_what_re_takes_is_refused(digits):
    with pytest.raises((GrammarError, UnsupportedTerminalError, LimitError)):
        compile_small(f"start: A\nA: /a{{{'9' * digits}}}/\n")


DIALECTS = {
    "gbnf": ['root ::= "a"{0,100000}\n', 'root ::= ((("a"{1,50}){1,50}){1,50}){1,50}\n'],
    "ebnf": ["root ::= " + "(" * 5_000 + "'a'" + ")" * 5_000 + "\n"],
    "regex": ["((a{1,90}){1,90}){1,90}(?!b)", "(a|b)*a(a|b){20}", "(" * 3_000 + "a" + ")" * 3_000],
}


@pytest.mark.parametrize(
    ("dialect", "text"), [(name, text) for name, texts in DIALECTS.items() for text in texts]
)
def test_other_notations_end_as_well(dialect, text):
    with pytest.raises(MaskcError) as caught:
        compile_small(text, BRIEF, dialect=dialect)
    assert "\n" not in str(caught.value)


def test_lint_is_bounded():
    source = load_source(ENDLESS["flat rules"](4_000))
    with pytest.raises(LimitError, match=SECONDS):
        maskc.bounded.run_bounded(lambda: lint_grammar(source), Limits(seconds=0.3))


def test_building_larks_parser_is_bounded():
    source = load_source(COUNTED["optional parts"](40))
    with pytest.raises(LimitError, match=WORK):
        build_lark(source)


def test_after_a_refusal_lark_and_maskc_are_as_before():
    before = lark.lexer.has_interegular
    for text in (ENDLESS["flat rules"](4_000), COUNTED["groups"](40)):
        refused(text, Limits(seconds=0.3))
    assert lark.lexer.has_interegular == before
    assert open_budget() is None
    matcher = compile_small('start: "a" "b"\n', Limits()).matcher()
    assert matcher.accept_bytes(b"ab")
    assert matcher.is_accepting


def test_threads_that_are_refused_leave_the_others_alone():
    outcomes: dict[str, object] = {}

    def refuse() -> None:
        outcomes["refused"] = refused(ENDLESS["flat rules"](4_000), Limits(seconds=0.3))

    def succeed() -> None:
        outcomes["done"] = [compile_small('start: "a"+\n', Limits()) for _ in range(5)]

    threads = [threading.Thread(target=target) for target in (refuse, succeed, refuse)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert isinstance(outcomes["refused"], LimitError)
    assert len(outcomes["done"]) == 5
