"""What can be lexed after the end of a lexeme, and at which columns a newline can end."""

import pytest

from maskc import bits
from maskc.errors import LimitError
from maskc.ids import END
from maskc.lexer import End
from maskc.lexer import columns as columns_module
from maskc.lexer.columns import build_columns
from tests.compiled import compile_text, legal_tokens
from tests.languages import language_of, terminal

BLOCKS = """start: (_NL | stmt)*
stmt: "a" _NL | "a" ":" block | LP "a"* RP _NL
block: _NL _INDENT stmt+ _DEDENT
LP: "("
RP: ")"
_NL: /(\\n[\\t ]*)+/
%declare _INDENT _DEDENT
"""


def after(text, name, **settings):
    """Return the terminals that can follow one, in some context that the parser can name."""
    language = language_of(text, **settings)
    lexed = language.lexed
    found = set()
    for lookahead in lexed.boundaries.of_terminal[terminal(language, name)]:
        for context in lexed.grammar.lexer.contexts_after[terminal(language, name)]:
            found |= names_of(language, lexed.boundaries.follow(lookahead, context, enclosed=False))
    return found


def names_of(language, lookaheads):
    return {
        language.lexed.grammar.bnf.terminals[t]
        for t, own in language.lexed.boundaries.of_terminal.items()
        if lookaheads & bits.from_members(own)
    }


def test_a_name_does_not_follow_a_name_at_once():
    assert after("start: NAME NAME\nNAME: /[a-z]+/\n", "NAME") == {"$END"}


def test_it_does_across_an_ignored_blank():
    text = 'start: NAME NAME\nNAME: /[a-z]+/\n%ignore " "\n'
    assert after(text, "NAME") == {"$END", "NAME"}


def test_a_longer_alternative_of_the_context_keeps_its_beginning_from_following():
    text = 'start: (A | AB | B)+\nA: "a"\nAB: "ab"\nB: "b"\n'
    assert after(text, "A") == {"$END", "A", "AB"}
    assert after(text, "B") == {"$END", "A", "AB", "B"}


def test_the_end_of_the_text_may_stand_after_every_free_boundary():
    language = language_of('start: "a" start "b" | "c"\n')
    boundaries = language.lexed.boundaries
    assert all(row & boundaries.end for rest in boundaries.rest for row in rest)
    assert boundaries.of_terminal[END] == (0,)


def test_an_open_lexeme_is_open_to_what_it_may_become():
    language = language_of('start: "if" | NAME\nNAME: /[a-z]+/\n')
    boundaries, scanner = language.lexed.boundaries, language.lexed.scanner
    state = int(scanner.next[scanner.start, scanner.byte_class[ord("i")]])
    opened = boundaries.open_lexemes[boundaries.open_lexeme_of[state]]
    assert names_of(language, opened.direct) == {"IF", "NAME"}
    assert opened.ignored == ()


def test_between_brackets_a_newline_is_crossed_as_a_blank_is():
    language = language_of(BLOCKS, postlex="tests.indenters:TwoColumns")
    boundaries = language.lexed.boundaries
    assert boundaries.n_layout_contexts == 2 * boundaries.n_contexts
    opening = next(end for end in boundaries.number if end.terminal == terminal(language, "LP"))
    (context,) = language.lexed.grammar.lexer.contexts_after[opening.terminal]
    lookahead = boundaries.number[opening]
    outside, inside = (
        names_of(language, boundaries.follow(lookahead, context, enclosed=enclosed))
        for enclosed in (False, True)
    )
    assert "_NL" not in inside
    assert {"A", "RP"} <= inside & outside


def test_dedents_may_stand_at_the_end_of_the_text():
    language = language_of(BLOCKS, postlex="tests.indenters:TwoColumns")
    boundaries = language.lexed.boundaries
    dedent = End(terminal(language, "_DEDENT"), -1)
    for layout_context in range(boundaries.n_layout_contexts):
        found = boundaries.follows[boundaries.number[dedent]][layout_context]
        assert names_of(language, found) == {"$END", "_DEDENT"}


def test_blocks_that_end_together_may_end_before_more_text():
    artifact = compile_text(
        'start: outer "e"\nouter: "o" _NL _INDENT inner _DEDENT\n'
        'inner: "i" _NL _INDENT "x" _NL _DEDENT\n_NL: /\\n[ \\n]*/\n%declare _INDENT _DEDENT\n',
        postlex="tests.indenters:TwoColumns",
    )
    assert legal_tokens(artifact, "o\n i\n  x\n") == {b"e", b"\n", b" "}


