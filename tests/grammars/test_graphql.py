"""graphql.lark against the reference implementation, where ``graphql-core`` is installed."""

import random

import pytest
from lark import Lark

from tests.grammars.derive import accepts, conflicts
from tests.grammars.walks import (
    generate,
    read_corpus,
    read_grammar,
    walk,
)

GRAMMAR = "graphql"
CORPUS = read_corpus(GRAMMAR)
LEXEMES = {
    "NAME": ["a", "b"],
    "LOCATION": ["FIELD", "ENUM_VALUE", "FIELD_DEFINITION"],
    "INT": ["0", "-12"],
    "FLOAT": ["1.5", "-0e-3"],
    "STRING": ['"s"', '""', '"\\uD83D\\uDE00\\n"', '"""b \\""" "" c"""'],
}


def list_lexemes(parser: Lark) -> dict[str, list[str]]:
    words = {t.name: [t.name.lower()] for t in parser.terminals if t.priority}
    return {**words, **LEXEMES}


@pytest.fixture(scope="module")
def is_graphql():
    graphql = pytest.importorskip("graphql")

    def judge(text: str) -> bool:
        try:
            graphql.parse(text)
        except graphql.GraphQLError:
            return False
        return True

    return judge


def test_lark_makes_no_silent_choice():
    assert conflicts(read_grammar("graphql"), "document") == []


@pytest.mark.parametrize("name", CORPUS)
def test_the_corpus_is_accepted(parser, name):
    assert accepts(parser, CORPUS[name])


@pytest.mark.parametrize("name", CORPUS)
def test_the_corpus_is_read_by_the_reference_implementation(is_graphql, name):
    assert is_graphql(CORPUS[name])


@pytest.mark.parametrize("name", CORPUS)
def test_the_corpus_is_walked_token_by_token(artifact, name):
    assert walk(artifact, CORPUS[name]) == "ok"


ACCEPTED = [
    "{a}",
    "{a,b c:d(e:1)@f{g}}",
    "query{query type on true null}",
    "query query($query:query=query@query){query}",
    "mutation M @d {a} subscription {b} {c}",
    "query ($a: [[B!]]! = [[c]] $d: E) {f}",
    "{...a ...on A{b} ...@c{d} ...{e} ...null}",
    "fragment true on on {on}",
    '{a(b:"\\u00e9\\uD83D\\uDE00\\/" c:"""a\n"b" \\""" c""" d:$e f:{g:[1,-2.5e+3] h:{}} i:j)}',
    "#a\n{#b\na #c\r}",
    "\ufeff{a}",
    "scalar A scalar B @c",
    '"a"type B implements & C & D{"e"f("g"h:I=1@j):K!}',
    "type type type on implements on",
    "extend type A implements B extend type C{d:E}",
    "union A union B=|C|D enum E enum F{on type}",
    "directive @a(b:C) repeatable on | FIELD | SCHEMA",
    "schema{query:Q mutation:M}",
    "interface A implements B @c{d:E} input F{g:H=I}",
]


@pytest.mark.parametrize("text", ACCEPTED)
def test_a_document_is_accepted(parser, text):
    assert accepts(parser, text)


@pytest.mark.parametrize("text", ACCEPTED)
def test_an_accepted_document_is_read_by_the_reference_implementation(is_graphql, text):
    assert is_graphql(text)


REFUSED = [
    "",
    "{",
    "a",
    "query",
    "queryQ{a}",
    "query Q R{a}",
    "query(){a}",
    "query($a){b}",
    "query($a:B=$c){d}",
    "{a()}",
    "{a(b)}",
    "{a(b:)}",
    "{a:}",
    "{a:b:c}",
    "{...}",
    "{...on}",
    "{...on A}",
    "{..a}",
    "fragment on on A{b}",
    "fragment a A{b}",
    "fragment a on A",
    "{a(b:01)}",
    "{a(b:1.)}",
    "{a(b:.5)}",
    "{a(b:1a)}",
    "{a(b:1.5b)}",
    "{a(b:+1)}",
    "{a(b:0x1)}",
    "{a(b:'c')}",
    '{a(b:"c)}',
    '{a(b:"\n")}',
    '{a(b:"\\q")}',
    '{a(b:"\\u12")}',
    '{a(b:"\\ud800")}',
    '{a(b:"""c)}',
    "{a @}",
    "{a $b}",
    "{é}",
    "{a\0}",
    "type",
    "type A{}",
    "type A{b}",
    "type A{b:C!!}",
    "type A implements",
    "type A implements B &",
    "type A{b(c:$d):E}",
    "extend type A",
    "extend scalar A",
    '"a"extend type A @b',
    "enum A{true}",
    "enum A{}",
    "union A=",
    "union A=B|",
    "directive @a",
    "directive a on FIELD",
    "directive @a on field",
    "directive @a on FIELDS",
    "schema{a:B}",
    "schema{query Q}",
    "input A implements B",
]


@pytest.mark.parametrize("text", REFUSED)
def test_a_text_that_is_no_document_is_refused(parser, text):
    assert not accepts(parser, text)


@pytest.mark.parametrize("text", REFUSED)
def test_a_refused_text_is_refused_by_the_reference_implementation(is_graphql, text):
    assert not is_graphql(text)


@pytest.mark.parametrize("text", ["{a} type B", "type A{b:C} {d}", "scalar A{b:C}"])
def test_what_the_header_leaves_out_is_refused(parser, text):
    assert not accepts(parser, text)


@pytest.mark.parametrize("seed", range(4))
def test_what_the_productions_derive_is_accepted(parser, deriver, seed):
    draw = random.Random(seed)
    for _ in range(80):
        text = deriver.text("document", draw, draw.choice([5, 15, 40]))
        assert accepts(parser, text), text


@pytest.mark.parametrize("seed", range(4))
def test_a_derived_document_changed_or_not_that_is_accepted_is_read_by_the_reference_implementation(
    parser, deriver, is_graphql, seed
):
    draw = random.Random(seed)
    for _ in range(300):
        words = list(deriver.words("document", draw, draw.choice([5, 15, 40])))
        if draw.randrange(3):
            words = deriver.change(words, draw)
        text = draw.choice(["", " ", "\n", ","]).join(words)
        if accepts(parser, text):
            assert is_graphql(text), text


def test_generated_documents_are_read_by_the_reference_implementation(parser, artifact, is_graphql):
    for text in generate(artifact, count=10, max_tokens=40):
        assert accepts(parser, text)
        assert is_graphql(text), text
