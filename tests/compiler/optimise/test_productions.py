"""What the walk's rows become before a table is asked: steps up to jointly legal sequences."""

from maskc.compiler.optimise.steps import merge_jointly_legal, safe_for_lookaheads
from maskc.compiler.pushdown.interchangeable import find_classes
from maskc.compiler.pushdown.production_verdicts import ProductionVerdicts
from maskc.grammar.sets import reduce_grammar
from tests.languages import describe, language_of, rows_of, stages_of

TOKENS = (b"a", b"b", b"ab", b"a b")
BLANKS = 'start: "a" "b" | "b" "b"\n%ignore " "\n'


def test_each_terminal_has_its_own_copy_of_the_rows_after_a_boundary():
    found = describe(stages_of('start: "a" "b" | "c" "b" "a"\n', TOKENS), "raw", TOKENS)
    assert ("A", "open(B)", "b") in found
    assert ("C", "open(B)", "b") in found


def test_rows_that_need_a_context_which_is_never_named_are_left_out():
    found = describe(stages_of('start: "a" "b" | "c" "b" "a"\n', TOKENS), "raw", TOKENS)
    assert not [row for row in found if row[0] == "A" and row[1] == "open(A)"]
    assert ("B", "open(A)", "a") in found


def test_an_ignored_lexeme_inside_a_token_is_no_event():
    tokens = (b"a", b"b", b"a b", b"ab")
    found = describe(stages_of(BLANKS, tokens), "raw", tokens)
    assert ("(ignored)", "A · open(B)", "a b ab") in found
    assert ("A", "open(B)", "a b ab") in found


NAMES = 'start: "if" NAME | NAME\nNAME: /[a-z]+/\n%ignore " "\n'
LETTERS = (b"i", b"f", b"x", b" ", b"fx")


def opened(step, first="(nothing ends)"):
    found = describe(stages_of(NAMES, LETTERS), step, LETTERS)
    return {(sequence, tokens) for event, sequence, tokens in found if event == first}


def test_inside_a_name_letters_ask_nothing():
    # In the state of a name that is no keyword, and in that of `i` before `f`.
    assert ("open(anything)", "i f x fx") in opened("open lexemes")
    assert ("open(anything)", "f") in opened("open lexemes")


def test_what_could_be_a_keyword_no_more_is_asked_about():
    assert ("open(NAME)", "i x fx") in opened("open lexemes")


def test_at_the_start_of_the_text_nothing_is_concluded():
    start = ("open(NAME)", "f x fx")
    assert start in opened("raw")
    assert start in opened("open lexemes")


def test_rows_after_an_end_are_left_alone():
    assert opened("open lexemes", "IF") == opened("raw", "IF")


SUM = 'start: "a" (("+" | "-") "a")*\n'
SIGNS = (b"a", b"+", b"-", b"+a", b"-a", b"a+", b"a-")


def test_rows_that_differ_in_the_terminal_only_are_one():
    found = describe(stages_of(SUM, SIGNS), "interchangeable", SIGNS)
    # After an A that ended before the token, and after one that the token's `a` is.
    assert {tokens for _, opened, tokens in found if opened == "open(MINUS)"} == {"+ -", "a+ a-"}


def test_sources_after_them_become_one():
    before = describe(stages_of(SUM, SIGNS), "open lexemes", SIGNS)
    after = describe(stages_of(SUM, SIGNS), "interchangeable", SIGNS)
    assert {event for event, _, _ in before} - {event for event, _, _ in after} == {"PLUS"}


def test_what_asks_for_nothing_goes_on_to_ask_for_nothing():
    found = describe(stages_of(SUM, SIGNS), "always legal", SIGNS)
    assert any(sequence.endswith("open(anything)") for _, sequence, _ in found)
    assert not any("$END A MINUS)" in sequence for _, sequence, _ in found)


def test_terminals_that_are_told_apart_stay():
    found = describe(stages_of(f'{SUM}sign: "-"\n', SIGNS), "interchangeable", SIGNS)
    assert found == describe(stages_of(SUM, SIGNS), "interchangeable", SIGNS)
    one_sign = 'start: "a" (("+" | "-") "a")* "-"?\n'
    found = describe(stages_of(one_sign, SIGNS), "interchangeable", SIGNS)
    assert {"PLUS", "MINUS"} <= {event for event, _, _ in found}


def test_a_terminal_that_nothing_can_follow_stands_for_no_other():
    # After DIGIT no DIGIT can be lexed, so `x DIGIT DIGIT` is never read, as `x LETTER` is.
    text = 'start: "x" (D D | L)\nD: /[0-9]+/\nL: /[a-z]/\n'
    language = language_of(text)
    grammar, boundaries = language.lexed.grammar, language.lexed.boundaries
    safe = safe_for_lookaheads(
        find_classes(grammar, reduce_grammar(grammar.bnf)), boundaries, language.table.live
    )
    assert safe == ()


NESTED = 'start: "a" start "b" | "c"\n'
NESTED_TOKENS = (b"cbb", b"acbbb", b"c", b"a", b"b")


def sequences(step, parser):
    return {
        row[:2]
        for row in describe(stages_of(NESTED, NESTED_TOKENS, parser=parser), step, NESTED_TOKENS)
    }


def test_a_sequence_that_closes_what_it_opened_is_that_without_both():
    before = sequences("always legal", "earley")
    after = sequences("jointly legal", "earley")
    assert before - after == {("A", "A · C · B · B · open(B)")}
    assert after <= before


def test_the_table_of_an_lalr_grammar_says_the_same():
    after = sequences("jointly legal", "lalr")
    assert ("A", "A · C · B · B · open(B)") not in after
    assert {("A", "C · B · open(B)"), ("A", "C · B · B · open(B)")} <= after


def test_tokens_of_joined_rows_are_united():
    found = describe(
        stages_of(NESTED, NESTED_TOKENS, parser="earley"), "jointly legal", NESTED_TOKENS
    )
    assert ("A", "C · B · open(B)", "cbb acbbb") in found


def test_where_texts_of_the_productions_are_lost_they_are_not_asked():
    """Two NAMEs cannot be lexed apart, so the productions have texts that Lark never reads."""
    text = 'start: "a" start "b" | "c" | NAME NAME\nNAME: /[d-z]+/\n'
    stages = stages_of(text, NESTED_TOKENS)
    rows = rows_of(stages, "always legal")
    boundaries = stages.language.lexed.boundaries
    verdicts = ProductionVerdicts(stages.oracle.asked, boundaries, rows.sequences)
    kept = merge_jointly_legal(rows, verdicts)
    assert kept.sequence.tolist() == rows.sequence.tolist()
