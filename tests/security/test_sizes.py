"""What is large is as wide as it needs to be, grows as it is long, or is refused by name."""

import json
from decimal import Decimal

import numpy as np
import pytest

import maskc
from maskc import Artifact, load
from maskc.artifact.container import encode
from maskc.artifact.model import narrow
from maskc.cli.main import run
from maskc.compiler.emit.assemble import offsets
from maskc.compiler.pipeline import compile_contents
from maskc.compiler.rows import walk
from maskc.errors import LimitError, SchemaError
from maskc.frontends.loading import load_grammar
from maskc.frontends.source import load_source
from maskc.jsonschema.formulas import to_fraction
from maskc.lexer.contextual import build_scanner
from maskc.runtime.schema.numbers import Numbers, magnitudes
from maskc.runtime.schema.numbers.sides import Rule
from maskc.vocab import load_vocabulary
from maskc.vocab.vocabulary import TokenizerTokens, Vocabulary, build_vocabulary
from tests.compiled import compile_text, legal_tokens
from tests.security.families import FAMILIES, JSON

# The first word of a mask whose number does not fit into 16 bits.
FIRST_WIDE = (1 << 16) * 32


def test_numbers_are_as_wide_as_the_largest_needs():
    assert narrow(np.array([0, 65_535])).dtype == np.uint16
    assert narrow(np.array([0, 65_536])).tolist() == [0, 65_536]
    assert narrow(np.array([1 << 32 - 1])).dtype == np.uint32
    assert narrow(np.zeros(0, dtype=np.int64)).dtype == np.uint16


@pytest.mark.parametrize("values", [[-1], [0, 1 << 32]])
def test_numbers_of_more_than_32_bits_are_refused(values):
    with pytest.raises(ValueError, match="do not fit into 32 bits"):
        narrow(np.array(values))


def test_offsets_beyond_32_bits_are_refused():
    with pytest.raises(LimitError, match="2,147,483,647 entries in one table"):
        offsets([1 << 30, 1 << 30])


def test_tokens_on_both_sides_of_the_limit_are_told_apart(tmp_path):
    """A file whose ids have a hole of millions, as ``--vocab-size 4000000`` has."""
    tokens = [None] * (FIRST_WIDE + 70)
    tokens[3], tokens[FIRST_WIDE - 1], tokens[FIRST_WIDE + 35] = b"a", b"b", b"c"
    vocabulary = Vocabulary(tuple(tokens), (0,), "holes")
    source = load_source('start: ("a" | "c")+ "b"\n')
    Artifact(compile_contents(source, vocabulary)[0]).save(tmp_path / "a.maskc")
    artifact = load(tmp_path / "a.maskc")
    assert artifact.contents.arrays["change_word"].dtype == np.uint32
    assert legal_tokens(artifact) == {b"a", b"c"}
    assert legal_tokens(artifact, "a") == {b"a", b"b", b"c"}
    assert legal_tokens(artifact, "ab") == {None}


BYTES = load_vocabulary("bytes")


def compile_family(family: str, n: int):
    """Return the artifact's contents for the bytes as tokens."""
    return compile_contents(load_source(FAMILIES[family][0](n)), BYTES)[0]


def test_a_literal_is_one_state_a_character():
    counts = compile_family("literal", 3000).header["counts"]
    assert (counts["scanner_states"], counts["rows"]) == (3002, 3000)


@pytest.mark.parametrize(("family", "states"), [("counted", 1), ("negated", 8)])
def test_a_counted_repetition_has_as_many_states(family, states):
    contents = compile_family(family, 480)
    assert contents.header["counts"]["scanner_states"] == 480 * states + 2
    assert len(encode(contents.header, contents.arrays)) < 250_000


def test_the_walk_starts_from_a_state_of_each_kind_and_not_from_all_that_count(monkeypatch):
    lines = []
    run = walk._Walk.run

    def counting(self, low, high):
        lines.append(high - low)
        return run(self, low, high)

    monkeypatch.setattr(walk._Walk, "run", counting)
    tokens = tuple(a + b for a in (b"a", b"b") for b in (b"", b"a", b"bb"))
    compile_text("start: A\nA: /[ab]{1,800}/\n", tokens)
    # Two first bytes, and up to three letters left to notice.
    assert sum(lines) < 12


@pytest.mark.costly
def test_twice_the_keywords_are_hardly_more_than_twice_the_bytes():
    sizes = []
    for n in (300, 600):
        contents = compile_family("keywords", n)
        sizes.append(len(encode(contents.header, contents.arrays)))
    assert sizes[1] < 2.5 * sizes[0]


def test_equal_sets_of_lookaheads_are_written_once():
    arrays = compile_family("anonymous", 300).arrays
    assert len(arrays["reduce_set"]) > 300
    assert len(arrays["reduce_set_first"]) < 10


@pytest.mark.costly
def test_7500_names_have_the_states_of_their_minimal_automaton():
    """They were refused, because the bound counted the states before they were minimised."""
    grammar, _ = load_grammar(load_source(FAMILIES["names"][0](7500)))
    assert build_scanner(grammar.lexer).n_states == 15_930


