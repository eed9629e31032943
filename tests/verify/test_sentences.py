from random import Random

from lark import Lark

from maskc.verify.sentences import Sentences

LIST = 'start: "[" (item ("," item)*)? "]"\nitem: start | WORD\nWORD: /[a-z]+/\nnever: never "x"\n'


def sentences_of(grammar, drawable=None, **options):
    lark = Lark(grammar, parser="lalr", **options)
    names = {str(t.name) for t in lark.terminals} if drawable is None else drawable
    return Sentences(lark, frozenset(names))


def draw(sentences, size, wanted=(), seed=0):
    return sentences.draw(Random(seed), size, wanted)


def test_without_room_the_cheapest_sentence_is_drawn():
    assert draw(sentences_of(LIST), 0).terminals == ("LSQB", "RSQB")


def test_sentences_have_about_the_size_asked_for():
    lengths = [len(draw(sentences_of(LIST), 200, seed=n).terminals) for n in range(20)]
    assert max(lengths) > 60
    assert max(lengths) <= 200


def test_the_first_wanted_rule_is_in_the_sentence_whatever_its_size():
    sentences = sentences_of(LIST)
    for number in sentences.useful:
        assert number in draw(sentences, 1, [number]).rules


def test_the_other_wanted_rules_are_there_if_there_is_room():
    sentences = sentences_of(LIST)
    assert draw(sentences, 300, sentences.useful).rules == frozenset(sentences.useful)


def test_a_rule_that_never_ends_is_not_useful():
    sentences = sentences_of('start: "a" | x\nx: x "b"\n')
    assert [sentences.rules[n] for n in sentences.useful] == [("start", (("A", True),))]


def test_a_rule_with_a_terminal_that_cannot_be_drawn_is_not_useful():
    sentences = sentences_of('start: "a" | "b"\n', drawable={"A"})
    assert [sentences.rules[n] for n in sentences.useful] == [("start", (("A", True),))]


def test_a_grammar_without_a_sentence_has_none():
    assert draw(sentences_of('start: start "a"\n'), 10) is None


def test_a_sentence_that_would_be_too_long_is_given_up():
    """Its shortest one has 2 to the power of 20 terminals."""
    doubled = "".join(f"x{n}: x{n + 1} x{n + 1}\n" for n in range(20))
    assert draw(sentences_of(f'start: x0\n{doubled}x20: "a"\n'), 10) is None


def test_a_sentence_of_nothing_that_takes_too_many_rules_is_given_up():
    doubled = "".join(f"x{n}: x{n + 1} x{n + 1}\n" for n in range(20))
    assert draw(sentences_of(f"start: x0\n{doubled}x20:\n"), 10) is None


def test_the_order_of_rules_depends_on_the_seed_alone():
    first, second = sentences_of(LIST), sentences_of(LIST)
    assert first.order_wanted(1) == second.order_wanted(1)
    assert first.order_wanted(1) != first.order_wanted(2)
    assert sorted(first.order_wanted(1)) == list(first.useful)
