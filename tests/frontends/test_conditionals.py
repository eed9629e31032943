"""A conditional asks for a group by its name, since numbers move where patterns are joined."""

import pytest

from maskc.errors import UnsupportedTerminalError
from maskc.frontends.conditionals import check_conditionals


@pytest.mark.parametrize(
    "pattern", ["a(b)?c", "(?P<q>a)?(?(q)b|c)", r"\(\?(1)", "(x)(?P<q>a)?(?(q)b)"]
)
def test_a_name_or_no_conditional_is_fine(pattern):
    check_conditionals("T", pattern, 0)


@pytest.mark.parametrize("pattern", ["(a)?(?(1)b|c)", "(?P<q>a)?(b)?(?(q)c)(?(2)d)"])
def test_a_number_is_refused_by_terminal(pattern):
    with pytest.raises(UnsupportedTerminalError, match=r"terminal T: conditional on group \d"):
        check_conditionals("T", pattern, 0)
