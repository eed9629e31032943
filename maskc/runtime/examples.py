"""Texts that are followed before any request: what they need is there when it is needed again.

A mask that nobody has asked for is put together when it is, and so is what a token does to a stack
that was never seen. Both are kept by all matchers of an artifact. So a server that follows a few
hundred answers of the kind that it will give, before it gives the first, makes few of them late.

Example: after 300,000 tokens of Python, a hundred of 10,000 tokens of other files wait longer than
23 microseconds for their mask; without them a hundred wait longer than 64.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable

from maskc.arguments import as_items
from maskc.runtime.arguments import as_token_ids
from maskc.runtime.batches import allocate_bitmask
from maskc.runtime.matcher import Matcher


def follow_examples(
    make_matcher: Callable[[], Matcher],
    vocab_size: int,
    examples: Iterable[Iterable[int]],
    seconds: float,
) -> int:
    """Return how many tokens were followed, with the mask before each of them.

    An example that becomes illegal is followed as far as it is legal.

    Args:
        make_matcher: gives a matcher at the start of a text.
        vocab_size: of its masks.
        examples: token ids of texts; they are read as they are followed.
        seconds: after which no further token is followed, by the clock.

    Raises:
        TypeError: a token is no integer.
    """
    until, n_followed = time.monotonic() + seconds, 0
    bitmask = allocate_bitmask(1, vocab_size)
    for tokens in as_items("what holds the examples", examples):
        matcher = make_matcher()
        for token in as_token_ids(tokens):
            if time.monotonic() >= until:
                return n_followed
            if matcher.is_terminated:
                break
            matcher.fill_bitmask(bitmask, 0)
            if not matcher.accept_token(token):
                break
            n_followed += 1
    return n_followed
