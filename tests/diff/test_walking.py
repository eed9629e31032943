import pytest

import maskc
from maskc.diff.walking import compare

LIST = 'start: "[" WORD ("," WORD)* {}"]"\nWORD: /[ab]+/\n'


def compiled(text):
    return maskc.compile_grammar(text, tokenizer="bytes")


def told(found, artifact):
    def texts(ids):
        return [artifact.token_bytes(i) or "end" for i in ids.tolist()]

    return [
        (difference.before, texts(difference.only_first), texts(difference.only_second))
        for difference in found.differences
    ]


@pytest.fixture(scope="module")
def strict():
    return compiled(LIST.format(""))


@pytest.fixture(scope="module")
def loose():
    return compiled(LIST.format('","? '))


def test_a_token_that_became_legal_is_told_with_the_shortest_text(strict, loose):
    found = compare(strict, loose, positions=60, seed=0)
    assert told(found, strict) == [(b"[a,", [], [b"]"])]
    assert found.differences[0].example == b"[a,]"
    assert found.n_places >= 8


def test_the_other_way_round_it_became_illegal(strict, loose):
    assert told(compare(loose, strict, positions=60, seed=0), strict) == [(b"[a,", [b"]"], [])]


def test_an_end_that_became_legal_is_an_example_itself():
    one, more = compiled('start: "a" "b"\n'), compiled('start: "a" "b"?\n')
    found = compare(one, more, positions=10, seed=0)
    assert told(found, one) == [(b"a", [], ["end"])]
    assert found.differences[0].example == b"a"


def test_equal_tables_are_told_without_a_walk(strict):
    again = compiled("\n" + LIST.format(""))
    found = compare(strict, again, positions=10, seed=0)
    assert (found.is_same, found.n_places, found.differences) == (True, 0, [])


def test_one_language_in_two_grammars_shows_no_difference(strict):
    other = compiled('start: "[" list "]"\nlist: WORD | list "," WORD\nWORD: /[ab]+/\n')
    found = compare(strict, other, positions=40, seed=0)
    assert (found.is_same, found.differences) == (False, [])


def test_a_text_of_the_corpus_leads_where_nothing_else_does():
    deep = 'start: "x"~60 {}\n'
    found = compare(
        compiled(deep.format('"a"')),
        compiled(deep.format('"b"')),
        positions=2,
        seed=0,
        texts=[b"x" * 60 + b"a"],
    )
    assert [difference.before for difference in found.differences] == [b"x" * 60]


def test_other_kinds_of_machines_are_compared_too(strict):
    general = maskc.compile_grammar(LIST.format(""), tokenizer="bytes", parser="earley")
    assert compare(strict, general, positions=30, seed=0).differences == []
    word = maskc.compile_json_schema({"enum": ["a"]}, tokenizer="bytes", blanks="compact")
    both = maskc.compile_json_schema({"enum": ["a", "b"]}, tokenizer="bytes", blanks="compact")
    assert told(compare(word, both, positions=9, seed=0), word)[0] == (b'"', [], [b"b"])
