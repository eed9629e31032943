"""Rules and terminals that take part in no text."""

DANGLING = 'start: "if" "e" start | "if" "e" start "else" start | "x"\n'


def test_a_production_that_needs_itself_is_unproductive(lint):
    found = lint('start: "a" | x\nx: x "b"\n', "ML009")
    assert [(f.place.name, f.place.line, f.severity.value) for f in found] == [
        ("start", 1, "error"),
        ("x", 2, "error"),
    ]


def test_a_production_that_conflicts_took_is_never_completed(lint):
    (finding,) = lint('start: "p" x "a" "c"\nx: "b" "a" | "b"\n', "ML009")
    assert finding.fact.startswith("x -> B is never completed")


def test_a_production_that_some_conflict_spares_is_fine(lint):
    assert lint(DANGLING, "ML009") == []


def test_rules_and_terminals_that_lark_leaves_out_are_unused(lint):
    found = lint('start: "a"\nother: "c"\nDIGIT: "0".."9"\n', "ML010")
    assert [(f.place.kind, f.place.name, f.place.line) for f in found] == [
        ("rule", "other", 2),
        ("terminal", "DIGIT", 3),
    ]


def test_what_templates_terminals_and_ignored_ones_use_is_used(lint):
    text = (
        'start: list{"a", ","}\nlist{x, y}: x (y x)*\n'
        "NAME: LETTER+\nLETTER: /[a-z]/\n%ignore NAME\n"
    )
    assert lint(text, "ML010") == []


def test_a_name_in_a_comment_or_a_string_is_no_use(lint):
    (finding,) = lint('start: "DIGIT" // DIGIT\nDIGIT: "0".."9"\n', "ML010")
    assert finding.place.name == "DIGIT"
