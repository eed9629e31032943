"""Matchers of one artifact run in threads, and the first ones all begin at once.

A thread is made to give way as often as Python lets it, so that what is looked up and then made is
caught between the two, within the rounds that are done here.
"""

import ast
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import maskc
from maskc import Artifact, allocate_bitmask
from maskc.kit.file import make_kit
from maskc.runtime.cache import Budget
from maskc.runtime.lalr.hypothesis import Stack, StackCache
from maskc.vocab import load_vocabulary
from tests.compiled import compile_text
from tests.general_grammars import general_grammar

N_THREADS = 4
ROOT = Path(maskc.__file__).parent

LALR = """
start: "{" pair ("," pair)* "}" | "[" start ("," start)* "]"
pair: NAME ":" (NUMBER | start)
NAME: /"[a-z]*"/
NUMBER: /[0-9]+/
"""
TEXT = b'[{"a":1,"b":{"c":22}},[{"d":[{"e":3}]}]]'


@pytest.fixture(autouse=True)
def _many_switches():
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.fixture(scope="module")
def lalr():
    return compile_text(LALR).contents


@pytest.fixture(scope="module")
def general():
    return compile_text(general_grammar("palindromes"), (b"a", b"b", b"ab", b"ba")).contents


def run_together(function):
    """Return what ``function`` returns in each of several threads that start together."""
    start = threading.Barrier(N_THREADS)

    def run(number):
        start.wait()
        return function(number)

    with ThreadPoolExecutor(N_THREADS) as threads:
        return list(threads.map(run, range(N_THREADS)))


def walk(artifact, text, shared):
    """Go through a text; return each step's mask, its number, and what the matcher is in."""
    matcher = artifact.matcher()
    bitmask = allocate_bitmask(1, artifact.vocab_size)
    steps = []
    for byte in (*text, None):
        matcher.fill_bitmask(bitmask, 0)
        number = matcher.mask_id()
        if number >= 0:
            assert np.array_equal(artifact.mask_table()[number], bitmask[0])
        steps.append((bitmask.tobytes(), number, matcher.configuration() if shared else None))
        if byte is not None:
            assert matcher.accept_bytes(bytes([byte]))
    return steps


@pytest.mark.parametrize("name", ["lalr", "general"])
def test_threads_that_begin_together_make_one_machine_and_one_pool(name, request):
    contents = request.getfixturevalue(name)
    for _ in range(200):
        artifact = Artifact(contents, cache_bytes=1 << 20)
        found = run_together(
            lambda _, a=artifact: (a.matcher(), a.machine, a.machine.pool, a.table.first_bytes)
        )
        assert len({id(machine) for _, machine, _, _ in found}) == 1
        assert len({id(pool) for _, _, pool, _ in found}) == 1
        assert len({id(first) for _, _, _, first in found}) == 1


@pytest.mark.parametrize("cache_bytes", [1 << 12, 1 << 16, 1 << 24])
def test_a_mask_has_one_number_in_all_threads(lalr, cache_bytes):
    expected = [mask for mask, _, _ in walk(Artifact(lalr), TEXT, shared=True)]
    for _ in range(30):
        artifact = Artifact(lalr, cache_bytes=cache_bytes)
        found = run_together(lambda _, a=artifact: walk(a, TEXT, shared=True))
        for steps in found:
            assert [mask for mask, _, _ in steps] == expected
        numbered = {(mask, n) for steps in found for mask, n, _ in steps if n >= 0}
        assert len({mask for mask, _ in numbered}) == len(numbered)
        assert len({n for _, n in numbered}) == len(numbered)


def test_equal_sets_of_stacks_are_one_object_in_all_threads(general):
    """Else stacks with equal tops are told apart, and their number grows with the threads."""

    def follow(artifact):
        matcher = artifact.matcher()
        return [matcher.accept_bytes(b) and matcher.configuration() for b in [b"a", b"b"] * 4]

    for _ in range(200):
        artifact = Artifact(general, cache_bytes=1 << 20)
        found = run_together(lambda _, a=artifact: follow(a))
        assert all(configurations == found[0] for configurations in found)


def test_what_is_forgotten_meanwhile_is_worked_out_again(lalr):
    """Generations end with almost every result, while others look into the old one."""
    for _ in range(30):
        artifact = Artifact(lalr, cache_bytes=20_000)
        expected = walk(Artifact(lalr), TEXT, shared=True)
        found = run_together(lambda _, a=artifact: [walk(a, TEXT, shared=True) for _ in range(3)])
        for walks in found:
            for steps in walks:
                assert [step[0] for step in steps] == [step[0] for step in expected]


@pytest.mark.parametrize("package", ["artifact", "integrations", "runtime"])
def test_nothing_that_threads_share_is_a_cached_property(package):
    paths = sorted((ROOT / package).rglob("*.py"))
    assert paths
    for path in paths:
        imported = {
            name.name
            for node in ast.walk(ast.parse(path.read_text()))
            if isinstance(node, ast.ImportFrom | ast.Import)
            for name in node.names
        }
        assert "cached_property" not in imported, path


def test_a_generation_may_end_while_something_is_looked_up():
    cache = StackCache(Budget(1 << 20), 1)

    class Key:
        def __hash__(self):
            # In the place of another thread.
            cache.generations.start()
            return 0

    cache.generations.previous = {(Key(),): "result"}
    assert cache.recall(next(iter(cache.generations.previous)), Stack(0, None)) in {"result", None}


REQUESTS = (
    (lambda kit: kit.json_schema({"items": {"enum": [1, "a"]}, "uniqueItems": True}), b'[1,"a"]'),
    (lambda kit: kit.json_schema({"properties": {"a": {"pattern": "^b+$"}}}), b'{"a":"bb"}'),
    (lambda kit: kit.regex(r"(?:a|b)*a(?:a|b){6}(?!c)"), b"aabbabbb"),
    (lambda kit: kit.choice(["one", "only", "two"]), b"only"),
    (lambda kit: kit.lark(LALR), TEXT),
)


def test_threads_with_one_small_kit_get_the_masks_of_a_kit_of_their_own():
    """What is made, shared and forgotten meanwhile is the same for all."""
    vocabulary = load_vocabulary("bytes")

    def masks(kit, number):
        walked = [walk_plainly(make(kit), text) for make, text in REQUESTS]
        return walked[number:] + walked[:number]

    alone = masks(make_kit(vocabulary), 0)
    shared = make_kit(vocabulary, cache_bytes=1 << 16)
    found = run_together(lambda number: [masks(shared, number) for _ in range(2)])
    for number, rounds in enumerate(found):
        assert rounds == [alone[number:] + alone[:number]] * 2


def walk_plainly(constraint, text):
    matcher, steps = constraint.matcher(), []
    bitmask = allocate_bitmask(1, constraint.vocab_size)
    for byte in text:
        matcher.fill_bitmask(bitmask, 0)
        steps.append(bitmask.tobytes())
        assert matcher.accept_bytes(bytes([byte]))
    assert matcher.is_accepting
    return steps
