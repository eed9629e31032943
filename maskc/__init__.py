"""Compiles a Lark grammar and an LLM tokenizer into a checked, portable mask store.

Importing maskc loads nothing: the runtime, which is numpy, msgpack and the standard library, comes
with the first name that is used, and the compiler when :func:`compile_grammar` is first called.
So the command can hear Ctrl-C before it loads anything.
"""

from __future__ import annotations

# As `typing` has it; importing that takes longer than all else here.
TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from maskc.captures.matcher import Captures, Followed
    from maskc.captures.scopes import OnComplete
    from maskc.errors import MaskcError
    from maskc.kit.kit import Kit
    from maskc.limits import Limits
    from maskc.runtime.artifact import Artifact, load
    from maskc.runtime.holes.bound import Bound, Given
    from maskc.runtime.link.automaton import ByteAutomaton
    from maskc.runtime.matcher import Matcher, allocate_bitmask, fill_bitmasks
    from maskc.vocab import AddedTokens, Vocabulary

__version__ = "0.1.0"

__all__ = [
    "AddedTokens",
    "Artifact",
    "Limits",
    "MaskcError",
    "Matcher",
    "__version__",
    "allocate_bitmask",
    "apply_bitmask",
    "capture",
    "compile_grammar",
    "compile_json_schema",
    "compile_pattern",
    "compile_structural_tag",
    "compile_tools",
    "fill_bitmasks",
    "follow",
    "load",
    "load_kit",
    "narrow",
]


def compile_grammar(
    path_or_text: str | os.PathLike[str] | Sequence[str],
    *,
    tokenizer: Any,
    start: str | Sequence[str] | None = None,
    parser: str | None = None,
    lexer: str | None = None,
    postlex: str | None = None,
    dialect: str | None = None,
    roles: Mapping[str, str] | None = None,
    vocab_size: int | None = None,
    eos_ids: Sequence[int] | None = None,
    added_tokens: AddedTokens | None = None,
    limits: Limits | None = None,
    progress: Callable[[str, float], None] | None = None,
) -> Artifact:
    """Return a grammar compiled for a tokenizer.

    Args:
        path_or_text: path of a grammar, its text, or the name of one that comes with maskc:
            ``json``. What has a line break, or a colon and is no file, is a text. A list is of
            texts: one of them is chosen.
        tokenizer: a name such as ``llama3``, a path, or ``bytes``; or a tokenizer of transformers,
            tokenizers, tiktoken, sentencepiece or mistral-common.
        start: start symbol; default: the grammar's own setting, else ``start``. With several, the
            first is that of :meth:`Artifact.matcher`, and ``matcher(start=…)`` takes the others.
        parser: ``lalr`` or ``earley``; default: the grammar's own setting, else lalr.
        lexer: ``contextual`` or ``basic`` with lalr, ``dynamic``, ``dynamic_complete`` or
            ``basic`` with earley; default: the grammar's own setting, else the first of these.
        postlex: ``module:Class`` of an ``Indenter``; default: the grammar's own setting.
        dialect: ``lark``, ``gbnf``, ``ebnf`` or ``regex``; default: what the file's suffix says,
            else lark. With ``regex``, ``path_or_text`` is a pattern: the texts of
            ``re.fullmatch``.
        roles: what terminals match where they stand in a rule, by ``rule.TERMINAL``.
        vocab_size: the model's padded vocabulary size; padding is never legal.
        eos_ids: the ids that end the output; default: those that the tokenizer names.
        added_tokens: which added tokens that are not special write text; default: those that are
            not written like markers.
        limits: the time, memory and size that it may take; default: ``Limits()``.
        progress: called with a pass's name and the fraction done.

    Raises:
        MaskcError: one of its subclasses says what is wrong with the input.
        TypeError: a list has something else than texts, or settings that are a grammar's.
    """
    _check_compiler()
    import os

    from maskc.budget import run_bounded
    from maskc.frontends.source import load_sources
    from maskc.kit import artifacts
    from maskc.limits import Limits
    from maskc.pipeline import compile_starts
    from maskc.runtime.artifact import Artifact

    vocabulary = _load_vocabulary(tokenizer, vocab_size, eos_ids, added_tokens)
    bounds = limits or Limits()
    settings = (start, parser, lexer, postlex)
    if not isinstance(path_or_text, str | os.PathLike):
        words = path_or_text
        if any((*settings, dialect, roles)):
            raise TypeError("a list of texts has no start, parser, lexer, postlex, dialect, roles")
        return run_bounded(
            lambda: Artifact(artifacts.compile_choices(words, vocabulary)), bounds, name="choices"
        )

    def work() -> Artifact:
        if dialect == "regex" and not any(settings):
            tag = artifacts.describe_counted(str(path_or_text), bounds)
            if tag is not None:
                made = artifacts.compile_structural_tag(
                    tag, vocabulary, name="<regex>", limits=bounds
                )
                return Artifact(made)
        sources = load_sources(
            path_or_text,
            starts=(start,) if isinstance(start, str) else start or (),
            parser=parser,
            lexer=lexer,
            postlex=postlex,
            dialect=dialect,
            roles=roles,
        )
        return Artifact(compile_starts(sources, vocabulary, progress)[0])

    return run_bounded(work, bounds)


