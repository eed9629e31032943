"""``--parser earley`` on the command line, from the grammar to the verdict."""

import json

from tests.general_grammars import FOLDER

EXPRESSIONS = FOLDER / "expressions.lark"


def test_a_general_grammar_is_compiled_inspected_verified_and_generated_from(command, tmp_path):
    compiled = command("compile", EXPRESSIONS, "--tokenizer", "bytes", "-o", "e.maskc")
    assert (compiled.status, compiled.err) == (0, "")

    inspected = command("inspect", "e.maskc")
    assert inspected.status == 0
    assert "earley" in inspected.out
    header = json.loads(command("inspect", "e.maskc", "--json").out)["header"]
    assert header["grammar"]["parser"] == "earley"
    assert command("inspect", "e.maskc", "--html", "e.html").status == 0

    (tmp_path / "right.txt").write_text("a + (b * -c)")
    (tmp_path / "wrong.txt").write_text("a + )")
    corpus = ("--corpus", "right.txt", "--corpus", "wrong.txt")
    few = ("--texts", 3, "--max-tokens", 20, "--positions", 10, "--mutations", 5, "--jobs", 1)
    few += ("--allow-refused",)
    verified = command("verify", "e.maskc", *corpus, *few)
    assert (verified.status, verified.err) == (0, "")
    assert "failed" not in verified.out

    generated = command("generate", "e.maskc", "--count", 2, "--max-tokens", 20)
    assert (generated.status, generated.err) == (0, "")


def test_an_option_wins_over_the_grammar(command):
    compiled = command(
        "compile", EXPRESSIONS, "--parser", "earley", "--lexer", "basic", "--tokenizer", "bytes"
    )
    assert compiled.status == 0
    header = json.loads(command("inspect", "expressions.bytes.maskc", "--json").out)["header"]
    assert header["grammar"]["lexer"] == "basic"


def test_a_lexer_chosen_by_default_is_named(command):
    plain = ("compile", EXPRESSIONS, "--tokenizer", "bytes")
    assert "lexer=dynamic, Lark's default for parser=earley" in command(*plain).out
    assert "Lark's default" not in command(*plain, "--lexer", "dynamic").out
    assert "Lark's default" not in command("compile", "json", "--tokenizer", "bytes").out


def test_the_same_grammar_makes_the_same_bytes(command, tmp_path):
    for name in ("one", "two"):
        command("compile", EXPRESSIONS, "--tokenizer", "bytes", "-o", f"{name}.maskc")
    one, two = ((tmp_path / f"{name}.maskc").read_bytes() for name in ("one", "two"))
    assert one == two


def test_a_lexer_that_does_not_go_with_the_parser_is_refused(refusal):
    sentence = refusal("compile", EXPRESSIONS, "--lexer", "contextual", "--tokenizer", "bytes")
    assert "choose one of dynamic, dynamic_complete, basic" in sentence


def test_a_postlex_is_refused_where_the_grammar_has_conflicts(refusal, tmp_path):
    text = "// maskc: postlex=rules rule=drop:C:after:A\nstart: x A C\n"
    text += 'x: B A | B\nA: "a"\nB: "b"\nC: "c"\n'
    (tmp_path / "c.lark").write_text(text)
    sentence = refusal("compile", "c.lark", "--parser", "earley", "--tokenizer", "bytes")
    assert "before A, rule x (line 3) may have ended as `B` or go on, and Earley tries" in sentence
    assert "give --parser lalr --lexer basic" in sentence


def test_a_grammar_without_any_text_is_refused(refusal, tmp_path):
    (tmp_path / "n.lark").write_text('start: "a" start\n')
    sentence = refusal("compile", "n.lark", "--parser", "earley", "--tokenizer", "bytes")
    assert "no text at all can be parsed" in sentence


def test_explain_reads_it(command):
    command("compile", EXPRESSIONS, "--tokenizer", "bytes", "-o", "e.maskc")
    assert "may become: NAME" in command("explain", "e.maskc", "--text", "a").out
