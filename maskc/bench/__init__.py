"""Time an artifact on texts of the user's own.

Each text is teacher-forced: the mask is filled, then the text's next token is accepted. *fill* is
``fill_bitmask``, *accept* is ``accept_token``, *step* is both; *cold* is the first pass over all
texts after loading, *warm* the second. Beside them stands what the same masks cost to copy, and
where the slowest fills are: a position is ranked by the slower of its two fills, since a mask that
is slow once and then remembered is another matter than one that is slow each time.

One thread, one sequence at a time; nothing is printed or collected while times are taken. Each
pass is made twice, the cold one from a second loading, and of each position the lesser time is
kept.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maskc.bench.timing import (
    Bitmask,
    TimedSession,
    Times,
    compute_figures,
    keep_least,
    measure_collections,
    measure_pass,
    walk,
    without_collections,
)
from maskc.errors import GrammarError, TokenizerError
from maskc.runtime.artifact import Artifact, load
from maskc.runtime.batches import allocate_bitmask
from maskc.runtime.link import encode_reply, names_of
from maskc.verify.model import choose_files, find_corpus, read_text
from maskc.vocab import Encoder, load_encoder

__all__ = ["BenchOptions", "run_bench"]

SEED = 0  # of the choice among the files
N_FIRST = 10_000  # tokens that a server meets first that just loaded the artifact
_N_SLOWEST = 10
_N_AROUND = 40  # bytes of text that are shown on either side


@dataclass(frozen=True, slots=True)
class BenchOptions:
    """How much to time."""

    files: int = 60
    max_bytes: int = 100_000
    tokenizer: str | None = None


class BenchText(NamedTuple):
    """A text of the corpus: its path, and canonical ids whose bytes concatenate to the file's."""

    name: str
    tokens: tuple[int, ...]


def run_bench(
    artifact_path: str | os.PathLike[str],
    corpus: Sequence[str],
    options: BenchOptions,
    drawn: Sequence[str] = (),
) -> dict[str, Any]:
    """Return the times of an artifact over a corpus, in microseconds.

    Raises:
        ArtifactError: the artifact cannot be loaded.
        GrammarError: the corpus has no file, or no text of it begins with a legal token.
        TokenizerError: the tokenizer cannot be found.
    """
    artifact = load(artifact_path)
    found = find_corpus(corpus, options.max_bytes).files if corpus else ()
    files = choose_files(found, options.files, SEED)
    tokenizer = artifact.header["tokenizer"]["name"]
    encoder = load_encoder(options.tokenizer or tokenizer, is_text=artifact.is_text)
    texts = [(f"drawn text {number}", text) for number, text in enumerate(drawn, 1)]
    for path in files:
        with suppress(UnicodeDecodeError):
            texts.append((str(path), read_text(path, options.max_bytes)))
    documents = _cut_into_tokens(artifact, encoder, texts)
    n_skipped = len(files) + len(drawn) - len(documents)

    tokens = [document.tokens for document in documents]
    bitmask = allocate_bitmask(1, artifact.vocab_size)
    measured = []
    for _ in range(2):
        start_pass = partial(_start, load(artifact_path), bitmask)
        measured.append([measure_pass(start_pass, tokens, bitmask) for _ in ("cold", "warm")])
    cold, warm = (keep_least(one, other) for one, other in zip(*measured, strict=True))

    start = partial(_start, load(artifact_path), bitmask)
    collections = {
        name: measure_collections(lambda: walk(start, tokens)) for name in ("cold", "warm")
    }
    rows, order = collect_rows(start, tokens, bitmask)
    return {
        "artifact": os.fspath(artifact_path),
        "tokenizer": tokenizer,
        "vocab_size": artifact.vocab_size,
        "documents": len(documents),
        "skipped": n_skipped,
        "refused": len(cold.refused),
        "tokens": len(cold.fill),
        "masks": len(rows),
        "passes": list_passes(cold, warm),
        "floors": measure_floors(rows, order),
        "collections": collections,
        "slowest": find_slowest(artifact, documents, cold, warm),
    }


def _start(artifact: Artifact, bitmask: Bitmask) -> TimedSession:
    matcher = artifact.matcher()
    return TimedSession(partial(matcher.fill_bitmask, bitmask, 0), matcher.accept_token)


def _cut_into_tokens(
    artifact: Artifact, encoder: Encoder, texts: Iterable[tuple[str, str]]
) -> list[BenchText]:
    """Return the documents; left out are texts that are empty or have what no token writes.

    Raises:
        GrammarError: none has a legal first token: this is no corpus of the grammar.
    """
    documents, names = [], names_of(artifact.header)
    for name, text in texts:
        with suppress(TokenizerError):
            tokens = tuple(encode_reply(text, names, encoder.encode))
            documents += [BenchText(name, tokens)] * bool(tokens)
    if not any(artifact.matcher().accept_token(document.tokens[0]) for document in documents):
        raise GrammarError(
            artifact.header["grammar"]["name"],
            "no text of the corpus begins with a legal token; give --corpus texts of this grammar",
        )
    return documents


