"""What compiles, for who imports ``maskc``: grammars, schemas, tags, tools, and what they need.

Nothing of the compiler is loaded before one of these is called: this module is in the distribution
``maskc-runtime``, too, which has no compiler, and says so.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from maskc.formats import Reader
    from maskc.jobs import Job
    from maskc.limits import Limits
    from maskc.runtime.artifact import Artifact
    from maskc.runtime.link.automata import ByteAutomaton
    from maskc.runtime.spelling import Spelling
    from maskc.vocab import AddedTokens, Vocabulary


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
        TypeError: an argument has another type, or a list something else than texts or settings
            that are a grammar's.
    """
    check_compiler()
    settings = {"parser": parser, "lexer": lexer, "postlex": postlex, "dialect": dialect}
    load = partial(_load_vocabulary, tokenizer, vocab_size, eos_ids, added_tokens)
    return _compile_given(path_or_text, start, {**settings, "roles": roles}, load, limits, progress)


def _compile_given(
    given: str | os.PathLike[str] | Sequence[str],
    start: str | Sequence[str] | None,
    settings: dict[str, Any],
    load: Callable[[], Vocabulary],
    limits: Limits | None,
    progress: Callable[[str, float], None] | None,
) -> Artifact:
    """Check what :func:`compile_grammar` is given, load the vocabulary, and compile."""
    from maskc.arguments import as_items, as_list, as_text, check_callable
    from maskc.errors import WrongTypeError
    from maskc.frontends.settings import check_given
    from maskc.jobs import ChoicesJob, read_grammar
    from maskc.limits import as_limits

    bounds = as_limits(limits)
    if progress is not None:
        check_callable("progress", progress)
    names = () if start is None else (start,) if isinstance(start, str) else start
    starts = tuple(as_text("a start symbol", name) for name in as_items("start", names))
    check_given(settings)
    vocabulary = load()
    if isinstance(given, str | os.PathLike):
        read = partial(read_grammar, given, bounds, starts=starts, **settings)
        return _compile(read, vocabulary, bounds, progress)
    if any((*starts, *settings.values())):
        raise WrongTypeError("a list of texts has no start, parser, lexer, postlex, dialect, roles")
    words = as_list("what is neither a grammar's path nor its text", given)
    return _compile(lambda: ChoicesJob(list(words)), vocabulary, bounds, name="choices")


def _compile(
    read: Callable[[], Job],
    vocabulary: Vocabulary,
    limits: Limits,
    progress: Callable[[str, float], None] | None = None,
    *,
    name: str = "",
) -> Artifact:
    """Return the artifact of a job, which is read and compiled within limits."""
    from maskc.bounded import run_bounded
    from maskc.runtime.artifact import Artifact

    return run_bounded(
        lambda: Artifact(read().compile(vocabulary, limits, progress)[0]), limits, name=name
    )


def compile_json_schema(
    schema: Any,
    *,
    tokenizer: Any,
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
    vocab_size: int | None = None,
    eos_ids: Sequence[int] | None = None,
    added_tokens: AddedTokens | None = None,
    limits: Limits | None = None,
) -> Artifact:
    """Return a JSON Schema compiled for a tokenizer.

    Args:
        schema: a mapping, a JSON text, or a Python type: a Pydantic class, or what Pydantic's
            ``TypeAdapter`` takes.
        tokenizer: a name such as ``llama3``, a path, or ``bytes``; or a tokenizer of transformers,
            tokenizers, tiktoken, sentencepiece or mistral-common.
        resources: URI → other schemas that references lead to; nothing is fetched.
        component: the name of a schema in an OpenAPI or Swagger document; the document is given in
            the place of the schema.
        dialect: ``openapi``, for a schema of OpenAPI 3.0 without its document, where ``nullable``,
            Boolean ``exclusiveMinimum`` and ``discriminator`` count.
        style: ``any``, the layouts that are usual, or ``plain``, the one that models write: keys
            in the schema's order, no blanks, no needless escapes, no exponents or padding zeros,
            at most 17 digits of a fraction. Default: ``plain`` for a type, ``any`` for a schema.
            The next five choose single parts of it.
        key_order: ``any``, or ``schema``: as the schema names them, others last.
        blanks: ``compact``, ``bounded`` or ``any``.
        escapes: ``any``; ``minimal``: only what must be escaped; ``ascii``: that, and all that is
            not ASCII.
        numbers: ``any``; ``usual``: exponents only where they save digits; ``plain``: none;
            ``short``: none, and no zeros that only pad.
        digits: how many the fraction of a value has at most, but for zeros that pad.
        formats: ``assert`` or ``annotate``; or a mapping from names of formats to these, or to
            another format, as ``{"date-time": "date-time-local"}``.
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
    check_compiler()
    from maskc.jobs import read_schema_job
    from maskc.limits import as_limits

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
    bounds = as_limits(limits)
    vocabulary = _load_vocabulary(tokenizer, vocab_size, eos_ids, added_tokens)
    return _compile(lambda: job, vocabulary, bounds, name="schema")


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
    check_compiler()
    from maskc.jobs import LinkJob
    from maskc.limits import as_limits

    bounds = as_limits(limits)
    vocabulary = _load_vocabulary(tokenizer, vocab_size, eos_ids, added_tokens)
    return _compile(lambda: LinkJob("<tag>", tag), vocabulary, bounds)


def compile_tools(
    tools: Any,
    *,
    tokenizer: Any,
    family: str,
    choice: str | Mapping[str, Any] = "auto",
    parallel: bool = True,
    reasoning: bool = False,
    strict: bool = False,
    vocab_size: int | None = None,
    eos_ids: Sequence[int] | None = None,
    added_tokens: AddedTokens | None = None,
    limits: Limits | None = None,
) -> Artifact:
    """Return the replies that may call tools, compiled for a tokenizer.

    Args:
        tools: definitions as OpenAI, MCP, Anthropic or Gemini write them, or their JSON text.
        tokenizer: a name such as ``llama3``, a path, or ``bytes``; or a tokenizer of transformers,
            tokenizers, tiktoken, sentencepiece or mistral-common.
        family: how the model writes calls: ``maskc families`` lists them.
        choice: ``auto``, ``required``, ``none``, ``{"name": …}`` for one tool, or an object as
            OpenAI or Anthropic write it.
        parallel: whether there may be more than one call.
        reasoning: whether the model thinks first, where the family has that.
        strict: whether ``"strict": true`` of a tool closes its objects, as OpenAI does.
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
    check_compiler()
    from maskc.jobs import LinkJob
    from maskc.limits import as_limits

    bounds = as_limits(limits)
    vocabulary = _load_vocabulary(tokenizer, vocab_size, eos_ids, added_tokens)
    settings = {"family": family, "choice": choice, "parallel": parallel, "reasoning": reasoning}
    settings |= {"strict": True} if strict else {}
    return _compile(lambda: LinkJob("<tools>", tools, settings), vocabulary, bounds)


