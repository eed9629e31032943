"""The kinds of artifacts: of a grammar, of a JSON Schema, of a link (tags, tools and choices).

What a command does otherwise for another kind is a method here, so that nobody asks which it is.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

from maskc.artifact.sections import EXAMPLES, is_link, is_schema
from maskc.runtime.link import cut_reply, names_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from maskc.explain import Explanation, TextJudge, TokenName
    from maskc.limits import Limits
    from maskc.runtime.artifact import Artifact
    from maskc.runtime.matcher import Matcher
    from maskc.verify.mask_texts import GeneratedText
    from maskc.verify.subject import Subject


class TextDrawer(Protocol):
    """Draws random texts of one artifact."""

    def draw_text(self, seed: int, number: int, max_tokens: int, /) -> GeneratedText:
        """Return a text that depends on nothing but these numbers."""


class Kind:
    """A grammar, and what the other kinds do otherwise.

    Attributes:
        plural: what artifacts of the kind are called.
        has_rules: whether there are rules and terminals to show.
        takes_resources: whether its texts may refer to other documents.
        no_rules: why rules cannot be followed, and a way out; ``None`` if they can.
    """

    plural = "grammars"
    has_rules = True
    takes_resources = False
    no_rules: tuple[str, str] | None = None

    def explain(
        self,
        artifact: Artifact,
        text: bytes,
        asked: TokenName | None = None,
        resources: Mapping[str, Any] | None = None,
    ) -> Explanation:
        """Return what may come next after a text, or why it is illegal.

        Raises:
            GrammarError, PostlexError: the grammar of the artifact cannot be built again.
            SchemaError: the schema refers to a document that is not given.
            ValueError: there is no token of that id.
        """
        from maskc.explain import explain

        return explain(self.judge(artifact, resources or {}), text, asked)

    def judge(self, artifact: Artifact, resources: Mapping[str, Any]) -> TextJudge:
        """Return what explains the texts of an artifact of this kind."""
        from maskc.explain.readings import GrammarJudge

        del resources
        return GrammarJudge(artifact)

    def cut(self, header: Mapping[str, Any], text: bytes) -> list[bytes | int]:
        """Return a text as bytes, and special tokens where a reply names them."""
        del header
        return [text]

    def accepts(self, artifact: Artifact, matcher: Matcher, text: bytes) -> bool:
        """Return whether a matcher takes a whole text."""
        return all(
            matcher.accept_token(part) if isinstance(part, int) else matcher.accept_bytes(part)
            for part in self.cut(artifact.header, text)
        )

    def encoding(self, header: Mapping[str, Any]) -> str:
        """Return the encoding of an artifact's texts, as Python names it."""
        from maskc.frontends.source import source_from_header

        return "latin-1" if source_from_header(header["grammar"]).use_bytes else "utf-8"

    def open_drawer(self, artifact: Artifact, limits: Limits | None) -> TextDrawer:
        """Return what draws random texts of an artifact of this kind.

        Raises:
            GrammarError, PostlexError: the grammar of the artifact cannot be built again.
            LimitError: the grammar passes a limit.
        """
        from maskc.verify.generation import open_grammar_drawer

        return open_grammar_drawer(artifact, limits)

    def subject(self) -> type[Subject]:
        """Return what verifies an artifact of this kind: its judge, and its experiments."""
        from maskc.verify.grammar import GrammarSubject

        return GrammarSubject

    def check_source(self, artifact: Artifact) -> None:
        """Refuse a source that is none: whoever made the file may have put anything there."""

    def list_source(self, header: Mapping[str, Any]) -> list[tuple[str, str]]:
        """Return what the artifact was made from: its kind with its name first."""
        return [("grammar", header["grammar"]["name"])]

    def _list_examples(self, header: Mapping[str, Any]) -> list[tuple[str, str]]:
        """Return how many example texts there are, if any."""
        n = header.get(EXAMPLES, 0)
        return [("examples", f"{n:,} texts, which `artifact.prepare` follows")] if n else []

    def summarize(self, header: Mapping[str, Any]) -> str:
        """Return in a few words what was compiled, and which choices were made."""
        grammar, counts = header["grammar"], header["counts"]
        return (
            f"{counts['terminals']:,} terminals, {counts['productions']:,} productions, "
            f"parser={grammar.get('parser', 'lalr')}, lexer={grammar['lexer']}"
        )

    def describe(self, arrays: Mapping[str, NDArray[Any]]) -> dict[str, Any]:
        """Return what is in the artifact beside its header, as JSON."""
        del arrays
        return {}


