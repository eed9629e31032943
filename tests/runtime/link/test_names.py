"""A name that is none of some, against a regular expression."""

import itertools
import re

import pytest

from maskc.runtime.link.text.names import OtherName

TEXTS = ["".join(text) for n in range(5) for text in itertools.product("a1_-", repeat=n)]


@pytest.mark.parametrize("names", [(), ("a",), ("a", "a1", "a1__"), ("_a", "1a")])
def test_names_are_read_that_are_none_of_some(names):
    automaton = OtherName(sorted(name.encode() for name in names))
    read = {text for text in TEXTS if automaton.reads(text.encode())}
    assert read == {t for t in TEXTS if re.fullmatch("[a-z_][a-z0-9_]*", t)} - set(names)
