"""Where a grammar's text comes from, the settings that its first lines carry, and its style."""

import re

import pytest
from lark.exceptions import LarkError, UnexpectedInput

import maskc
from maskc.errors import GrammarError
from maskc.frontends.lark.build import build_lark
from maskc.frontends.loading import load_grammar, load_lalr_grammar
from maskc.frontends.postlex import PYTHON
from maskc.frontends.settings import (
    check_parser,
    read_options,
    read_postlex,
    read_settings,
    write_roles,
)
from maskc.frontends.source import load_source, source_from_header
from maskc.frontends.texts import Style, find_grammar, list_styles, load_style
from maskc.grammar import LalrGrammar

TEXT = '// maskc: start=list\nlist: "a"+\nother: "b"\n'
EARLEY = '// maskc: parser=earley\nstart: "a" start "a" |\n'
LAYOUT = "lark.indenter:PythonIndenter"


def test_an_argument_wins_over_the_text_and_the_text_over_larks_default():
    assert load_source(TEXT).start == "list"
    assert load_source(TEXT, start="other").start == "other"
    assert load_source('start: "a"\n').start == "start"
    assert load_source(EARLEY).parser == "earley"
    assert load_source(EARLEY, parser="lalr").parser == "lalr"
    assert load_source('start: "a"\n').parser == "lalr"


def test_the_default_lexer_depends_on_the_parser():
    assert load_source(EARLEY).lexer == "dynamic"
    assert load_source(EARLEY, parser="lalr").lexer == "contextual"
    assert load_source(EARLEY, postlex=LAYOUT).lexer == "basic"


def test_a_source_knows_whether_its_lexer_was_chosen():
    assert load_source(EARLEY).lexer_is_default
    assert not load_source(EARLEY, lexer="dynamic").lexer_is_default
    assert not load_source("// maskc: parser=earley lexer=dynamic\nstart: A\n").lexer_is_default


def test_a_suffix_is_a_notation(tmp_path):
    path = tmp_path / "a.gbnf"
    path.write_text('root ::= "a"\n')
    source = load_source(path)
    assert (source.name, source.dialect, source.original) == ("a.gbnf", "gbnf", 'root ::= "a"\n')
    with pytest.raises(GrammarError, match="leave parser, lexer and postlex out"):
        load_source(path, lexer="basic")


def test_a_pattern_has_no_start():
    assert load_source("a+", dialect="regex").dialect == "regex"
    with pytest.raises(GrammarError, match="has no start symbol"):
        load_source("a+", dialect="regex", start="x")


@pytest.mark.parametrize(
    "text",
    [
        TEXT,
        EARLEY,
        "// maskc: flags=is priority=none start=b,a\na: A\nb: A\nA: /a/\n",
        f"// maskc: postlex={LAYOUT}\nstart: A\n",
    ],
)
def test_a_source_is_read_back_from_a_header(text):
    assert source_from_header(load_source(text).describe()) == load_source(text)


@pytest.mark.parametrize(
    ("changes", "fact"),
    [
        ({"text": 3}, "has no text that is a text"),
        ({"imports": {"a": 1}}, "has no imports that are texts"),
        ({"parser": "schema"}, "is a JSON Schema"),
    ],
)
def test_a_header_that_says_something_else_is_refused(changes, fact):
    with pytest.raises(GrammarError, match=fact):
        source_from_header({**load_source(TEXT).describe(), **changes})


def test_a_file_that_is_not_utf_8_is_refused_at_its_byte(tmp_path):
    path = tmp_path / "a.lark"
    path.write_bytes(b'start: "\xff"\n')
    with pytest.raises(GrammarError, match="byte 8 is not UTF-8"):
        load_source(path)


