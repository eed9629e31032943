"""Going back over many tokens leads where a matcher was, in every kind of machine.

Older states are not kept, but found again from the nearest one that was; so each is held against a
matcher that takes the remaining tokens from the start.
"""

from random import Random

import pytest

from maskc.kit.file import make_kit
from maskc.vocab.vocabulary import Vocabulary
from tests.compiled import compile_text, legal_ids

TOKENS = (b"(", b")", b"[", b"]", b",", b"a", b"((", b"))", b"[a", b"a]", b",a", b"]]", b"b", b"bb")
LISTS = 'start: item ("," item)*\nitem: "(" start ")" | "[" start "]" | "a"\n'
PALINDROMES = 'start: "a" start "a" | "b" start "b" | "a" | "b" |\n'
SCHEMA = {"type": "array", "items": {"anyOf": [{"type": "array"}, {"enum": [[], [[]]]}]}}


def make_machines():
    """Return artifacts and constraints by name."""
    kit = make_kit(Vocabulary((*TOKENS, None), (len(TOKENS),), "small"))
    return {
        "lalr": compile_text(LISTS, TOKENS),
        "general": compile_text(PALINDROMES, TOKENS, parser="earley", lexer="dynamic_complete"),
        "schema": kit.json_schema(SCHEMA),
        "link": kit.sequence(kit.repeat(kit.choice(["a", "b,", "(("]), 0, None), kit.text()),
    }


@pytest.fixture(scope="module")
def machines():
    return make_machines()


@pytest.mark.parametrize("name", ["lalr", "general", "schema", "link"])
def test_going_back_leads_where_the_matcher_was(machines, name):
    draw, artifact = Random(name), machines[name]
    matcher, taken = artifact.matcher(), []
    longest = 0
    for _ in range(600):
        kind = draw.random()
        choices = sorted(legal_ids(matcher, artifact.vocab_size) - set(artifact.eos_ids))
        if (kind < 0.03 and taken) or not choices:
            n_back = draw.randint(1, min(len(taken), draw.choice([3, 20, 200])))
            matcher.rollback(n_back)
            del taken[-n_back:]
            other = artifact.matcher()
            for one in taken:
                accept = other.accept_token if isinstance(one, int) else other.accept_bytes
                assert accept(one)
            assert matcher.configuration() == other.configuration()
            continue
        if kind < 0.06:
            matcher = matcher.fork()
        # A text whose brackets are closed may have come to its end.
        going_on = [choice for choice in choices if TOKENS[choice][-1:] not in b")]"]
        token = draw.choice(going_on if going_on and draw.random() < 0.8 else choices)
        if kind < 0.2:
            assert matcher.accept_bytes(TOKENS[token])
            taken.append(TOKENS[token])
        else:
            assert matcher.accept_token(token)
            taken.append(token)
        longest = max(longest, len(taken))
    assert longest > 128
