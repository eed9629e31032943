"""A few texts that spell characters in several ways, and what a string does byte by byte."""

from maskc.runtime.schema.scans import Group
from maskc.runtime.schema.scans.character_trie import build_character_trie
from maskc.runtime.schema.tries import ROOT, TokenIndex
from tests.runtime.schema.vocabularies import build_index

TEXTS = sorted(
    [b"a", b"ab", b'ab"', b'a"', b"b", b"\\u0061", b"\\u00", b"\xc3", b'"', b'ab",', b"b\\"]
)
INDEX: TokenIndex = build_index(TEXTS)
TRIE = INDEX.tokens

DEAD = Group(frozenset(), 0)


def trie_below(nodes=(ROOT,), *, index=INDEX, escapes="any", before=b""):
    return build_character_trie(index, index.tokens, nodes, escapes=escapes, before=before)


def step_texts(index, body, at):
    """Return what a string at a state of its body does to all tokens.

    Of each that stays inside, by text index, the states that its characters can lead to, and how
    many these are, one left open included; of each quote that closes the string the node after it,
    with the state before it.
    """
    inside, ended = {}, set()
    for text_index, text in enumerate(index.texts):
        here, size, node = at, 0, ROOT
        for byte in text:
            node = index.tokens.child(node, byte)
            state = body.characters[here]
            if byte == ord('"') and state >= 0:
                if body.dfa.labels[state] >= 0:
                    ended.add((node, state))
                break
            here = body.step(here, byte)
            if not here:
                break
            size += body.characters[here] >= 0
        else:
            inside[text_index] = body.targets[here], size + (body.characters[here] < 0)
    return inside, ended


def list_groups(scanned):
    """Return what each token can lead to, in the order of their ids."""
    (groups, which), units = scanned.groups, scanned.units
    reached = range(len(units.sizes)) if scanned.reached is None else scanned.reached.tolist()
    group_of = dict(zip(reached, which.tolist(), strict=True))
    found = [
        groups[group_of[unit]] if unit in group_of else DEAD for unit in units.unit_of.tolist()
    ]
    return [group if group.targets else DEAD for group in found]
