"""The machine for general grammars: what it takes, what it costs, and that nothing ever changes."""

import time
import tracemalloc

import numpy as np
import pytest

from maskc import Artifact, allocate_bitmask
from maskc.artifact.model import Contents, check
from maskc.artifact.sections import GENERAL_SECTIONS, SHARED_SECTIONS
from tests.compiled import accepts, compile_text, legal_tokens, matcher_at
from tests.general_grammars import general_grammar


@pytest.fixture(scope="module")
def palindromes():
    return compile_text(general_grammar("palindromes"), (b"a", b"b", b"ab", b"ba"))


LISTS = [
    (general_grammar("ambiguous_lists"), b"", b"a"),
    ('start: "a" start | "a"\n', b"", b"a"),
    (general_grammar("right_recursion"), b"[", b"x,"),
    ('start: WORD start tail | WORD\nWORD: "a"\ntail:\n', b"", b"a"),
]


@pytest.mark.parametrize(("text", "opening", "item"), LISTS)
def test_a_long_list_costs_no_more_per_item_than_a_short_one(text, opening, item):
    artifact = compile_text(text, parser="earley")
    matcher = matcher_at(artifact, opening) if opening else artifact.matcher()
    bitmask = allocate_bitmask(1, artifact.vocab_size)
    configurations = set()
    for number in range(100_000):
        for byte in item:
            if number < 1_000 or number % 100 == 0:
                matcher.fill_bitmask(bitmask, 0)
            assert matcher.accept_token(byte)
        if number > 10:
            configurations.add(matcher.configuration())
    # However long the list is, the machine stands where it stood before.
    assert len(configurations) == 1


def test_an_item_of_a_list_takes_no_memory_but_its_entry_in_the_history():
    artifact = compile_text(general_grammar("right_recursion"))
    matcher = matcher_at(artifact, "[x")
    assert matcher.accept_tokens(b",x" * 100) == 200
    tracemalloc.start()
    for _ in range(100):
        assert matcher.accept_tokens(b",x" * 100) == 200
    size, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert size / 20_000 < 16


def test_a_thousand_items_of_exponential_ambiguity_take_no_time():
    # Two nonterminals that the rewrites do not join, each item of either: 2 ** 1000 parses.
    artifact = compile_text(
        'start: x+\nx: y | z\ny: "a" y | "a"\nz: "a" z | "a"\n', (b"a",), parser="earley"
    )
    matcher = artifact.matcher()
    begin = time.perf_counter()
    assert matcher.accept_tokens([0] * 1_000) == 1_000
    assert matcher.is_accepting
    assert time.perf_counter() - begin < 20


def test_what_must_come_is_forced():
    artifact = compile_text('start: "begin" start "end" | "x" "end"\n', parser="earley")
    assert matcher_at(artifact, "beginxen").forced_bytes() == b"dend"


# What only a general artifact has.
OWN = {name: GENERAL_SECTIONS[name] for name in GENERAL_SECTIONS if name not in SHARED_SECTIONS}


@pytest.mark.parametrize(
    "section",
    sorted(
        name
        for name, section in OWN.items()
        if section.below is not None or section.offsets is not None
    ),
)
def test_an_index_out_of_its_table_is_found(palindromes, section):
    broken = palindromes.contents.arrays[section].copy()
    broken[-1] = 100 if broken.dtype == np.uint8 else 1_000_000
    contents = Contents(palindromes.header, {**palindromes.contents.arrays, section: broken})
    assert section in (check(contents) or "")


@pytest.mark.parametrize("section", sorted(OWN))
def test_a_missing_section_is_found(palindromes, section):
    arrays = dict(palindromes.contents.arrays)
    del arrays[section]
    assert check(Contents(palindromes.header, arrays)) == f"section {section} is missing"


def test_a_production_longer_than_any_stack_pops_nothing(palindromes):
    arrays = dict(palindromes.contents.arrays)
    arrays["general_reduce_length"] = np.full_like(arrays["general_reduce_length"], 1 << 30)
    contents = Contents(palindromes.header, arrays)
    assert check(contents) is None
    matcher = Artifact(contents).matcher()
    assert matcher.accept_tokens([0, 1]) == 2
    assert not matcher.is_accepting


def test_a_table_without_states_is_found(palindromes):
    arrays = dict(palindromes.contents.arrays)
    for name, section in OWN.items():
        if section.dims[0] in ("G", "G+1"):
            arrays[name] = arrays[name][: len(section.dims[0]) // 3]
    for name in ("shift_terminal", "shift_state", "goto_nonterminal", "goto_state"):
        arrays[f"general_{name}"] = arrays[f"general_{name}"][:0]
    for name in ("reduce_nonterminal", "reduce_length"):
        arrays[f"general_{name}"] = arrays[f"general_{name}"][:0]
    fault = check(Contents(palindromes.header, arrays))
    assert fault == "section general_taken has no G"


def test_the_states_of_the_graph_are_those_of_the_table(palindromes):
    n_states = len(palindromes.contents.arrays["general_live"])
    assert len(palindromes.contents.arrays["profile_of"]) == n_states > 1
    arrays = {**palindromes.contents.arrays, "profile_of": np.zeros(1, dtype=np.int32)}
    fault = check(Contents(palindromes.header, arrays))
    assert fault == f"section profile_of has 1 instead of {n_states} G"


def test_a_general_artifact_with_a_layout_is_refused(palindromes):
    contents = Contents({**palindromes.header, "layout": None}, palindromes.contents.arrays)
    assert check(contents) == "the header has a layout"


def test_terminals_that_cannot_be_lexed_apart_are_reported():
    text = 'start: N N | N "."\nN: /[a-z]+/\n'
    artifact = compile_text(text, parser="earley", lexer="basic")
    assert artifact.header["not_lexed_apart"] == [{"first": "N", "second": "N", "witness": b"aa"}]
    assert legal_tokens(artifact, "ab") >= {b"c", b"."}
    assert not accepts(artifact, "ab")
