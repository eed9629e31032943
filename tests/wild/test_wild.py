"""A folder of grammars: settings, Lark's parser, derived texts, states, and the page."""

import sys

import pytest
from lark.exceptions import UnexpectedInput

from maskc.frontends.source import load_source
from tests.wild.derive import derive, load
from tests.wild.examine import STATES, Bounds, examine, run_bounded
from tests.wild.page import count_states, format_report, list_worse, replace
from tests.wild.settings import read_entries


def test_an_entry_says_nothing_more_than_lark_s_defaults(tmp_path):
    entry = write_entry(tmp_path, "", 'repository = "owner/name"\n', "a/b")
    assert entry.name == "a/b"
    assert entry.grammar == tmp_path / "a" / "b.lark"
    assert entry.header() == "// maskc: parser=earley\n// maskc: start=start\n"


def test_the_header_s_settings_are_read_as_the_project_s(tmp_path):
    entry = write_entry(
        tmp_path,
        "",
        'parser = "lalr"\nlexer = "basic"\nstart = ["a", "b"]\nflags = "im"\n'
        'priority = "invert"\n[postlex]\nkind = "indenter"\nNL_type = "_NL"\n'
        'INDENT_type = "_IN"\nDEDENT_type = "_DE"\nOPEN_PAREN_types = ["LPAR"]\n'
        'CLOSE_PAREN_types = ["RPAR"]\ntab_len = 4\n',
    )
    source = load_source(entry.header() + "a: /x/\n")
    assert (source.parser, source.lexer, source.start) == ("lalr", "basic", "a,b")
    assert (source.flags, source.priority) == (2 | 8, "invert")
    assert source.postlex is not None
    assert (source.postlex.newline, source.postlex.opens) == ("_NL", ("LPAR",))


def test_rules_of_a_postlex_are_a_line_each(tmp_path):
    entry = write_entry(
        tmp_path,
        "",
        'parser = "lalr"\n[postlex]\nkind = "rules"\nrule = ["drop:A:after:A", "drop:B"]\n'
        'always_accept = ["A"]\n',
    )
    source = load_source(entry.header() + "a: /x/\n")
    assert source.postlex is not None
    assert [str(rule) for rule in source.postlex.rules] == ["drop:A:after:A", "drop:B"]
    assert source.postlex.always_accept == ("A",)


def test_a_postlex_in_words_is_no_setting_and_an_unknown_key_is_refused(tmp_path):
    entry = write_entry(tmp_path, "", 'postlex = "drops newlines in brackets"\n')
    assert entry.postlex_in_words == "drops newlines in brackets"
    assert "postlex" not in entry.header()
    with pytest.raises(ValueError, match="lexxer is not a setting"):
        write_entry(tmp_path, "", 'lexxer = "basic"\n')


def write_entry(folder, grammar, settings="", name="x"):
    path = folder / f"{name}.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.with_suffix(".lark").write_text(grammar)
    path.write_text(settings)
    (found,) = read_entries(folder)
    return found


def test_lark_has_the_settings_of_the_project(tmp_path):
    lark = load(
        write_entry(tmp_path, 'first: "a"\n', 'parser = "lalr"\nstart = ["first"]\nflags = "i"')
    )
    assert (lark.options.parser, lark.options.start) == ("lalr", ["first"])
    assert lark.parse("A").data == "first"
    with pytest.raises(UnexpectedInput):
        lark.parse("b")


def test_texts_are_derived_from_the_rules(tmp_path):
    lark = load(write_entry(tmp_path, 'start: "a" start "b" | "c"\n'))
    texts = derive(lark, "start", 4, 0)
    assert texts
    assert len(set(texts)) == len(texts) <= 4
    assert all(lark.parse(text) for text in texts)