def test_a_name_is_a_grammar_that_comes_with_maskc(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert load_source("csv").name == "csv.lark"
    assert find_grammar("csv").is_file()
    assert find_grammar("./csv") == find_grammar("./csv")
    (tmp_path / "csv").write_text('start: "a"\n')
    assert load_source("csv").text == 'start: "a"\n'


def test_one_line_is_a_text_and_a_path_stays_a_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert load_source('start: "a"').name == "<text>"
    (tmp_path / "a:b.lark").write_text('start: "b"\n')
    assert load_source("a:b.lark").name == "a:b.lark"
    with pytest.raises(maskc.MaskcError, match=r"nothing\.lark"):
        load_source("nothing.lark")


def test_a_general_grammar_has_productions_and_no_table():
    grammar, _ = load_grammar(load_source(EARLEY))
    assert grammar.bnf.format().splitlines() == ["start ->", "start -> A start A"]
    assert not isinstance(grammar, LalrGrammar)


def test_only_an_lalr_table_can_be_looked_into():
    with pytest.raises(GrammarError, match="this command reads LALR grammars only"):
        load_lalr_grammar(load_source(EARLEY))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("// maskc: start=start,b\nstart: A\nA: /a/\n", "the start symbol 'b' is not a rule"),
        ("x: A\nA: /a/\n", "the start symbol 'start' is not a rule"),
        ("%import .none (A)\nstart: A\n", "it imports none.lark, and a grammar that is given as a"),
        ("start: A\nA: /(?s)a/\n", "global flags not at the start"),
        # Lark numbers the groups of all terminals that it tries before.
        ("start: A\nA: /(a)?(?(1)b|c)/\n", "terminal A (line 2): conditional on group 1"),
    ],
)
def test_what_lark_refuses_is_one_sentence(text, message):
    with pytest.raises(maskc.MaskcError) as caught:
        build_lark(load_source(text))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_terminals_that_interegular_cannot_read_are_lexed():
    """Lark asks interegular for collisions if it is installed, and fails with it on these."""
    parser = build_lark(load_source("start: A B\nA: /(?>a)/\nB: /b++/\n", lexer="basic"))
    assert parser.parse("abb").children == ["a", "bb"]


def test_settings_stand_in_comments_before_the_first_rule():
    first = "\n// a grammar\n// maskc: start=a,b flags=im\n//maskc: lexer=basic\n"
    text = f"{first}x: y\n// maskc: start=c\n"
    assert read_settings("g", text)[0] == {"start": "a,b", "flags": "im", "lexer": "basic"}


@pytest.mark.parametrize("word", ["start", "start=", "begin=x", "=x"])
def test_what_is_no_setting_is_refused_at_its_line(word):
    with pytest.raises(GrammarError, match=r"g:2: .* is not a setting"):
        read_settings("g", f"\n// maskc: {word}\n")


def test_flags_are_letters_of_re_a_priority_is_larks_and_holes_are_names_after_commas():
    found = read_options("g", "", {"flags": "is", "hole": "A,B,A"})
    assert found["flags"] == re.IGNORECASE | re.DOTALL
    assert (found["priority"], found["holes"]) == ("normal", ("A", "B"))


@pytest.mark.parametrize(
    ("settings", "fact"),
    [
        ({"flags": "iq"}, "unknown flag 'q'; choose among a, i, m, s, x"),
        ({"priority": "high"}, "unknown priority 'high'; choose one of normal, invert, none"),
        ({"flags": "i", "regex": "true"}, "flags= cannot be combined with regex=true"),
        ({"backreference": "A:b A:c"}, "backreference= names A twice; write all texts in one"),
    ],
)
def test_options_that_are_none_are_refused(settings, fact):
    with pytest.raises(GrammarError, match=fact):
        read_options("g", "", settings)


def test_a_file_names_no_class_but_larks():
    assert read_postlex("g:1", {"postlex": "lark.indenter:PythonIndenter"}) == PYTHON
    assert read_postlex("g:1", {}) is None
    with pytest.raises(GrammarError, match=r"g:1: .* importing one would run its code"):
        read_postlex("g:1", {"postlex": "os:system"})


def test_attributes_go_with_an_indenter():
    with pytest.raises(GrammarError, match="needs postlex="):
        read_postlex("g:1", {"tab_len": "4"})


@pytest.mark.parametrize(
    ("parser", "lexer", "has_postlex", "fact"),
    [
        ("cyk", "basic", False, "unknown parser"),
        ("lalr", "dynamic_complete", False, "unknown lexer"),
        ("lalr", "dynamic", False, "unknown lexer"),
        ("earley", "contextual", False, "choose one of dynamic, dynamic_complete, basic"),
        ("earley", "dynamic", True, "Lark takes no postlex with lexer=dynamic"),
    ],
)
def test_what_lark_does_not_put_together_is_refused(parser, lexer, has_postlex, fact):
    with pytest.raises(GrammarError, match=fact):
        check_parser("g", parser, lexer, has_postlex=has_postlex)


EDITED = r"""// maskc: pattern=IN:in(?!\w) pattern=B:b+
start: NAME IN NAME B
IN: "in"
B: "b"
NAME: /[a-z]/
%ignore " "
"""


@pytest.mark.parametrize(("text", "is_parsed"), [("a in a bb", True), ("a ina b", False)])
def test_a_pattern_stands_in_the_place_of_a_terminals_own(text, is_parsed):
    matcher = maskc.compile_grammar(EDITED, tokenizer="bytes").matcher()
    assert (matcher.accept_bytes(text.encode()) and matcher.is_accepting) == is_parsed
    lark = build_lark(load_source(EDITED))
    if is_parsed:
        lark.parse(text)
    else:
        with pytest.raises(LarkError):
            lark.parse(text)


