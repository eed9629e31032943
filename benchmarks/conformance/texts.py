"""On which texts are verdicts compared, and what does Lark say to each?

Three kinds: files of the corpus, texts generated from the masks, and either of them with a byte
deleted, doubled or swapped with the next. Lark's verdict on the whole text makes it positive or
negative; a text is of the language or it is not, whatever it was made from.

Example: ``[1,]`` comes of ``[1, 2]`` by two such changes, and no JSON grammar of Lark's parses it.

Blanks around a text are cut off before it is changed, if Lark parses what is left: an engine that
refuses blanks there would refuse every change for the same reason. The text itself is judged too.
Changes that leave no UTF-8 are left out: no engine is given bytes that are no text. So are texts of
more than ``MOST_BYTES``, for the sake of engines that are slow.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from maskc.runtime.artifact import Artifact
from maskc.verify.files import choose_files, find_corpus, read_text
from maskc.verify.generation import generate_texts
from maskc.verify.model import VerifyOptions
from maskc.verify.mutation import draw_mutations
from maskc.verify.subject import Subject

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


def judge_texts(artifact: Path, corpus: Sequence[str]) -> list[Text]:
    """Return texts with Lark's verdict and maskc's, the same ones for the same artifact."""
    with tempfile.TemporaryDirectory() as folder:
        subject = Subject(str(artifact), VerifyOptions(), Path(folder))
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
        return [_judge(subject, text, is_positive) for text, is_positive in parsed.items()]


def _read(corpus: Sequence[str]) -> Iterator[str]:
    for path in choose_files(find_corpus(corpus, MOST_BYTES).files, FILES, SEED):
        try:
            yield read_text(path, MOST_BYTES)
        except UnicodeDecodeError:
            continue


def _generate(subject: Subject) -> Iterator[str]:
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


def _judge(subject: Subject, text: str, is_positive: bool) -> Text:  # noqa: FBT001 - a verdict
    tokens = tuple(subject.encoder.encode(text))
    return Text(tokens, is_positive, accepts(subject.artifact, tokens))


def accepts(artifact: Artifact, tokens: Sequence[int]) -> bool:
    """Return whether every token is legal in its turn, and the end after the last."""
    matcher = artifact.matcher()
    return matcher.accept_tokens(tokens) == len(tokens) and matcher.is_accepting
