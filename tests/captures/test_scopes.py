"""The words of holes by what was written: one scope for the same words, asked for once."""

import pytest

import maskc
from maskc.captures.scopes import Scopes
from maskc.errors import HoleError, UnknownSymbolError
from maskc.runtime.holes import HoleMachine


@pytest.fixture(scope="module")
def artifact():
    return maskc.compile_grammar(
        'start: NAME "=" VALUE\nNAME: /[a-z]+/\nVALUE: /[0-9]+/\n', tokenizer="bytes"
    )


def completed(scopes, *symbols):
    found = scopes.nothing
    for name, text in symbols:
        found = scopes.complete(found, name, text)
    return found


def test_a_function_is_asked_once_for_the_same_symbols(artifact):
    asked = []

    def words(written):
        asked.append(written)
        return {"NAME": ["b", "a", "b"]}

    scopes = Scopes(artifact, words)
    written = (("x", "1"), ("y", "2"))
    first, second = completed(scopes, *written), completed(scopes, *written)
    assert first is second
    assert scopes.answer(first) == scopes.answer(second) == (("a", "b"),)
    assert asked == [(), written]


def test_a_function_is_given_all_symbols_in_order(artifact):
    asked = []
    scopes = Scopes(artifact, lambda written: asked.append(written) or {"NAME": ["a"]})
    for texts in ("1", "12", "1234", "13", "123"):
        scopes.answer(completed(scopes, *(("x", text) for text in texts)))
        assert asked[-1] == tuple(("x", text) for text in texts)


def test_the_same_words_are_one_scope_whatever_was_written(artifact):
    scopes = Scopes(artifact, lambda written: {"NAME": [["a"], ["b"], ["a"]][len(written)]})
    one, two = (scopes.of(scopes.answer(completed(scopes, *[("x", "1")] * n))) for n in (1, 2))
    assert two is scopes.first
    assert one is not two
    assert one.number != two.number
    assert isinstance(one.machine, HoleMachine)
    tracks = [scope.machine.tracks.automata[0].words for scope in (one, two)]
    assert tracks == [[b"b"], [b"a"]]


def test_holes_are_the_same_whatever_was_written(artifact):
    scopes = Scopes(artifact, lambda written: {"VALUE" if written else "NAME": ["1", "a"]})
    assert scopes.holes == ("NAME",)
    with pytest.raises(HoleError, match="NAME, VALUE: it gets words in some calls"):
        scopes.answer(completed(scopes, ("x", "1")))


def test_words_that_are_none_are_refused_before_the_text(artifact):
    with pytest.raises(UnknownSymbolError):
        Scopes(artifact, lambda _: {"NAMES": ["a"]})
    with pytest.raises(TypeError):
        Scopes(artifact, lambda _: {"NAME": "a"})  # a text is no list of words
    with pytest.raises(HoleError):
        Scopes(artifact, lambda _: {"NAME": []})


def test_a_pattern_is_a_scope_of_its_own(artifact):
    pattern = maskc.compile_pattern("a+")
    scopes = Scopes(artifact, lambda written: {"NAME": pattern if written else ["a"]})
    again = scopes.of(scopes.answer(completed(scopes, ("x", "1"))))
    assert again is scopes.of((pattern,))
    assert again is not scopes.first