@pytest.mark.parametrize(
    ("setting", "fact"),
    [
        ("pattern=B", "is not a terminal with a pattern"),
        ("pattern=B:", "is not a terminal with a pattern"),
        ("pattern=B:b pattern=B:c", "names B twice"),
        ("pattern=C:c", "names C, which no rule of the grammar uses"),
        ("pattern=B:b(", "re cannot read its pattern"),
    ],
)
def test_a_pattern_that_is_none_is_refused(setting, fact):
    with pytest.raises(GrammarError, match=re.escape(fact)):
        build_lark(load_source(f"// maskc: {setting}\nstart: B\nB: /b/\n"))


BYTES = "// maskc: use_bytes=true\nstart: A\nA: /[\\x80-\\xff]/\n"


def test_texts_are_bytes_if_the_settings_say_so():
    assert load_source(BYTES).use_bytes
    assert not load_source(BYTES.replace("true", "false")).use_bytes


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        (BYTES.replace("true", "yes"), "use_bytes=yes is neither true nor false"),
        (BYTES + "// é\n", "Lark takes ASCII alone with use_bytes=true"),
        (BYTES.replace("true", "true regex=true"), "use_bytes=true cannot be combined with regex="),
        (BYTES.replace("true", "true hole=A"), "use_bytes=true cannot be combined with hole="),
        (
            BYTES.replace("true", "true postlex=lark.indenter:PythonIndenter"),
            "use_bytes=true cannot be combined with an Indenter",
        ),
    ],
)
def test_what_is_about_characters_does_not_go_with_bytes(text, fact):
    with pytest.raises(GrammarError, match=fact):
        load_source(text)


def test_a_role_does_not_go_with_bytes():
    with pytest.raises(GrammarError, match="use_bytes=true cannot be combined with roles"):
        load_source(BYTES, roles={"start.A": "a"})


def test_a_style_is_roles_by_name(tmp_path):
    path = tmp_path / "house.toml"
    path.write_text('[roles]\n"a.B" = "c"\n')
    assert load_style(path) == Style(roles={"a.B": "c"})


def test_rules_of_a_style_are_written_at_the_end_of_the_grammar(tmp_path):
    path = tmp_path / "house.toml"
    path.write_text("rules = '%override one: \"2\"'\n")
    style = load_style(path)
    assert style == Style(rules='%override one: "2"')
    source = load_source('start: one\none: "1"\n', roles=style.roles, rules=style.rules)
    assert source.text == 'start: one\none: "1"\n%override one: "2"'


def test_the_styles_that_come_with_maskc_are_roles():
    assert list_styles() == ["python", "python_documented", "sql"]
    for name in list_styles():
        assert write_roles(name, "", load_style(name).roles).count("// maskc-terminal:") >= 3


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("a = [", "it is not TOML"),
        ("", r"it has no table \[roles\] and no rules"),
        ('[rolls]\n"a.B" = "c"\n', "it has 'rolls', which is unknown"),
        ('[roles]\n"a.B" = 1\n', r"its \[roles\] is not a table of texts"),
        ("[roles]\na.B = 'c'\n", r"its \[roles\] is not a table of texts"),
        ("roles = 1\n", r"its \[roles\] is not a table of texts"),
        ("rules = 1\n", "its rules are no text"),
        ("a=" + "[" * 100_000, "it is not TOML"),
    ],
)
def test_what_is_no_style_is_refused(tmp_path, text, fact):
    path = tmp_path / "house.toml"
    path.write_text(text)
    with pytest.raises(GrammarError, match=f"house.toml: {fact}"):
        load_style(path)


def test_a_style_that_is_not_there_is_refused_with_those_that_are():
    with pytest.raises(GrammarError, match=r"pyton: .*; give the path of a style, or one of"):
        load_style("pyton")


def test_a_style_that_is_a_folder_is_refused(tmp_path):
    with pytest.raises(GrammarError, match="is a folder"):
        load_style(tmp_path)


def test_the_documented_style_asks_for_docstrings():
    style = load_style("python_documented")
    source = load_source("python", roles=style.roles, rules=style.rules)
    lark = build_lark(source)
    lark.parse('def f():\n    """Return one."""\n    return 1\n')
    lark.parse('class A:\n    r"""An A."""\n    def f(self):\n        """Return 1."""\n')
    for text in ("def f():\n    return 1\n", "class A: pass\n", "def f():\n    'one'\n"):
        with pytest.raises(UnexpectedInput):
            lark.parse(text)
