"""An artifact that passes ``load`` never raises, loops or reads outside, whatever its bytes."""

import json
import time
import tracemalloc
from random import Random

import msgpack
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import maskc
from maskc.artifact.container import decode, encode
from maskc.artifact.model import MAX_QUERIES
from maskc.errors import ArtifactError, LimitError
from tests.artifact.forging import with_header
from tests.examples import examples
from tests.security.forged_plans import compile_schemas
from tests.security.forging import compile_examples, forge, load_forged, use

EXAMPLES = compile_examples()
KINDS = sorted(EXAMPLES)
# What the slowest use of a forged artifact may take: what loops takes for ever.
SECONDS = 60


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("forged") / "forged.maskc"


def changed(kind, *, header=(), **arrays):
    """Return an example with other entries: ``(part, key, value)``, and arrays by name."""
    found, known = decode(EXAMPLES[kind], kind)
    for part, key, value in header:
        holder = found[part] if part else found
        holder[key] = value
    return encode(
        found, {**known, **{name: change(known[name]) for name, change in arrays.items()}}
    )


def assigned(part, value):
    """Return what sets some numbers of an array."""

    def change(array):
        copy = array.copy()
        copy[part] = value
        return copy

    return change


def refusal(data, path):
    path.write_bytes(data)
    with pytest.raises(ArtifactError) as caught:
        maskc.load(path)
    return caught.value.reason


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_forged_was_sound(kind, path):
    artifact = load_forged(EXAMPLES[kind], path)
    for seed in range(5):
        use(artifact, Random(seed))


@examples(100)
@given(st.sampled_from(KINDS), st.integers(0, 1 << 30), st.sampled_from([1, 1, 2, 3, 6]))
def test_a_forged_artifact_is_refused_or_can_be_used(path, kind, seed, n_changes):
    draw = Random(seed)
    data, told = forge(EXAMPLES[kind], draw, n_changes)
    artifact = load_forged(data, path)
    if artifact is not None:
        before = time.process_time()
        use(artifact, draw)
        assert time.process_time() - before < SECONDS, told


# What is refused.


@pytest.mark.parametrize(
    ("part", "key", "value", "told"),
    [
        ("", "scanner_start", 1 << 40, "the header holds the number"),
        ("", "scanner_start", True, "the header holds the number True"),
        ("", "scanner_start", None, "the header holds the number None"),
        ("", "end_lookahead", 4000, "the header holds the number 4000"),
        ("tokenizer", "eos_ids", [4000], "the header holds the number 4000"),
        ("tokenizer", "eos_ids", [], "end-of-sequence ids do not ascend"),
        ("tokenizer", "eos_ids", [1, 1], "end-of-sequence ids do not ascend"),
    ],
)
def test_a_number_of_the_header_that_nothing_has_is_refused(path, part, key, value, told):
    assert told in refusal(changed("lalr", header=[(part, key, value)]), path)


@pytest.mark.parametrize("kind", ["lalr", "general", "schema", "tools"])
def test_an_end_of_sequence_id_that_writes_text_is_refused(kind, path):
    data = changed(kind, header=[("tokenizer", "eos_ids", [0])])
    assert "are tokens that write text" in refusal(data, path)


@pytest.mark.parametrize("ids", [[True], [], [48, 48], [True, 48]])
def test_end_of_sequence_ids_of_a_schema_are_numbers_that_ascend(ids, path):
    reason = refusal(changed("schema", header=[("tokenizer", "eos_ids", ids)]), path)
    assert "end-of-sequence ids" in reason or "the number True" in reason


@pytest.mark.parametrize("value", [[0], 1, None, {}])
def test_a_choice_of_layout_that_is_no_text_is_refused(path, value):
    data = changed("schema", header=[("schema_layout", "numbers", value)])
    assert "is not a text" in refusal(data, path)


def test_a_header_without_an_entry_about_indentation_is_refused(path):
    header, arrays = decode(EXAMPLES["lalr"], "lalr")
    del header["layout"]
    assert "lacks its layout" in refusal(encode(header, arrays), path)


