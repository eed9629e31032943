"""An automaton without words has the texts of the other one in which none of the words stands."""

import random
from itertools import product

import pytest

from maskc.jsonschema.compiling import build_plan
from maskc.runtime.cache import Budget
from maskc.runtime.link.text.without_words import without_words
from maskc.runtime.schema.plan import JsonLayout, Plan
from maskc.runtime.schema.strings.characters import DEAD, NO_LABEL
from tests.examples import seeds

TEXTS = ["".join(letters) for n in range(7) for letters in product("ab<", repeat=n)]
SCHEMAS = [
    *({"pattern": pattern} for pattern in ("", "^[ab]*$", "<.*b", "^(a|b<)*$", "^[^a]+a?$")),
    *({"enum": TEXTS[:40]}, {"enum": ["<", "ab<", "é"]}, {"not": {"const": "a<"}}),
]


@pytest.mark.parametrize("schema", SCHEMAS)
@pytest.mark.parametrize("seed", seeds(20))
def test_texts_with_a_word_are_gone_and_no_others(seed, schema):
    draw = random.Random(seed)
    frozen = build_plan({"type": "string", **schema}, resources={}, layout=JsonLayout(),
                        assert_formats=True)  # fmt: skip
    plan = Plan(frozen, JsonLayout(), Budget(1 << 20))
    (number,) = plan.position(plan.root).strings
    whole = plan.strings[number].body.dfa
    words = ["".join(draw.choices("ab<", k=draw.randint(1, 3))) for _ in range(draw.randint(1, 3))]
    # Words that end inside of one that was begun are found, too.
    words += [words[0][1:] or "b"]
    words[0] += "<"
    cut = without_words(whole, words)
    for text in TEXTS:
        is_there = whole.labels[whole.read(text)] != NO_LABEL
        expected = is_there and not any(word in text for word in words)
        assert (cut.labels[cut.read(text)] != NO_LABEL) == expected, (words, text)
    # From each state but the dead one some text ends.
    assert all(cut.nearest(state) >= 0 for state in range(1, cut.n_states) if state != DEAD)