class _NoGrammar(Kind):
    """What has neither rules nor terminals: its texts are drawn from its masks."""

    has_rules = False

    def encoding(self, header: Mapping[str, Any]) -> str:
        del header
        return "utf-8"

    def open_drawer(self, artifact: Artifact, limits: Limits | None) -> TextDrawer:
        from maskc.verify.mask_texts import MaskDrawer

        del limits
        return MaskDrawer(artifact)


class _SchemaKind(_NoGrammar):
    plural = "JSON Schemas"
    takes_resources = True
    no_rules = ("a JSON Schema has no rules", "parse the text, or compile a grammar")
    _CHOICES = ("key_order", "blanks", "escapes", "numbers", "digits")

    def judge(self, artifact: Artifact, resources: Mapping[str, Any]) -> TextJudge:
        from maskc.explain.judges import SchemaJudge

        return SchemaJudge(artifact, resources)

    def subject(self) -> type[Subject]:
        from maskc.verify.schema import SchemaSubject

        return SchemaSubject

    def list_source(self, header: Mapping[str, Any]) -> list[tuple[str, str]]:
        formats = [header["schema_formats"], *header.get("registered_formats", ())]
        return [
            ("JSON Schema", header["grammar"]["name"]),
            ("layout", self._describe_layout(header)),
            ("formats", ", ".join(formats)),
            *self._list_examples(header),
        ]

    def summarize(self, header: Mapping[str, Any]) -> str:
        return f"JSON Schema, {self._describe_layout(header)}"

    def _describe_layout(self, header: Mapping[str, Any]) -> str:
        layout = header["schema_layout"]
        return ", ".join(
            f"{name.replace('_', ' ')} {layout[name]}" for name in self._CHOICES if name in layout
        )

    def describe(self, arrays: Mapping[str, NDArray[Any]]) -> dict[str, Any]:
        plan = json.loads(arrays["schema_plan"].tobytes())
        return {"counts": {name: len(part) for name, part in plan.items() if type(part) is list}}


class _LinkKind(_NoGrammar):
    plural = "structural tags"
    no_rules = ("a structural tag has no rules", "parse the reply, or compile a grammar")

    def judge(self, artifact: Artifact, resources: Mapping[str, Any]) -> TextJudge:
        from maskc.explain.judges import LinkJudge

        del resources
        return LinkJudge(artifact)

    def cut(self, header: Mapping[str, Any], text: bytes) -> list[bytes | int]:
        reply = text.decode(errors="surrogateescape")
        return [
            part if isinstance(part, int) else part.encode(errors="surrogateescape")
            for part in cut_reply(reply, names_of(header))
        ]

    def subject(self) -> type[Subject]:
        from maskc.verify.tag import TagSubject

        return TagSubject

    def check_source(self, artifact: Artifact) -> None:
        from maskc.tags.fields import parse_tag
        from maskc.tags.reading import TagReader

        tag = parse_tag(artifact.contents.arrays["link_source"].tobytes())
        TagReader(artifact.vocab_size, names_of(artifact.header).get).read(tag)

    def list_source(self, header: Mapping[str, Any]) -> list[tuple[str, str]]:
        grammar, link = header["grammar"], header["link"]
        settings = [f"{name} {_say(value)}" for name, value in link["settings"].items()]
        return [
            (grammar["dialect"].replace("-", " "), grammar["name"]),
            *[("settings", ", ".join(settings))] * bool(settings),
            ("parts", self.summarize(header)),
            ("special tokens", ", ".join(link["tokens"]) or "none"),
            *self._list_examples(header),
        ]

    def summarize(self, header: Mapping[str, Any]) -> str:
        counts = header["link"]["counts"]
        return ", ".join(f"{n:,} {name}" for name, n in counts.items() if n)

    def describe(self, arrays: Mapping[str, NDArray[Any]]) -> dict[str, Any]:
        text = arrays["link_source"].tobytes().decode(errors="replace")
        try:
            return {"tag": json.loads(text)}
        except (ValueError, RecursionError):
            return {"tag": text}  # whoever forged it


def _say(value: Any) -> str:
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)


GRAMMAR, SCHEMA, LINK = Kind(), _SchemaKind(), _LinkKind()


def kind_of(header: Mapping[str, Any]) -> Kind:
    """Return the kind of an artifact."""
    return SCHEMA if is_schema(header) else LINK if is_link(header) else GRAMMAR
