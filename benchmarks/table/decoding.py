"""Rows about decoding: batches, threads, deep and long texts, what is forced, what is collected."""

from __future__ import annotations

import gc
import json
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

import maskc
from benchmarks import texts
from benchmarks.table.rows import Figures, row, start_sessions, summarise
from benchmarks.workloads import ROOT, TOKENIZER, encode_documents, load_artifact
from maskc.bench import N_FIRST
from maskc.bench.timing import keep_least, measure_pass
from maskc.system import read_memory
from maskc.vocab import load_encoder

N_STEPS, DEPTH = 50, 100_000
Documents = list[list[int]]


class Read(NamedTuple):
    """An artifact, with documents of its grammar."""

    artifact: maskc.Artifact
    documents: Documents


def read(name: str, n_tokens: int | None = None) -> Read:
    """Return a bundled grammar's artifact and its workload's documents."""
    return Read(load_artifact(name), encode_documents(name, n_tokens))


@row("batch", "a batch beside np.take, all of it", read, "json", "python")
def time_batches(subject: Read) -> Figures:
    """Compare a batch of masks with one ``np.take`` of as many rows.

    Matchers stand at different positions of documents. *Moving on*, each takes a token between two
    fills, as in a server: the second time that they go the same way, and ``np.take`` of the masks
    of each step the third time.
    """
    artifact, found = subject.artifact, Figures()
    documents = [tokens for tokens in subject.documents if len(tokens) > 2 * N_STEPS]
    for size in (1, 32, 256, 1_024):
        bitmask, rows = maskc.allocate_bitmask(size, artifact.vocab_size), list(range(size))
        placed = [_stand(artifact, documents[n % len(documents)], n) for n in rows]
        matchers = [matcher for matcher, _ in placed]
        maskc.fill_bitmasks(matchers, bitmask, rows)
        masks, order = np.unique(bitmask, axis=0, return_inverse=True)
        gc.collect()
        n = max(20, 50_000 // size)
        fills = _repeat(n, partial(maskc.fill_bitmasks, matchers, bitmask, rows))
        take = partial(np.take, masks, order.ravel(), axis=0, out=bitmask, mode="clip")
        takes = _repeat(n, take)
        ways: dict[str, list[float]] = {}
        for way in ("new", "fill", "take"):
            going, times = [matcher.fork() for matcher in matchers], []
            for step in range(N_STEPS):
                fill = partial(maskc.fill_bitmasks, going, bitmask, rows)
                if way == "take":
                    table = artifact.mask_table()
                    numbers = np.array([matcher.mask_id() for matcher in going])
                    fill = partial(np.take, table, numbers, axis=0, out=bitmask, mode="clip")
                times += _repeat(1, fill)
                for matcher, (_, tokens) in zip(going, placed, strict=True):
                    matcher.accept_token(tokens[step])
            ways[way] = times
        moving, moving_takes = np.median(ways["fill"]), np.median(ways["take"])
        found[f"{size} rows"] = {
            "np.take": float(np.median(takes)) * 1e6,
            "fill_bitmasks": float(np.median(fills)) * 1e6,
            "times np.take": float(np.median(fills) / np.median(takes)),
            "np.take, moving on": float(moving_takes) * 1e6,
            "fill_bitmasks, moving on": float(moving) * 1e6,
            "times np.take, moving on": float(moving / moving_takes),
        }
    return found


def _stand(
    artifact: maskc.Artifact, tokens: list[int], number: int
) -> tuple[maskc.Matcher, list[int]]:
    here, matcher = number * 37 % max(1, len(tokens) - N_STEPS), artifact.matcher()
    matcher.accept_tokens(tokens[:here])
    return matcher, tokens[here:]


def _repeat(n: int, work: Callable[[], object]) -> list[float]:
    times = []
    for _ in range(n):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return times


def write_document(n_bytes: int) -> str:
    """Return a JSON array of records, of about so many bytes."""
    record = {"id": 0, "name": "item", "price": 0.7, "tags": ["a", "b"]}
    n = n_bytes // (len(json.dumps(record)) + 6)
    return json.dumps([record | {"id": k, "name": f"item {k}", "price": k / 7} for k in range(n)])


def stays_flat(found: Figures) -> bool:
    """Return whether the median fill and accept of each text stay what they were."""
    return all(
        text[f"{what}, end"] <= 1.5 * text[f"{what}, begin"]
        for text in found.values()
        for what in ("fill", "accept")
    )


@row("deep", "deep and long texts", partial(load_artifact, "json"), is_flat=stays_flat)
def walk_deep(artifact: maskc.Artifact) -> Figures:
    """Read 100,000 nested brackets and 10 MB of JSON; compare both ends, go back, fork."""
    encoder = load_encoder(TOKENIZER)
    ids = {token: number for number, token in enumerate(encoder.tokens) if token}
    long = {
        "brackets": [ids[b"["]] * DEPTH + [ids[b"]"]] * DEPTH,
        "long document": encoder.encode(write_document(10_000_000)),
    }
    bitmask, found = maskc.allocate_bitmask(1, artifact.vocab_size), Figures()
    for name, tokens in long.items():
        matcher, before = artifact.matcher(), read_memory()
        times = np.zeros((2, len(tokens)))
        for number, token in enumerate(tokens):
            began = time.perf_counter()
            matcher.fill_bitmask(bitmask, 0)
            filled = time.perf_counter()
            if not matcher.accept_token(token):
                raise ValueError(f"token {number} of {name} is not legal")
            times[:, number] = filled - began, time.perf_counter() - filled
        ends = {"begin": slice(5_000, 15_000), "end": slice(-10_000, None)}
        found[name] = {
            "tokens": len(tokens),
            "bytes a token": (read_memory() - before - times.nbytes) / len(tokens),
            **{
                f"{what}, {end}": float(np.median(times[row, part])) * 1e6
                for row, what in enumerate(("fill", "accept"))
                for end, part in ends.items()
            },
            "fork": float(np.median(_repeat(200, matcher.fork))) * 1e6,
        }
        backs = []
        for _ in range(20):
            backs += _repeat(1, partial(matcher.rollback, 1_000))
            matcher.accept_tokens(tokens[-1_000:])
        found[name]["rollback of 1,000"] = float(np.median(backs)) * 1e6
    return found


# What a text may repeat on the right end of what it derives: a text before, and an item.
CHAINS = {
    "python": (
        *(("", "-"), ("", "lambda:"), ("", " not"), ("case", ":=case"), ("False", "**False")),
        *(("False ", "ifFalse elseFalse "), ("a", "=a"), ("del ", "(")),
    ),
    "c": (
        *(("a", "*"), ("a ", "a="), ("a a=", " &"), ("a a=", "(_Bool)"), ("a a=", "(a)!")),
        *(("a a=", "a?a:"), ("a a=", "++"), ("a a=", " sizeof"), ("a a(){", "if(a)")),
        *(("a a(){", "default:"), ("a a(){", "switch(a)"), ("a a=(a)", "sizeof&(a)")),
    ),
    "sql": (("select", " not"), ("select", " -")),
    "lua": (("if", "..... "), ("if", "...^"), ("if", "#"), ("if ", "not ")),
}


def read_chains(name: str) -> tuple[maskc.Artifact, tuple[tuple[str, str], ...]]:
    """Return a bundled grammar's artifact and its chains."""
    return load_artifact(name), CHAINS[name]


def chains_stay_flat(found: Figures) -> bool:
    """Return whether no chain's mean grows by half and three microseconds."""
    return all(
        each["last quarter, mean"] <= 1.5 * each["second quarter"] + 3 for each in found.values()
    )


@row(
    "chains",
    "texts that repeat themselves, processor time",
    read_chains,
    *CHAINS,
    is_flat=chains_stay_flat,
)
def walk_chains(subject: tuple[maskc.Artifact, tuple[tuple[str, str], ...]]) -> Figures:
    """Repeat each item 16,000 tokens long; compare the second quarter with the last."""
    encode, found = load_encoder(TOKENIZER).encode, Figures()
    for before, item in subject[1]:
        artifact = maskc.Artifact(subject[0].contents)  # which has met no text
        bitmask, matcher = maskc.allocate_bitmask(1, artifact.vocab_size), artifact.matcher()
        # Each item by itself: a token of 64 items would hide what an item costs.
        unit, steps = encode(item), list[float]()
        gc.collect()
        for token in (*encode(before), *unit * (16_000 // len(unit))):
            began = time.thread_time()
            matcher.fill_bitmask(bitmask, 0)
            taken = matcher.accept_token(token)
            steps.append(time.thread_time() - began)
            if not taken:
                raise ValueError(f"{before!r} and {item!r} again and again are not legal")
        quarter = len(steps) // 4
        early, late = steps[quarter : 2 * quarter], steps[3 * quarter :]
        found[f"{before}…{item}"] = {
            "second quarter": summarise(early)["mean"],
            **{f"last quarter, {k}": v for k, v in summarise(late).items() if k != "p50"},
        }
    return found


def read_records(_: str) -> tuple[maskc.Artifact, list[str]]:
    """Return a grammar as a schema would make it, and its records."""
    artifact = maskc.compile_grammar(ROOT / "benchmarks/grammars/record.lark", tokenizer=TOKENIZER)
    return artifact, [text for _, text in texts.generate("records", 100)]


def read_texts(name: str) -> tuple[maskc.Artifact, list[str]]:
    """Return a bundled grammar's artifact and the texts of its first documents."""
    decode = load_encoder(TOKENIZER).tokens
    documents = encode_documents(name, 20_000)
    return load_artifact(name), [
        b"".join(decode[token] or b"" for token in tokens).decode() for tokens in documents
    ]


@row("forced", "tokens that no model need be asked for", read_records, "record")
@row("forced", "tokens that no model need be asked for", read_texts, "json", "python", "sql")
def count_forced(subject: tuple[maskc.Artifact, list[str]]) -> Figures:
    """Count the tokens and bytes of documents that no model need be asked for."""
    artifact, documents = subject
    encode, counts = load_encoder(TOKENIZER).encode, Counter[str]()
    for text in documents:
        tokens, matcher, data = encode(text), artifact.matcher(), text.encode()
        at = written = byte_end = 0
        while at < len(tokens):
            ahead = written + len(matcher.forced_bytes())
            counts["forced bytes"] += max(0, ahead - max(byte_end, written))
            byte_end = max(byte_end, ahead)
            # The tokens before a line's start do not change how it is cut, except for blank lines.
            line = data.rfind(b"\n", 0, max(0, written - 100)) + 1
            before = data[line:written].decode(errors="ignore")
            forced = matcher.forced_tokens(encode, before=before) if ahead > written else []
            counts["forced"] += len(forced)
            counts["as in the text"] += sum(map(int.__eq__, forced, tokens[at:]))
            for token in forced or tokens[at : at + 1]:
                if not matcher.accept_token(token):
                    raise ValueError(f"token {token} of a document is not legal")
                written += len(artifact.token_bytes(token) or b"")
                at += 1
        counts["tokens"] += len(tokens)
        counts["bytes"] += len(data)
    return dict(counts)


@row("prepared", "first tokens after texts that were followed", read, "python", "c", "sql")
def time_prepared(subject: Read) -> Figures:
    """Follow so many tokens of other documents first; then time the first tokens of the rest.

    Of two loads each position keeps the lesser time.
    """
    n_measured, documents, first = min(N_FIRST, _size(subject.documents) // 2), [], []
    for tokens in subject.documents:
        (first if _size(first) < n_measured else documents).append(tokens)
    encode, found = load_encoder(TOKENIZER).encode, Figures()
    if subject.artifact.header["grammar"]["name"].startswith("python"):
        documents += [encode(text) for _, text in texts.find_python(others=True)]
    for n_most in (0, 10_000, 100_000, 300_000):
        if n_most > _size(documents):
            break
        chosen, rest = [], n_most
        for tokens in documents:
            chosen.append(tokens[:rest])
            rest -= len(chosen[-1])
        least = None
        for _ in range(2):
            artifact = maskc.Artifact(subject.artifact.contents)
            began = time.process_time()
            artifact.prepare(chosen, seconds=600)
            seconds = time.process_time() - began
            bitmask = maskc.allocate_bitmask(1, artifact.vocab_size)
            times = measure_pass(start_sessions(artifact.matcher, bitmask), first, bitmask)
            least = times if least is None else keep_least(least, times)
        found[f"{n_most} followed"] = {
            "processor s": seconds,
            "MB": artifact.remembered_bytes / 1e6,
            "fill": summarise(least.fill, 1_000),
            "accept": summarise(least.accept, 1_000),
        }
    return found


def _size(documents: Documents) -> int:
    return sum(map(len, documents))