@pytest.mark.parametrize(
    ("program", "seconds", "megabytes", "error"),
    [
        ("while True: pass", 0.2, None, "no end after"),
        ("print(len(bytes(10**9)))", 10, 500, "MemoryError"),
    ],
)
def test_a_command_that_takes_too_much_is_ended_and_says_so(program, seconds, megabytes, error):
    done = run_bounded([sys.executable, "-c", program], seconds, megabytes)
    assert error in done["error"]
    assert not done.get("out")


LALR = 'parser = "lalr"\n'


@pytest.mark.parametrize(
    ("grammar", "settings", "seconds", "state", "why"),
    [
        # A postlex that is a class counts as refused.
        ('start: "a"\n', f'{LALR}postlex = "renames A"\n', 60, "refused", "postlex: renames A"),
        # Lark did not come to load it.
        ('start: "a"\n', LALR, 0.01, "not loaded", "no end after"),
        # A grammar without texts is no refusal.
        (
            "start: A B\nA: /a+/\nB: /a/\n",
            'parser = "earley"\n',
            60,
            "no text",
            "can never be lexed right after terminal A",
        ),
    ],
)
def test_a_grammar_comes_to_a_state(tmp_path, grammar, settings, seconds, state, why):
    (tmp_path / "made").mkdir()
    entry = write_entry(tmp_path / "in", grammar, settings)
    found = examine(entry, tmp_path / "made", Bounds(seconds, 4000, "bytes"))
    assert found["state"] == state
    assert found["state"] in STATES
    assert why in found["why"]


GOOD = {
    "repository": "owner/name",
    "path": "x.lark",
    "parser": "lalr",
    "lexer": "basic",
    "state": "verified",
    "seconds": 1.0,
    "megabytes": 0.5,
    "peak": 90,
}
BAD = {
    "repository": "owner/name",
    "path": "y.lark",
    "parser": "earley",
    "lexer": "dynamic",
    "state": "refused",
    "why": "a | b",
}


def test_states_are_counted():
    assert count_states({"a": GOOD, "b": GOOD, "c": BAD}) == "1 refused, 2 verified"


def test_a_worse_state_is_named_and_a_better_one_is_not():
    expected = {"a": "compiles", "b": "refused"}
    assert list_worse({"a": BAD, "b": GOOD}, expected, STATES) == ["a: refused, and was compiles"]
    # A difference is, whatever was expected.
    assert list_worse({"a": {"state": "differs"}}, {}, STATES) == ["a: differs from Lark"]


def test_the_page_says_how_many_compile_of_those_that_have_texts():
    none = {**BAD, "state": "no text"}
    refused, missing = ({**BAD, "state": state} for state in ("Lark refuses it", "not loaded"))
    lines = format_report({"a": GOOD, "b": none, "c": BAD, "d": refused, "e": missing})
    assert [line for line in lines if "aim" in line] == [
        "Of the 1 grammars for `lalr` that Lark loads, and of which it parses any text, 1 compile: "
        "100.0% (aim: 98%).",
        "Of the 1 grammars for `earley` that Lark loads, and of which it parses any text, 0 "
        "compile: 0.0% (aim: 95%).",
    ]


def test_the_page_counts_by_parser_and_names_what_is_refused_and_where_grammars_are_from():
    lines = format_report({"a": GOOD, "b": GOOD, "c": BAD})
    assert "| lalr, basic | 2 | 2 | 2 | 2 | 0 | 0 |" in lines
    assert "| all | 3 | 3 | 2 | 2 | 0 | 0 |" in lines
    assert "| `c` | refused: a ¦ b |" in lines
    assert lines[-1] == "- owner/name: `x.lark`, `y.lark`"


def test_only_what_stands_between_the_marks_is_replaced(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("a\n<!-- x: begin -->\nold\n<!-- x: end -->\nb\n")
    replace(page, "x", ["new"])
    assert page.read_text() == "a\n<!-- x: begin -->\nnew\n<!-- x: end -->\nb\n"
    page.write_text("a\n<!-- x: begin -->\n")
    with pytest.raises(ValueError, match="x: end"):
        replace(page, "x", ["new"])
    assert page.read_text() == "a\n<!-- x: begin -->\n"
