"""Law: the masks of a pattern with counters are those of its texts, bit by bit.

The texts are all those over two characters that ``re`` takes; the second oracle, for patterns of
any length, is the same pattern with its loops written out.
"""

import random
import re
from itertools import product

import pytest

from maskc.frontends import notations as grammars
from maskc.frontends.notations import read_pattern
from maskc.kit import compiling
from maskc.kit.compiling import PatternAutomaton
from maskc.kit.constraint import Constraint
from maskc.kit.file import make_kit
from maskc.kit.kit import Kit
from maskc.regular import counted
from maskc.runtime.link.automata import START, walk
from maskc.runtime.link.counts.pattern_counter import PatternCounter
from maskc.runtime.link.joining.counting import CountingPiece
from maskc.vocab.vocabulary import Vocabulary
from tests.compiled import legal_ids
from tests.examples import seeds

_MOST_CHARACTERS = 10
_TEXTS = ["".join(t) for n in range(_MOST_CHARACTERS + 1) for t in product("aé", repeat=n)]
_PIECES = (b"a", b"\xc3", b"\xa9", b"aa", b"aaa", b"a\xc3", b"\xa9a", b"\xc3\xa9", b"\xa9\xc3")
_MORE = ("éa".encode(), "aéa".encode(), "éé".encode(), b"\xa9aa\xc3", b"!", b"a!", b"!!")
_TOKENS = [*_PIECES, *_MORE]
_END = len(_TOKENS)


@pytest.fixture(scope="module")
def kit() -> Kit:
    return make_kit(Vocabulary((*_TOKENS, None), (_END,), "small"))


