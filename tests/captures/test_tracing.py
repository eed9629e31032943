"""Which symbols can be captured, and reductions one by one."""

import pytest

import maskc
from maskc.captures.tracing import NOWHERE, Extents, Parse, Tracer, find_symbols
from maskc.compiler.pushdown import interchangeable
from maskc.errors import CaptureError, UnknownSymbolError
from tests.compiled import compile_text

WORDS = 'start: "[" item* "]"\nitem: WORD\nWORD: /[a-z]+/\nWS: " "\n%ignore WS\n'


def test_rules_and_terminals_are_found_by_name():
    symbols = find_symbols(compile_text(WORDS), ["item", "WORD", "LSQB"])
    assert sorted(symbols.rules.values()) == ["item"]
    assert sorted(symbols.terminals.values()) == ["LSQB", "WORD"]


@pytest.mark.parametrize(
    ("options", "name", "error", "said"),
    [
        ({}, "WROD", UnknownSymbolError, r"no rule or terminal 'WROD'.*WORD"),
        # The end of the text is no terminal.
        ({}, "$END", UnknownSymbolError, ""),
        ({}, "WS", CaptureError, r"WS is ignored.*; take it out of %ignore"),
        (
            {"parser": "earley", "lexer": "dynamic"},
            "item",
            CaptureError,
            r"several readings.*; compile it with parser=lalr",
        ),
    ],
)
def test_a_name_that_cannot_be_captured_is_refused(options, name, error, said):
    with pytest.raises(error, match=said or None):
        find_symbols(compile_text(WORDS, **options), [name])


def test_words_that_are_one_terminal_cannot_be_captured(monkeypatch):
    monkeypatch.setattr(interchangeable, "MANY_WORDS", 2)
    artifact = compile_text('start: (A | B) "c"\nA: "a"\nB: "b"\n')
    with pytest.raises(CaptureError, match="joins B with others to one terminal of 2 words"):
        find_symbols(artifact, ["B"])
    assert find_symbols(artifact, ["start", "C"]).rules


def test_what_has_no_rules_cannot_be_captured():
    schema = maskc.compile_json_schema({"type": "integer"}, tokenizer="bytes")
    tag = {"type": "structural_tag", "format": {"type": "const_string", "value": "a"}}
    linked = maskc.compile_structural_tag(tag, tokenizer="bytes")
    for artifact, said in ((schema, "a JSON Schema has no"), (linked, "a structural tag has no")):
        with pytest.raises(CaptureError, match=said):
            find_symbols(artifact, ["item"])


LIST = 'start: item ("," item)*\nitem: "(" start ")" | A\nA: "a"\n'


def start(artifact):
    (hypothesis,) = artifact.machine.start()
    return Parse(hypothesis.stack, Extents(NOWHERE, NOWHERE, None), None)


def tracer_of(artifact, *names):
    symbols = find_symbols(artifact, names)
    terminals = find_symbols(artifact, ["A", "LPAR", "RPAR", "COMMA"]).terminals
    return Tracer(artifact.machine, symbols), {name: n for n, name in terminals.items()}


def test_a_reduction_waits_for_what_follows_only_if_it_decides():
    artifact = compile_text(LIST)
    tracer, terminals = tracer_of(artifact, "item")
    parse = tracer.shift(start(artifact), terminals["A"], 0, 1)
    assert parse.spans is None
    assert tracer.settle(parse).spans == (("item", 0, 1), None)
    tracer, terminals = tracer_of(artifact, "start")
    parse = tracer.shift(start(artifact), terminals["A"], 0, 1)
    assert tracer.settle(parse).spans is None  # a comma may follow
    assert tracer.finish(parse).spans == (("start", 0, 1), None)


def test_forged_tables_that_reduce_without_end_are_refused():
    artifact = compile_text('start: x "b"\nx: "a" |\n')
    tables = artifact.machine.tables
    tracer = Tracer(artifact.machine, find_symbols(artifact, ["x"]))
    first = tables.lalr_state[0]
    (empty,) = set(tables.reduces(first).values())
    x = tables.production_lhs[empty]
    goto = tables.gotos(0)[x]
    # What x leads to reduces to one more x on top, for ever.
    tables.reduces(tables.lalr_state[goto]).update(tables.reduces(first))
    tables.gotos(goto)[x] = goto
    with pytest.raises(CaptureError, match="the parser would never stop; compile it again"):
        tracer.reduce_before(start(artifact), next(iter(tables.reduces(first))))


def test_forged_tables_that_push_and_pop_without_end_are_refused():
    artifact = compile_text('start: x "b"\nx: y x | "a"\ny:\n')
    tables = artifact.machine.tables
    tracer = Tracer(artifact.machine, find_symbols(artifact, ["x"]))
    empty, both = tables.production_length.index(0), tables.production_length.index(2)
    y, start_rule = tables.production_lhs[empty], tables.production_lhs[both]
    one, other = tables.gotos(0)[y], tables.gotos(0)[start_rule]
    # One y on another, both of which become one again, and so on.
    for state, production in ((0, empty), (one, empty), (other, both)):
        tables.reduces(tables.lalr_state[state])[1] = production
    tables.gotos(one)[y], tables.gotos(0)[start_rule] = other, one
    with pytest.raises(CaptureError, match="the parser would never stop; compile it again"):
        tracer.reduce_before(start(artifact), 1)
