"""Law: tokens are legal iff they begin what the tokenizer writes for some text of the grammar.

The reference shares nothing with what is tested: it cuts with Python's `re`, merges by hand, and
lists all texts of a finite grammar. Of others, what is generated has to be what the tokenizer
writes for it, and there must be a way on from everywhere.
"""

from random import Random

import lark
import numpy as np
import pytest

import maskc
from maskc.kit.file import make_kit
from maskc.runtime.spelling.pairs import Pairs
from maskc.spelling.merging import build_merges, find_shapes
from maskc.vocab.vocabulary import Vocabulary
from tests.compiled import compile_text, legal_ids
from tests.spellings import ALPHABET, Tokenizer, draw_merges, draw_tokenizer

PAIRS = 'start: pair+\npair: "a" start? "b" | " " "c" | "\\n"\n'
NAMES = 'start: NAME (" " NAME)*\nNAME: /[abc]+/\n'
SCHEMA = {
    "type": "object",
    "properties": {"a b": {"enum": ["a", "bca", "cc"]}},
    "required": ["a b"],
    "additionalProperties": False,
}


def draw_language(draw, depth=0):
    """Return a grammar's expression, and all its texts."""
    kind = draw.random()
    if depth > 3 or kind < 0.35:
        text = "".join(draw.choices(ALPHABET, k=draw.randint(1, 3)))
        return " ".join(f'"{c}"' for c in text).replace("\n", "\\n"), {text}
    left, lefts = draw_language(draw, depth + 1)
    if kind >= 0.85:
        return f"[{left}]", lefts | {""}
    right, rights = draw_language(draw, depth + 1)
    if kind < 0.6:
        return f"{left} {right}", {one + other for one in lefts for other in rights}
    return f"({left} | {right})", lefts | rights


def ids_of(words):
    return set(np.flatnonzero(np.unpackbits(words.view(np.uint8), bitorder="little")).tolist())


@pytest.mark.parametrize("seed", range(12))
def test_neighbours_are_those_that_merging_leaves_apart(seed):
    draw = Random(seed)
    texts, rules = draw_merges(draw, "ab" if seed % 2 else "abc")
    size, tokenizer = len(texts), Tokenizer(texts, rules, (), is_alone_written=False)
    merges = build_merges(list(rules), size)
    shapes, _ = find_shapes(merges, {token: list(text) for token, text in enumerate(texts)}, size)
    pairs = Pairs(merges, shapes)
    few = [*range(97, 100), *range(256, size)]
    for token in few:
        left = {b for b in few if tokenizer.merge(texts[token] + texts[b]) == [token, b]}
        right = {b for b in few if tokenizer.merge(texts[b] + texts[token]) == [b, token]}
        assert ids_of(pairs.followers(token)) & set(few) == left
        assert ids_of(pairs.predecessors(token)) & set(few) == right


def compile_finite(parser, expression, texts, tokenizer):
    """Return an artifact of a finite grammar and its texts; no texts if it has no LALR table."""
    grammar = f"start: {expression}\n"
    if parser == "earley":
        lexer = "dynamic_complete"
        return compile_text(grammar, tokenizer.texts, parser=parser, lexer=lexer), texts
    try:
        judge = lark.Lark(grammar, parser="lalr")
    except lark.exceptions.GrammarError:
        return None, set()

    def is_read(text):
        try:
            judge.parse(text)
        except lark.exceptions.UnexpectedInput:
            return False
        return True

    # A conflict that Lark resolves by shifting leaves texts out.
    read = set(filter(is_read, texts))
    return (compile_text(grammar, tokenizer.texts), read) if read else (None, read)


@pytest.mark.parametrize("parser", ["earley", "lalr"])
@pytest.mark.parametrize("seed", range(8))
def test_masks_hold_exactly_what_begins_the_tokens_of_a_text(seed, parser):
    draw = Random(seed)
    n_positions = 0
    while n_positions < 10:
        tokenizer = draw_tokenizer(draw)
        expression, texts = draw_language(draw)
        if len(texts) > 400:
            continue
        artifact, texts = compile_finite(parser, expression, texts, tokenizer)
        if artifact is None:
            continue
        end = len(tokenizer.texts)
        legal: dict[tuple[int, ...], set[int]] = {}
        for tokens in map(tokenizer.encode, texts):
            for n_tokens, token in enumerate((*tokens, end)):
                legal.setdefault(tokens[:n_tokens], set()).add(token)
        canonical = maskc.canonical(artifact, tokenizer.spelling())
        pending = [((), canonical.matcher())]
        for tokens, matcher in pending:
            assert legal_ids(matcher, artifact.vocab_size) == legal[tokens], tokens
            for token in legal[tokens]:
                after = matcher.fork()
                assert after.accept_token(token)
                if token != end:
                    pending.append(((*tokens, token), after))
        assert canonical.n_undecided == 0
        n_positions += len(pending)


def make_language(kind, texts):
    """Return an artifact or a constraint with endless texts, or another kind of machine."""
    if kind == "lalr":
        return compile_text(PAIRS, texts)
    if kind == "bound":
        return compile_text(NAMES, texts).bind(NAME=["a", "abc", "bca", "cab"])
    kit = make_kit(Vocabulary((*texts, None), (len(texts),), "small"))
    if kind == "schema":
        return kit.json_schema(SCHEMA)
    return kit.sequence(kit.choice(["a", "ab\n"]), kit.regex("[bc]{2,4}"), kit.choice([" ", "c"]))


