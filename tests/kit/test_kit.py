"""What a kit takes, what it refuses, and what it finds again."""

import itertools
import threading
from enum import Enum

import numpy as np
import pytest

import maskc
from maskc.errors import ArtifactError, GrammarError, LimitError, SchemaError
from maskc.kit.file import make_kit
from maskc.vocab import load_vocabulary
from maskc.vocab.vocabulary import Vocabulary
from tests.kit.conftest import fill, legal, takes

QUICK = maskc.Limits(seconds=0.3)


class Size(Enum):
    S, M, XL = "small", "medium", 5


@pytest.fixture(scope="module")
def kit():
    return make_kit(load_vocabulary("bytes"))


def test_each_kind_takes_its_texts(kit, tmp_path):
    grammar = 'start: "(" start? ")"\n'
    artifact = maskc.compile_grammar(grammar, tokenizer="bytes")
    artifact.save(tmp_path / "a.maskc")
    made = {
        "schema": (kit.json_schema({"type": "integer"}), "12", "x"),
        "text of a schema": (kit.json_schema('{"const": "a"}'), '"a"', '"b"'),
        "choice": (kit.choice(["yes", "no"]), "no", "n"),
        "choice of an Enum": (kit.choice(Size), "medium", "M"),
        "choice of members": (kit.choice([Size.S, Size.XL]), "5", "medium"),
        "choice of numbers": (kit.choice([1, 2.5, -3]), "2.5", "2.0"),
        "pattern": (kit.regex(r"(?i)a+\b.?"), "aA!", "b"),
        "text": (kit.text(), "é\n", "\udcff"),
        "text without": (kit.text(without=["</t>"]), "a</t", "a</t>"),
        "lark": (kit.lark(grammar), "(())", "(()"),
        "gbnf": (kit.gbnf('root ::= "a" root | "b"'), "aab", "aa"),
        "ebnf": (kit.ebnf('root ::= "a" root | "b"'), "aab", "aa"),
        "artifact": (kit.artifact(artifact), "()", "("),
        "file": (kit.artifact(tmp_path / "a.maskc"), "()", "("),
        "sequence": (kit.sequence(kit.choice(["a"]), kit.choice(["b", ""])), "a", "b"),
        "one of": (kit.one_of(kit.choice(["a"]), kit.regex("b+")), "bb", "ab"),
        "repeat": (kit.repeat(kit.choice(["ab"]), 1, 2), "abab", "ababab"),
        "repeat for ever": (kit.repeat(kit.choice(["ab"]), 0), "ab" * 99, "a"),
    }
    for name, (constraint, text, other) in made.items():
        assert takes(constraint, text), name
        assert not takes(constraint, other.encode("utf-8", "surrogateescape")), name


class _Model:
    """Stands for a Pydantic class."""

    @staticmethod
    def model_json_schema():
        return {"type": "boolean"}


def test_a_class_with_a_schema_is_taken(kit):
    assert takes(kit.json_schema(_Model), "true")


def test_what_is_asked_again_is_found(kit):
    before = kit.statistics()
    schema = {"type": "array", "items": {"const": "asked again"}}
    first, second = kit.json_schema(schema), kit.json_schema(dict(schema))
    assert first.machine is second.machine
    after = kit.statistics()
    assert after["pieces_made"] == before["pieces_made"] + 1
    assert after["pieces_found"] == before["pieces_found"] + 1
    # Another layout is another constraint.
    assert kit.json_schema(schema, blanks="compact").machine is not first.machine


def test_a_mask_has_one_number_in_all_constraints(kit):
    quoted = kit.json_schema({"type": "string"}).matcher()
    linked = kit.sequence(kit.json_schema({"type": "string"}), kit.choice(["!"])).matcher()
    assert quoted.accept_bytes(b'"a')
    assert linked.accept_bytes(b'"a')
    assert quoted.mask_id() == linked.mask_id() >= 0
    assert np.array_equal(kit.mask_table()[quoted.mask_id()], fill(quoted, kit.vocab_size))


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda kit: kit.choice([]), GrammarError),
        (lambda kit: kit.choice(["\ud800"]), GrammarError),
        (lambda kit: kit.choice("yes"), TypeError),
        (lambda kit: kit.choice({"yes": 1}), TypeError),
        (lambda kit: kit.choice([True]), TypeError),
        (lambda kit: kit.choice([float("nan")]), TypeError),
        (lambda kit: kit.choice([None]), TypeError),
        (lambda kit: kit.choice([b"a"]), TypeError),
        (lambda kit: kit.regex("("), GrammarError),
        (lambda kit: kit.regex(r"(a+)\1"), GrammarError),
        (lambda kit: kit.regex(r"[^\s\S]"), GrammarError),
        (lambda kit: kit.regex("a(?=b)c"), GrammarError),
        (lambda kit: kit.regex("((a{1,500}){1,500}){1,500}(?!b)", limits=QUICK), LimitError),
        (lambda kit: kit.regex(b"a"), TypeError),
        (lambda kit: kit.text(without=[""]), GrammarError),
        (lambda kit: kit.text(without=["\ud800"]), GrammarError),
        (lambda kit: kit.json_schema({"type": "no such type"}), SchemaError),
        (lambda kit: kit.json_schema(False), SchemaError),
        (lambda kit: kit.json_schema("{"), SchemaError),
        (lambda kit: kit.json_schema({}, blanks="many"), ValueError),
        (lambda kit: kit.json_schema({}, formats="maybe"), ValueError),
        (lambda kit: kit.lark("start: nothing"), GrammarError),
        (lambda kit: kit.lark("/etc/passwd"), GrammarError),
        (lambda kit: kit.artifact("/nowhere.maskc"), ArtifactError),
        (lambda kit: kit.sequence(), ValueError),
        (lambda kit: kit.sequence("a"), TypeError),
        (lambda kit: kit.repeat(kit.choice(["a"]), -1), ValueError),
        (lambda kit: kit.repeat(kit.choice(["a"]), 2, 1), ValueError),
        (lambda kit: kit.repeat(kit.choice(["a"]), 0, 0), ValueError),
        (lambda kit: kit.repeat(kit.choice(["a"]), 1.5), TypeError),
    ],
)
def test_what_is_wrong_is_refused(make, error, kit):
    with pytest.raises(error):
        make(kit)
    assert takes(kit.choice(["still"]), "still")