def compile_json_schema(
    schema: Any,
    *,
    tokenizer: Any,
    resources: Mapping[str, Any] | None = None,
    key_order: str = "any",
    blanks: str = "bounded",
    escapes: str = "any",
    numbers: str = "usual",
    formats: str = "assert",
    vocab_size: int | None = None,
    eos_ids: Sequence[int] | None = None,
    added_tokens: AddedTokens | None = None,
    limits: Limits | None = None,
) -> Artifact:
    """Return a JSON Schema compiled for a tokenizer.

    Args:
        schema: a mapping, a JSON text, or a Pydantic class.
        tokenizer: a name such as ``llama3``, a path, or ``bytes``; or a tokenizer of transformers,
            tokenizers, tiktoken, sentencepiece or mistral-common.
        resources: URI → other schemas that references lead to; nothing is fetched.
        key_order: ``any``, or ``schema``: as the schema names them, others last.
        blanks: ``compact``, ``bounded`` or ``any``.
        escapes: ``any``, or ``minimal``: only what must be escaped.
        numbers: ``usual``, or ``plain``: without exponents.
        formats: ``assert`` or ``annotate``.
        vocab_size: the model's padded vocabulary size; padding is never legal.
        eos_ids: the ids that end the output; default: those that the tokenizer names.
        added_tokens: which added tokens that are not special write text; default: those that are
            not written like markers.
        limits: the time and memory that it may take; default: ``Limits()``.

    Raises:
        LimitError: a limit was reached.
        SchemaError: the schema cannot be compiled.
        ValueError: a choice of layout is not one of those above.
    """
    _check_compiler()
    from maskc.budget import run_bounded
    from maskc.jsonschema.compiling import compile_schema
    from maskc.runtime.artifact import Artifact
    from maskc.runtime.schema.plan import Layout

    if formats not in ("assert", "annotate"):
        raise ValueError(f"formats is {formats!r}, not assert or annotate")
    layout = Layout(key_order, blanks, escapes, numbers)
    vocabulary = _load_vocabulary(tokenizer, vocab_size, eos_ids, added_tokens)
    contents = run_bounded(
        lambda: compile_schema(
            schema,
            vocabulary,
            resources=resources,
            layout=layout,
            assert_formats=formats == "assert",
        ),
        limits,
        name="schema",
    )
    return Artifact(contents)


def compile_structural_tag(
    tag: Mapping[str, Any] | str,
    *,
    tokenizer: Any,
    vocab_size: int | None = None,
    eos_ids: Sequence[int] | None = None,
    added_tokens: AddedTokens | None = None,
    limits: Limits | None = None,
) -> Artifact:
    """Return a structural tag compiled for a tokenizer; its masks are those of a request's tag.

    Args:
        tag: of either request form, parsed or its JSON text.
        tokenizer: a name such as ``llama3``, a path, or ``bytes``; or a tokenizer of transformers,
            tokenizers, tiktoken, sentencepiece or mistral-common.
        vocab_size: the model's padded vocabulary size; padding is never legal.
        eos_ids: the ids that end the output; default: those that the tokenizer names.
        added_tokens: which added tokens that are not special write text; default: those that are
            not written like markers.
        limits: the time and memory that it may take; default: ``Limits()``.

    Raises:
        GrammarError: a pattern or a grammar in it is refused.
        LimitError: a limit was reached.
        SchemaError: a JSON Schema in it cannot be compiled.
        TagError: it is no structural tag, or asks for what is not supported.
    """
    _check_compiler()
    from maskc.budget import run_bounded
    from maskc.kit import artifacts
    from maskc.limits import Limits
    from maskc.runtime.artifact import Artifact

    vocabulary = _load_vocabulary(tokenizer, vocab_size, eos_ids, added_tokens)
    bounds = limits or Limits()
    return Artifact(
        run_bounded(
            lambda: artifacts.compile_structural_tag(tag, vocabulary, limits=bounds), bounds
        )
    )


