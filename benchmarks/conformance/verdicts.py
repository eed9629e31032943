"""On which texts are verdicts compared, and what do Lark, maskc and two peers say to each?

Three kinds: files of the corpus, texts generated from the masks, and either of them with a byte
deleted, doubled or swapped with the next. Lark's verdict on the whole text makes it positive or
negative; a text is of the language or it is not, whatever it was made from.

Example: ``[1,]`` comes of ``[1, 2]`` by two such changes, and no JSON grammar of Lark's parses it.

Blanks around a text are cut off before it is changed, if Lark parses what is left: an engine that
refuses blanks there would refuse every change for the same reason. The text itself is judged too.
Changes that leave no UTF-8 are left out: no engine is given bytes that are no text. So are texts of
more than ``MOST_BYTES``, for the sake of engines that are slow.

Each peer runs in a process of its own that is killed after ``LIMIT_S`` seconds: some grammars take
them very long, and some make them crash. It is given the grammar's text as it is. Both begin at a
rule ``start`` and have no option for another: a grammar that begins elsewhere gets one line more,
``start: NAME``. What a killed process had said by then counts; texts that it did not come to are
counted as open.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from random import Random
from typing import Any

from benchmarks.engines import RefusedError, read_engine
from benchmarks.engines.process import read_lines
from maskc.verify.grammar import GrammarSubject
from maskc.verify.model import VerifyOptions, choose_files, find_corpus, read_text
from maskc.verify.mutation import draw_mutations
from tests.grammars.walks import generate_texts

PEERS = ("llguidance", "xgrammar")
LIMIT_S = 120
FILES, GENERATED, MUTATED = 10, 10, 80
MAX_TOKENS = 60  # after which a generated text is steered to its end
MOST_BYTES = 4_000
SEED = 0


@dataclass(frozen=True, slots=True)
class Text:
    """A text with two verdicts.

    Attributes:
        tokens: as the model's tokenizer writes it.
        is_positive: whether Lark parses it.
        is_accepted: whether maskc takes every token, and then the end.
    """

    tokens: tuple[int, ...]
    is_positive: bool
    is_accepted: bool


def compare_verdicts(artifact: Path, grammar: str, corpus: Sequence[str]) -> dict[str, Any]:
    """Return how verdicts on texts differ from Lark's: maskc's, and those of the peers.

    Args:
        artifact: of the grammar.
        grammar: its text.
        corpus: files and folders.
    """
    judged, start = judge_texts(artifact, corpus)
    n_positive = sum(text.is_positive for text in judged)
    if start != "start":
        grammar += f"\nstart: {start}\n"
    peers = {}
    for name in PEERS:
        try:
            peers[name] = {"version": version(name), **ask_peer(name, grammar, judged)}
        except PackageNotFoundError:
            continue
    return {
        "texts": {"positive": n_positive, "negative": len(judged) - n_positive},
        "differing": sum(text.is_accepted != text.is_positive for text in judged),
        "peers": peers,
    }


def judge_texts(artifact: Path, corpus: Sequence[str]) -> tuple[list[Text], str]:
    """Return texts with Lark's verdict and maskc's, the same ones for the same artifact.

    The start symbol comes with them.
    """
    with tempfile.TemporaryDirectory() as folder:
        subject = GrammarSubject(str(artifact), VerifyOptions(), Path(folder))
        parsed: dict[str, bool] = {}
        bare: dict[str, None] = {}
        for text in (*_read(corpus), *_generate(subject)):
            parsed[text] = subject.parses(text)
            if parsed[text]:
                cut = text.strip()
                parsed.setdefault(cut, subject.parses(cut))
                bare[cut if parsed[cut] else text] = None
        for text in _change([text for text in bare if text]):
            parsed.setdefault(text, subject.parses(text))
        found = []
        for text, is_positive in parsed.items():
            tokens, matcher = tuple(subject.encoder.encode(text)), subject.artifact.matcher()
            is_taken = matcher.accept_tokens(tokens) == len(tokens) and matcher.is_accepting
            found.append(Text(tokens, is_positive, is_taken))
        return found, subject.artifact.header["grammar"]["start"]


def _read(corpus: Sequence[str]) -> Iterator[str]:
    for path in choose_files(find_corpus(corpus, MOST_BYTES).files, FILES, SEED):
        try:
            yield read_text(path, MOST_BYTES)
        except UnicodeDecodeError:
            continue


def _generate(subject: GrammarSubject) -> Iterator[str]:
    drawn = generate_texts(subject.artifact, count=GENERATED, max_tokens=MAX_TOKENS, seed=SEED)
    for generated in drawn:
        if generated.problem is None and len(generated.text.encode()) <= MOST_BYTES:
            yield generated.text


def _change(texts: Sequence[str]) -> Iterator[str]:
    """Yield changed texts, about as many of each."""
    for number, text in enumerate(texts):
        amount = len(range(number, MUTATED, len(texts)))
        for mutation in draw_mutations(text.encode(), amount, Random(f"{SEED}:{number}")):
            try:
                yield mutation.data.decode()
            except UnicodeDecodeError:
                continue


def ask_peer(name: str, grammar: str, texts: Sequence[Text]) -> dict[str, Any]:
    """Return whether a peer loads a grammar, and how its verdicts differ from Lark's.

    ``refused`` counts texts that Lark parses, ``accepted`` those that it refuses; ``open`` those
    without a verdict, because the process ended before, as ``why`` says.
    """
    with tempfile.NamedTemporaryFile("w", suffix=".json") as request:
        json.dump({"grammar": grammar, "texts": [text.tokens for text in texts]}, request)
        request.flush()
        module = "benchmarks.conformance.verdicts"
        lines, end = read_lines(module, name, request.name, seconds=LIMIT_S)
    facts, end = [json.loads(line) for line in lines], _shorten(end)
    if not facts or facts[0] is not True:
        return {"loads": False, "why": _shorten(facts[0]) if facts else end}
    pairs = list(zip(texts, facts[1:], strict=False))
    return {
        "loads": True,
        "refused": sum(text.is_positive and not verdict for text, verdict in pairs),
        "accepted": sum(verdict and not text.is_positive for text, verdict in pairs),
        "open": len(texts) - len(pairs),
        "why": end if len(pairs) < len(texts) else "",
    }


def _shorten(message: str) -> str:
    """Return the first line of a peer's message, without the place in its own source."""
    line = next((line.strip() for line in message.splitlines() if line.strip()), "no reason given")
    line = re.sub(r"\[[\d:]+\] \S+: ", "", line)
    return line if len(line) <= 100 else line[:97] + "…"


def main() -> None:
    """Be a peer: load the grammar, judge the texts, and tell each thing as soon as it is known."""
    name, request = sys.argv[1:]
    asked = json.loads(Path(request).read_text(encoding="utf-8"))
    try:
        start = read_engine(name).compile("lark", asked["grammar"])
        start()
    except RefusedError as error:
        print(json.dumps(str(error)), flush=True)
        return
    print("true", flush=True)
    for tokens in asked["texts"]:
        session = start()
        taken = all(map(session.accept, tokens)) and bool(session.may_end())
        print(json.dumps(taken), flush=True)


if __name__ == "__main__":
    main()