def test_parts_of_another_kit_are_refused(kit):
    other = make_kit(load_vocabulary("bytes"))
    with pytest.raises(ValueError, match="of another kit"):
        kit.sequence(kit.choice(["a"]), other.choice(["a"]))


def test_an_artifact_of_another_tokenizer_is_refused(kit):
    other = maskc.compile_grammar('start: "a"\n', tokenizer="bytes", vocab_size=300)
    with pytest.raises(ArtifactError, match="another tokenizer"):
        kit.artifact(other)


def test_nesting_is_bounded(kit):
    def nest(part, depth):
        for _ in range(depth):
            part = kit.sequence(kit.repeat(part, 0, 2), kit.choice(["b"]))

    nest(kit.choice(["a"]), 40)
    with pytest.raises(LimitError):
        nest(kit.choice(["a"]), 200)


def test_a_count_is_not_written_out(kit):
    part = kit.repeat(kit.sequence(kit.regex("[ab]"), kit.choice([","])), 3, 1_000)
    matcher = part.matcher()
    assert matcher.accept_bytes(b"a,b,")
    assert not matcher.is_accepting
    assert matcher.accept_bytes(b"a," * 997)
    numbers = {matcher.mask_id()}
    assert matcher.accept_bytes(b"b,")
    assert matcher.is_accepting
    assert not matcher.accept_bytes(b"a")
    assert matcher.mask_id() not in numbers


def test_a_text_that_is_read_in_too_many_ways_raises(kit):
    part = kit.repeat(kit.one_of(kit.choice(["a"]), kit.choice(["aa"])), 2_000, 20_000)
    matcher = part.matcher()
    with pytest.raises(LimitError, match="readings of the text"):
        matcher.accept_bytes(b"a" * 3_000)
    # The matcher is as it was.
    assert matcher.accept_bytes(b"a")


def test_readings_of_an_ambiguous_grammar_are_kept_together(kit):
    matcher = kit.gbnf('root ::= .+ root root "b" | "a"').matcher()
    assert matcher.accept_text("a" * 100 + "b" * 30)
    assert matcher.is_accepting


def test_a_kit_that_is_prepared_has_the_same_masks(kit):
    fresh = make_kit(load_vocabulary("bytes"))
    fresh.prepare()
    one, other = (some.json_schema({"type": "object"}).matcher() for some in (kit, fresh))
    for text in (b"", b"{", b'"a', b'": 1'):
        assert one.accept_bytes(text)
        assert other.accept_bytes(text)
        assert legal(one, kit.vocab_size) == legal(other, kit.vocab_size)


def test_prepare_ends_in_time_and_changes_nothing(kit):
    constraint = kit.sequence(kit.json_schema({"type": "string"}), kit.regex("[a-z]{3}"))
    assert constraint.prepare(0.05) > 0
    assert takes(constraint, '"x"abc')


def test_threads_share_a_kit(kit):
    wrong: list[str] = []

    def work(number):
        for n in range(30):
            word = f"w{(number + n) % 7}"
            parts = [kit.choice([word, "x"]), kit.regex(f"[{n % 5}-9]+"), kit.json_schema({})]
            constraint = kit.sequence(*parts)
            if not takes(constraint, f"{word}9[1]"):
                wrong.append(word)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.parametrize(
    "words", [["ab"], ["a<", "<a"], ["aab", "ab", "b<"], ["<<<", "<a<"], ["é"], []]
)
def test_free_text_has_none_of_its_words(kit, words):
    """Read byte by byte, as one token, and joined to what follows."""
    constraint = kit.text(without=words)
    joined = kit.sequence(constraint, kit.choice(["!"]))
    for n in range(5):
        for letters in itertools.product("ab<é", repeat=n):
            text = "".join(letters)
            is_free = not any(word in text for word in words)
            assert takes(constraint, text) == is_free
            assert takes(joined, f"{text}!") == is_free


def test_a_text_that_no_token_goes_on_ends_what_is_prepared():
    kit = make_kit(Vocabulary((b"a", None), (1,), "small"))
    assert kit.regex("ab").prepare(0.001) > 0
