"""Sequences under a server's load: drafts, roll-backs, forks, illegal tokens, cancellations.

64 sequences of mixed artifacts stand in one batch. A step fills all masks in one call, draws a
legal token for each sequence and accepts it. Now and then a sequence is given drafts that are
rolled back, is forked and goes on as its fork, is offered an illegal token, which it must refuse,
or is cancelled and replaced by a new one. At a length drawn before, a sequence is stopped and its
text is written to a file, of which Lark and the oracle are asked.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

import maskc

MOST_TOKENS, MAX_DRAFT = 200, 5
DRAFT, FORK, ILLEGAL, CANCEL = 0.05, 0.02, 0.02, 0.003
MAX_GROWTH = 1.05


@dataclass(slots=True)
class Sequence:
    """A request.

    Attributes:
        name: of its grammar.
        artifact, matcher: of its grammar.
        limit: tokens after which it is stopped.
        ids: its tokens.
    """

    name: str
    artifact: maskc.Artifact
    matcher: maskc.Matcher
    limit: int
    ids: list[int] = field(default_factory=list)


class Soak:
    """A batch of sequences under load.

    Args:
        artifacts: by name.
        n_sequences: how many there are at any time.
        texts: file that the texts are written to.
    """

    def __init__(self, artifacts: dict[str, maskc.Artifact], n_sequences: int, texts: Any) -> None:
        self._artifacts, self._texts, self._draw = artifacts, texts, Random(0)
        self.counts = dict.fromkeys(
            ("steps", "tokens", "texts", "ended", "drafts", "rollbacks", "forks", "refused"), 0
        )
        self.counts["cancelled"] = 0
        self._sequences = [self._start() for _ in range(n_sequences)]
        width = max(artifact.vocab_size for artifact in artifacts.values())
        self._bitmask = maskc.allocate_bitmask(n_sequences, width)
        self._rows = list(range(n_sequences))

    def step(self) -> None:
        """Fill all masks, and move each sequence.

        Raises:
            ValueError: a matcher and its mask disagree.
        """
        matchers = [sequence.matcher for sequence in self._sequences]
        maskc.fill_bitmasks(matchers, self._bitmask, self._rows)
        self.counts["steps"] += 1
        for row, sequence in enumerate(self._sequences):
            self._sequences[row] = self._move(sequence, self._bitmask[row])

    def _move(self, sequence: Sequence, mask: np.ndarray[Any, Any]) -> Sequence:
        draw, chance = self._draw, self._draw.random()
        legal = np.unpackbits(mask.view(np.uint8), bitorder="little")
        if chance < ILLEGAL:
            self._offer_illegal(sequence, legal)
        elif chance < ILLEGAL + FORK:
            sequence.matcher = sequence.matcher.fork()
            self.counts["forks"] += 1
        elif chance < ILLEGAL + FORK + DRAFT:
            self._draft(sequence)
        elif chance < ILLEGAL + FORK + DRAFT + CANCEL:
            self.counts["cancelled"] += 1
            return self._start()
        ids = np.flatnonzero(legal)
        if not len(ids):
            raise ValueError(f"{sequence.name}: nothing is legal after {sequence.ids}")
        token = int(ids[draw.randrange(len(ids))])
        if not sequence.matcher.accept_token(token):
            raise ValueError(f"{sequence.name}: {token} is in the mask and refused")
        self.counts["tokens"] += 1
        if not sequence.matcher.is_terminated:
            sequence.ids.append(token)
        if sequence.matcher.is_terminated or len(sequence.ids) >= sequence.limit:
            self._write(sequence)
            return self._start()
        return sequence

    def _start(self) -> Sequence:
        name = self._draw.choice(sorted(self._artifacts))
        artifact = self._artifacts[name]
        return Sequence(name, artifact, artifact.matcher(), self._draw.randint(4, MOST_TOKENS))

    def _draft(self, sequence: Sequence) -> None:
        """Take some tokens and take them back; the mask must be as before."""
        before, after = (maskc.allocate_bitmask(1, sequence.artifact.vocab_size) for _ in range(2))
        sequence.matcher.fill_bitmask(before, 0)
        n_taken = 0
        for _ in range(self._draw.randint(1, MAX_DRAFT)):
            sequence.matcher.fill_bitmask(after, 0)
            ids = np.flatnonzero(np.unpackbits(after.view(np.uint8), bitorder="little"))
            if sequence.matcher.is_terminated or not len(ids):
                break
            n_taken += sequence.matcher.accept_token(int(self._draw.choice(ids.tolist())))
        sequence.matcher.rollback(n_taken)
        sequence.matcher.fill_bitmask(after, 0)
        if not np.array_equal(before, after):
            raise ValueError(f"{sequence.name}: a roll-back changed the mask at {sequence.ids}")
        self.counts["drafts"] += n_taken
        self.counts["rollbacks"] += 1

    def _offer_illegal(self, sequence: Sequence, legal: np.ndarray[Any, Any]) -> None:
        token = self._draw.randrange(sequence.artifact.vocab_size)
        if legal[token]:
            return
        if sequence.matcher.accept_token(token):
            raise ValueError(f"{sequence.name}: {token} is not in the mask and taken")
        self.counts["refused"] += 1

    def _write(self, sequence: Sequence) -> None:
        parts = (sequence.artifact.token_bytes(token) or b"" for token in sequence.ids)
        ended = sequence.matcher.is_terminated
        row = {"name": sequence.name, "ended": ended, "text": b"".join(parts).hex()}
        self._texts.write(json.dumps(row) + "\n")
        self.counts["texts"] += 1
        self.counts["ended"] += ended


def judge(artifacts: dict[str, maskc.Artifact], texts: Path, seconds: float) -> dict[str, int]:
    """Return what Lark says of the texts, as many as there is time for.

    Args:
        artifacts: by name.
        texts: the file, a random order.
        seconds: begin no text after so long.
    """
    from maskc.frontends.lark.build import build_lark
    from maskc.frontends.source import source_from_header
    from maskc.verify.general import build_oracle, parses
    from maskc.verify.oracle import Undecided

    larks = {
        name: build_lark(source_from_header(artifact.header["grammar"]))
        for name, artifact in artifacts.items()
    }
    oracles = {name: build_oracle(lark) for name, lark in larks.items()}
    found = dict.fromkeys(("judged", "parsed", "illegal", "undecided"), 0)
    rows = [json.loads(line) for line in texts.read_text().splitlines()]
    Random(0).shuffle(rows)
    begin = time.monotonic()
    for row in rows:
        if time.monotonic() - begin > seconds:
            break
        name, data = row["name"], bytes.fromhex(row["text"])
        found["judged"] += 1
        if row["ended"]:
            found["parsed" if parses(larks[name], data.decode()) else "illegal"] += 1
            continue
        oracles[name].forget()
        try:
            is_legal, witness = oracles[name].at(data).decide(b"")
        except Undecided:
            found["undecided"] += 1
            continue
        is_parsed = is_legal and witness is not None and parses(larks[name], witness)
        found["parsed" if is_parsed else "illegal"] += 1
    return found


def is_flat(samples: list[tuple[float, float, int]]) -> bool:
    """Return whether memory has stopped growing in the second half."""
    resident = [mib for _, mib, _ in samples]
    middle = len(resident) // 2
    return max(resident[middle:]) <= MAX_GROWTH * max(resident[:middle])