def list_passes(cold: Times, warm: Times) -> dict[str, dict[str, dict[str, float]]]:
    """Return figures by pass (``first``, ``cold``, ``warm``) and by ``fill``, ``accept``, ``step``.

    ``first`` is the cold pass up to its first ``N_FIRST`` tokens.
    """
    passes = {
        "first": (cold.fill[:N_FIRST], cold.accept[:N_FIRST]),
        "cold": (cold.fill, cold.accept),
        "warm": (warm.fill, warm.accept),
    }
    return {
        name: {
            "fill": compute_figures(fill),
            "accept": compute_figures(accept),
            "step": compute_figures(np.add(fill, accept)),
        }
        for name, (fill, accept) in passes.items()
    }


def find_slowest(
    artifact: Artifact, documents: Sequence[BenchText], cold: Times, warm: Times
) -> list[dict[str, Any]]:
    """Return the slowest fills, slowest first: the file, its line, the text around, both times."""
    worst = np.argsort(-np.maximum(cold.fill, warm.fill), kind="stable")[:_N_SLOWEST]
    first = np.concatenate([[0], np.cumsum(cold.n_taken)])

    def show(tokens: Sequence[int], part: slice) -> str:
        return b"".join(artifact.token_bytes(token) or b"" for token in tokens)[part].decode(
            "utf-8",
            "backslashreplace",  # it may begin or end inside a character
        )

    found = []
    for position in worst.tolist():
        number = int(np.searchsorted(first, position, side="right")) - 1
        name, tokens = documents[number]
        here = position - int(first[number])
        cold_us, warm_us = (int(times.fill[position]) / 1000 for times in (cold, warm))
        found.append(
            {
                "file": name,
                "line": show(tokens[:here], slice(None)).count("\n") + 1,
                "before": show(tokens[:here], slice(-_N_AROUND, None)),
                "token": show(tokens[here : here + 1], slice(None)),
                "after": show(tokens[here + 1 : here + 1 + _N_AROUND], slice(_N_AROUND)),
                "cold_us": cold_us,
                "warm_us": warm_us,
                "slower": "cold" if cold_us >= warm_us else "warm",
            }
        )
    return found


MAX_ROWS = 20_000  # 320 MB at 128,000 tokens; further positions are left out of the order
N_TIMES, N_OF_OR = 5_000, 50


def collect_rows(
    start: Callable[[], TimedSession], documents: Sequence[Sequence[int]], bitmask: Bitmask
) -> tuple[NDArray[np.int32], NDArray[np.intp]]:
    """Return the distinct masks of a pass, and which one each position has.

    Args:
        start: makes a session at the start of a text.
        documents: token ids of each, walked up to the first illegal token.
        bitmask: int32[1, n_words], which the sessions write to.

    Returns:
        int32[n_masks, n_words] and intp[n_positions].
    """
    numbers: dict[bytes, int] = {}
    order = []
    for tokens in documents:
        session = start()
        for token in tokens:
            session.fill()
            if not session.accept(token):
                break
            mask = bitmask[0].tobytes()
            if mask not in numbers and len(numbers) == MAX_ROWS:
                continue
            order.append(numbers.setdefault(mask, len(numbers)))
    rows = np.frombuffer(b"".join(numbers), dtype=np.int32)
    return rows.reshape(len(numbers), -1), np.array(order, dtype=np.intp)


def measure_floors(rows: NDArray[np.int32], order: NDArray[np.intp]) -> dict[str, dict[str, float]]:
    """Return the figures, in microseconds, of ``clock``, ``hot``, ``in order`` and ``or of 50``.

    An engine in CPython that writes whole masks cannot be faster than a call that copies them. A
    mask that the processor's cache still holds costs a fraction of one that left it: *hot* is one
    row again and again, *in order* the rows of the pass in its order, the OR of 50 rows the price
    of a mask that is put together. *clock* is what the timing adds to each time.

    Args:
        rows: int32[n_masks, n_words], not empty.
        order: intp[n_positions].
    """
    target = np.zeros((1, rows.shape[1]), dtype=np.int32)[0]
    each = list(rows)
    many = np.ascontiguousarray(rows[np.arange(N_OF_OR) % len(rows)])
    copies = [partial(np.copyto, target, row) for row in each]
    or_of_many = partial(np.bitwise_or.reduce, many, 0, None, target)
    works: dict[str, list[Callable[[], object]]] = {
        "clock": [_nothing] * N_TIMES,
        "hot": [copies[0]] * N_TIMES,
        "in order": [copies[number] for number in order.tolist()],
        f"or of {N_OF_OR}": [or_of_many] * (N_TIMES // 10),
    }
    return {name: compute_figures(_time_each(calls)) for name, calls in works.items()}


def _nothing() -> None:
    pass


def _time_each(calls: Sequence[Callable[[], object]]) -> NDArray[np.int64]:
    clock = time.perf_counter_ns
    times = []
    with without_collections():
        for call in calls:
            begin = clock()
            call()
            times.append(clock() - begin)
    return np.array(times, dtype=np.int64)
