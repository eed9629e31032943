"""Holes whose words follow the text, and the two examples, held against SQLite and Python."""

import importlib.util
import random
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import maskc
from maskc.captures.tracing import Span
from maskc.errors import CaptureError, HoleError, UnknownSymbolError
from maskc.runtime.step_budget import count_taken, one_mask
from tests.compiled import compile_text, legal_ids

EXAMPLES = Path(__file__).parents[2] / "examples"
SCRIPT = """
start: (define | use | block)*
define: "let" DEFINED ";"
use: "use" USED ";"
block: "{" (define | use)* "}"
DEFINED: /[a-z]+/
USED: /[a-z]+/
%ignore " "
"""


def load_example(name):
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def names_so_far(written):
    """Return the names that were defined, and none of a block that has ended."""
    return {"USED": ["nothing", *(text for name, text in written if name == "DEFINED")]}


@pytest.fixture(scope="module")
def artifact():
    return compile_text(SCRIPT, (*(bytes([b]) for b in range(256)), b";use b", b"ab;", b"a;use a"))


@pytest.fixture(scope="module")
def followed(artifact):
    return maskc.follow(artifact, "DEFINED", on_complete=names_so_far)


def next_bytes(matcher):
    return bytes(sorted(token for token in legal_ids(matcher, 260) if token < 256))


def test_a_name_is_legal_once_it_is_defined(followed):
    matcher = followed.matcher()
    assert not matcher.accept_text("use ab;")
    assert matcher.accept_text("use nothing;let ab;use ")
    assert next_bytes(matcher) == b" an"
    assert matcher.accept_text("ab;")


def test_a_token_may_complete_a_name_and_use_it(followed):
    matcher = followed.matcher()
    assert matcher.accept_text("let b")
    assert 256 in legal_ids(matcher, 260), "b;use b"
    other = followed.matcher()
    assert other.accept_text("let c")
    assert 256 not in legal_ids(other, 260)
    assert other.accept_token(256) is False
    assert 258 not in legal_ids(other, 260), "ca is defined, and a is not"
    assert followed.matcher().accept_text("let a;use a")


def test_rolling_back_and_forking_take_names_back(followed):
    matcher = followed.matcher()
    assert matcher.accept_text("let ab;")
    fork = matcher.fork()
    assert matcher.accept_text("let cd;")
    assert matcher.accept_text("use cd;")
    assert not fork.accept_text("use cd;")
    matcher.rollback(2)
    assert not matcher.accept_text("use cd;")
    assert matcher.accept_text("use ab;")


def test_masks_of_other_texts_with_the_same_words_are_found_again(followed):
    one, other = followed.matcher(), followed.matcher()
    assert one.accept_text("let ab;let ab;use ")
    assert other.accept_text("let ab;use ab; use ")
    assert one.mask_id() == other.mask_id() >= 0


def test_spans_are_there(followed):
    matcher = followed.matcher()
    assert matcher.accept_text("let ab;")
    assert matcher.spans() == [Span("DEFINED", 4, 6)]
    assert matcher.forced_bytes() == b""
    assert matcher.accept_text("use a")
    assert matcher.forced_bytes() == b"b"


def test_a_function_may_return_a_pattern(artifact):
    pattern = maskc.compile_pattern("[a-c]+")
    followed = maskc.follow(artifact, "use", on_complete=lambda _: {"DEFINED": pattern})
    assert followed.matcher().accept_text("let abc;")
    assert not followed.matcher().accept_text("let abd;")


def test_words_that_cannot_stand_are_refused_when_they_come(artifact):
    def forget(written):
        return {"USED": [] if written else ["a"]}

    matcher = maskc.follow(artifact, "DEFINED", on_complete=forget).matcher()
    assert matcher.accept_text("use a;let b")
    with pytest.raises(HoleError, match="none of its words fits"):
        matcher.accept_text(";use a")
    assert matcher.accept_text("c"), "it stays as it was"


def test_a_function_names_the_same_holes_always(artifact):
    def change(written):
        return {"DEFINED" if written else "USED": ["a"]}

    matcher = maskc.follow(artifact, "DEFINED", on_complete=change).matcher()
    with pytest.raises(HoleError, match="it gets words in some calls and none in others"):
        matcher.accept_text("let b;use a")


def test_a_wrong_name_is_refused(artifact):
    with pytest.raises(UnknownSymbolError, match="no rule or terminal 'defin'"):
        maskc.follow(artifact, "defin", on_complete=names_so_far)
    with pytest.raises(UnknownSymbolError, match="no terminal 'X'"):
        maskc.follow(artifact, "use", on_complete=lambda _: {"X": ["a"]})
    with pytest.raises(TypeError, match="on_complete returns words by the name of their terminal"):
        maskc.follow(artifact, "use", on_complete=lambda _: ["a"])


@pytest.fixture
def database():
    with closing(sqlite3.connect(":memory:")) as found:
        yield found


def test_sqlite_prepares_every_query_that_is_drawn(database):
    example, draw = load_example("text_to_sql"), random.Random(1)
    database.executescript(example.SHOP)
    columns = example.read_columns(database)
    artifact = maskc.compile_grammar(example.GRAMMAR, tokenizer="bytes")
    followed = maskc.follow(
        artifact, *example.SYMBOLS, on_complete=lambda w: example.words_after(columns, w)
    )
    texts = [example.draw_text(followed.matcher(), artifact, draw) for _ in range(120)]
    for text in texts:
        database.execute(f"EXPLAIN {text}")
    for word in ("JOIN", "WHERE", "SELECT id", "IN", "AND"):
        assert any(word in text for text in texts), word
    good = "SELECT name, email FROM users NATURAL JOIN orders WHERE total > 5 ORDER BY placed;"
    assert followed.matcher().accept_text(good)
    for bad in (
        "SELECT name, total",
        "SELECT name FROM orders",
        "SELECT name FROM users WHERE total",
        "SELECT id FROM users WHERE id IN (SELECT user_id FROM products",
    ):
        assert not followed.matcher().accept_text(bad), bad


@pytest.mark.costly
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_every_import_that_is_drawn_resolves():
    example, draw = load_example("imports"), random.Random(1)
    artifact = maskc.compile_grammar(example.GRAMMAR, tokenizer="bytes")
    followed = maskc.follow(artifact, "source", on_complete=example.words_after)
    for _ in range(60):
        exec(example.draw_text(followed.matcher(), artifact, draw), {})
    assert followed.matcher().accept_text("from json import loads, dumps\nimport re\n")
    assert not followed.matcher().accept_text("from json import lods")
    assert not followed.matcher().accept_text("from jsn")


def test_a_budget_is_refused_as_words_are_not_there_yet(followed):
    bitmask = maskc.allocate_bitmask(1, followed.vocab_size)
    with pytest.raises(CaptureError, match="leave tokens_left out"):
        followed.matcher().fill_bitmask(bitmask, 0, tokens_left=100)
    assert (bitmask == -1).all()


@pytest.mark.parametrize("name", ["list", "NAME"])
def test_a_byte_takes_few_steps_however_many_symbols_were_completed(name):
    # Each `list` ends where the next one does, and has all of the text in it.
    artifact = compile_text('start: list\nlist: NAME | list "," NAME\nNAME: /[a-z]+/\n')
    followed = maskc.follow(artifact, name, on_complete=lambda _: {"NAME": ["a", "b"]})
    matcher, before = followed.matcher(), count_taken()
    with one_mask(10**9):
        assert matcher.accept_tokens(b"a," * 1_500) == 3_000
    assert count_taken() - before <= 12 * 3_000
    assert len(matcher.spans()) == 1_500
