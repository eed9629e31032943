"""Who shares what is known of the ends of texts?"""

import pytest

from maskc import Artifact, allocate_bitmask, capture
from maskc.kit.file import make_kit
from maskc.runtime.budget import SharedEndings, endings_of
from maskc.runtime.budget.completions import LOST, Completions
from maskc.vocab.vocabulary import Vocabulary
from tests.compiled import compile_text
from tests.laws.test_budgets import within

BYTES = Vocabulary((*(bytes([byte]) for byte in range(256)), None), (256,), "bytes")


def test_constraints_of_one_schema_share_their_endings():
    kit = make_kit(BYTES)
    first, second = (kit.json_schema({"type": "array"}) for _ in range(2))
    assert first is not second
    assert first.endings is second.endings
    assert first.endings is not kit.json_schema({"type": "object"}).endings


def test_links_of_the_same_parts_share_their_endings():
    kit = make_kit(BYTES)
    first, second = (kit.sequence(kit.choice(["a"]), kit.json_schema({})) for _ in range(2))
    assert first.endings is second.endings
    assert first.endings is not kit.sequence(kit.choice(["b"]), kit.json_schema({})).endings


def test_all_artifacts_of_a_tokenizer_have_one_index_of_tokens():
    first, second = (compile_text(f'start: "{text}"', (b"a", b"b")) for text in "ab")
    assert first.endings._index is second.endings._index


def test_the_machine_that_was_not_asked_for_longest_forgets_first():
    kit = make_kit(BYTES)
    made = [kit.json_schema({"const": text * 50}) for text in "abc"]
    machine = made[0].machine
    index, ends = made[0].endings._index, made[0].ends
    room = machine.pool.endings = SharedEndings(most_bytes=1 << 30)
    known = [endings_of(each.machine, index, ends) for each in made]
    for endings, each in zip(known, made, strict=True):
        endings.point(each.matcher()._hypotheses, None)
        room._evict_old(endings)
    room._most_bytes = sum(each.n_bytes for each in known) - 1
    room._evict_old(known[2])
    assert [len(each._points) for each in known] == [0, 1, 1]


def test_what_is_known_of_ends_has_an_eighth_that_the_other_caches_give_up():
    contents = compile_text('start: "a"+', (b"a",)).contents
    artifact = Artifact(contents, cache_bytes=8_000)
    bitmask = allocate_bitmask(1, 2)
    artifact.matcher().fill_bitmask(bitmask, 0)
    assert artifact.budget.limit == 3_000
    for _ in range(2):
        artifact.matcher().fill_bitmask(bitmask, 0, tokens_left=5)
    assert artifact.budget.limit == 2_000
    assert artifact.machine.pool.endings._most_bytes == 1_000


def test_a_kit_gives_up_as_much_for_ends():
    kit = make_kit(BYTES, cache_bytes=8_000)
    budget = kit._maker._budget
    assert budget.limit == 3_000
    assert kit.choice(["a"]).endings is not kit.choice(["b"]).endings
    assert budget.limit == 2_000


def test_what_is_known_of_ends_counts_towards_what_an_artifact_remembers():
    artifact = compile_text('start: "a"+', (b"a",))
    before = artifact.remembered_bytes
    artifact.matcher().fill_bitmask(allocate_bitmask(1, 2), 0, tokens_left=5)
    assert artifact.remembered_bytes > before


# After `{"\` another key is nearer than the rest of `\u00e9`, which a text that began it has.
ACCENTED = {
    "properties": {"\u00e9": {"type": "string"}},
    "required": ["\u00e9"],
    "patternProperties": {"^a.?$": {"const": 10}},
    "type": "object",
}


def accented(cache_bytes):
    kit = make_kit(BYTES, cache_bytes=cache_bytes)
    return kit.json_schema(ACCENTED, escapes="ascii", blanks="compact")


def after(constraint, text, tokens_left=None):
    """Return a matcher after some bytes; with a limit it is asked for masks on its way."""
    matcher = constraint.matcher()
    for at, byte in enumerate(text):
        if tokens_left is not None:
            legal = within(matcher, constraint, tokens_left - at)
            assert {byte, matcher.shortest_completion().tokens[0]} <= legal
        assert matcher.accept_token(byte)
    return matcher


def test_a_shorter_completion_that_a_text_was_promised_is_not_that_of_another_token():
    constraint = accented(1 << 29)
    other = after(constraint, b'{"\\')
    first = other.shortest_completion().tokens[0]
    assert within(other, constraint, 20)
    promised = after(constraint, b'{"\\', 500)
    assert within(promised, constraint, 497)
    expected = len(promised.shortest_completion().tokens)
    assert expected < len(after(accented(1 << 29), b'{"\\').shortest_completion().tokens)
    assert promised.accept_token(first)
    within(promised, constraint, 496)
    again = after(constraint, b'{"\\' + bytes([first]))
    assert within(again, constraint, len(again.shortest_completion().tokens))
    assert not within(again, constraint, expected)


@pytest.mark.parametrize("cache_bytes", [0, 3_000, 1 << 29])
def test_what_a_text_was_promised_holds_whatever_is_evicted(cache_bytes):
    constraint = accented(cache_bytes)
    tokens = constraint.matcher().shortest_completion().tokens
    matcher = after(constraint, bytes(tokens[:-1]), len(tokens))
    assert within(matcher, constraint, 1) == constraint.ends