@pytest.mark.parametrize("ignored", ["", '%ignore " "\n', "%ignore /#[^#]*#/\n"])
def test_what_follows_is_what_the_scanner_reads(ignored):
    """Two lexemes of one letter each, with at most two characters between them."""
    text = f'start: (A | AB | B)+\nA: "a"\nAB: "ab"\nB: "b"\n{ignored}'
    language = language_of(text)
    lexed = language.lexed
    for name in ("A", "AB", "B"):
        found = set()
        for gap in ("", " ", "  ", "##", "#"):
            for second in ("a", "b", "ab"):
                found |= lexed_after(lexed, name.lower() + gap + second, len(name))
        assert after(text, name) - {"$END"} == found


def lexed_after(lexed, text, length):
    """Return the next terminal's name if the first lexeme has a length, one lexeme to go on."""
    pending, found = [(0, lexed.scanner.start, ())], set()
    while pending:
        at, state, ended = pending.pop()
        if len(ended) == 1:
            last = lexed.scanner.end_of_text[state] if at == len(text) else None
            if last is not None and last > 0:
                found.add(lexed.grammar.bnf.terminals[last])
        if at == len(text):
            continue
        byte_class = lexed.scanner.byte_class[ord(text[at])]
        going_on = int(lexed.scanner.next[state, byte_class])
        if going_on:
            pending.append((at + 1, going_on, ended))
        for terminal_, boundary in lexed.scanner.ends[state]:
            if terminal_ > 0 and (len(ended) or at != length):
                continue
            entered = lexed.scanner.entries[lexed.scanner.enter[boundary, 0], byte_class]
            if entered:
                after_it = (*ended, terminal_) if terminal_ > 0 else ended
                pending.append((at + 1, int(entered), after_it))
    return found


COLUMN_BLOCKS = """start: (_NL | stmt)*
stmt: A _NL | A block
block: _NL _INDENT stmt+ _DEDENT
A: "a"
%declare _INDENT _DEDENT
"""


def columns_after(pattern, text):
    """Return the columns of a newline terminal that some bytes have begun."""
    language = language_of(
        f"{COLUMN_BLOCKS}_NL: /{pattern}/\n", postlex="tests.indenters:TwoColumns"
    )
    lexed = language.lexed
    state = lexed.scanner.start
    for byte in text.encode():
        state = int(lexed.scanner.next[state, lexed.scanner.byte_class[byte]])
    return lexed.columns.distinct[lexed.columns.of_state[state]]


def listed(row, period, n):
    """Return whether a boundary is reached with 0, 1, … columns, the period written out."""
    found = [bool(reached) for reached in row]
    while len(found) < n:
        found.append(found[-period])
    return found[:n]


def test_a_newline_of_any_blanks_ends_at_every_column():
    sets = columns_after("(\\n[\\t ]*)+", "\n")
    assert all(listed(sets.reset, sets.reset_period, 20))
    assert all(listed(sets.more, sets.more_period, 20))


def test_blanks_two_by_two_end_at_every_second_column():
    sets = columns_after("\\n( {2})*", "\n")
    assert listed(sets.more, sets.more_period, 7) == [True, False] * 3 + [True]


def test_without_another_line_break_no_column_is_counted_anew():
    sets = columns_after("\\n *", "\n")
    assert not any(sets.reset)
    assert all(listed(sets.more, sets.more_period, 9))


def test_a_tab_is_worth_its_columns():
    sets = columns_after("\\n\\t*", "\n")
    assert listed(sets.more, sets.more_period, 6) == [True, False] * 3


def test_a_line_of_at_most_three_blanks_ends_there():
    sets = columns_after("\\n {0,3}", "\n")
    assert listed(sets.more, sets.more_period, 6) == [True] * 4 + [False] * 2


def test_without_indentation_there_are_none():
    columns = language_of('start: "a"\n').lexed.columns
    assert columns.distinct == ()
    assert set(columns.of_state) == {-1}


def test_columns_that_do_not_repeat_in_bounds_are_refused(monkeypatch):
    lexed = language_of(
        f"{COLUMN_BLOCKS}_NL: /\\n {{9}}/\n", postlex="tests.indenters:TwoColumns"
    ).lexed
    monkeypatch.setattr(columns_module, "MAX_COLUMNS", 5)
    with pytest.raises(LimitError, match="columns of a newline terminal"):
        build_columns(lexed.grammar.lexer, lexed.scanner)
