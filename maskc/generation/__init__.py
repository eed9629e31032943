"""One call from a type to a value: :func:`maskc.generate` and :func:`maskc.stream`.

What is wanted is written by transformers, llama-cpp-python or a server
(:mod:`maskc.generation.models`). Here what a model writes is followed: its text, stop strings, and
the members that are complete. A model hands over pieces of text and is told when to stop. For a
stream it writes in a thread of its own, which ends with the stream.
"""

from __future__ import annotations

import json
import queue
import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from math import inf
from typing import Any

from maskc.arguments import as_float, as_items, as_list, as_mapping, as_text
from maskc.errors import UnfinishedTextError, WrongValueError
from maskc.generation.models import Asked, Prompt, Source, Wanted, open_source, read_wanted
from maskc.runtime.arguments import as_count, as_number

MAX_TOKENS = 1_024


@dataclass(frozen=True, slots=True)
class Event:
    """What a model has written so far."""

    text: str  # all of it
    delta: str  # the last piece of it
    # the members of the outermost JSON object that are complete, by their names
    fields: Mapping[str, Any] = field(default_factory=dict)
    # of the last event: stop, the text is whole; length, it was cut at max_tokens; stop_string, it
    # ended before one of these. None before that
    finish_reason: str | None = None
    # of the last event, if its text is whole; a text that a stop string ended is its own
    value: Any = None


class MemberReader:
    """Reads the members of a JSON text's outermost object, each when it is complete."""

    def __init__(self) -> None:
        self.found: dict[str, Any] = {}
        self._member: list[str] = []  # the characters of the member that is being written
        self._depth, self._is_object = 0, False
        self._is_quoted, self._is_escaped = False, False

    def feed(self, text: str) -> None:
        """Read what comes next of a text that is JSON."""
        for character in text:
            if self._is_quoted:
                self._is_quoted = self._is_escaped or character != '"'
                self._is_escaped = character == "\\" and not self._is_escaped
            elif character == '"':
                self._is_quoted = True
            elif character in "[{":
                self._depth += 1
                if self._depth == 1:
                    self._is_object = character == "{"
                    continue
            elif character in "]}":
                self._depth -= 1
            if self._depth == 0 or (self._depth == 1 and character == "," and not self._is_quoted):
                self._end_member()
            else:
                self._member.append(character)

    def _end_member(self) -> None:
        text, self._member = "".join(self._member), []
        if self._is_object and text.strip():
            # A server that keeps no schema can write what is no JSON; reading the whole text tells.
            with suppress(ValueError, RecursionError):
                self.found |= json.loads(f"{{{text}}}")


class Writing:
    """A text that is being written.

    Args:
        wanted: what it is to be.
        stop: strings before which it ends.
        members: reads the members that events have.
    """

    def __init__(
        self, wanted: Wanted, stop: Sequence[str], members: MemberReader | None = None
    ) -> None:
        self._wanted, self._stop, self._members = wanted, stop, members
        self._held = ""  # what may be the beginning of a stop string
        self.is_stopped = False  # whether a stop string has come
        self.text = ""  # so far, without what may be the beginning of a stop string

    def take(self, piece: str) -> Event:
        self._held += piece
        ends = [start for word in self._stop if (start := self._held.find(word)) >= 0]
        self.is_stopped = bool(ends)
        return self._show(min(ends) if ends else len(self._held) - self._count_held())

    def _count_held(self) -> int:
        lengths = range(min(len(self._held), max(map(len, self._stop), default=0)), 0, -1)
        held = self._held
        return next((n for n in lengths if any(w.startswith(held[-n:]) for w in self._stop)), 0)

    def _show(self, n: int) -> Event:
        delta, self._held = self._held[:n], self._held[n:]
        self.text += delta
        if self._members is not None:
            self._members.feed(delta)
        return Event(self.text, delta, self._fields())

    def _fields(self) -> dict[str, Any]:
        return {} if self._members is None else dict(self._members.found)

    def finish(self, reason: str) -> Event:
        if self.is_stopped:
            is_text = self._wanted.schema is None
            value = self.text if is_text else None
            return Event(self.text, "", self._fields(), "stop_string", value)
        delta = self._show(len(self._held)).delta
        value = self._wanted.read(self.text) if reason == "stop" else None
        return Event(self.text, delta, self._fields(), reason, value)


