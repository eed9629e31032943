"""An engine without its model, for :mod:`benchmarks.serving.crowd`.

It makes the constraints that come through a pipe on a thread, as vLLM does on two cores, and fills
a mask for each sequence at each step. A token is drawn among those that are legal.
"""

from __future__ import annotations

import time
from concurrent.futures import Future, ThreadPoolExecutor
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

import maskc
from maskc.errors import MaskcError
from maskc.integrations.compile_answers import using
from maskc.integrations.requests import RequestConstraints
from maskc.integrations.session import Session
from maskc.vocab import load_vocabulary

MODEL_SECONDS = 0.01
MOST_TOKENS = 40


class _Sequence:
    def __init__(self, number: int, session: Session, made: float) -> None:
        self.number, self.session, self.made = number, session, made
        self.first = 0.0
        self.n_tokens = 0


class _Engine:
    def __init__(self, pipe: Connection, tokenizer: str) -> None:
        self._pipe = pipe
        vocabulary = load_vocabulary(tokenizer)
        self._constraints = RequestConstraints(vocabulary)
        self._thread = ThreadPoolExecutor(1)
        self._coming: dict[int, Future[_Sequence]] = {}
        self._batch: list[_Sequence] = []
        self._bitmask = maskc.allocate_bitmask(1, vocabulary.vocab_size)
        self._draw = np.random.default_rng(0)
        self._end = vocabulary.eos_ids[0]
        self._steps: list[float] = []

    def run(self) -> None:
        """Work until it is told to stop."""
        while True:
            while self._pipe.poll(0 if self._batch else 0.002):
                message = self._pipe.recv()
                if message is None:
                    return
                self._take(*message)
            self._collect()
            if not self._batch:
                continue
            began = time.monotonic()
            self._batch = [s for s in self._batch if self._step(s)]
            self._steps.append(time.monotonic() - began)
            time.sleep(MODEL_SECONDS)

    def _take(self, number: int, *asked: Any) -> None:
        if number < 0:
            self._pipe.send((number, self._steps))
            self._steps = []
            return
        self._coming[number] = self._thread.submit(self._make, number, *asked)

    def _make(self, number: int, kind: str, text: str, answers: dict[str, bytes]) -> _Sequence:
        with using(answers):
            constraint = self._constraints.make(kind, text)
        return _Sequence(number, Session(constraint), time.monotonic())

    def _collect(self) -> None:
        for number in [n for n, future in self._coming.items() if future.done()]:
            try:
                self._batch.append(self._coming.pop(number).result())
            except MaskcError:
                now = time.monotonic()
                self._pipe.send((number, now, now, False))

    def _step(self, sequence: _Sequence) -> bool:
        sequence.session.fill(self._bitmask, 0)
        if not sequence.first:
            sequence.first = time.monotonic()
        bits = np.unpackbits(self._bitmask[0].view(np.uint8), bitorder="little")
        may_end = bool(bits[self._end])
        legal = np.flatnonzero(bits)
        token = self._end if may_end else int(self._draw.choice(legal))
        sequence.n_tokens += 1
        goes_on = sequence.session.accept(token) and not may_end
        if goes_on and sequence.n_tokens < MOST_TOKENS:
            return True
        self._pipe.send((sequence.number, sequence.made, sequence.first, True))
        return False


def run_engine(pipe: Connection, tokenizer: str) -> None:
    """Make masks for what comes through a pipe until it is told to stop."""
    _Engine(pipe, tokenizer).run()