@pytest.mark.parametrize("kind", ["lalr", "bound", "schema", "link"])
def test_what_is_generated_is_what_the_tokenizer_writes_and_nothing_else_is_lost(kind):
    n_ended = 0
    for seed in range(3):
        draw = Random(f"{kind} {seed}")
        tokenizer = draw_tokenizer(draw)
        language = make_language(kind, tokenizer.texts)
        canonical = maskc.canonical(language, tokenizer.spelling())
        for _ in range(3):
            matcher, tokens = canonical.matcher(), []
            for n_left in range(40, 0, -1):
                legal = legal_ids(matcher, canonical.vocab_size)
                assert legal
                ends = legal & canonical.ends
                token = draw.choice(sorted(ends if ends and n_left < 20 else legal))
                assert matcher.accept_token(token)
                if matcher.is_terminated:
                    break
                tokens.append(token)
            text = b"".join(tokenizer.texts[token] for token in tokens)
            if matcher.is_terminated:
                n_ended += 1
                assert tokenizer.encode(text.decode()) == tuple(tokens)
        # A text that plain matchers write is read in its own tokens.
        plain, ids = language.matcher(), []
        for _ in range(draw.randint(0, 6)):
            going_on = sorted(legal_ids(plain, canonical.vocab_size) - canonical.ends)
            if going_on:
                ids.append(draw.choice(going_on))
                assert plain.accept_token(ids[-1])
        ids += plain.shortest_completion().tokens[:-1]
        own = tokenizer.encode(b"".join(tokenizer.texts[token] for token in ids).decode())
        matcher = canonical.matcher()
        assert matcher.accept_tokens(own) == len(own)
        assert matcher.is_accepting
    assert n_ended > 0


BLOCKS = """
start: (_NEWLINE | stmt)*
stmt: NAME _NEWLINE | NAME ":" _NEWLINE _INDENT stmt+ _DEDENT | "a" LPAR names RPAR _NEWLINE
names: [NAME ("\\n"? NAME)*]
NAME: /[bc]+/
_NEWLINE: /(\\r?\\n[\\t ]*)+/
LPAR: "("
RPAR: ")"
%ignore " "
%declare _INDENT _DEDENT
"""


@pytest.mark.parametrize("grammar", [PAIRS, NAMES, BLOCKS])
def test_masks_of_an_lalr_grammar_are_those_of_the_walk_that_asks_the_machine_alone(grammar):
    """The walk in contexts and what one byte settles are shortcuts: they change no mask."""
    settings = {"postlex": "lark.indenter:PythonIndenter"} if grammar == BLOCKS else {}
    for seed in range(5):
        draw = Random(seed)
        tokenizer = draw_tokenizer(draw)
        artifact = compile_text(grammar, tokenizer.texts, **settings)
        quick, slow = (maskc.canonical(artifact, tokenizer.spelling()) for _ in range(2))
        slow.machine.liveness._settled = None
        for _ in range(4):
            matcher, other = quick.matcher(), slow.matcher()
            for _ in range(12):
                legal = legal_ids(matcher, quick.vocab_size)
                assert legal == legal_ids(other, quick.vocab_size)
                going_on = sorted(legal - quick.ends)
                if not going_on:
                    break
                token = draw.choice(going_on)
                assert matcher.accept_token(token)
                assert other.accept_token(token)


@pytest.mark.parametrize("seed", range(4))
def test_going_back_and_forking_change_nothing(seed):
    draw = Random(seed)
    tokenizer = draw_tokenizer(draw)
    canonical = maskc.canonical(compile_text(PAIRS, tokenizer.texts), tokenizer.spelling())
    matcher, before = canonical.matcher(), []
    for _ in range(12):
        legal = legal_ids(matcher, canonical.vocab_size)
        going_on = sorted(legal - canonical.ends)
        if not going_on:
            break
        before.append((matcher.configuration(), legal))
        assert matcher.accept_token(draw.choice(going_on))
    other = matcher.fork()
    for number, _ in enumerate(before, start=1):
        matcher.rollback(1)
        legal = legal_ids(matcher, canonical.vocab_size)
        assert (matcher.configuration(), legal) == before[-number]
    assert other.configuration() != matcher.configuration()


def test_bytes_are_taken_as_the_tokens_that_the_tokenizer_writes_for_them():
    draw = Random(5)
    n_taken = 0
    for _ in range(6):
        tokenizer = draw_tokenizer(draw)
        canonical = maskc.canonical(compile_text(NAMES, tokenizer.texts), tokenizer.spelling())
        text = " ".join("".join(draw.choices("abc", k=3)) for _ in range(3))
        by_bytes, by_tokens = canonical.matcher(), canonical.matcher()
        assert by_bytes.accept_text(text)
        assert by_tokens.accept_tokens(tokenizer.encode(text)) == len(tokenizer.encode(text))
        assert by_bytes.is_accepting
        assert legal_ids(by_tokens, canonical.vocab_size) <= legal_ids(
            by_bytes, canonical.vocab_size
        )
        n_taken += 1
    assert n_taken == 6