@pytest.mark.costly
def test_tokens_of_10000_bytes_have_a_row_each():
    pieces = (b"a", b" ", b"[1,", b'"a",', b'{"a":')
    long = [(piece * 10_000)[:10_000] for piece in pieces]
    vocabulary = build_vocabulary("long", TokenizerTokens((*BYTES.tokens, *long), BYTES.eos_ids))
    contents, _ = compile_contents(load_source(JSON), vocabulary)
    assert contents.header["counts"]["rows"] < 100
    assert len(encode(contents.header, contents.arrays)) < 200_000


TEMPLATES = [
    {"low": "1e{n}"},
    {"high": "1e-{n}"},
    {"multiple": "1e{n}"},
    {"multiple": "7e-{n}", "high": "1e{n}"},
    {"low": "1e{n}", "multiple": "4e3"},
]


def count_steps(monkeypatch, template, n):
    """Return how many powers are computed while each byte is tried after each prefix of a text."""
    rule = Rule(**{name: to_fraction(Decimal(text.format(n=n))) for name, text in template.items()})
    numbers = Numbers(rule, written="usual")
    calls = []
    with monkeypatch.context() as patch:
        for name in ("power_beyond", "power_over", "ceil_scaled"):
            plain = getattr(magnitudes, name)

            def counting(*args, plain=plain, **options):
                calls.append(plain)
                return plain(*args, **options)

            patch.setattr(magnitudes, name, counting)
        state = numbers.start
        for byte in b"12345":
            for other in b"-+.eE0123456789":
                numbers.step(state, other)
            if (after := numbers.step(state, byte)) is None:
                break
            state = after
    return len(calls)


@pytest.mark.parametrize("template", TEMPLATES, ids=str)
def test_larger_exponents_cost_no_more_steps(monkeypatch, template):
    few, many = (count_steps(monkeypatch, template, n) for n in (50, 5_000))
    assert many <= 3 * few + 100


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ('{"minimum": 1e5001}', "minimum has a number beyond 10 to the power of 5,000"),
        ('{"items": {"maxLength": 1e400}}', "maxLength is more than 1,000,000,000,000"),
        ('{"multipleOf": -1e5000}', "multipleOf is not positive"),
    ],
)
def test_what_is_beyond_a_bound_is_refused_by_name(schema, said):
    with pytest.raises(SchemaError, match=said) as caught:
        maskc.compile_json_schema(schema, tokenizer="bytes")
    assert caught.value.pointer == ("/items" if "items" in schema else "")


def test_factors_without_a_common_multiple_of_some_length_are_refused():
    factors = [{"multipleOf": 10**3990 + n} for n in range(12)]
    schema = {"properties": {"n": {"type": "integer", "allOf": factors}}}
    with pytest.raises(SchemaError, match="common multiple has more than 30,000 digits") as caught:
        maskc.compile_json_schema(schema, tokenizer="bytes")
    assert caught.value.pointer == "/properties/n"


@pytest.mark.parametrize(
    ("schema", "texts"),
    [
        ('{"const": 1e5000}', {"1e5000": True, "10e4999": True, "1e4999": False}),
        ('{"multipleOf": 1e-5000}', {"3": True, "7e-5000": True, "7e-5001": False}),
        ('{"multipleOf": 1e5000}', {"3e5000": True, "0": True, "1e4999": False}),
        ('{"minimum": 1e5000}', {"1e5000": True, "9e4999": False, "1e99999": True}),
        (
            '{"uniqueItems": true, "items": {"enum": [1e5000, 1, [1e-5000]]}}',
            {"[1e5000,1]": True, "[1,1e5000,[1e-5000]]": True, "[1e5000,10e4999]": False},
        ),
    ],
)
def test_huge_numbers_are_compared_exactly(schema, texts):
    artifact = maskc.compile_json_schema(schema, tokenizer="bytes")
    assert json.loads(artifact.header["grammar"]["text"], parse_float=str) == json.loads(
        schema, parse_float=lambda text: text.replace("1e5", "1E+5").replace("1e-5", "1E-5")
    )
    for text, valid in texts.items():
        matcher = artifact.matcher()
        assert (matcher.accept_bytes(text.encode()) and matcher.is_accepting) == valid, text


def test_verify_judges_numbers_exactly_and_says_which_it_does_not_read(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "three.json").write_text("0.3")
    for name, schema, status in (
        ("cents", '{"type": "number", "multipleOf": 0.01, "maximum": 3}', 0),
        ("huge", '{"multipleOf": 1e-5000}', 2),
    ):
        maskc.compile_json_schema(schema, tokenizer="bytes").save(f"{name}.maskc")
        options = ["--corpus", "three.json", "--texts", "3", "--max-tokens", "8"]
        assert run(["verify", f"{name}.maskc", *options]) == status, name
    assert "has a number of more than 4,000 digits" in capsys.readouterr().err
