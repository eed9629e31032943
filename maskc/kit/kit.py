"""A tokenizer's part of every constraint, and what requests bring: linked in milliseconds.

A kit holds the tries of a vocabulary, the rows of masks that are known so far, and the pieces that
requests have asked for. A piece is found again by what it was asked for with; rows are found
again by what the piece is, so that two schemas share what is the same in them. All of this is one
budget in bytes, and one pool of numbered masks: a mask's number is its row in
:meth:`Kit.mask_table`, whichever constraint it came from.

Nothing is walked before a mask asks for it; :meth:`maskc.kit.constraint.Constraint.prepare` asks
ahead. What takes long at a request is compiling a schema, a pattern or a grammar, and that has
limits in time and memory; an error leaves the kit as it was.

Source: XGrammar 2, its lazy compilation and cross-grammar cache (papers/xgrammar2.md).
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maskc.arguments import as_items, as_list, as_one_of, as_text
from maskc.artifact.sections import is_link
from maskc.errors import ArtifactError, GrammarError, WrongTypeError, WrongValueError
from maskc.frontends.embedded import describe_embedded, has_embedded
from maskc.frontends.settings import check_given
from maskc.frontends.source import load_source
from maskc.jobs import name_json, read_schema_job
from maskc.kit.compiling import Compiler, GrammarOrder
from maskc.kit.constraint import Constraint, KitTokens
from maskc.kit.examples import prepare
from maskc.kit.making import ArtifactConstraint, Maker
from maskc.kit.tagging import constrain_tag
from maskc.limits import MEGABYTE, Limits, as_limits
from maskc.runtime import Shared
from maskc.runtime.arguments import as_count
from maskc.runtime.artifact import DEFAULT_CACHE_BYTES, Artifact, load
from maskc.runtime.link.joining.expressions import Expression
from maskc.runtime.link.text import FreeWords
from maskc.runtime.step_budget import USUAL_STEPS
from maskc.tags.fields import parse_tag
from maskc.tags.tools import describe_tools, name_of

_SETTINGS = ("start", "parser", "lexer", "postlex", "roles", "rules")  # of a Lark grammar
# Of one request: a server compiles it while others wait.
REQUEST_LIMITS = Limits(seconds=5.0, bytes=500 * MEGABYTE, text=200_000, work=20_000)


class Kit(Shared):
    """Makes constraints for one tokenizer. Safe to use from any thread.

    ``copy.copy`` and ``copy.deepcopy`` return it itself, and it is not pickled.

    Args:
        tokens: of the tokenizer.
        cache_bytes: how much memory all that is cached may take: half of it for masks that have a
            number, an eighth for other masks, the rest for everything else.
        compiler: of what requests bring; ``None``: in the process and the thread that ask.
        steps: how much may be looked at for one mask of linked parts, and for reading one token; a
            step takes one to two microseconds. Beyond it a matcher raises a ``LimitError``.

    Attributes:
        tokens: of the tokenizer.
        vocab_size: number of tokens, padding included.
    """

    pickle_remedy = "send the path of its file, and maskc.load_kit it there"

    def __init__(
        self,
        tokens: KitTokens,
        *,
        cache_bytes: int = DEFAULT_CACHE_BYTES,
        compiler: Compiler | None = None,
        steps: int = USUAL_STEPS,
    ) -> None:
        self.tokens, self.vocab_size = tokens, tokens.vocab_size
        n_bytes, n_steps = as_count("cache_bytes", cache_bytes), as_count("steps", steps)
        self._maker = Maker(tokens, n_bytes, compiler, n_steps)

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the tokens, as artifacts have it."""
        return self.tokens.fingerprint

    def json_schema(
        self,
        schema: Any,
        *,
        resources: Mapping[str, Any] | None = None,
        component: str | None = None,
        dialect: str | None = None,
        style: str | None = None,
        key_order: str | None = None,
        blanks: str | None = None,
        escapes: str | None = None,
        numbers: str | None = None,
        digits: int | None = None,
        formats: str | Mapping[str, str] = "assert",
        on_unsupported: str = "refuse",
        limits: Limits = REQUEST_LIMITS,
    ) -> Constraint:
        """Return the constraint of a JSON Schema; see :func:`maskc.compile_json_schema`.

        With ``on_unsupported="loosen"`` a part that cannot be compiled is replaced by the nearest
        larger one that can, and :attr:`Constraint.notes` says so; else it is refused.

        Raises:
            LimitError: a limit was reached.
            SchemaError: the schema cannot be compiled.
            ValueError: a choice of layout is not one of those that there are.
        """
        job = read_schema_job(
            schema,
            resources,
            component=component,
            dialect=dialect,
            style=style,
            formats=formats,
            key_order=key_order,
            blanks=blanks,
            escapes=escapes,
            numbers=numbers,
            digits=digits,
        )
        make = self._maker.loose_schema if _loosens(on_unsupported) else self._maker.schema
        return make(job, as_limits(limits))

    def choice(self, words: Iterable[str | float | Enum]) -> Constraint:
        """Return the constraint of one of some words, at least one.

        Args:
            words: texts, numbers, or members of an ``Enum`` with such values, as which they are
                written; an ``Enum`` stands for all its members.

        Raises:
            GrammarError: there is none, or one is not UTF-8.
            TypeError: it is one text, a mapping, or has something else.
        """
        given = map(write_choice, as_list("choices", words))
        data = _encode("<choice>", "a choice", given)
        if not data:
            raise GrammarError("<choice>", "there is no choice; give at least one")
        name = hashlib.sha256(json.dumps([word.decode() for word in data]).encode()).hexdigest()
        return self._maker.constrain("choice", name, lambda: self._maker.words(data))

    def regex(self, pattern: str, *, limits: Limits = REQUEST_LIMITS) -> Constraint:
        """Return the constraint of the texts that ``re.fullmatch`` takes.

        Raises:
            GrammarError: ``re`` refuses the pattern, or it is not regular.
            LimitError: a limit was reached.
        """
        return self._maker.regex(as_text("a pattern", pattern), as_limits(limits))

    def text(self, *, without: Iterable[str] = ()) -> Constraint:
        """Return the constraint of free text.

        Args:
            without: what does not stand in it, such as the delimiter that ends it.

        Raises:
            GrammarError: a word is empty, or not UTF-8.
        """
        forbidden = _encode("<text>", "a word", as_items("without", without))
        if b"" in forbidden:
            raise GrammarError("<text>", "every text contains the empty text; leave it out")
        free = self._maker.composer.free_text(
            FreeWords(forbidden=tuple(forbidden)), (), loops=False
        )
        return self._maker.link(free)

    def lark(self, text: str, *, limits: Limits = REQUEST_LIMITS, **settings: Any) -> Constraint:
        """Return the constraint of a Lark grammar; see :func:`maskc.compile_grammar`.

        Args:
            text: of the grammar; it is never taken for a path.
            limits: what compiling may take.
            settings: ``start``, ``parser``, ``lexer``, ``postlex``, ``roles``, ``rules``.

        Raises:
            MaskcError: one of its subclasses says what is wrong with the grammar or a setting.
        """
        for name in settings:
            if name not in _SETTINGS:
                known = ", ".join(_SETTINGS)
                raise WrongTypeError(f"a Lark grammar has no setting {name[:40]!r}; give {known}")
        check_given(settings)
        if not has_embedded(as_text("a grammar", text)):
            return self._grammar("lark", text, limits, settings)

        def describe() -> Mapping[str, Any]:
            # What has a line break is taken for a text.
            return describe_embedded(load_source(f"{text}\n", dialect="lark", **settings))

        return constrain_tag(
            self._maker,
            describe,
            as_limits(limits),
            kind="lark",
            asked=text if not settings else None,
            names_as_text=True,
            loosens=False,
        )

    def gbnf(self, text: str, *, limits: Limits = REQUEST_LIMITS) -> Constraint:
        """Return the constraint of a grammar in llama.cpp's notation."""
        return self._grammar("gbnf", text, limits, {})

    def ebnf(self, text: str, *, limits: Limits = REQUEST_LIMITS) -> Constraint:
        """Return the constraint of a grammar in the W3C's notation."""
        return self._grammar("ebnf", text, limits, {})

    def structural_tag(
        self,
        tag: Mapping[str, Any] | str,
        *,
        on_unsupported: str = "refuse",
        limits: Limits = REQUEST_LIMITS,
    ) -> Constraint:
        """Return the constraint of a structural tag, of either request form.

        Args:
            tag: parsed, or its JSON text.
            on_unsupported: as for :meth:`json_schema`.
            limits: what compiling may take.

        Raises:
            GrammarError: a pattern or a grammar in it is refused.
            LimitError: a limit was reached.
            SchemaError: a JSON Schema in it cannot be compiled.
            TagError: it is no structural tag, or asks for what is not supported.
        """
        given = parse_tag(tag)
        return constrain_tag(
            self._maker,
            lambda: given,
            as_limits(limits),
            kind="tag",
            asked=tag if isinstance(tag, str) else name_json(given),
            names_as_text=True,
            loosens=_loosens(on_unsupported),
        )

    def tools(
        self,
        tools: Any,
        *,
        family: str,
        choice: str | Mapping[str, Any] = "auto",
        parallel: bool = True,
        reasoning: bool = False,
        strict: bool = False,
        on_unsupported: str = "refuse",
        limits: Limits = REQUEST_LIMITS,
    ) -> Constraint:
        """Return the constraint of an answer that may call tools, as a family of models does.

        Args:
            tools: definitions as OpenAI, MCP, Anthropic or Gemini write them, or their JSON text.
            family: one of :func:`maskc.tags.families.list_families`.
            choice: ``auto``, ``required``, ``none``, ``{"name": …}`` for one tool, or an object as
                OpenAI or Anthropic write it.
            parallel: whether there may be more than one call.
            reasoning: whether the model thinks first, where the family has that.
            strict: whether ``"strict": true`` of a tool closes its objects, as OpenAI does.
            on_unsupported: as for :meth:`json_schema`.
            limits: what compiling may take.

        Raises:
            LimitError: a limit was reached.
            SchemaError: the schema of a tool's arguments cannot be compiled.
            TagError: a tool or the choice is none, or arguments have what the family's style
                cannot write.
        """
        asked: dict[str, Any] = {"family": family, "choice": choice, "parallel": parallel}
        asked |= {"reasoning": reasoning, "strict": strict}
        return constrain_tag(
            self._maker,
            lambda: describe_tools(tools, **asked, as_json=False),
            as_limits(limits),
            kind="tools",
            asked=name_of((tools, *asked.values())),
            names_as_text=False,
            loosens=_loosens(on_unsupported),
        )

    def artifact(self, path: str | os.PathLike[str] | Artifact) -> Constraint:
        """Return the constraint of a compiled grammar, schema or tag, of the kit's tokenizer.

        Args:
            path: of the file, or what :func:`maskc.load` returned.

        Raises:
            ArtifactError: it is not an artifact, or one for another tokenizer.
        """
        opened = path if isinstance(path, Artifact) else load(path)
        if opened.fingerprint != self.fingerprint:
            raise ArtifactError(
                str(opened.header["grammar"]["name"]),
                "was compiled for another tokenizer than the kit's",
                "compile it for the tokenizer of the kit",
            )
        if is_link(opened.header):
            found = self._maker.keep(
                "link", opened.content_hash, lambda: self._maker.open_link(opened.contents)
            )
            return self._maker.link(found)
        expression = self._maker.boundaries.as_expression(
            self._maker.keep(
                "artifact", opened.content_hash, lambda: self._maker.machine(opened, opened.machine)
            )
        )
        return ArtifactConstraint(self._maker, opened, expression)

    def sequence(self, *parts: Constraint) -> Constraint:
        """Return the constraint of one part after the other.

        Raises:
            ValueError: there is no part, or one is of another kit.
        """
        whole = self._maker.boundaries.sequence(self._expressions(parts))
        return self._maker.link(whole, _notes_of(parts))

    def one_of(self, *parts: Constraint) -> Constraint:
        """Return the constraint of any one of some parts.

        Raises:
            ValueError: there is no part, or one is of another kit.
        """
        whole = self._maker.boundaries.choice(self._expressions(parts))
        return self._maker.link(whole, _notes_of(parts))

    def repeat(self, part: Constraint, low: int, high: int | None = None) -> Constraint:
        """Return the constraint of a part, ``low`` to ``high`` times; without a bound if ``None``.

        Raises:
            ValueError: the bounds are negative, contradict each other or allow nothing, or the
                part is of another kit.
        """
        low, high = as_count("low", low), None if high is None else as_count("high", high)
        if high is not None and high < max(low, 1):
            remedy = "give a high that is at least low, and not 0"
            raise WrongValueError(f"a part cannot come {low} to {high} times; {remedy}")
        whole = self._maker.boundaries.repetition(self._expressions((part,))[0], low, high)
        return self._maker.link(whole, part.notes)

    def prepare(self) -> None:
        """Compute ahead what requests share: text, strings, keys, numbers, formats, calls.

        A server calls it before its first request; with 128,000 tokens it takes about a second,
        which would else be the first request's.
        """
        prepare(self)

    def mask_table(self, first: int = 0) -> NDArray[np.int32]:
        """Return the masks that have a number so far; see :meth:`maskc.Artifact.mask_table`."""
        return self._maker.pool.table(as_count("first", first))

    def statistics(self) -> dict[str, int]:
        """Return counts: pieces made and found again, masks with a number, tokens."""
        return self._maker.statistics()

    def _grammar(
        self, dialect: str, text: str, limits: Limits, settings: dict[str, Any]
    ) -> Constraint:
        order = GrammarOrder(dialect, as_text("a grammar", text), settings)
        return self._maker.grammar(order, as_limits(limits))

    def _expressions(self, parts: tuple[Constraint, ...]) -> list[Expression]:
        if not parts:
            raise WrongValueError("there is no part; give at least one")
        for part in parts:
            if not isinstance(part, Constraint):
                raise WrongTypeError(
                    f"a part is a constraint of this kit, not {type(part).__name__}"
                )
            if part.tokens is not self.tokens:
                raise WrongValueError("a part is a constraint of another kit")
        return [part.expression for part in parts]


def _notes_of(parts: Iterable[Constraint]) -> tuple[str, ...]:
    return tuple(note for part in parts for note in part.notes)


def _loosens(on_unsupported: str) -> bool:
    return as_one_of("on_unsupported", on_unsupported, ("refuse", "loosen")) == "loosen"


def write_choice(word: Any) -> Any:
    """Return a number as it is written; what is not a number stays."""
    value = word.value if isinstance(word, Enum) else word
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return json.dumps(value) if is_number and math.isfinite(value) else value


def _encode(name: str, what: str, words: Iterable[Any]) -> list[bytes]:
    try:
        return sorted({as_text(what, word).encode() for word in words})
    except UnicodeEncodeError:
        raise GrammarError(name, "a word is not UTF-8; write it in UTF-8") from None
