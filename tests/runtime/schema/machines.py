"""Machines, vocabularies and masks of small schemas."""

from maskc.runtime.schema.masks.walking import SchemaWalk, make_parts
from maskc.runtime.schema.tries import ROOT
from tests.jsonschema.texts import build_machine, read
from tests.runtime.schema.vocabularies import build_index

INDEX = build_index()


def node_after(schema, text):
    """Return the machine of a schema, and the only node on top after a text."""
    machine = build_machine(schema)
    (node,) = read(machine, text).nodes
    return machine, node


def walk_after(schema, text):
    """Return the tokens that a walk finds legal after a text, and those that the machine reads."""
    machine, node = node_after(schema, text)
    here = read(machine, text)
    walk = SchemaWalk(make_parts(INDEX, machine), INDEX.tokens, here.text)
    walk.enter(node, here.gap, (ROOT,))
    return texts_of(walk.parts()), {t for t in INDEX.texts if read(machine, t, here) is not None}


def texts_of(parts):
    """Return the tokens of some parts."""
    found = set()
    for part in parts:
        found.update(INDEX.texts[INDEX.order.tolist().index(token)] for token in part.few)
        for row in part.rows:
            found.update(t for t, i in zip(INDEX.texts, INDEX.ids, strict=True) if _has(row, i))
    return found


def _has(row, token):
    return bool(row[token // 32] >> token % 32 & 1)
