"""Rows about restricted masks: budgets, the tokenizer's own tokens, words, roles, captures."""

from __future__ import annotations

import random
import re
import string
import time
from functools import partial
from statistics import median
from typing import Any, NamedTuple

import numpy as np

import maskc
from benchmarks.table.rows import (
    Figures,
    follow,
    follow_twice,
    list_legal,
    make_prepared_kit,
    row,
    summarise,
    time_once,
)
from benchmarks.workloads import TOKENIZER, encode_documents, load_artifact
from maskc.kit.constraint import Constraint
from maskc.vocab import load_encoder

Subject = maskc.Artifact | Constraint

_SCHEMA = {
    "type": "object",
    "properties": {
        "title": {"type": "string", "minLength": 1},
        "price": {"type": "number", "minimum": 0},
        "tags": {"type": "array", "items": {"enum": ["new", "used", "sold"]}, "uniqueItems": True},
        "parts": {"type": "array", "items": {"$ref": "#"}},
    },
    "required": ["title", "price"],
    "additionalProperties": False,
}
_FLAT = _SCHEMA | {
    "properties": {
        "note": {"type": "string"},
        "unit": {"enum": ["kg", "piece"]},
        "title": {"type": "string"},
        "price": {"type": "number"},
    }
}
_TOOLS = {"tools": (_SCHEMA, "llama"), "free": ({"type": "object"}, "llama")}
_TOOLS["parameters"] = (_FLAT, "glm_4_7")


def make_schema() -> Constraint:
    """Return the constraint of a JSON Schema."""
    return make_prepared_kit().json_schema(_SCHEMA)


def make_tool(name: str) -> Constraint:
    """Return the constraint of calls of a tool."""
    schema, family = _TOOLS[name]
    tool = {"type": "function", "function": {"name": "offer", "parameters": schema}}
    return make_prepared_kit().tools([tool], family=family, choice="required")


@row("budgets", "texts that end within a budget", load_artifact, "json", "sql", "python")
@row("budgets schema", "texts that end within a budget", make_schema)
@row("budgets", "texts that end within a budget", make_tool, *_TOOLS)
def draw_within_budgets(subject: Subject) -> Figures:
    """Draw texts within the shortest text's tokens, one more and so on, and 60.

    Four tokens in five are short ones of signs, which open and close most. Every text must end
    within its budget, and no mask has a token that the plain one forbids. Processor time.
    """
    least = len(subject.matcher().shortest_completion().tokens)
    draw, seconds, longest, n_narrowed, n_exact = random.Random(0), list[float](), list[int](), 0, 0
    bitmask, plain = (maskc.allocate_bitmask(1, subject.vocab_size) for _ in range(2))
    budgets = (*range(least, least + 12), 60, 60, 60)
    for budget in budgets:
        matcher, written = subject.matcher(), list[int]()
        for left in range(budget, 0, -1):
            fill = partial(matcher.fill_bitmask, bitmask, 0, tokens_left=left)
            seconds.append(time_once(fill))
            n_exact += matcher.is_exact
            matcher.fill_bitmask(plain, 0)
            if np.any(bitmask & ~plain):
                raise ValueError("a mask within a budget has more than the plain one")
            n_narrowed += not np.array_equal(plain, bitmask)
            written.append(_choose(subject, list_legal(bitmask), draw))
            matcher.accept_token(written[-1])
            if matcher.is_terminated:
                break
        if not matcher.is_terminated:
            raise ValueError(f"a text does not end within {budget} tokens")
        longest = max(longest, written, key=len)
    return {
        "texts": len(budgets),
        "masks": len(seconds),
        "with fewer tokens": n_narrowed,
        "exact": n_exact,
        "new mask, ms": summarise(seconds, 1e-3),
        "warm": {
            name: _fill_along(subject, longest[:-1], options)
            for name, options in (("plain", {}), ("10,000 left", {"tokens_left": 10_000}))
        },
    }


def _choose(subject: Subject, legal: list[int], draw: random.Random) -> int:
    going_on = [token for token in legal if token not in subject.eos_ids]
    if draw.random() < 0.8:
        texts = {token: subject.table.text_of(token) or b"" for token in going_on}
        signs = [t for t, text in texts.items() if len(text) <= 3 and not text.isalnum()]
        going_on = signs or going_on
    return draw.choice(going_on or legal)


