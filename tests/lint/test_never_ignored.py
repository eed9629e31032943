"""ML011: blanks that nothing uses or ignores."""

import pytest


@pytest.mark.parametrize(
    "line",
    [
        "%import common.WS",
        "%import common (INT, WS)",
        "%import common.WS -> BLANK",
        "WS: /[ \\t]+/",
        'WS: " "',
    ],
)
def test_blanks_that_nobody_ignores_are_found(lint, line):
    (finding,) = lint(f'start: "a" "b"\n{line}\n', "ML011")
    assert finding.place.line == 2
    assert "%ignore" in finding.remedy


@pytest.mark.parametrize(
    "text",
    [
        'start: "a" "b"\n%import common.WS\n%ignore WS\n',
        'start: "a" WS "b"\nWS: /[ ]+/\n',
        'start: "a" GAP\nGAP: WS "x"\nWS: /[ ]+/\n',
        'start: "a"\nSIGN: /[+-]/\n',
    ],
)
def test_blanks_that_are_used_or_ignored_are_none(lint, text):
    assert lint(text, "ML011") == []