@pytest.fixture(autouse=True, params=["at once", "step by step"])
def counters(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Count each loop; read it at once wherever it goes round, or nowhere."""
    monkeypatch.setattr(counted, "MOST_COPIES", 1)
    if request.param == "at once":
        monkeypatch.setattr(walk, "_MANY_TEXTS", 0)
        monkeypatch.setattr(walk, "_MANY_BYTES", 1)


def _draw(draw: random.Random, depth: int, *, endless: bool) -> str:
    kind = draw.randrange(8) if depth else 0
    if kind < 2:
        return draw.choice(["a", "é", "[aé]", "aa", "aé", "[aé]"])
    if kind == 2:
        return "".join(_draw(draw, depth - 1, endless=endless) for _ in range(2))
    if kind == 3:
        parts = [_draw(draw, depth - 1, endless=endless) for _ in range(2)]
        return f"(?:{'|'.join(parts)}{draw.choice(['', '', '|'])})"
    low = draw.randint(0, 4)
    high = draw.choice([str(low + draw.randint(low == 0, 5)), str(max(low, 1))])
    count = f"{{{low},{high}}}"
    if endless and draw.random() < 0.3:
        count = draw.choice(["*", "+", f"{{{low},}}"])
    return f"(?:{_draw(draw, depth - 1, endless=endless)}){count}{draw.choice(['', '?'])}"


def _draw_finite(draw: random.Random) -> str:
    while True:
        pattern = _draw(draw, 3, endless=False)
        longest = re._parser.parse(pattern).getwidth()[1]
        if 2 < longest <= _MOST_CHARACTERS and counted.count_loops(pattern) is not None:
            return pattern


def _check_walk(draw: random.Random, constraint: Constraint, texts: set[bytes]) -> None:
    prefixes = {text[:n] for text in texts for n in range(len(text) + 1)}
    matcher, prefix = constraint.matcher(), b""
    while not matcher.is_terminated:
        legal = legal_ids(matcher, constraint.vocab_size)
        expected = {n for n, token in enumerate(_TOKENS) if prefix + token in prefixes}
        assert legal == expected | ({_END} if prefix in texts else set()), prefix
        token = draw.choice(sorted(legal))
        assert matcher.accept_token(token)
        prefix += _TOKENS[token] if token != _END else b""


@pytest.mark.parametrize("seed", seeds(20))
def test_masks_are_those_of_the_texts_that_re_takes(seed: int, kit: Kit) -> None:
    draw = random.Random(seed)
    pattern = _draw_finite(draw)
    texts = {text.encode() for text in _TEXTS if re.fullmatch(pattern, text)}
    constraint = kit.regex(pattern)
    for _ in range(4):
        _check_walk(draw, constraint, texts)


@pytest.mark.parametrize("order", [1, -1])
def test_loops_with_the_same_bytes_are_told_apart_by_where_a_pass_begins(order: int) -> None:
    kit = make_kit(Vocabulary((*_TOKENS, None), (_END,), "small"))
    for pattern in ["(?:aé){1,4}", "a(?:éa){1,4}"][::order] * 2:
        texts = {text.encode() for text in _TEXTS if re.fullmatch(pattern, text)}
        for seed in range(20):
            _check_walk(random.Random(seed), kit.regex(pattern), texts)


@pytest.mark.parametrize("seed", range(100, 104))
def test_a_counted_pattern_is_left_and_entered_inside_tokens(seed: int, kit: Kit) -> None:
    draw = random.Random(seed)
    one, other = _draw_finite(draw), _draw_finite(draw)
    both = [
        {text.encode() for text in _TEXTS if re.fullmatch(pattern, text)}
        for pattern in (one, other)
    ]
    constraint = kit.sequence(kit.regex(one), kit.choice(["!", "a!"]), kit.regex(other))
    if len(both[0]) * len(both[1]) > 20_000:
        return
    texts = {a + sign + b for a in both[0] for sign in (b"!", b"a!") for b in both[1]}
    for _ in range(3):
        _check_walk(draw, constraint, texts)


@pytest.mark.parametrize("seed", range(200, 212))
def test_counters_read_what_the_written_out_pattern_reads(seed: int) -> None:
    draw = random.Random(seed)
    pattern = _draw(draw, 4, endless=True)
    found = counted.count_loops(read_pattern(pattern))
    if found is None:
        return
    plain, counter = (
        PatternAutomaton(read_pattern(pattern)),
        PatternCounter(found, [1] * len(found.bounds)),
    )
    for _ in range(8):
        state, name, text = START, counter.name_of(START), b""
        for _ in range(30):
            moves = plain.moves(state)
            reads = {byte for byte in range(256) if counter.read(name, byte) is not None}
            assert reads == set(moves), (pattern, text)
            assert plain.accepts(state) == counter.is_accepting(name)
            if not moves:
                break
            byte = draw.choice(sorted(moves))
            state, after = moves[byte], counter.read(name, byte)
            assert after is not None
            name, text = after, text + bytes([byte])
        if plain.accepts(state):
            assert re.fullmatch(pattern, text.decode())


def test_a_count_of_65536_needs_the_states_of_a_count_of_64(kit: Kit) -> None:
    n_states = []
    for most in (64, 65_536):
        constraint = kit.regex(f"(?:[aé]{{1,{most}}}!){{1,{most}}}")
        matcher, (start,) = constraint.matcher(), constraint.matcher()._machine.start()
        for token in b"aa!" * 15:
            legal_ids(matcher, constraint.vocab_size)
            assert matcher.accept_bytes(bytes([token]))
        assert isinstance(start.piece, CountingPiece)
        n_states.append(start.piece.n_states)
    assert n_states == [n_states[0]] * 2


def test_a_text_of_20000_characters_ends_where_its_count_ends(kit: Kit) -> None:
    constraint = kit.regex("a{20000}")
    matcher = constraint.matcher()
    assert matcher.accept_bytes(b"a" * 19_994)
    assert legal_ids(matcher, constraint.vocab_size) == {
        _TOKENS.index(t) for t in (b"a", b"aa", b"aaa")
    }
    assert matcher.accept_bytes(b"a" * 4)
    assert legal_ids(matcher, constraint.vocab_size) == {_TOKENS.index(t) for t in (b"a", b"aa")}
    assert matcher.accept_bytes(b"aa")
    assert legal_ids(matcher, constraint.vocab_size) == {_END}


_GRAMMARS = (
    'root ::= "a"{3,7} ("é" | "a"){2} "!"',
    'root ::= x{2,5} "!"?\nx ::= ("a" | "éa"){1,3}',
    'root ::= ("a"? "é"?){4} y\ny ::= "!" | "a" "!"{1,3}',
)


@pytest.mark.parametrize("text", _GRAMMARS)
def test_a_grammar_with_counters_has_the_masks_of_its_parser(
    text: str, kit: Kit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grammars, "_COUNT", re.compile(""))
    counting = kit.gbnf(text)
    assert isinstance(counting.matcher()._machine.start()[0].piece, CountingPiece)
    monkeypatch.setattr(compiling, "MAX_COUNTED_TEXT", 0)
    parsing = make_kit(Vocabulary((*_TOKENS, None), (_END,), "small")).gbnf(text)
    draw = random.Random(text)
    for _ in range(6):
        matchers = [counting.matcher(), parsing.matcher()]
        while not matchers[0].is_terminated:
            one, other = (legal_ids(matcher, counting.vocab_size) for matcher in matchers)
            assert one == other
            token = draw.choice(sorted(one))
            assert all(matcher.accept_token(token) for matcher in matchers)
