"""What the example server takes and answers: OpenAI's interface of completions and chats."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field


class Schema(BaseModel):
    """A JSON Schema in a request; what else OpenAI's interface has there changes nothing."""

    name: str = ""
    json_schema: dict[str, Any] = Field(alias="schema")


class ResponseFormat(BaseModel):
    """What the text is to be: ``text``, ``json_object``, or ``json_schema`` with one."""

    model_config = ConfigDict(extra="forbid")

    type: Literal["text", "json_object", "json_schema"]
    json_schema: Schema | None = None


class Asked(BaseModel):
    """What all requests have. A field that is not known is refused: it might be a constraint."""

    model_config = ConfigDict(extra="forbid")

    model: str = ""
    grammar: str | None = None
    response_format: ResponseFormat | None = None
    max_tokens: int = Field(default=256, ge=1, le=4096)
    temperature: float = Field(default=1.0, ge=0, le=2)
    seed: int | None = None
    stop: str | list[str] = Field(default_factory=list, max_length=16)
    stream: bool = False


class Completion(Asked):
    """The body of a request for a text."""

    prompt: str = Field(max_length=100_000)


class Message(BaseModel):
    """A message of a chat."""

    role: str = Field(max_length=40)
    content: str = Field(max_length=100_000)


class Chat(Asked):
    """The body of a request for a chat: messages in the place of a prompt."""

    messages: list[Message] = Field(min_length=1, max_length=1_000)


@dataclass(frozen=True)
class Form:
    """How an answer is written: as OpenAI's interface has texts, or chats."""

    prefix: str
    object: str
    stream_object: str
    is_chat: bool

    def choice(self, text: str, reason: str | None) -> dict[str, Any]:
        """Return a whole answer."""
        content = {"message": {"role": "assistant", "content": text}}
        return self._choice(content if self.is_chat else {"text": text}, reason)

    def delta(self, text: str, reason: str | None) -> dict[str, Any]:
        """Return a piece of a streamed answer."""
        return self._choice(
            {"delta": {"content": text}} if self.is_chat else {"text": text}, reason
        )

    @staticmethod
    def _choice(content: dict[str, Any], reason: str | None) -> dict[str, Any]:
        return {"index": 0, **content, "logprobs": None, "finish_reason": reason}


TEXT = Form("cmpl", "text_completion", "text_completion", is_chat=False)
CHAT = Form("chatcmpl", "chat.completion", "chat.completion.chunk", is_chat=True)


def write_plainly(messages: list[dict[str, str]]) -> str:
    """Return a chat as a prompt, for a model without a template."""
    lines = [f"{message['role']}: {message['content']}\n" for message in messages]
    return "".join([*lines, "assistant: "])
