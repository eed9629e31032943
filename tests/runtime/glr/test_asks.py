"""What is asked of stacks, by the node and the state on top."""

from maskc.runtime.glr.asks import PLACE, Ask
from tests.compiled import compile_text


def asks_of(step):
    artifact = compile_text(
        'start: "(" start ")" | "x"\n', (b"(", b"x", b")", b"))"), step, parser="earley"
    )
    return artifact.machine.debts._asks, artifact.machine.scanner


def test_a_start_is_asked_once_for_a_scanner_state():
    asks, scanner = asks_of("raw")
    first, at_once = asks.start(scanner.start)
    assert asks.start(scanner.start) == (first, at_once)
    assert asks.start(scanner.start)[0] is first


def test_before_the_first_byte_the_text_may_end_only_if_the_parser_says_so():
    asks, scanner = asks_of("raw")
    _, at_once = asks.start(scanner.start)
    ends = [asks.of_node(node, 0)[1] for node in at_once if node < 0]
    assert ends
    assert all(ask.trials and not ask.questions for ask in ends)


def test_an_ask_names_all_lookaheads_that_it_can_begin_with():
    asks, scanner = asks_of("raw")
    for state in range(1, scanner.n_states):
        ask, _ = asks.start(state)
        for terminal in ask.questions if ask is not None else ():
            of_terminal = asks._lookaheads.of_terminal[terminal]
            assert ask.lookaheads & of_terminal == of_terminal
    assert PLACE == 0


def ask_of(letter):
    return Ask({}, ((letter, frozenset((letter,))),), letter)


def test_what_is_united_asks_what_each_asks_and_is_one_object():
    asks, _ = asks_of("raw")
    one, two, four = (ask_of(letter) for letter in (1, 2, 4))
    both = asks.unite([one, two])
    assert (set(both.trials), both.lookaheads) == ({*one.trials, *two.trials}, 3)
    assert asks.unite([two, one]) is both
    assert asks.unite([both, one]) is both
    assert asks.unite([four]) is four
    assert asks.unite([both, four]).parts == {one, two, four}


def test_an_ask_goes_on_with_those_parts_that_can_be_answered():
    asks, _ = asks_of("raw")
    one, two, four = (ask_of(letter) for letter in (1, 2, 4))
    all_ = asks.unite([one, two, four])
    assert asks.narrow(all_, 6) is asks.unite([two, four])
    assert asks.narrow(all_, 2) is two
    assert asks.narrow(all_, 7) is all_
    assert asks.narrow(all_, 8) is None
    assert asks.narrow(one, 2) is None
