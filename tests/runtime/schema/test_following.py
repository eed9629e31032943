"""What comes after a JSON text stands at the bottom of its stack by number."""

import gc
import weakref

import pytest

from maskc.runtime.schema.tries.summary import Part
from tests.jsonschema.texts import build_machine


class After:
    """What follows, and reads nothing."""

    may_be_empty = False
    first_bytes = frozenset()

    def __init__(self, number):
        self.number = number

    def walk(self, _trie, _nodes):
        return Part()

    def reads(self, _text):
        return False


def test_a_node_knows_what_comes_after_the_text():
    machine, after = build_machine({}), After(7)
    here = machine.start_before(after)
    for byte in b'{"a": [1':
        here = machine.read(here, byte)
        assert machine.following_of(here.nodes[0]) is after


def test_what_is_remembered_does_not_keep_what_comes_after_a_text():
    machine, after = build_machine({}), After(7)
    machine.read(machine.start_before(after), ord("["))
    gone = weakref.ref(after)
    del after
    gc.collect()
    assert gone() is None


def test_a_text_whose_end_is_gone_is_not_taken_for_one_without():
    machine, after = build_machine({}), After(7)
    here = machine.start_before(after)
    del after
    gc.collect()
    with pytest.raises(KeyError):
        machine.following_of(here.nodes[0])
