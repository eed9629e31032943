"""A server that has OpenAI's interface, with maskc behind it: vLLM, SGLang, or one's own.

It is asked for a chat by ``POST /chat/completions`` with a ``response_format`` of the schema, and
answers by server-sent events.
"""

from __future__ import annotations

import http.client
import json
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from maskc.arguments import as_mapping, as_text
from maskc.errors import WrongTypeError, WrongValueError
from maskc.integrations.errors import IntegrationError

if TYPE_CHECKING:
    from maskc.generation.models import Asked, Take, Wanted

_MOST_LINE, _MOST_TOKEN = 1 << 20, 1 << 13  # bytes of an event, and of events for a token


class _Stay(urllib.request.HTTPRedirectHandler):
    """Follows no redirect, which would take the key to another server."""

    def redirect_request(self, *_: Any) -> None:
        return None


@dataclass(frozen=True, slots=True)
class Endpoint:
    """The address of a server.

    Attributes:
        url: up to the version: ``http://localhost:8000/v1``.
        model: its name there; default: the first one that the server lists.
        api_key: sent as a bearer token, to this address only: redirects are not followed.
        fields: further fields of each request.
        seconds: how long the server may be silent.

    Raises:
        WrongValueError: the address is not one of http or https.
    """

    url: str
    model: str | None = None
    api_key: str | None = field(default=None, repr=False)
    fields: Mapping[str, Any] = field(default_factory=dict)
    seconds: float = 600.0

    def __post_init__(self) -> None:
        if not as_text("the address", self.url).startswith(("http://", "https://")):
            raise WrongValueError(f"the address {self.url[:60]!r} is not one of http or https")
        as_mapping("fields", self.fields)

    def write(self, wanted: Wanted, asked: Asked, take: Take) -> str:
        """Ask the server for a text; see :class:`maskc.generation.models.Source`.

        Raises:
            IntegrationError: the server cannot be reached, refuses, or answers something else.
            WrongTypeError: an artifact or a constraint is wanted.
        """
        if wanted.schema is None:
            raise WrongTypeError("a server takes a type or a JSON Schema, not an artifact")
        messages = asked.prompt
        if isinstance(messages, str):
            messages = [{"role": "user", "content": messages}]
        schema = {"name": "answer", "schema": wanted.schema, "strict": True}
        body = {
            "model": self.model or self._find_model(),
            "messages": list(messages),
            "max_tokens": asked.max_tokens,
            "temperature": asked.temperature,
            "response_format": {"type": "json_schema", "json_schema": schema},
            "stream": True,
            **({} if asked.seed is None else {"seed": asked.seed}),
            **self.fields,
        }
        reason = "length"
        for event in self._stream("/chat/completions", body):
            for choice in self._read(event, "choices"):
                reason = choice.get("finish_reason") or reason
                delta = choice.get("delta")
                text = delta.get("content") if isinstance(delta, dict) else None
                if isinstance(text, str) and take(text):
                    return str(reason)
        return str(reason)

    def _find_model(self) -> str:
        with self._open("/models", None) as answer:
            listed = self._read(self._parse(answer.read(_MOST_LINE)), "data")
        if not listed or not isinstance(listed[0].get("id"), str):
            raise self._fault("lists no model", "name one: Endpoint(url, model=…)")
        name: str = listed[0]["id"]
        return name

    def _stream(self, path: str, body: dict[str, Any]) -> Iterator[Any]:
        with self._open(path, json.dumps(body, default=str).encode()) as answer:
            n_left = _MOST_LINE + body["max_tokens"] * _MOST_TOKEN
            while line := self._read_line(answer):
                n_left -= len(line)
                if n_left < 0:
                    raise self._fault("sends more than was requested", "look at its answers")
                data = line.removeprefix(b"data:").strip()
                if line.startswith(b"data:") and data != b"[DONE]":
                    yield self._parse(data)

    def _read_line(self, answer: http.client.HTTPResponse) -> bytes:
        try:
            return answer.readline(_MOST_LINE)
        except (OSError, http.client.HTTPException) as error:
            fact = f"broke off its answer ({error})"
            raise self._fault(fact, "look at the server's log") from None

    def _open(self, path: str, body: bytes | None) -> http.client.HTTPResponse:
        headers = {"Content-Type": "application/json"}
        if self.api_key:
            headers["Authorization"] = f"Bearer {self.api_key}"
        request = urllib.request.Request(self.url.rstrip("/") + path, body, headers)  # noqa: S310 - http only
        try:
            opener = urllib.request.build_opener(_Stay)
            answer: http.client.HTTPResponse = opener.open(request, timeout=self.seconds)
        except urllib.error.HTTPError as error:
            told = error.read(2_000).decode(errors="replace").strip()
            raise self._fault(f"answers {error.code}: {told}", "change the request") from None
        except (OSError, http.client.HTTPException) as error:
            fact = f"cannot be reached ({error})"
            raise self._fault(fact, "check the address, and that the server runs") from None
        return answer

    def _parse(self, data: bytes) -> Any:
        try:
            return json.loads(data)
        except ValueError:
            raise self._fault("answers what is not JSON", "check the address") from None

    def _read(self, answer: Any, name: str) -> list[dict[str, Any]]:
        found = answer.get(name) if isinstance(answer, dict) else None
        if isinstance(found, list) and all(isinstance(one, dict) for one in found):
            return found
        told = answer.get("error") if isinstance(answer, dict) else None
        fact = f"answers an error: {json.dumps(told)}" if told else f"answers without {name!r}"
        raise self._fault(fact, "look at the server's log")

    def _fault(self, fact: str, remedy: str) -> IntegrationError:
        return IntegrationError(self.url, fact, remedy)
