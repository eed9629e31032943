"""How a refusal by a JSON Schema is said."""

import pytest

from maskc.explain.model import Causes, Keyword, Refusal
from maskc.report.refusals import MAX_TEXT, quote, say_reason, say_refusal


def test_the_end_of_a_long_text_is_quoted():
    assert quote(b"ab") == "'ab'"
    long = quote(b"x" * 200 + b"end")
    assert long.startswith("…")
    assert long.endswith("end'")
    assert len(long) == MAX_TEXT + 1


def test_a_layout_is_named_by_its_choice():
    refusal = Refusal(2, ord(" "), ("blanks=compact",), None)
    assert say_refusal(refusal, b"{} ")[-1] == "  by the layout: blanks=compact"


def test_keywords_are_named_by_pointer_and_value():
    causes = Causes((Keyword("/required", ["a"]),), (), True)
    assert say_refusal(Refusal(1, ord("}"), (), causes), b"{}")[1:] == [
        "  by the schema; it would be legal without",
        '  - /required: ["a"]',
    ]


def test_what_no_schema_allows_is_said_so():
    (_, line) = say_refusal(Refusal(0, ord("x"), (), None), b"x")
    assert "every schema" in line


@pytest.mark.parametrize(
    ("causes", "said"),
    [
        (
            Causes((Keyword("/a", 1), Keyword("/b", 2)), (), True),
            "forbidden by /a: 1 together with /b: 2",
        ),
        (
            Causes((), (Keyword("/a", 1), Keyword("/b", 2)), True),
            "forbidden by /a: 1, and by /b: 2",
        ),
        (Causes((), (), False), "the schema forbids it, and is too large to say where"),
    ],
)
def test_a_reason_names_what_forbids_alone_and_what_does_together(causes, said):
    assert say_reason(Refusal(0, ord("x"), (), causes)) == said
