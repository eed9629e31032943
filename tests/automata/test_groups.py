"""Conditionals on groups become one copy of the pattern for each set of groups."""

import re

import pytest

from maskc.errors import UnsupportedTerminalError
from tests.automata.test_threads import match_end


@pytest.mark.parametrize(
    "pattern",
    [
        "(?P<q>a)?b(?(q)c|d)",
        "(?:(?P<q>a)|b)*(?(q)c)d?",
        "(?=(?P<q>a)?)[ab](?(q)c|d)",
        "(?P<q>a)?(?P<r>b)?(?(q)(?(r)c|d)|d)",
    ],
)
@pytest.mark.parametrize("text", ["bc", "bd", "abc", "abd", "ac", "ad", "bad", "d", "abcd"])
def test_a_conditional_goes_where_re_goes(pattern, text):
    found = re.match(pattern, text)
    assert match_end(pattern, text) == (found.end() if found else None)


def test_a_conditional_inside_its_own_group_is_refused():
    with pytest.raises(UnsupportedTerminalError, match="move the conditional out of the group"):
        match_end("(?P<q>a(?(q)b|c))+", "acab")
