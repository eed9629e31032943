"""Reads texts with a schema's machine, byte by byte, and searches for their shortest end."""

import json

from maskc.jsonschema.compiling import build_plan
from maskc.runtime.cache import Budget
from maskc.runtime.schema.machine import SchemaMachine
from maskc.runtime.schema.plan import JsonLayout, Plan


def build_machine(schema, *, resources=None, layout=None, assert_formats=True):
    layout = layout or JsonLayout()
    frozen = build_plan(
        schema, resources=resources or {}, layout=layout, assert_formats=assert_formats
    )
    budget = Budget(1 << 24)
    return SchemaMachine(Plan(frozen, layout, budget), lambda _: None, budget)


def read(machine, text, start=None):
    """Return the configuration after a text, ``None`` if it is illegal."""
    here = start or machine.start()[0]
    for byte in text.encode() if isinstance(text, str) else text:
        here = machine.read(here, byte)
        if here is None:
            return None
    return here


def count_legal(machine, text):
    """Return how many bytes of a text are legal, one after the other."""
    here, n_read = machine.start()[0], 0
    for byte in text.encode():
        here = machine.read(here, byte)
        if here is None:
            break
        n_read += 1
    return n_read


def accepts(machine, text):
    here = read(machine, text)
    return here is not None and machine.may_end(here)


def accepts_value(machine, value):
    return accepts(machine, json.dumps(value))


class DeadEndError(Exception):
    """No way leads from a legal text to one that may end."""


def find_end(machine, here, most=300):
    """Return bytes that finish a text, by breadth first; ``None`` if they are too far away.

    Raises:
        DeadEndError: all ways were tried, and none ends.
    """
    level, seen = [(here, b"")], set()
    while level:
        after = []
        for configuration, text in level:
            if machine.may_end(configuration):
                return text
            if len(seen) > most:
                return None
            for byte in b'}]"' + bytes(range(33, 127)):
                moved = machine.read(configuration, byte)
                if moved is not None and (key := machine.describe(moved)) not in seen:
                    seen.add(key)
                    after.append((moved, text + bytes([byte])))
        level = after
    raise DeadEndError
