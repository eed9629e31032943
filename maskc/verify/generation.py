"""Experiment 2: are texts of the grammar legal, and is every text that the masks allow parsed?

Half of the texts are drawn by the grammar's rules (:mod:`maskc.verify.drawing`), varied in length,
with each rule in its turn. Lark and the artifact must agree on each of them, and where both take
it, so must the masks along its tokens. The other half begin like such a text and go on with tokens
drawn from the masks (:mod:`maskc.verify.walks`); these must not get stuck, and Lark must parse what
comes of them. A unit is one text of each kind.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from random import Random

from lark import Lark

from maskc.bounded import run_bounded
from maskc.errors import TokenizerError
from maskc.frontends.lark.build import build_lark
from maskc.frontends.source import source_from_header
from maskc.limits import Limits
from maskc.runtime.artifact import Artifact, load
from maskc.verify.drawing import Drawing, Drawn
from maskc.verify.model import Document, Experiment, Unit, legality, place_of
from maskc.verify.oracle import Oracle
from maskc.verify.subject import Subject, build_oracle
from maskc.verify.walks import GeneratedText, Walks

PER_UNIT = 2  # texts drawn in one unit
_TRIES = 40  # to draw a text that is one of the grammar's
_MOST_BEGUN = 400  # characters of the beginning of a walk
_PART = 8  # of the longest text that a walk after a beginning may add


def generate_texts(
    artifact: Artifact, *, count: int, max_tokens: int, seed: int, limits: Limits | None = None
) -> Iterator[GeneratedText]:
    """Yield texts, the same ones for the same seed.

    Args:
        artifact: of a grammar.
        count: how many texts.
        max_tokens: about how many lexemes one may have.
        seed: of the random choices.
        limits: what building Lark's parser may take.
    """
    drawer = _build_drawer(artifact, limits)
    for number in range(count):
        yield drawer.draw_text(seed, number, max_tokens)


def draw_text(
    path: str, start: str | None, number: int, *, max_tokens: int, seed: int, limits: Limits
) -> GeneratedText:
    """Return one of the texts of :func:`generate_texts`.

    Lark tries the grammar's patterns meanwhile, so this is for a process that can be ended; it
    keeps what it has made for the next text.

    Args:
        path: of the artifact.
        start: the start symbol; ``None``: the artifact's first one.
        number: of the text.
        max_tokens: as above, and so are the others.
        seed: of the random choices.
        limits: what building Lark's parser may take.
    """
    return _open_drawer(path, start, limits).draw_text(seed, number, max_tokens)


def list_unreached(
    path: str, start: str | None, rules: frozenset[int], *, limits: Limits
) -> tuple[int, tuple[str, ...]]:
    """Return how many rules texts can be made with, and those that are not among some.

    Args:
        path: of the artifact.
        start: the start symbol; ``None``: the artifact's first one.
        rules: numbers of those that :func:`draw_text` has made texts with.
        limits: what building Lark's parser may take.
    """
    return _open_drawer(path, start, limits).drawing.list_others(rules)


@lru_cache(maxsize=1)
def _open_drawer(path: str, start: str | None, limits: Limits) -> _Drawer:
    return _build_drawer(load(path).for_start(start), limits)


def _build_drawer(artifact: Artifact, limits: Limits | None) -> _Drawer:
    source = source_from_header(artifact.header["grammar"])
    lark = run_bounded(lambda: build_lark(source), limits)
    return _Drawer(artifact, lark, build_oracle(lark))


class _Drawer:
    def __init__(self, artifact: Artifact, lark: Lark, oracle: Oracle) -> None:
        self._artifact, self._oracle = artifact, oracle
        self.encoding = oracle.steps.encoding
        self.drawing, self.walks = Drawing(lark, oracle), Walks(artifact, oracle)

    def draw_text(self, seed: int, number: int, max_tokens: int) -> GeneratedText:
        """Return a text that depends on nothing but these numbers.

        It is drawn by the rules; from the masks, if nothing that is drawn so is legal.
        """
        self._oracle.forget()
        draw = Random(f"{seed}:{number}")
        for tried, drawn in enumerate(self.propose(draw, seed, number, max_tokens)):
            if drawn is not None and self.is_legal(drawn.text):
                return GeneratedText(drawn.text, drawn.n_lexemes, None, tried, drawn.rules)
        return self.walks.draw(draw, max_tokens)

    def propose(
        self, draw: Random, seed: int, number: int, max_tokens: int
    ) -> Iterator[Drawn | None]:
        """Yield texts that the rules derive, of all lengths; ``None`` where nothing came of one."""
        for tried in range(_TRIES):
            # Short and long ones alike; shorter from try to try, as they come true more often.
            size = int(max_tokens ** (draw.random() ** 0.5 * (1 - tried / _TRIES)))
            yield self.drawing.draw(draw, seed=seed, number=number, size=size)

    def is_legal(self, text: str) -> bool:
        """Return whether the artifact takes a text to its end."""
        matcher = self._artifact.matcher()
        return matcher.accept_bytes(text.encode(self.encoding)) and matcher.is_accepting


def check_generation(subject: Subject, unit: Unit, found: Experiment) -> None:
    """Draw the texts of a unit, and record where Lark and the artifact do not agree."""
    drawer = _drawer_of(subject)
    first = unit.number * PER_UNIT
    for number in range(first, first + unit.amount):
        subject.fresh_oracle()
        name = f"generated text {number} of seed {subject.options.seed}"
        draw = Random(f"{subject.options.seed}:{number}")
        drawn = _find_agreed(subject, drawer, draw, number, name, found)
        is_walk = number % PER_UNIT > 0 or drawn is None
        found.count("texts")
        found.count("drawn from the masks" if is_walk else "drawn by the rules")
        if is_walk:
            text = _check_walk(subject, drawer, draw, drawn, name, found)
        else:
            text = drawn.text if drawn is not None else None
        if text is not None:
            found.count("characters", len(text))
            _check_tokens(
                subject, Document(name, text, encoding=drawer.encoding), found, is_new=not is_walk
            )


def _find_agreed(
    subject: Subject, drawer: _Drawer, draw: Random, number: int, name: str, found: Experiment
) -> Drawn | None:
    """Draw texts by the rules until one is of the grammar, by Lark and by the artifact."""
    options = subject.options
    for drawn in drawer.propose(draw, options.seed, number, options.max_tokens):
        if drawn is not None:
            is_legal, is_parsed = drawer.is_legal(drawn.text), subject.parses(drawn.text)
            if is_legal and is_parsed:
                return drawn
            if is_legal != is_parsed:
                found.fail(
                    what="Lark and the artifact do not agree on a text",
                    file=name,
                    text=drawn.text,
                    maskc="accepts the text" if is_legal else "refuses the text",
                    lark="parses the text" if is_parsed else "refuses the text",
                )
        found.count("drawn again")
    return None


def _check_walk(
    subject: Subject,
    drawer: _Drawer,
    draw: Random,
    drawn: Drawn | None,
    name: str,
    found: Experiment,
) -> str | None:
    """Draw a text from the masks, after the beginning of another one; return it if it is sound."""
    whole = drawn.text[:_MOST_BEGUN] if drawn is not None else ""
    beginning = whole[: draw.randint(0, len(whole))].encode(drawer.encoding)
    most = subject.options.max_tokens
    walked = drawer.walks.draw(draw, max(1, most // _PART) if beginning else most, beginning)
    found.count("tokens", walked.n_tokens)
    found.count("ends searched again", walked.n_retries)
    data = walked.text.encode(drawer.encoding)
    if walked.problem is not None:
        found.fail(what=walked.problem, file=name, **place_of(data, len(data)))
    elif not subject.parses(walked.text):
        found.fail(
            what="a text that the masks allow is refused by Lark",
            file=name,
            text=walked.text,
            maskc="legal",
            lark="refuses the text",
        )
    else:
        return walked.text
    return None


def _check_tokens(subject: Subject, document: Document, found: Experiment, *, is_new: bool) -> None:
    """Leave a text to the other experiments, if the model's tokenizer can write it.

    Of one that is new to the masks, each token must be legal.
    """
    try:
        tokens = subject.encode(document.text)
    except TokenizerError:
        found.count("not in the vocabulary")
        return
    found.documents.append(replace(document, n_tokens=len(tokens)))
    if not is_new:
        return
    matcher, n_written = subject.artifact.matcher(), 0
    for token in tokens:
        is_in_mask = bool(subject.legal(matcher)[token])
        if not is_in_mask or not matcher.accept_token(token):
            found.fail(
                what="a token is illegal in a text that Lark parses",
                file=document.name,
                **place_of(document.data, n_written),
                token=repr(subject.artifact.token_bytes(token)),
                maskc=f"{legality(is_legal=is_in_mask)} in the mask",
                lark="parses the text",
            )
            return
        n_written += len(subject.artifact.token_bytes(token) or b"")
    found.count("tokens", len(tokens))


@lru_cache(maxsize=1)
def _drawer_of(subject: Subject) -> _Drawer:
    return _Drawer(subject.artifact, subject.lark, subject.oracle)
