import pytest

import maskc
from maskc.diff import compare, shorten
from maskc.kit.artifacts import compile_structural_tag
from maskc.limits import Limits
from maskc.vocab.vocabulary import Vocabulary

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
    found = compare(strict, loose, positions=60)
    assert told(found, strict) == [(b"[a,", [], [b"]"])]
    assert found.differences[0].example == b"[a,]"
    assert found.n_configurations >= 8


def test_the_other_way_round_it_became_illegal(strict, loose):
    assert told(compare(loose, strict, positions=60), strict) == [(b"[a,", [b"]"], [])]


def test_an_end_that_became_legal_is_an_example_itself():
    one, more = compiled('start: "a" "b"\n'), compiled('start: "a" "b"?\n')
    found = compare(one, more, positions=10)
    assert told(found, one) == [(b"a", [], ["end"])]
    assert found.differences[0].example == b"a"


def test_equal_tables_are_told_without_a_walk(strict):
    again = compiled("\n" + LIST.format(""))
    found = compare(strict, again, positions=10)
    assert (found.is_same, found.n_configurations, found.differences) == (True, 0, [])


def test_one_language_in_two_grammars_shows_no_difference(strict):
    other = compiled('start: "[" list "]"\nlist: WORD | list "," WORD\nWORD: /[ab]+/\n')
    found = compare(strict, other, positions=40)
    assert (found.is_same, found.differences) == (False, [])


def test_the_shortest_text_of_one_side_is_what_is_left_of_a_long_one(strict, loose):
    found = compare(strict, loose, positions=1, texts=[b"[ab,ba,aa,b,]"])
    assert found.only == (None, b"[b,]")


def test_each_side_has_its_text():
    one, other = compiled('start: "ab" | "c"\n'), compiled('start: "ab" | "cc"\n')
    assert compare(one, other, positions=10).only == (b"c", b"cc")


def test_a_drawn_text_leads_where_the_nearest_configurations_do_not():
    text = 'start: "x"~30 [END]\nEND: "{}"\n'
    one, other = compiled(text.format("a")), compiled(text.format("b"))
    found = compare(one, other, positions=2, drawn=[b"x" * 30 + b"a"])
    assert found.only[0] == b"x" * 30 + b"a"


@pytest.mark.parametrize(
    ("text", "holds", "left"),
    [
        (b"aaaaaaxaaaa", lambda text: b"x" in text, b"x"),
        (b"((((y))))", lambda text: text.count(b"(") == text.count(b")") and b"y" in text, b"y"),
        (b"repeat until goto word end", lambda text: b"goto " in text, b"goto "),
        ("xé".encode(), lambda text: len(text.decode(errors="ignore")) == 2, b"xa"),
    ],
)
def test_a_text_is_made_shorter_while_it_holds(text, holds, left):
    assert shorten(text, holds) == left


def test_special_tokens_are_followed_and_written_by_their_names():
    content = {"type": "const_string", "value": "!"}

    def form(*names):
        triggers = [
            {
                "type": "tag",
                "begin": {"type": "token", "token": name},
                "content": content,
                "end": "",
            }
            for name in names
        ]
        return {"type": "structural_tag", "format": {"type": "or", "elements": triggers}}

    vocabulary = Vocabulary((b"!", b"a", None, None, None), (4,), "m", {"<a>": 2, "<b>": 3})
    one, other = (
        maskc.Artifact(compile_structural_tag(form(*names), vocabulary, limits=Limits()))
        for names in (["<a>"], ["<a>", "<b>"])
    )
    assert compare(one, other, positions=9).only == (None, b"<b>!")


def test_a_text_of_the_corpus_leads_where_nothing_else_does():
    deep = 'start: "x"~60 {}\n'
    found = compare(
        compiled(deep.format('"a"')),
        compiled(deep.format('"b"')),
        positions=2,
        texts=[b"x" * 60 + b"a"],
    )
    assert [difference.before for difference in found.differences] == [b"x" * 60]


def test_other_kinds_of_machines_are_compared_too(strict):
    general = maskc.compile_grammar(LIST.format(""), tokenizer="bytes", parser="earley")
    assert compare(strict, general, positions=30).differences == []
    word = maskc.compile_json_schema({"enum": ["a"]}, tokenizer="bytes", blanks="compact")
    both = maskc.compile_json_schema({"enum": ["a", "b"]}, tokenizer="bytes", blanks="compact")
    assert told(compare(word, both, positions=9), word)[0] == (b'"', [], [b"b"])
