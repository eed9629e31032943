"""What decisions about (X, S) make of S, on the stacks of a small grammar."""

from maskc.ids import DROPPED
from maskc.streamline.table_answers import join_decided, replace_decided
from tests.pushdown.table_values import values_of

NESTED = 'start: "a" start "b" | "c"\n'
BRACKETS = 'start: "(" start ")" | "[" start "]" | "a"\n'


def answers(text, x, *sequences, jointly=False):
    """Return what stands for some sequences after a terminal."""
    values = values_of(text)
    free = values.sequence()
    event = values.event(x)
    asked = [(event, values.sequence(*names.split())) for names in sequences]
    replaced = replace_decided(values.decisions, asked, free, jointly=jointly)
    known = {sequence: names for (_, sequence), names in zip(asked, sequences, strict=True)}
    return [
        "never" if found == DROPPED else known.get(found, "always" if found == free else "?")
        for found in replaced
    ]


def test_what_no_state_takes_is_never_legal():
    assert answers(NESTED, "B", "A", "B A", "C") == ["never", "never", "never"]


def test_what_no_state_refuses_asks_nothing():
    assert answers(BRACKETS, "LPAR", "A RPAR") == ["always"]


def test_what_the_state_or_the_stack_decides_stays():
    assert answers(BRACKETS, "A", "RPAR", "RPAR RPAR") == ["RPAR", "RPAR RPAR"]


def test_sequences_that_every_state_decides_alike_are_one():
    text = 'start: "(" item ")" | "[" item "]"\nitem: "a" | "b"\n'
    apart = answers(text, "A", "RPAR", "RPAR $END")
    assert apart == ["RPAR", "RPAR $END"]
    assert answers(text, "A", "RPAR", "RPAR $END", jointly=True) == ["RPAR", "RPAR"]


def narrow(values, event):
    """Return an event that holds only in the contexts that its states have."""
    states = values.decisions.states_after(event)
    contexts = {values.language.table.context_of[state] for state in states.tolist()}
    return event._replace(contexts=sum(1 << context for context in contexts))


def test_pairs_with_other_contexts_join_where_they_are_decided_alike():
    values = values_of(NESTED)
    wide, sequence = values.event("B"), values.sequence("B")
    narrower = narrow(values, wide)
    assert narrower != wide
    known = {}
    first = join_decided(values.decisions, [(wide, values.sequence("A"))], known)
    joined = join_decided(values.decisions, [(narrower, values.sequence("C"))], known)
    assert joined == first == [(wide, values.sequence("A"))]
    # Some states take another B: it is decided in another way.
    assert join_decided(values.decisions, [(narrower, sequence)], known) == [(narrower, sequence)]


def test_pairs_that_the_stack_decides_stay_apart():
    values = values_of(BRACKETS)
    wide, two = values.event("A"), values.sequence("RPAR", "RPAR")
    asked = [(wide, two), (narrow(values, wide), two)]
    assert join_decided(values.decisions, asked, {}) == asked
