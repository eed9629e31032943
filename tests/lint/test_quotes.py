"""ML012: greedy quotes."""

import pytest


@pytest.mark.parametrize("quote", ['"', "'", "`"])
def test_a_quote_that_reads_to_the_last_one_is_found(lint, quote):
    (finding,) = lint(f"start: STRING+\nSTRING: /{quote}.*{quote}/\n", "ML012")
    assert finding.witness == f"{quote}a{quote} {quote}b{quote}"
    assert finding.place.line == 2


@pytest.mark.parametrize("pattern", [r'"[^"]*"', r'".*?"', r'"(?:\\.|[^"\\])*"', "[a-z]+"])
def test_a_quote_that_ends_is_none(lint, pattern):
    assert lint(f"start: STRING+\nSTRING: /{pattern}/\n", "ML012") == []


def test_one_inside_a_group_is_found(lint):
    assert len(lint('start: STRING\nSTRING: /(?:r(".+")|x)/\n', "ML012")) == 0
    assert len(lint('start: STRING\nSTRING: /(?:(".+")|x)/\n', "ML012")) == 1