def generate(
    model: Any,
    tokenizer: Any,
    wanted: Any,
    *,
    prompt: Prompt,
    max_tokens: int = MAX_TOKENS,
    temperature: float = 0.0,
    seed: int | None = None,
    stop: str | Sequence[str] = (),
    style: str | None = None,
) -> Any:
    """Return what a model writes, as a value.

    Args:
        model: of transformers, a ``llama_cpp.Llama``, or the address of a server that has OpenAI's
            interface with maskc behind it: a URL such as ``http://localhost:8000/v1``, or an
            :class:`maskc.Endpoint`.
        tokenizer: of transformers, or a name or path of one; ``None`` with the other models.
        wanted: a Python type: the value is one of it; a JSON Schema: the value is parsed JSON; an
            artifact or a constraint for the model: the value is the text. Types other than classes
            with ``model_json_schema()`` need Pydantic.
        prompt: a text, or the messages of a chat, which the model's template writes.
        max_tokens: within which the text ends. A server keeps it if its settings say so.
        temperature: 0 takes the likeliest token each time.
        seed: of the drawing.
        stop: strings before which a text ends.
        style: of JSON, see :func:`maskc.compile_json_schema`; default: ``plain`` for a type,
            ``any`` for a schema.

    Raises:
        IntegrationError: the model is none of these, or cannot be asked.
        MaskcError: the type, schema or prompt cannot be taken; one of its subclasses says why.
        TokensLeftError: no text ends within ``max_tokens``.
        UnfinishedTextError: the text was cut before its end.
    """
    about, source, asked, words = _read(
        model, tokenizer, wanted, prompt, max_tokens, temperature, seed, stop, style
    )
    writing = Writing(about, words)

    def take(piece: str) -> bool:
        writing.take(piece)
        return writing.is_stopped

    last = writing.finish(source.write(about, asked, take))
    if last.finish_reason == "length" or (last.finish_reason == "stop_string" and about.schema):
        raise UnfinishedTextError(last.text, str(last.finish_reason), asked.max_tokens)
    return last.value


def stream(
    model: Any,
    tokenizer: Any,
    wanted: Any,
    *,
    prompt: Prompt,
    max_tokens: int = MAX_TOKENS,
    temperature: float = 0.0,
    seed: int | None = None,
    stop: str | Sequence[str] = (),
    style: str | None = None,
) -> Iterator[Event]:
    """Yield what a model has written so far, after each piece of it.

    The arguments are those of :func:`maskc.generate`. The last event has the finish reason, and
    the value if the text is whole. The model stops when the iterator is closed.

    Raises:
        MaskcError: as :func:`maskc.generate`, but for ``UnfinishedTextError``.
    """
    about, source, asked, words = _read(
        model, tokenizer, wanted, prompt, max_tokens, temperature, seed, stop, style
    )
    members = None if about.schema is None else MemberReader()
    return _stream(Writing(about, words, members), about, source, asked)


def _read(
    model: Any,
    tokenizer: Any,
    wanted: Any,
    prompt: Any,
    max_tokens: Any,
    temperature: Any,
    seed: Any,
    stop: Any,
    style: str | None,
) -> tuple[Wanted, Source, Asked, tuple[str, ...]]:
    """Return what is wanted, who writes it, and how; all arguments are checked."""
    about = read_wanted(wanted, style)
    if as_count("max_tokens", max_tokens) < 1:
        raise WrongValueError("max_tokens is 0; give at least 1")
    words = (stop,) if isinstance(stop, str) else tuple(as_items("stop", stop))
    if any(not as_text("a stop string", word) for word in words):
        raise WrongValueError("a stop string is empty; leave it out")
    heat = as_float("temperature", temperature)
    if not 0 <= heat < inf:
        raise WrongValueError(f"temperature is {heat}; give 0 or more")
    said = prompt
    if not isinstance(prompt, str):
        messages = as_list("a prompt of messages", prompt)
        said = [as_mapping("a message of the prompt", message) for message in messages]
    drawn = None if seed is None else as_number("seed", seed)
    asked = Asked(said, int(max_tokens), heat, drawn)
    return about, open_source(model, tokenizer), asked, words


def _stream(writing: Writing, about: Wanted, source: Source, asked: Asked) -> Iterator[Event]:
    """Yield events from a thread in which the model writes."""
    events: queue.SimpleQueue[Event | None] = queue.SimpleQueue()
    is_left = threading.Event()

    def take(piece: str) -> bool:
        event = writing.take(piece)
        if event.delta:
            events.put(event)
        return writing.is_stopped or is_left.is_set()

    with ThreadPoolExecutor(1, "maskc.stream") as threads:
        reason = threads.submit(source.write, about, asked, take)
        reason.add_done_callback(lambda _: events.put(None))
        try:
            while (event := events.get()) is not None:
                yield event
            yield writing.finish(reason.result())
        finally:
            is_left.set()