def _fill_along(subject: Subject, tokens: list[int], options: dict[str, Any]) -> float:
    """Return the median of masks along tokens, the second time."""
    bitmask, times = maskc.allocate_bitmask(1, subject.vocab_size), list[float]()
    for _ in range(2):
        matcher, times = subject.matcher(), []
        for token in tokens:
            fill = partial(matcher.fill_bitmask, bitmask, 0, **options)
            times.append(time_once(fill, time.perf_counter))
            matcher.accept_token(token)
    return median(times) * 1e6


class CanonicalSubject(NamedTuple):
    """An artifact, the tokenizer's own tokens, and a document."""

    artifact: maskc.Artifact
    spelling: Any
    tokens: list[int]


def read_canonical_subject(name: str) -> CanonicalSubject:
    """Return a grammar with the tokenizer's rules and 300 tokens of its workload."""
    return CanonicalSubject(
        load_artifact(name), maskc.compile_spelling(TOKENIZER), encode_documents(name, 300)[0][:300]
    )


@row(
    "canonical", "the tokenizer's own tokens", read_canonical_subject, "json", "python", "sql", "c"
)
def read_canonical(subject: CanonicalSubject) -> Figures:
    """Read a document, then draw texts; what exact masks end is written by the tokenizer so."""
    artifact, encoder = subject.artifact, load_encoder(TOKENIZER)
    began = time.process_time()
    canonical = maskc.canonical(artifact, subject.spelling)
    bitmask, plain = (maskc.allocate_bitmask(1, artifact.vocab_size) for _ in range(2))
    canonical.matcher().fill_bitmask(bitmask, 0)
    ready, seconds, lacking = time.process_time() - began, list[float](), list[float]()
    matcher, beside = canonical.matcher(), artifact.matcher()
    for token in subject.tokens:
        seconds.append(time_once(partial(matcher.fill_bitmask, bitmask, 0)))
        beside.fill_bitmask(plain, 0)
        n_legal = np.bitwise_count(plain.view(np.uint32)).sum()
        lacking.append(1 - float(np.bitwise_count(bitmask.view(np.uint32)).sum() / n_legal))
        if np.any(bitmask & ~plain) or not matcher.accept_token(token):
            raise ValueError(f"token {token}: the mask is not that of the document")
        beside.accept_token(token)
    n_ended = sum(_draw_text(canonical, artifact, encoder, seed) for seed in range(4))
    return {
        "ready, s": ready,
        "new mask, ms": summarise(seconds, 1e-3),
        "again": _fill_along(canonical, subject.tokens, {}),
        "plain": _fill_along(artifact, subject.tokens, {}),
        "masks with fewer tokens": float(np.mean(np.array(lacking) > 0)),
        "legal tokens that are not the tokenizer's": float(np.mean(lacking)),
        "texts of 4 that ended": n_ended,
    }


def _draw_text(canonical: Any, artifact: maskc.Artifact, encoder: Any, seed: int) -> bool:
    draw, matcher, ids = random.Random(seed), canonical.matcher(), list[int]()
    bitmask, is_exact = maskc.allocate_bitmask(1, artifact.vocab_size), True
    for n in range(120):
        matcher.fill_bitmask(bitmask, 0)
        is_exact = is_exact and matcher.is_exact
        legal = list_legal(bitmask)
        ends = [token for token in artifact.eos_ids if token in legal]
        token = ends[0] if ends and n > 60 else draw.choice(legal)
        matcher.accept_token(token)
        if matcher.is_terminated:
            text = b"".join(artifact.token_bytes(token) or b"" for token in ids)
            if is_exact and encoder.encode(text.decode()) != ids:
                raise ValueError(f"the tokenizer writes {text!r} in other tokens")
            return True
        ids.append(token)
    return False


SYMBOLS = {
    "json": ("STRING", "member", "array"),
    "sql": ("name", "column", "source"),
    "python": ("NAME", "python__funcdef", "python__classdef"),
}


def read_with_symbols(name: str) -> tuple[maskc.Artifact, Any, list[list[int]]]:
    """Return an artifact, what captures symbols of it, and 20,000 tokens."""
    artifact = load_artifact(name)
    return artifact, maskc.capture(artifact, *SYMBOLS[name]), encode_documents(name, 20_000)