def _load_vocabulary(
    tokenizer: Any, vocab_size: Any, eos_ids: Any, added_tokens: Any
) -> Vocabulary:
    from maskc.arguments import as_items, describe
    from maskc.errors import WrongTypeError
    from maskc.runtime.arguments import as_number
    from maskc.vocab import AddedTokens, load_vocabulary

    if added_tokens is not None and not isinstance(added_tokens, AddedTokens):
        kind = describe(added_tokens)
        raise WrongTypeError(f"added_tokens must be a maskc.AddedTokens, not {kind}")
    ends = None
    if eos_ids is not None:
        ends = tuple(
            as_number("an end-of-sequence id", end) for end in as_items("eos_ids", eos_ids)
        )
    return load_vocabulary(
        tokenizer,
        vocab_size=None if vocab_size is None else as_number("vocab_size", vocab_size),
        eos_ids=ends,
        added_tokens=added_tokens,
    )


def compile_spelling(tokenizer: str | os.PathLike[str]) -> Spelling:
    """Return how a tokenizer writes texts: which tokens are its own for each of them.

    It takes some seconds; :meth:`Spelling.save` keeps it for :func:`load_spelling`.

    Args:
        tokenizer: a name such as ``llama3``, a path, or ``bytes``; its own package is asked how it
            cuts texts, and has to be installed.

    Raises:
        LimitError: its patterns are too large.
        TokenizerError: it is unknown, or writes texts in a way that is not followed.
    """
    check_compiler()
    from maskc.arguments import as_path
    from maskc.spelling import make_spelling

    return make_spelling(as_path("a tokenizer", tokenizer))


def compile_pattern(pattern: str, *, limits: Limits | None = None) -> ByteAutomaton[Any]:
    """Return a pattern as that to which a terminal can be narrowed; see :meth:`Artifact.bind`.

    Args:
        pattern: as :func:`re.fullmatch` takes it.
        limits: what reading it may take; default: ``Limits()``.

    Raises:
        GrammarError: ``re`` refuses the pattern, or it has a back-reference to many texts.
        LimitError: a limit was reached.
    """
    check_compiler()
    from maskc.arguments import as_text
    from maskc.kit.compiling import compile_automaton
    from maskc.limits import as_limits

    return compile_automaton(as_text("a pattern", pattern), as_limits(limits))


def register_format(
    name: str,
    *,
    pattern: str | None = None,
    reader: Reader | None = None,
    judge: Callable[[str], bool] | None = None,
) -> None:
    """Give a name to strings, which JSON Schemas can ask for with ``format`` from then on.

    It holds for this process, for all threads, and cannot be taken back; the same may be registered
    again.

    Args:
        name: not one of the standard's.
        pattern: of the strings, which it matches as a whole: ECMA-262, as in JSON Schema.
        reader: in place of a pattern, what reads the strings character by character: an object with
            ``start()``, ``step(state, character)`` and ``may_end(state)``.
        judge: says whether a string is of the format, for ``maskc verify``; default, of a pattern:
            ``re``.

    Raises:
        FormatError: the name is taken; the pattern is none, not regular, or too large; or the
            reader lacks a method.
        LimitError: the pattern takes too long.
    """
    from maskc.formats import RegisteredFormat, check, register

    made = RegisteredFormat(name, pattern, reader, judge)
    check(made)
    if pattern is not None:
        check_compiler()
        from maskc.bounded import run_bounded
        from maskc.jsonschema.patterns import check_pattern

        given = pattern
        run_bounded(lambda: check_pattern(name, given), None, name=f"format {name}")
    register(made)


def check_compiler() -> None:
    """Check that this is all of maskc, and not the distribution ``maskc-runtime``.

    Raises:
        MissingPackageError: it is.
    """
    if _find_spec("maskc.compiler") is None:
        from maskc.errors import MissingPackageError

        raise MissingPackageError("the compiler of maskc")


def _find_spec(name: str) -> object:
    """Return where a module is, ``None`` if it does not exist; nothing of it is loaded."""
    from importlib.util import find_spec

    return find_spec(name)