def compile_tools(
    tools: Any,
    *,
    tokenizer: Any,
    family: str,
    choice: str | Mapping[str, Any] = "auto",
    parallel: bool = True,
    reasoning: bool = False,
    vocab_size: int | None = None,
    eos_ids: Sequence[int] | None = None,
    added_tokens: AddedTokens | None = None,
    limits: Limits | None = None,
) -> Artifact:
    """Return the replies that may call tools, compiled for a tokenizer.

    Args:
        tools: definitions as OpenAI's interface has them, or their JSON text.
        tokenizer: a name such as ``llama3``, a path, or ``bytes``; or a tokenizer of transformers,
            tokenizers, tiktoken, sentencepiece or mistral-common.
        family: how the model writes calls: ``maskc families`` lists them.
        choice: ``auto``, ``required``, ``none``, or ``{"name": …}`` for one tool.
        parallel: whether there may be more than one call.
        reasoning: whether the model thinks first, where the family has that.
        vocab_size: the model's padded vocabulary size; padding is never legal.
        eos_ids: the ids that end the output; default: those that the tokenizer names.
        added_tokens: which added tokens that are not special write text; default: those that are
            not written like markers.
        limits: the time and memory that it may take; default: ``Limits()``.

    Raises:
        LimitError: a limit was reached.
        SchemaError: the schema of a tool's arguments cannot be compiled.
        TagError: a tool or the choice is none, or arguments have what the family's style cannot
            write.
    """
    _check_compiler()
    from maskc.budget import run_bounded
    from maskc.kit import artifacts
    from maskc.limits import Limits
    from maskc.runtime.artifact import Artifact

    vocabulary = _load_vocabulary(tokenizer, vocab_size, eos_ids, added_tokens)
    bounds = limits or Limits()

    def work() -> Artifact:
        contents = artifacts.compile_tools(
            tools,
            vocabulary,
            family=family,
            choice=choice,
            parallel=parallel,
            reasoning=reasoning,
            limits=bounds,
        )
        return Artifact(contents)

    return run_bounded(work, bounds)


def _load_vocabulary(
    tokenizer: Any,
    vocab_size: int | None,
    eos_ids: Sequence[int] | None,
    added_tokens: AddedTokens | None,
) -> Vocabulary:
    from maskc.vocab import load_vocabulary

    return load_vocabulary(
        tokenizer,
        vocab_size=vocab_size,
        eos_ids=None if eos_ids is None else tuple(eos_ids),
        added_tokens=added_tokens,
    )


def capture(artifact: Artifact, *names: str) -> Captures:
    """Return what makes matchers that know where rules and terminals stand in their text.

    Args:
        artifact: of a grammar that Lark's LALR parser reads.
        names: of rules and terminals, at least one.

    Raises:
        CaptureError: the artifact is of another kind, or the lexer drops a terminal.
        GrammarError, PostlexError: this version of Lark reads the grammar differently.
        TypeError: it is no artifact, or a name is no text.
        UnknownSymbolError: a name is neither a rule nor a terminal.
        ValueError: no name is given.
    """
    from maskc.captures.matcher import capture

    return capture(artifact, *names)


def follow(artifact: Artifact, *names: str, on_complete: OnComplete) -> Followed:
    """Return what makes matchers whose holes take words that depend on what was written.

    Args:
        artifact: of a grammar that Lark's LALR parser reads.
        names: of the rules and terminals that the words depend on, at least one.
        on_complete: a pure function: the names and texts of those that were completed, in order →
            by terminal its words, or a pattern of :func:`compile_pattern`. A lexeme of such a
            terminal takes one of those that are returned for what ends before it.

    Raises:
        CaptureError, GrammarError, PostlexError, TypeError, ValueError: as :func:`capture`.
        HoleError: words cannot stand where the grammar may need one; so does a matcher, which
            stays as it was, where such words are returned later on.
        UnknownSymbolError: a name is none of the grammar's.
    """
    from maskc.captures.matcher import follow

    return follow(artifact, *names, on_complete=on_complete)


