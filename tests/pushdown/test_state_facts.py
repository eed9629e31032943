"""What a refined state says without a look below it."""

import numpy as np

from maskc.ids import IGNORED, NO_EVENT
from maskc.lexer.boundaries import OpenLexeme
from maskc.pushdown.state_facts import StateFacts
from maskc.store.sequences import Event
from tests.languages import language_of, terminal

NESTED = 'start: "a" start "b" | "c"\n'
CLASSES = 'start: "x" ("+" | "-") "y"\n'


def facts_of(text, classes=()):
    language = language_of(text)
    lexed = language.lexed
    return language, StateFacts(
        lexed.grammar, language.table, lexed.boundaries, lexed.columns, classes
    )


def states(found):
    return set(np.flatnonzero(found).tolist())


def event(language, name, contexts=-1):
    every = (1 << len(language.lexed.grammar.lexer.contexts)) - 1
    return Event(terminal(language, name), contexts & every, 0)


def test_a_state_takes_the_terminals_that_are_live():
    language, facts = facts_of(NESTED)
    boundaries = language.lexed.boundaries
    for t, taken in facts.takes.items():
        own = boundaries.set_of(t)
        assert states(taken) == {s for s, live in enumerate(language.table.live) if live & own}


def test_the_states_after_a_terminal_are_those_that_its_shifts_lead_to():
    language, facts = facts_of(NESTED)
    a = event(language, "A")
    targets = {row[a.terminal] for row in language.table.shifts if a.terminal in row}
    assert states(facts.after(a)) == targets
    assert states(facts.after(a._replace(contexts=0))) == set()


def test_after_nothing_every_state_can_be_on_top():
    language, facts = facts_of(NESTED)
    assert facts.after(Event(NO_EVENT, 0, 0)).all()
    context = language.table.context_of[0]
    ignored = facts.after(Event(IGNORED, 1 << context, 0))
    assert states(ignored) == {
        s for s in range(len(language.table.live)) if language.table.context_of[s] == context
    }


def test_one_terminal_stands_for_its_class():
    language = language_of(CLASSES)
    plus, minus = terminal(language, "PLUS"), terminal(language, "MINUS")
    _, alone = facts_of(CLASSES)
    _, both = facts_of(CLASSES, ((minus, plus),))
    one = event(language, "MINUS")
    assert states(alone.after(one)) < states(both.after(one))
    assert states(both.after(one)) == states(alone.after(one)) | states(
        alone.after(event(language, "PLUS"))
    )


def test_an_open_lexeme_is_taken_where_one_of_its_terminals_is():
    language, facts = facts_of(NESTED)
    own = language.lexed.boundaries.set_of(terminal(language, "B"))
    may, fail = facts.open_lexeme(OpenLexeme(own, (), (), -1))
    assert states(may) == states(facts.takes[terminal(language, "B")])
    assert (fail == ~may).all()
