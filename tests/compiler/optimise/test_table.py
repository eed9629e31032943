"""What the table is asked: by the state on top, in pairs, in whole sequences; what is left."""

import numpy as np
import pytest

from maskc.compiler.optimise import Rows, condition_on_states
from maskc.compiler.optimise.lalr_oracle import decide_pairs, join_decided, replace_decided
from maskc.compiler.optimise.undecided import describe_undecided, format_sequence
from maskc.compiler.pushdown.debt_automaton import Verdict
from maskc.compiler.pushdown.decisions import DEPENDS, FAIL, MAY
from maskc.compiler.pushdown.production_verdicts import ProductionVerdicts
from maskc.ids import DROPPED
from tests.compiler.pushdown.table_values import decisions_of, values_of
from tests.languages import describe, rows_of, stages_of

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


DECIDED = (b"a", b"b", b"bb", b"c", b"cbb", b"ac")


def decider_after(step):
    """Return the rows after a step, what the productions say, and the table's decider."""
    stages = stages_of(NESTED, DECIDED)
    rows: Rows = rows_of(stages, step)
    verdicts = ProductionVerdicts(
        stages.oracle.asked, stages.language.lexed.boundaries, rows.sequences
    )
    return stages, rows, verdicts, stages.oracle.decide(verdicts)


def test_the_table_decides_all_that_is_left():
    stages, rows, _, decider = decider_after("interchangeable")
    after = decider.merge_jointly_legal(rows)
    assert len(after) == len(rows_of(stages, "jointly legal"))
    assert decider.decide_by_state(after).flags.shape[1] == len(stages.language.table.live)


def test_what_the_productions_said_wrongly_is_noticed(monkeypatch):
    _, rows, verdicts, decider = decider_after("interchangeable")
    b, c = 2, 3
    (legal,) = {
        s
        for first, s in zip(rows.first.tolist(), rows.sequence.tolist(), strict=True)
        if rows.events[first].terminal == c and rows.sequences.length[s] == 1
    }
    monkeypatch.setattr(verdicts, "_never", {*verdicts._never, (c, legal)})
    with pytest.raises(ValueError, match="the compiler contradicts itself: after terminal 3"):
        decider.merge_jointly_legal(rows)
    assert b in {rows.sequences.event[legal].terminal}


CLOSING = (b"a", b"a)", b"a)))", b"a)])")


def bracket_stages():
    return stages_of(BRACKETS, CLOSING)


def test_sequences_of_one_class_have_equal_answers():
    rows = rows_of(bracket_stages(), "jointly legal")
    language = bracket_stages().language
    decisions = decisions_of(language, rows.sequences)
    verdicts = condition_on_states(rows, decisions)
    for sequence, number in zip(verdicts.sequences, verdicts.class_of.tolist(), strict=True):
        assert np.array_equal(verdicts.flags[number], decisions.answers(sequence))
    assert {MAY, FAIL, DEPENDS} >= set(verdicts.flags.reshape(-1).tolist())
    # A `)` is accepted where the innermost bracket is round, and rejected elsewhere.
    assert len(set(map(bytes, verdicts.flags))) == len(verdicts.flags)


def sequences_after(text, tokens, x, **settings):
    """Return the sequences that are left after a terminal."""
    stages = stages_of(text, tokens, **settings)
    rows = rows_of(stages, "always legal")
    language = stages.language
    kept = decide_pairs(
        rows, decisions_of(language, rows.sequences), language.lexed.boundaries, language.table
    )
    names = language.lexed.grammar.bnf.terminals
    found = set()
    for first, sequence in zip(kept.first.tolist(), kept.sequence.tolist(), strict=True):
        if kept.events[first].terminal == names.index(x):
            terminals = []
            while kept.sequences.length[sequence]:
                terminals.append(names[kept.sequences.event[sequence].terminal])
                sequence = kept.sequences.rest[sequence]
            found.add(" ".join(terminals))
    return found