@row("captures", "symbols captured", read_with_symbols, *SYMBOLS)
def time_captures(subject: tuple[maskc.Artifact, Any, list[list[int]]]) -> Figures:
    """Take documents with and without captures, the second pass; then ask for all spans."""
    artifact, captures, documents = subject
    found = Figures()
    for name, made in (("plain", artifact.matcher), ("capturing", captures.matcher)):
        for _ in range(2):
            times = []
            for tokens in documents:
                matcher = made()
                took = time_once(partial(matcher.accept_tokens, tokens), time.perf_counter)
                times.append(took / len(tokens))
        found[f"accept, {name}"] = summarise(times)["mean"]
    spans = []
    for tokens in documents:
        matcher = captures.matcher()
        matcher.accept_tokens(tokens)
        spans.append(time_once(matcher.spans, time.perf_counter))
    return found | {"all spans of a document": summarise(spans)["mean"]}


def read_names() -> tuple[maskc.Artifact, list[list[int]], set[str]]:
    """Return SQL, 1,500 tokens of its documents, and the names in them."""
    documents, encoder = encode_documents("sql", 1_500), load_encoder(TOKENIZER)
    whole = b"\n".join(b"".join(encoder.tokens[t] or b"" for t in tokens) for tokens in documents)
    return load_artifact("sql"), documents, set(re.findall(r"[^\W\d]\w*", whole.decode()))


@row("holes", "names restricted to words of a request", read_names)
def bind_names(subject: tuple[maskc.Artifact, list[list[int]], set[str]]) -> Figures:
    """Restrict names to those of the documents and random ones; read the documents."""
    artifact, documents, names = subject
    found = Figures(plain=follow_twice(artifact.matcher, documents, artifact.vocab_size))
    draw = random.Random(0)
    artifact.bind(NAME=sorted(names))
    for n_words in (1_000, 100_000):
        words, times = set(names), []
        while len(words) < n_words:
            words.add("_".join("".join(draw.choices(string.ascii_lowercase, k=6)) for _ in "ab"))
        for k in range(5):  # the same words are bound once
            listed = [f"first_{k}", *sorted(words)]
            began = time.perf_counter()
            bound = artifact.bind(NAME=listed)
            times.append(time.perf_counter() - began)
        found[f"{n_words} words"] = {"bind, ms": median(times) * 1e3} | follow_twice(
            bound.matcher, documents, artifact.vocab_size
        )
    return found


_STYLE = {"classdef.name.NAME": "_?[A-Z][A-Za-z0-9]*", "funcdef.name.NAME": "[a-z_][a-z0-9_]*"}


@row("roles", "names in house style", partial(dict, _STYLE))
def compare_roles(roles: dict[str, str]) -> Figures:
    """Compile Python with names in house style and as it is; read files that keep to the style."""
    found, made = Figures(), {}
    for name, given in (("plain", {}), ("roles", roles)):
        began = time.process_time()
        made[name] = maskc.compile_grammar("python", tokenizer=TOKENIZER, roles=given)
        arrays = made[name].contents.arrays.values()
        found[name] = {
            "compile, processor s": time.process_time() - began,
            "MB": sum(array.nbytes for array in arrays) / 1e6,
            "masks": made[name].header["counts"]["masks"],
        }
    documents, files = encode_documents("python"), list[list[int]]()
    for tokens in documents:
        is_styled = made["roles"].matcher().accept_tokens(tokens) == len(tokens)
        if is_styled and sum(map(len, files)) < 20_000:
            files.append(tokens)
    for name, artifact in made.items():
        follow(artifact.matcher, files, artifact.vocab_size)
        found[name] |= follow(artifact.matcher, files, artifact.vocab_size)
    return found | {"files": len(files)}


_TEXTS = {
    "json": '{"a": [1, 2.5, {"b": "hello world, this is", "c": null}], "name": "Reykjavik"}',
    "python": "def f(x, y=3):\n    if x > y and g(x):\n        return [a for a in range(9)]\n",
}


def read_before_text(name: str) -> tuple[Constraint, list[int]]:
    """Return an artifact of a grammar before another part, and a short text."""
    kit = make_prepared_kit()
    constraint = kit.sequence(kit.artifact(load_artifact(name)), kit.choice(["</done>"]))
    return constraint, load_encoder(TOKENIZER).encode(_TEXTS[name])


@row("leaving", "a grammar before another part", read_before_text, *_TEXTS)
def follow_constraint(subject: tuple[Constraint, list[int]]) -> Figures:
    """Read a text twice."""
    constraint, tokens = subject
    return follow_twice(constraint.matcher, [tokens], constraint.vocab_size)