@pytest.mark.parametrize(
    ("kind", "arrays", "told"),
    [
        ("lalr", {"shift_state": assigned(0, 0)}, "pushes the state at the bottom"),
        ("lalr", {"goto_state": assigned(-1, 0)}, "pushes the state at the bottom"),
        ("general", {"general_shift_state": assigned(0, 0)}, "pushes the state at the bottom"),
        ("lalr", {"production_length": assigned(0, -1)}, "has a value below 0"),
        ("lalr", {"profile_of": assigned(0, -1)}, "has a value below 0"),
        ("lalr", {"root_terminal": assigned(0, -5)}, "a value that is not a terminal"),
        ("lalr", {"enclosed": assigned(0, 1)}, "an indentation that the header lacks"),
        ("indented", {"final_columns": assigned(slice(None), -1)}, "lacks the columns"),
        ("indented", {"column_period": assigned((0, 0), 0)}, "a period beyond its columns"),
        ("indented", {"column_period": assigned((0, 1), 99)}, "a period beyond its columns"),
        ("lalr", {"masks": assigned((0, -1), -1)}, "a token beyond the vocabulary"),
        ("lalr", {"union_parent": assigned(slice(None), 0)}, "union_parent"),
        ("lalr", {"question_node": assigned(slice(None), 10**4)}, "outside nodes"),
        ("lalr", {"scanner_piece": assigned((0, 0), 60_000)}, "outside S"),
        ("lalr", {"byte_class": assigned(0, 255)}, "outside K"),
        ("lalr", {"rest": assigned((0, 0), 60_000)}, "outside sets"),
        ("lalr", {"node_profiles": assigned(slice(None), 0)}, "a list of another length"),
    ],
)
def test_arrays_that_do_not_fit_together_are_refused(path, kind, arrays, told):
    assert told in refusal(changed(kind, **arrays), path)


def test_a_newline_without_indentation_is_refused(path):
    header, arrays = decode(EXAMPLES["indented"], "indented")
    # Of as many layout contexts as there are contexts without brackets.
    rest = arrays["rest"][:, : header["sizes"]["C"]].copy()
    data = encode({**header, "layout": None}, {**arrays, "rest": rest})
    assert "an indentation that the header lacks" in refusal(data, path)


def test_offsets_whose_differences_overflow_are_refused(path):
    top, bottom = (1 << 31) - 1, -(1 << 31)

    def wrap(first):
        return np.array([0, top, bottom, -1, *first[4:]], dtype=np.int32)

    assert "does not ascend" in refusal(changed("lalr", root_first=wrap), path)


# What is used, and comes to an end.


def every(**values):
    """Return arrays in which every number is the same."""
    return {name: assigned(slice(None), value) for name, value in values.items()}


@pytest.mark.parametrize(
    ("kind", "arrays"),
    [
        # Reductions that make reductions, with and without taking states away.
        ("lalr", every(goto_state=1)),
        ("lalr", every(goto_state=2, production_length=0)),
        ("lalr", every(goto_state=3, production_length=1)),
        ("lalr", every(production_length=0)),
        ("lalr", every(production_length=1, production_lhs=0)),
        ("general", every(general_goto_state=1)),
        ("general", every(general_goto_state=2, general_reduce_length=1)),
        # Longer than any stack.
        ("lalr", every(production_length=1 << 30)),
        ("general", every(general_reduce_length=1 << 30)),
        # Every end leads into every lexeme.
        ("lalr", every(scanner_piece=1)),
        ("indented", every(scanner_piece=2, scanner_enter=0)),
        ("lalr", every(scanner_next=1)),
        ("lalr", every(scanner_entries=1)),
        ("lalr", every(scanner_piece=2, lalr_state=0)),
        # Nodes that say nothing of a state.
        ("lalr", every(profiles=30_000)),
        ("general", every(profile_of=1 << 30)),
        ("indented", every(root_column=32_000, question_column=-32_000)),
        ("lalr", every(live=-1 & (1 << 64) - 1, final_direct=(1 << 64) - 1)),
    ],
)
def test_tables_that_make_no_sense_come_to_an_end(path, kind, arrays):
    artifact = load_forged(changed(kind, **arrays), path)
    assert artifact is not None
    for seed in range(3):
        use(artifact, Random(seed))


def test_two_queries_of_every_node_are_not_asked_again_and_again(path):
    """2 ** 60 ways lead through the nodes, all of them with another stack."""
    artifact = load_forged(ask_twice(60), path)
    matcher, bitmask = artifact.matcher(), maskc.allocate_bitmask(1, artifact.vocab_size)
    matcher.fill_bitmask(bitmask, 0)
    assert matcher.mask_id() >= 0


