"""What is said of a text is what the masks do: where it dies, and how much choice there was."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import maskc
from maskc.errors import MaskcError
from maskc.explain import Warmth, find_problem, line_and_column_of, measure_heat
from maskc.explain.readings import open_reader
from maskc.kit.artifacts import compile_structural_tag
from maskc.limits import Limits
from maskc.runtime.artifact import Artifact
from maskc.vocab.vocabulary import Vocabulary
from tests.compiled import accepts, compile_text, explain
from tests.examples import seeds
from tests.general_grammars import draw_general_grammar


@pytest.mark.parametrize("seed", seeds(40))
def test_a_text_dies_where_the_matcher_refuses_it(seed):
    draw = Random(seed)
    text, characters = draw_general_grammar(draw)
    try:
        artifact = maskc.compile_grammar(text, tokenizer="bytes", parser="earley", lexer="basic")
    except MaskcError:
        return  # it has no text, or Lark refuses it
    reader = open_reader(artifact)
    for _ in range(20):
        tried = "".join(draw.choices(characters, k=draw.randint(0, 6))).encode()
        matcher, n_good = artifact.matcher(), 0
        while n_good < len(tried) and matcher.accept_bytes(tried[n_good : n_good + 1]):
            n_good += 1
        readings, death = reader.read(reader.start(), tried)
        assert (len(tried) if death is None else death.offset) == n_good
        if death is None:
            may_end = (reader.view.machine.may_end(r.hypothesis) for r in readings)
            assert any(may_end) == matcher.is_accepting
            grouped = {name for group in explain(artifact, tried).groups for name in [group.name]}
            assert bool(grouped) == bool({t for t in matcher.legal_tokens() if t < 256})
        else:
            assert death.causes


def test_rules_name_the_terminals_of_another_notation():
    source = 'root ::= "ab" n*\nn ::= [0-9] n n | ","\n'
    artifact = maskc.compile_grammar(source, tokenizer="bytes", dialect="gbnf")
    assert {group.name for group in explain(artifact, b"ab").groups} == {"n /[0-9]/", '","'}
    death = explain(artifact, b"ab1x").death
    assert death is not None
    assert death.offset == 3


def test_a_pattern_has_no_production_of_ours():
    artifact = maskc.compile_grammar("ab+c", tokenizer="bytes", dialect="regex")
    found = explain(artifact, b"ab")
    assert [reading.items for reading in found.readings] == [()]
    assert {group.name for group in found.groups} == {"the pattern"}


@pytest.fixture(scope="module")
def words():
    return maskc.compile_grammar('start: ("ab" | "ac" "d"?)+\n', tokenizer="bytes")


def test_counts_are_those_of_the_masks(words):
    found = measure_heat(words, b"abacd")
    assert [(w.token, w.n_legal) for w in found] == [
        (b"a", 1),
        (b"b", 2),
        (b"a", 2),  # or the end
        (b"c", 2),
        (b"d", 3),  # or a, or the end
    ]
    assert not any(w.is_special for w in found)


@pytest.mark.parametrize(("text", "taken"), [(b"abx", b"ab"), (b"x", b""), (b"", b"")])
def test_what_follows_the_first_illegal_byte_is_left_out(words, text, taken):
    assert b"".join(w.token for w in measure_heat(words, text)) == taken


def tag_artifact(form, tokens, special):
    vocabulary = Vocabulary((*tokens, None, None), (len(tokens),), "few", special)
    tag = {"type": "structural_tag", "format": form}
    return Artifact(compile_structural_tag(tag, vocabulary, limits=Limits()))


def test_the_longest_legal_token_is_taken_and_names_are_special_tokens():
    form = {
        "type": "sequence",
        "elements": [
            {"type": "const_string", "value": "aab"},
            {"type": "token", "token": "<s>"},
            {"type": "const_string", "value": "a"},
        ],
    }
    artifact = tag_artifact(form, (b"a", b"aa", b"aaa", b"b"), {"<s>": 5})
    assert measure_heat(artifact, b"aab<s>a") == (
        Warmth(b"aa", 2),
        Warmth(b"b", 1),
        Warmth(b"<s>", 1, is_special=True),
        Warmth(b"a", 1),
    )
    assert measure_heat(artifact, b"<s>") == ()
    assert [w.token for w in measure_heat(artifact, b"aab<s><s>")] == [b"aa", b"b", b"<s>"]


def test_bytes_that_are_no_text_are_cut_too():
    artifact = maskc.compile_grammar("start: /é/\n", tokenizer="bytes")
    assert [w.token for w in measure_heat(artifact, b"\xc3\xa9")] == [b"\xc3", b"\xa9"]
    assert [w.token for w in measure_heat(artifact, b"\xc3\xff")] == [b"\xc3"]


LISTS = """
start: "[" (WORD ("," WORD)*)? "]"
WORD: /[a-zß]+/
%ignore /[ \\n]+/
"""


@pytest.fixture(scope="module")
def lists():
    return compile_text(LISTS)


@given(st.text("[],aß \n", max_size=12))
def test_a_problem_is_where_the_longest_legal_beginning_ends(lists, text):
    problem = find_problem(lists, text.encode())
    if problem is None:
        assert accepts(lists, text) or (text.endswith("\n") and accepts(lists, text[:-1]))
        return
    assert not accepts(lists, text)
    legal = [
        n for n in range(len(text.encode()) + 1) if lists.matcher().accept_bytes(text.encode()[:n])
    ]
    assert problem.offset == max(legal)
    assert (problem.explanation.death is None) == (problem.offset == len(text.encode()))
    before = text.encode()[: problem.offset].decode(errors="replace")
    assert problem.line == before.count("\n") + 1
    assert problem.column == len(before.rpartition("\n")[2]) + 1


def test_a_line_break_at_the_end_may_be_there_or_not():
    words = compile_text('start: "a" | "b\\n"')
    assert find_problem(words, b"a") is None
    assert find_problem(words, b"a\n") is None
    assert find_problem(words, b"b\n") is None
    problem = find_problem(words, b"a\n\n")
    assert problem is not None
    assert problem.offset == 1
    too_early = find_problem(words, b"b")
    assert too_early is not None
    assert too_early.explanation.forced == b"\n"


def test_columns_are_characters():
    assert line_and_column_of("a\nößb".encode(), 6) == (2, 3)
    assert line_and_column_of(b"", 0) == (1, 1)
