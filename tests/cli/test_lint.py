import json

BAD = 'start: "a" | x\nx: x "b"\n'


def test_a_clean_grammar_has_no_findings_and_status_0(command, tmp_path):
    (tmp_path / "g.lark").write_text('start: "a" "b"\n')
    outcome = command("lint", "g.lark")
    assert (outcome.status, outcome.err) == (0, "")
    assert outcome.out == "g.lark: 0 errors, 0 warnings, 0 notes\n"


def test_an_error_makes_status_1(command, tmp_path):
    (tmp_path / "g.lark").write_text(BAD)
    outcome = command("lint", "g.lark")
    assert outcome.status == 1
    assert "g.lark:2: error ML009: rule x\n" in outcome.out
    assert outcome.out.endswith("g.lark: 2 errors, 0 warnings, 0 notes\n")


def test_a_warning_keeps_status_0(command, tmp_path):
    (tmp_path / "g.lark").write_text('start: "a" "b"\n%ignore /[ ]+/\n')
    outcome = command("lint", "g.lark")
    assert outcome.status == 0
    assert outcome.out.endswith("g.lark: 0 errors, 1 warning, 0 notes\n")


def test_json_has_all_of_a_finding(command, tmp_path):
    (tmp_path / "g.lark").write_text(BAD)
    outcome = command("lint", "g.lark", "--json")
    assert outcome.status == 1
    report = json.loads(outcome.out)
    assert report["counts"] == {"errors": 2, "warnings": 0, "notes": 0}
    assert report["findings"][1] == {
        "code": "ML009",
        "severity": "error",
        "place": {"kind": "rule", "name": "x", "line": 2},
        "fact": "x -> x B is in no text: x never ends",
        "witness": None,
        "remedy": "give x an alternative that does not need itself",
    }


def test_a_tokenizer_adds_what_no_mask_holds(command, tmp_path, tokenizer_file):
    (tmp_path / "g.lark").write_text('start: "a" "b"\n')
    outcome = command("lint", "g.lark", "--tokenizer", tokenizer_file)
    assert outcome.status == 0
    assert "ML008" in outcome.out
    assert "2 of 4 tokens are legal nowhere" in outcome.out


def test_options_choose_the_start_and_the_lexer(command, tmp_path):
    (tmp_path / "g.lark").write_text('top: "let" NAME | NAME\nNAME: /[a-z]+/\n%ignore /;/\n')
    outcome = command("lint", "g.lark", "--start", "top", "--lexer", "basic")
    assert "can nowhere be written as NAME" in outcome.out


def test_a_missing_grammar_is_refused(refusal):
    assert "missing.lark" in refusal("lint", "missing.lark")


def test_a_grammar_that_lark_refuses_is_refused(refusal, tmp_path):
    (tmp_path / "g.lark").write_text("start: x\n")
    assert "rule x (line 1) is used and nothing defines it" in refusal("lint", "g.lark")


def test_without_interegular_lint_says_that_it_was_not_asked(command, grammar, monkeypatch):
    monkeypatch.setattr("maskc.lint.overlap.is_installed", lambda: False)
    outcome = command("lint", grammar)
    assert outcome.status == 0
    assert "maskc[lint]" in outcome.err


def test_a_json_schema_is_linted_by_its_name(command, tmp_path):
    (tmp_path / "s.schema.json").write_text('{"properties": {"a": {"type": "null", "const": 1}}}')
    outcome = command("lint", "s.schema.json")
    assert outcome.status == 1
    assert "s.schema.json: error ML101: schema /properties/a\n" in outcome.out


def test_a_json_schema_has_no_start(command, tmp_path):
    (tmp_path / "s.schema.json").write_text("{}")
    outcome = command("lint", "s.schema.json", "--start", "x")
    assert outcome.status == 2
    assert "has no start" in outcome.err


def test_findings_show_their_line_with_a_caret(command, tmp_path):
    (tmp_path / "g.lark").write_text('start: "a" STRING\nSTRING: /".*"/\n')
    outcome = command("lint", "g.lark")
    assert 'g.lark:2: warning ML012: terminal STRING\n  STRING: /".*"/\n  ^^^^^^\n' in outcome.out


def test_sarif_is_written_beside_what_is_printed(command, tmp_path):
    (tmp_path / "g.lark").write_text(BAD)
    outcome = command("lint", "g.lark", "--sarif", "g.sarif")
    assert outcome.status == 1
    assert "2 errors" in outcome.out
    (run,) = json.loads((tmp_path / "g.sarif").read_text())["runs"]
    assert [result["level"] for result in run["results"]] == ["error", "error"]
    assert json.loads(command("lint", "g.lark", "--sarif", "-").out)["runs"] == [run]
    assert command("lint", "g.lark", "--sarif", "-", "--json").status == 2


def test_general_grammars_are_linted(command, tmp_path):
    (tmp_path / "g.gbnf").write_text('root ::= root "+" root | [0-9]\n')
    outcome = command("lint", "g.gbnf")
    assert (outcome.status, outcome.err) == (0, "")
    assert "g.gbnf:1: warning ML014: rule root\n" in outcome.out
    assert "witness: '0+0+0'" in outcome.out


def test_what_a_grammar_allows_is_not_told(command, tmp_path):
    (tmp_path / "g.lark").write_text('start: "a"\n%ignore / +/ // maskc: allow=ML007 why not\n')
    assert command("lint", "g.lark").out == "g.lark: 0 errors, 0 warnings, 0 notes\n"


def test_a_pattern_is_linted(command, refusal):
    outcome = command("lint", "--regex", "a+b")
    assert (outcome.status, outcome.out) == (0, "<regex>: 0 errors, 0 warnings, 0 notes\n")
    assert "re refuses the pattern" in refusal("lint", "--regex", "(")
    assert "Give one of GRAMMAR, --regex" in refusal("lint", "json", "--regex", "a")