def test_ends_that_are_always_legal_are_cut_off_one_after_the_other():
    text = 'start: ("a" | "-")* "a"\n'
    tokens = (b"-", b"--", b"---", b"-a", b"--a")
    assert sequences_after(text, tokens, "MINUS") == {""}


def test_a_longer_sequence_loses_its_never_legal_beginning():
    text = 'start: "a" "b" | "b" "c" "d"\n'
    tokens = (b"a", b"b", b"bcd", b"bc", b"cd")
    assert sequences_after(text, tokens, "A", lexer="basic") == {""}


def test_a_sequence_that_the_stack_decides_stays_whole():
    text = 'start: "(" start ")" | "[" start "]" | "a"\n'
    tokens = (b"a", b"a)", b"a))", b"a)]")
    assert sequences_after(text, tokens, "LPAR") == {"", "A RPAR"}


ALL = (b"a", b"a)", b"a)))", b"a)])", b"((", b"[(", b"(a)", b"[a]")


def left_after(text, tokens, x):
    """Return the sequences that are left after a terminal."""
    stages = stages_of(text, tokens)
    return {row[1] for row in describe(stages, "jointly legal", tokens) if row[0] == x}


def test_what_comes_back_to_its_stack_asks_nothing():
    text = 'start: "f" "(" start ")" | "f" "(" ")" | "a"\n'
    assert left_after(text, (b"f()", b"f(a)", b"f", b"a", b"("), "F") == {"open(anything)"}


def test_what_closes_more_than_it_opened_stays_a_question():
    left = left_after(BRACKETS, ALL, "LPAR")
    assert "A · RPAR · RPAR · open(RPAR)" in left
    assert "A · open(RPAR)" not in left


def test_a_sequence_that_no_stack_takes_is_gone():
    text = 'start: "p" x "a" "c"\nx: "b" "a" | "b"\n'
    tokens = (b"p", b"pb", b"bac", b"ba")
    assert values_of(text).debts.decide_after(2, [1, 3]) is not Verdict.ALWAYS
    assert not any("C" in sequence for sequence in left_after(text, tokens, "B") if "A" in sequence)


def test_each_sequence_that_is_left_is_neither_never_nor_always_legal():
    values = values_of(BRACKETS)
    boundaries = values.language.lexed.boundaries
    for x in ("A", "LPAR", "RPAR"):
        for sequence in left_after(BRACKETS, ALL, x) - {"open(anything)"}:
            names = [part.removeprefix("open(").removesuffix(")") for part in sequence.split(" · ")]
            elements = [
                sum(
                    1 << lookahead
                    for name in part.split()
                    for lookahead in boundaries.of_terminal[values.terminal(name)]
                )
                for part in names
            ]
            tops = values.debts.list_after(values.terminal(x))
            verdict = values.debts.decide(tops, elements)
            assert verdict is Verdict.DEPENDS, sequence


def test_undecided_rows_are_counted_by_source_and_state():
    found = bracket_stages()
    rows, language = rows_of(found, "jointly legal"), found.language
    decisions = decisions_of(language, rows.sequences)
    undecided = describe_undecided(
        rows,
        found.optimised.verdicts,
        decisions.states_after,
        language.lexed.boundaries,
        language.lexed.grammar.bnf.terminals,
    )
    assert undecided["max"] == 1
    assert undecided["examples"][0]["sequence"] == ["A", "RPAR", "RPAR", "open: RPAR"]
    assert undecided["examples"][0]["why"].startswith("A RPAR RPAR uncovers states")


def test_a_sequence_is_named_with_what_stays_open():
    found = bracket_stages()
    rows, lexed = rows_of(found, "raw"), found.language.lexed
    names = {
        tuple(format_sequence(rows, s, lexed.boundaries, lexed.grammar.bnf.terminals))
        for s in rows.sequence.tolist()
    }
    assert ("RPAR", "RPAR", "open: RPAR") in names
    assert ("open: A",) in names
