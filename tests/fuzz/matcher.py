"""Fuzzes a matcher's operations against a model: the list of what was accepted.

Each operation takes two bytes of the input. After each, the matcher stands where a new one stands
that accepts the list.
"""

from __future__ import annotations

import copy
import sys

import atheris

with atheris.instrument_imports(include=["maskc"]):
    import numpy as np

    import maskc
    from maskc.artifact.container import decode
    from maskc.artifact.model import Contents
    from maskc.runtime.artifact import Artifact
    from tests.fuzz.driver import run_fuzzer
    from tests.security.forging import compile_examples

CONTENTS = [Contents(*decode(data, name)) for name, data in sorted(compile_examples().items())]
# What remembers nothing, little, and everything.
ARTIFACTS = [[Artifact(c, cache_bytes=n) for n in (0, 3000, 1 << 24)] for c in CONTENTS]
NO_TOKENS = (True, None, 1.5, "a", np.array(1), np.array([1]), b"a")
Taken = tuple[str, object]


def take(data: bytes) -> None:
    """Do the operations, and compare after each."""
    if not data:
        return
    artifact = ARTIFACTS[data[0] % len(ARTIFACTS)][data[0] // len(ARTIFACTS) % 3]
    sequences: list[tuple[maskc.Matcher, list[Taken]]] = [(artifact.matcher(), [])]
    for index in range(1, min(len(data) - 1, 80), 2):
        operation, number = data[index] % 12, data[index + 1]
        which = data[index] // 12 % len(sequences)
        matcher, taken = sequences[which]
        if operation == 10 and len(sequences) < 3:
            copied = (maskc.Matcher.fork, copy.copy, copy.deepcopy)[number % 3]
            sequences.append((copied(matcher), list(taken)))
        else:
            operate(artifact, matcher, taken, operation, number)
    for matcher, taken in sequences:
        compare(artifact, matcher, taken)


def operate(
    artifact: Artifact, matcher: maskc.Matcher, taken: list[Taken], operation: int, number: int
) -> None:
    """Do one operation to a matcher, and to its model."""
    size = artifact.vocab_size
    tokens = [number % size, number // 3 % size, number // 7 % size]
    if operation < 4:
        legal = bits(artifact, matcher)
        ids = np.flatnonzero(legal).tolist()
        token = ids[number % len(ids)] if ids and operation else tokens[0]
        was_over = matcher.is_terminated
        accepted = matcher.accept_token(token)
        expect(
            accepted == (bool(legal[token]) and not was_over), "the mask and accept_token differ"
        )
        if accepted:
            taken.append(("token", token))
    elif operation == 4:
        text = bytes(byte for t in tokens for byte in artifact.token_bytes(t) or b"")
        if matcher.accept_bytes(text):
            taken.append(("bytes", text))
    elif operation == 5:
        n = number % 4
        if n <= len(taken):
            matcher.rollback(n)
            del taken[len(taken) - n :]
        else:
            expect_raises(ValueError, matcher.rollback, n)
    elif operation == 6:
        before = matcher.configuration()
        n_valid = matcher.validate_tokens(tokens)
        expect(matcher.configuration() == before, "validate_tokens moved the matcher")
        n_taken = matcher.accept_tokens(tokens)
        expect(n_taken == n_valid, "validate_tokens and accept_tokens differ")
        taken += [("token", token) for token in tokens[:n_taken]]
    elif operation == 7:
        wrong = NO_TOKENS[number % len(NO_TOKENS)]
        for use in (matcher.accept_token, matcher.rollback, artifact.token_bytes):
            expect_raises(TypeError, use, wrong)
    elif operation == 8 and not number % 8:
        matcher.reset()
        taken.clear()
    elif operation == 9:
        forced = matcher.forced_bytes()
        if forced:
            expect(matcher.fork().accept_bytes(forced), "forced bytes are illegal")
    elif operation == 11:
        compare(artifact, matcher, taken)


def compare(artifact: Artifact, matcher: maskc.Matcher, taken: list[Taken]) -> None:
    """Hold a matcher against a new one that accepts what it took."""
    fresh = artifact.matcher()
    for kind, what in taken:
        accept = fresh.accept_token if kind == "token" else fresh.accept_bytes
        expect(accept(what), "what was taken is not taken again")
    expect(fresh.configuration() == matcher.configuration(), "the configurations differ")
    expect(fresh.is_accepting == matcher.is_accepting, "is_accepting differs")
    expect(np.array_equal(bits(artifact, fresh), bits(artifact, matcher)), "the masks differ")
    number = matcher.mask_id()
    if number >= 0:
        row = np.unpackbits(artifact.mask_table()[number].view(np.uint8), bitorder="little")
        expect(np.array_equal(row, bits(artifact, matcher)), "the mask's number names another")


def bits(artifact: Artifact, matcher: maskc.Matcher) -> np.ndarray:
    """Return the mask, a byte for each token."""
    bitmask = maskc.allocate_bitmask(1, artifact.vocab_size)
    matcher.fill_bitmask(bitmask, 0)
    return np.unpackbits(bitmask[0].view(np.uint8), bitorder="little")


def expect(holds: bool, told: str) -> None:
    """Raise unless something holds."""
    if not holds:
        raise AssertionError(told)


def expect_raises(error: type[Exception], use: object, *arguments: object) -> None:
    """Raise unless a call raises."""
    try:
        use(*arguments)
    except error:
        return
    raise AssertionError(f"{error.__name__} was expected")


if __name__ == "__main__":
    run_fuzzer("matcher", take, sys.argv[1:])