def ask_twice(n_nodes):
    """Return an artifact in which each node asks two terminals, and the next node answers.

    The last one asks for a terminal that takes all their states away.
    """
    header, arrays = decode(EXAMPLES["lalr"], "lalr")
    n_states, n_roots = len(arrays["scanner_next"]), 1
    first = np.arange(0, 2 * n_nodes + 1, 2, dtype=np.int32)
    first[1:] -= 2  # the lowest node asks nothing
    terminals = list(header["terminals"])
    left, right = terminals.index("NAME"), terminals.index("STRING")
    last = next(t for t in range(len(terminals)) if t not in (left, right))
    n_lalr = len(arrays["reduce_first"]) - 1
    ints = {
        "root_first": np.array([0] * 2 + [n_roots] * (n_states - 1)),
        "root_terminal": [-8],
        "root_column": [0],
        "root_node": [n_nodes - 1],
        "profile_of": np.zeros(len(arrays["lalr_state"])),
        "node_first": np.arange(n_nodes + 1),
        "node_profiles": [0] * n_nodes,
        "profiles_first": [0, 1],
        "profiles": [-1],
        "node_answer": np.arange(n_nodes),
        "answer_union": [0] * n_nodes,
        "question_first": first,
        "question_terminal": [last, last, *[left, right] * (n_nodes - 2)],
        "question_column": [0] * (2 * n_nodes - 2),
        "question_node": np.repeat(np.arange(n_nodes - 1), 2),
        "trial_first": [0] * (n_nodes + 1),
        "trial_final": [],
        "trial_column": [],
        "trial_union": [],
        "reduce_first": np.arange(n_lalr + 1),
        "reduce_production": [0] * n_lalr,
        "reduce_set": [0] * n_lalr,
        "reduce_set_first": [0, 1],
        "reduce_set_terminal": [last],
        "production_length": [n_nodes - 2] * len(arrays["production_length"]),
        # Every state shifts both, to two states.
    }
    n_refined = len(arrays["lalr_state"])
    ints |= {
        "shift_first": np.arange(0, 2 * n_refined + 1, 2),
        "shift_terminal": [left, right] * n_refined,
        "shift_state": [1, 2] * n_refined,
    }
    live = np.full_like(arrays["live"], (1 << 64) - 1)
    return encode(
        header,
        {
            **arrays,
            **{name: np.array(value, dtype=np.int32) for name, value in ints.items()},
            "live": live,
            "terminal_lookaheads": np.full_like(arrays["terminal_lookaheads"], (1 << 64) - 1),
        },
    )


def test_the_queries_of_a_mask_are_bounded_far_above_what_grammars_need():
    assert 1 << 15 < MAX_QUERIES <= 1 << 20


def planned(schema, change):
    """Return the artifact of a schema with its plan changed."""
    header, arrays = decode(compile_schemas(schema)["schema"], "schema")
    plan = json.loads(arrays["schema_plan"].tobytes())
    change(plan)
    text = np.frombuffer(json.dumps(plan).encode(), dtype=np.uint8)
    return encode(header, {**arrays, "schema_plan": text})


def test_items_that_must_come_are_not_counted_one_by_one(path):
    def change(plan):
        (array,) = plan["arrays"]
        array[0].append([1 << 39, array[0][0][1]])
        array[1] = 1 << 39

    schema = {"type": "array", "items": {"type": "string"}, "uniqueItems": True}
    artifact = load_forged(planned(schema, change), path)
    use(artifact, Random(0))
    assert artifact.matcher().accept_bytes(b'["a","ab"')


def test_a_thousand_items_that_must_differ_need_no_recursion(path):
    def change(plan):
        (array,) = plan["arrays"]
        child, _, values = array[4][0]
        array[4][0] = [child, -1, [[str(n), values[0][1]] for n in range(1_000)]]
        array[1] = 1_000

    schema = {"type": "array", "items": {"enum": [1, 2]}, "uniqueItems": True}
    artifact = load_forged(planned(schema, change), path)
    assert artifact.matcher().accept_bytes(b"[1")


def test_an_artifact_does_not_lend_its_tokens_to_one_that_claims_its_fingerprint(path):
    """As many bytes, and other tokens."""
    header, arrays = decode(EXAMPLES["schema"], "schema")
    other = {**arrays, "token_bytes": arrays["token_bytes"][::-1]}
    masks = []
    for data in (encode(header, other), EXAMPLES["schema"]):
        matcher = load_forged(data, path).matcher()
        bitmask = maskc.allocate_bitmask(1, header["tokenizer"]["vocab_size"])
        matcher.fill_bitmask(bitmask, 0)
        masks.append(bitmask.copy())
    assert not np.array_equal(*masks)


# The header.


@pytest.mark.parametrize("item", [{}, [], 0, [0]])
def test_a_header_of_empty_maps_is_refused_before_it_takes_memory(path, item):
    row = [item] * 65_536
    data = with_header(msgpack.packb({"a": [row] * 100, "arrays": {}}))
    path.write_bytes(data)
    tracemalloc.start()
    try:
        with pytest.raises(ArtifactError, match="more than 262,144 entries"):
            maskc.load(path)
        assert tracemalloc.get_traced_memory()[1] < 100 << 20
    finally:
        tracemalloc.stop()


def test_a_header_that_could_not_be_read_is_not_written():
    header, arrays = decode(EXAMPLES["lalr"], "lalr")
    with pytest.raises(LimitError, match="more than 262,144 entries in the header"):
        encode({**header, "more": [[0] * 65_536] * 4}, arrays)


def test_a_header_of_as_many_entries_as_are_written_is_read(path):
    header, arrays = decode(EXAMPLES["lalr"], "lalr")
    path.write_bytes(encode({**header, "more": [[0] * 60_000] * 4}, arrays))
    assert maskc.load(path).matcher().accept_bytes(b"[")
