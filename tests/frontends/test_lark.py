import re

import pytest

from maskc.emit.provenance import describe_grammar
from maskc.errors import GrammarError, PostlexError, UnsupportedTerminalError
from maskc.frontends.lark.build import build_lark
from maskc.frontends.loading import load_grammar, load_lalr_grammar
from maskc.frontends.source import load_source, source_from_header
from maskc.grammar.model import LalrGrammar


def test_settings_are_read_from_the_head_of_the_text():
    source = load_source("// maskc: start=x lexer=basic\nx: A\nA: /a/\n")
    assert (source.start, source.lexer) == ("x", "basic")


def test_arguments_win_over_settings():
    source = load_source("// maskc: start=x\nx: A\ny: A\nA: /a/\n", start="y")
    assert source.start == "y"


def test_a_setting_below_the_first_rule_does_not_count():
    assert load_source("start: A\n// maskc: start=x\nA: /a/\n").start == "start"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("// maskc: begin=x\nx: A\n", "<text>:1: 'begin=x' is not a setting"),
        ("// maskc: lexer=fast\nx: A\n", "unknown lexer 'fast'"),
        ("// maskc: flags=iq\nx: A\n", "unknown flag 'q'; choose among a, i, m, s, x"),
        ("// maskc: priority=last\nx: A\n", "unknown priority 'last'"),
        ("// maskc: start=start,b\nstart: A\nA: /a/\n", "the start symbol 'b' is not a rule"),
        (
            "%import .none (A)\nstart: A\n",
            "it imports none.lark, and a grammar that is given as a text has no folder",
        ),
        ("start: A\nA: /(?s)a/\n", "global flags not at the start"),
        ("start: A\nA: /(?P<A>a)/\n", "terminal A (line 2): Lark joins its pattern to others"),
        (
            "start: A | B\nA: /(?P<q>a)/\nB: /(?P<q>b)/\n",
            "terminal B (line 3): its group q has the name of another group",
        ),
        ("start: A\n", "terminal A (line 1) is used and nothing defines it"),
        ("start: (\n", "line 1: its ( is not closed; write ) at its end"),
        ("x: A\nA: /a/\n", "the start symbol 'start' is not a rule"),
        ("start: A\nA: /a*/\n", "terminal A (line 2): its pattern a* matches nothing, too"),
        ("start: A\nA: /(/\n", "terminal A (line 2): re cannot read its pattern ("),
    ],
)
def test_what_lark_refuses_is_one_sentence(text, message):
    with pytest.raises(GrammarError) as caught:
        build_lark(load_source(text))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_conditional_on_a_number_is_refused():
    """Lark numbers the groups of all terminals that it tries before."""
    with pytest.raises(
        UnsupportedTerminalError, match=r"terminal A \(line 2\): conditional on group 1"
    ):
        build_lark(load_source("start: A\nA: /(a)?(?(1)b|c)/\n"))


def test_terminals_that_interegular_cannot_read_are_lexed():
    """Lark asks interegular for collisions if it is installed, and fails with it on these."""
    parser = build_lark(load_source("start: A B\nA: /(?>a)/\nB: /b++/\n", lexer="basic"))
    assert parser.parse("abb").children == ["a", "bb"]


def test_settings_travel_in_the_text():
    source = load_source("// maskc: flags=is priority=none start=b,a\na: A\nb: A\nA: /a/\n")
    header = {
        "name": source.name,
        "text": source.text,
        "imports": source.imports,
        "start": source.start,
        "lexer": source.lexer,
        "postlex": source.postlex,
    }
    assert source_from_header(header) == source
    assert (source.flags, source.priority, source.start) == (re.I | re.S, "none", "b,a")