def narrow(artifact: Artifact, **holes: Given) -> Bound:
    """Return an artifact with terminals narrowed to any words, for which it is compiled again.

    :meth:`Artifact.bind` compiles nothing, and takes words that can stand wherever the grammar may
    need one; with other words, or none, texts become impossible, and this finds which.

    Args:
        artifact: of a grammar that Lark's LALR parser reads.
        holes: by the terminal's name the words, or a pattern of :func:`compile_pattern`.

    Raises:
        GrammarError: no text is left; or the grammar is read differently by this version of Lark.
        HoleError, TypeError, UnknownSymbolError: as :meth:`Artifact.bind`.
        LimitError: a limit of compiling was reached, or the words are too many.
    """
    _check_compiler()
    from maskc.kit.narrowing import narrow

    return narrow(artifact, holes)


def compile_pattern(pattern: str, *, limits: Limits | None = None) -> ByteAutomaton[Any]:
    """Return a pattern as that to which a terminal can be narrowed; see :meth:`Artifact.bind`.

    Args:
        pattern: as :func:`re.fullmatch` takes it.
        limits: what reading it may take; default: ``Limits()``.

    Raises:
        GrammarError: ``re`` refuses the pattern, or it has a back-reference.
        LimitError: a limit was reached.
    """
    _check_compiler()
    from maskc.kit.compiling import compile_automaton
    from maskc.limits import Limits

    return compile_automaton(pattern, limits or Limits())


def _check_compiler() -> None:
    """Check that this is all of maskc, and not the distribution ``maskc-runtime``.

    Raises:
        MissingPackageError: it is.
    """
    if _find_spec("maskc.pipeline") is None:
        from maskc.errors import MissingPackageError

        raise MissingPackageError("the compiler of maskc")


def _find_spec(name: str) -> object:
    """Return where a module is, ``None`` if it is not there; nothing of it is loaded."""
    from importlib.util import find_spec

    return find_spec(name)


def load_kit(
    path: str | os.PathLike[str],
    *,
    cache_bytes: int | None = None,
    mapped: bool = True,
    steps: int | None = None,
) -> Kit:
    """Return a kit, which makes constraints of what requests bring, from a file.

    Args:
        path: of a file that ``maskc kit`` wrote.
        cache_bytes: how much memory all that its constraints cache may take; default: 512 MiB.
        mapped: leave the contents in the file while they are read; False reads it into memory.
        steps: how much may be looked at for one mask of linked parts, and for reading one token;
            default: 20 million, of one to two microseconds each. Beyond it a matcher raises a
            ``LimitError``.

    Raises:
        ArtifactError: it is no kit, damaged, or of another format version.
    """
    _check_compiler()
    from maskc.kit.file import load_kit
    from maskc.runtime.artifact import DEFAULT_CACHE_BYTES
    from maskc.runtime.effort import USUAL_STEPS

    n_bytes = DEFAULT_CACHE_BYTES if cache_bytes is None else cache_bytes
    most = USUAL_STEPS if steps is None else steps
    return load_kit(path, cache_bytes=n_bytes, mapped=mapped, steps=most)


def apply_bitmask(logits: Any, bitmask: Any) -> None:
    """Make the logits of tokens that are not legal -inf, in place.

    Args:
        logits: floating point, [batch, width] or [width]: an array of NumPy's or a tensor of
            torch's, on any device. What is wider than the bitmask is not legal.
        bitmask: int32[batch, words], or int32[words] for one row; for a tensor, an array or a
            tensor.

    Raises:
        TypeError: the logits are no floating point numbers, or the bitmask is no int32.
        ValueError: there is not one mask for each row of logits, or they cannot be written to.
    """
    # A tensor is told by its class, so that nobody loads torch for arrays.
    if type(logits).__module__.partition(".")[0] == "torch":
        from maskc.integrations.torch_masks import apply_bitmask as apply_to_tensor

        apply_to_tensor(logits, bitmask if bitmask.ndim == 2 else bitmask[None])
        return
    from maskc.runtime.logits import apply_to_array

    apply_to_array(logits, bitmask)


if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        """Return what the runtime has by a name, which is loaded now."""
        if name not in {*__all__, "artifact", "errors", "runtime"}:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        if name == "AddedTokens":
            # Of the compiler, which a program that only loads artifacts does not need.
            from maskc.vocab import AddedTokens

            globals()[name] = AddedTokens
            return AddedTokens
        from maskc.errors import MaskcError
        from maskc.limits import Limits
        from maskc.runtime.artifact import Artifact, load
        from maskc.runtime.matcher import Matcher, allocate_bitmask, fill_bitmasks

        for value in (Artifact, Limits, load, MaskcError, Matcher, allocate_bitmask, fill_bitmasks):
            globals()[value.__name__] = value
        # Its packages have become attributes by being loaded.
        return globals()[name]
