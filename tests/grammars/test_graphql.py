"""graphql.lark against the reference implementation, where ``graphql-core`` is installed."""

import functools
from importlib.util import find_spec

from tests.grammars.laws import GrammarLaws

LEXEMES = {
    "NAME": ["a", "b"],
    "LOCATION": ["FIELD", "ENUM_VALUE", "FIELD_DEFINITION"],
    "INT": ["0", "-12"],
    "FLOAT": ["1.5", "-0e-3"],
    "STRING": ['"s"', '""', '"\\uD83D\\uDE00\\n"', '"""b \\""" "" c"""'],
}
ACCEPTED = [
    *("{a}", "{a,b c:d(e:1)@f{g}}", "query{query type on true null}"),
    *("query query($query:query=query@query){query}", "mutation M @d {a} subscription {b} {c}"),
    *("query ($a: [[B!]]! = [[c]] $d: E) {f}", "{...a ...on A{b} ...@c{d} ...{e} ...null}"),
    "fragment true on on {on}",
    '{a(b:"\\u00e9\\uD83D\\uDE00\\/" c:"""a\n"b" \\""" c""" d:$e f:{g:[1,-2.5e+3] h:{}} i:j)}',
    *("#a\n{#b\na #c\r}", "\ufeff{a}", "scalar A scalar B @c"),
    *('"a"type B implements & C & D{"e"f("g"h:I=1@j):K!}', "type type type on implements on"),
    "extend type A implements B extend type C{d:E}",
    "union A union B=|C|D enum E enum F{on type}",
    *("directive @a(b:C) repeatable on | FIELD | SCHEMA", "schema{query:Q mutation:M}"),
    "interface A implements B @c{d:E} input F{g:H=I}",
]
REFUSED = [
    *("", "{", "a", "query", "queryQ{a}", "query Q R{a}", "query(){a}", "query($a){b}"),
    *("query($a:B=$c){d}", "{a()}", "{a(b)}", "{a(b:)}", "{a:}", "{a:b:c}", "{...}", "{...on}"),
    *("{...on A}", "{..a}", "fragment on on A{b}", "fragment a A{b}", "fragment a on A"),
    *("{a(b:01)}", "{a(b:1.)}", "{a(b:.5)}", "{a(b:1a)}", "{a(b:1.5b)}", "{a(b:+1)}", "{a(b:0x1)}"),
    *("{a(b:'c')}", '{a(b:"c)}', '{a(b:"\n")}', '{a(b:"\\q")}', '{a(b:"\\u12")}'),
    *('{a(b:"\\ud800")}', '{a(b:"""c)}', "{a @}", "{a $b}", "{é}", "{a\0}", "type", "type A{}"),
    *("type A{b}", "type A{b:C!!}", "type A implements", "type A implements B &"),
    *("type A{b(c:$d):E}", "extend type A", "extend scalar A", '"a"extend type A @b'),
    *("enum A{true}", "enum A{}", "union A=", "union A=B|", "directive @a", "directive a on FIELD"),
    *("directive @a on field", "directive @a on FIELDS", "schema{a:B}", "schema{query Q}"),
    "input A implements B",
]


@functools.cache
def has_judge() -> bool:
    return find_spec("graphql") is not None


class TestGraphql(GrammarLaws):
    name = "graphql"
    start = "document"
    accepted, refused = ACCEPTED, REFUSED
    left_out = ("{a} type B", "type A{b:C} {d}", "scalar A{b:C}")
    separators = ("", " ", "\n", ",")
    generated = (10, 40)

    def is_text(self, text):
        if not has_judge():
            return None
        import graphql

        try:
            graphql.parse(text)
        except graphql.GraphQLError:
            return False
        return True

    def list_lexemes(self, parser):
        words = {t.name: [t.name.lower()] for t in parser.terminals if t.priority}
        return {**words, **LEXEMES}