# Of nested brackets, what closes one takes the most tokens if it is begun as a word.
NESTED_WORDS = """start: arr
arr: "[" arr "]" tail | "x"
tail: "b" (KW | C "x" "x" "x")
KW: "Abcdefghij"
C: "Abc"
"""
NESTED_TOKENS = (*(bytes([byte]) for byte in b"[]xbAcdefghij"), b"bcdefghij", b"]bA")


def follow_promises(matchers, artifact):
    """Take the tokens of a known completion, as many as the last one was promised."""
    left = None
    while True:
        tokens = matchers[0].shortest_completion().tokens
        left = len(tokens) if left is None else left - 1
        for matcher in matchers:
            for _ in range(2):
                assert within(matcher, artifact, left)
        token = matchers[-1]._point.cell.token
        if token < 0:
            break
        for matcher in matchers:
            assert matcher.accept_token(token)


def test_texts_keep_their_promises_where_equal_stacks_have_other_numbers():
    artifact = compile_text(NESTED_WORDS, NESTED_TOKENS)
    one, other = artifact.matcher(), artifact.matcher()
    assert one.accept_bytes(b"[[[x")
    assert other.accept_bytes(b"[[")
    third = other.fork()
    assert other.accept_bytes(b"[x")

    def ask(matcher):
        within(matcher.fork(), artifact, 400)

    for matcher in (one, other):
        assert matcher.accept_bytes(b"]bA")
    for matcher in (third, one, other):
        ask(matcher)
    for byte in b"bcd":
        artifact.budget.charge(artifact.budget._share + 1)  # starts a generation
        ask(third)
        for matcher in (one, other):
            assert matcher.accept_bytes(bytes([byte]))
            ask(matcher)
    for matcher in (one, other):
        assert matcher.accept_bytes(b"efghi")
    follow_promises([one, other], artifact)


@pytest.mark.parametrize("cache_bytes", [0, 1_000, 4_500, 6_000, 39_000])
def test_captures_keep_promises_whatever_is_evicted(cache_bytes):
    contents = compile_text(NESTED_WORDS, NESTED_TOKENS).contents
    artifact = Artifact(contents, cache_bytes=cache_bytes)
    matcher = capture(artifact, "KW").matcher()
    assert matcher.accept_bytes(b"[" * 12 + b"x")
    follow_promises([matcher], artifact)


LIST = 'start: "[" start? ("," start)* "]" | "a"\n'
LIST_TOKENS = (*(bytes([byte]) for byte in b"[],a"), b"]]", b"[a", b",a")


def take_promised(monkeypatch, subject, token, left, evict):
    """Take a token of a mask, and find nothing anew: return what the next mask allows."""
    matcher = subject.matcher()
    assert matcher.accept_bytes(b"[[a")
    assert token in within(matcher, subject, left)
    evict()
    assert matcher.accept_bytes(LIST_TOKENS[token])
    monkeypatch.setattr(Completions, "_search", lambda *_, **__: LOST)
    return within(matcher, subject, left - 1)


@pytest.mark.parametrize("token", [1, 2, 6])
def test_a_mask_keeps_its_promise_whichever_of_its_tokens_is_taken(token, monkeypatch):
    artifact = compile_text(LIST, LIST_TOKENS)

    def evict():
        artifact.budget.clear()
        assert artifact.endings.forget()

    assert take_promised(monkeypatch, artifact, token, 9, evict)


@pytest.mark.parametrize("token", [1, 2, 4])
def test_so_does_a_mask_of_a_link_whose_grammar_forgets_by_itself(token, monkeypatch):
    artifact = Artifact(compile_text(LIST, LIST_TOKENS).contents, cache_bytes=0)
    kit = make_kit(Vocabulary((*LIST_TOKENS, None), (len(LIST_TOKENS),), "test"))
    link = kit.sequence(kit.artifact(artifact), kit.choice(["a"]))
    assert take_promised(monkeypatch, link, token, 9, lambda: None)


@pytest.mark.parametrize("captures", [False, True])
def test_a_text_that_has_not_moved_keeps_its_point_whatever_is_forgotten(captures):
    artifact = compile_text("start: A+\nA: /[ab]/ ", (b"a", b"b", b"ab"))
    maker = capture(artifact, "A") if captures else artifact
    matcher = maker.matcher()
    assert matcher.accept_token(0)
    assert within(matcher, artifact, 5)
    point = matcher._point
    artifact.endings._begin_anew()
    artifact.budget.clear()
    assert matcher._find_point() is point


NESTED = {"$defs": {"a": {"type": "array", "items": {"$ref": "#/$defs/a"}}}, "$ref": "#/$defs/a"}


class WithoutDescriptions:
    def __init__(self, machine):
        self._machine = machine

    def __getattr__(self, name):
        assert name != "describe"
        return getattr(self._machine, name)


def test_without_eviction_no_stack_is_described():
    # It takes time for all that is open: of deep texts the square of their depth.
    constraint = make_kit(BYTES).json_schema(NESTED)
    constraint.endings._machine = WithoutDescriptions(constraint.machine)
    matcher = constraint.matcher()
    for left in range(100, 60, -1):
        assert within(matcher, constraint, left)
        assert matcher.accept_bytes(b"[")