@pytest.mark.parametrize(
    ("postlex", "message"),
    [
        ("lark.indenter", "is not of the form module:Class"),
        ("lark.nothing:X", "cannot be imported"),
        ("lark.indenter:Nothing", "cannot be imported"),
        ("lark.lexer:Token", "is not a lark.indenter.Indenter"),
        ("lark.indenter:Indenter", "cannot be constructed"),
        ("tests.frontends.postlexes:OwnProcess", "overrides process"),
    ],
)
def test_a_postlex_that_is_no_plain_indenter_is_refused(postlex, message):
    with pytest.raises(PostlexError, match=message):
        build_lark(load_source("start: A\nA: /a/\n", postlex=postlex))


def test_a_relative_import_travels_with_the_source(tmp_path):
    (tmp_path / "words.lark").write_text("WORD: /[a-z]+/\n")
    (tmp_path / "main.lark").write_text("%import .words (WORD)\nstart: WORD\n")
    _, source = load_grammar(load_source(tmp_path / "main.lark"))
    assert dict(source.imports) == {"words.lark": "WORD: /[a-z]+/\n"}
    carried = source_from_header(
        {
            "name": source.name,
            "text": source.text,
            "imports": source.imports,
            "start": source.start,
            "lexer": source.lexer,
            "postlex": source.postlex,
        }
    )
    assert build_lark(carried).parse("abc").data == "start"


def test_a_file_named_like_a_library_of_lark_does_not_hide_it(tmp_path):
    (tmp_path / "common.lark").write_text("%import common (INT)\nstart: INT\n")
    assert build_lark(load_source(tmp_path / "common.lark")).parse("12").data == "start"


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(GrammarError, match=r"none\.lark: cannot be read"):
        load_source(tmp_path / "none.lark")


def test_a_file_that_is_not_utf8_is_refused(tmp_path):
    (tmp_path / "latin.lark").write_bytes(b"start: \xe9\n")
    with pytest.raises(GrammarError, match="byte 7 is not UTF-8"):
        load_source(tmp_path / "latin.lark")


EARLEY = '// maskc: parser=earley\nstart: "a" start "a" |\n'


def test_the_parser_is_a_setting_and_an_argument():
    assert load_source(EARLEY).parser == "earley"
    assert load_source(EARLEY, parser="lalr").parser == "lalr"
    assert load_source('start: "a"\n').parser == "lalr"


def test_a_source_knows_whether_its_lexer_was_chosen():
    assert load_source(EARLEY).lexer_is_default
    assert not load_source(EARLEY, lexer="dynamic").lexer_is_default
    assert not load_source("// maskc: parser=earley lexer=dynamic\nstart: A\n").lexer_is_default


def test_the_default_lexer_depends_on_the_parser():
    assert load_source(EARLEY).lexer == "dynamic"
    assert load_source(EARLEY, parser="lalr").lexer == "contextual"
    assert load_source(EARLEY, postlex="lark.indenter:PythonIndenter").lexer == "basic"


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"parser": "cyk"}, "unknown parser 'cyk'"),
        ({"lexer": "contextual"}, "unknown lexer 'contextual' for parser earley"),
        ({"parser": "lalr", "lexer": "dynamic_complete"}, "for parser lalr"),
        (
            {"postlex": "lark.indenter:PythonIndenter", "lexer": "dynamic"},
            "Lark takes no postlex with lexer=dynamic",
        ),
    ],
)
def test_what_lark_does_not_put_together_is_refused(settings, sentence):
    with pytest.raises(GrammarError, match=sentence):
        load_source(EARLEY, **settings)


def test_a_general_grammar_has_productions_and_no_table():
    grammar, source = load_grammar(load_source(EARLEY))
    assert grammar.bnf.format().splitlines() == ["start ->", "start -> A start A"]
    assert not isinstance(grammar, LalrGrammar)
    assert source_from_header(describe_grammar(source)) == source


def test_only_an_lalr_table_can_be_looked_into():
    with pytest.raises(GrammarError, match="only LALR tables can be looked into"):
        load_lalr_grammar(load_source(EARLEY))
