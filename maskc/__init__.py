"""Compiles a Lark grammar and an LLM tokenizer into a checked, portable mask store.

Importing maskc loads nothing: the runtime, which is numpy, msgpack and the standard library, comes
with the first name that is used, and the compiler when something is first compiled, by
:mod:`maskc.compiling`. So the command can hear Ctrl-C before it loads anything.
"""

from __future__ import annotations

# As `typing` has it; importing that takes longer than all else here.
TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from typing import Any

    from maskc.captures import Captures, Followed
    from maskc.captures.scopes import OnComplete
    from maskc.compiling import (
        compile_grammar,
        compile_json_schema,
        compile_pattern,
        compile_spelling,
        compile_structural_tag,
        compile_tools,
        register_format,
    )
    from maskc.errors import MaskcError
    from maskc.generation import generate, stream
    from maskc.generation.endpoint import Endpoint
    from maskc.kit.kit import Kit
    from maskc.limits import Limits
    from maskc.runtime.artifact import Artifact, Compiled, load
    from maskc.runtime.batches import allocate_bitmask, fill_bitmasks
    from maskc.runtime.holes import Bound, Given
    from maskc.runtime.matcher import Matcher
    from maskc.runtime.spelling import Spelling, load_spelling
    from maskc.runtime.spelling.canonical import Canonical
    from maskc.vocab import AddedTokens

__version__ = "0.1.0"

__all__ = [
    "AddedTokens",
    "Artifact",
    "Endpoint",
    "Limits",
    "MaskcError",
    "Matcher",
    "__version__",
    "allocate_bitmask",
    "apply_bitmask",
    "canonical",
    "capture",
    "compile_grammar",
    "compile_json_schema",
    "compile_pattern",
    "compile_spelling",
    "compile_structural_tag",
    "compile_tools",
    "fill_bitmasks",
    "follow",
    "generate",
    "load",
    "load_kit",
    "load_spelling",
    "narrow",
    "register_format",
    "stream",
]


def canonical(artifact: Compiled, spelling: Spelling | str | os.PathLike[str]) -> Canonical:
    """Return a maker of matchers that allow only tokens that the tokenizer itself writes.

    A token is legal if the language allows it, the tokenizer writes it after the tokens so far, and
    one more token, or the end, can come after it. Where there is none, the mask is the language's,
    and the matcher's ``is_exact`` is False.

    Args:
        artifact: or a constraint of a kit, or what :meth:`Artifact.bind`, :func:`narrow` or
            :func:`capture` return; not what :func:`follow` returns.
        spelling: how the artifact's tokenizer writes texts, or the path of its file.

    Raises:
        ArtifactError: the file is none of a spelling.
        SpellingError: it is of another tokenizer, or the artifact of another kind.
        TypeError: the artifact is none.
    """
    from maskc.runtime.spelling.canonical import canonical

    return canonical(artifact, spelling)


def capture(artifact: Artifact, *names: str) -> Captures:
    """Return a maker of matchers that know the spans of rules and terminals in their text.

    Args:
        artifact: of a grammar that Lark's LALR parser reads.
        names: of rules and terminals, at least one.

    Raises:
        CaptureError: the artifact is of another kind, or the lexer drops a terminal.
        GrammarError, PostlexError: this version of Lark reads the grammar differently.
        TypeError: it is not an artifact, or a name is not a text.
        UnknownSymbolError: a name is neither a rule nor a terminal.
        ValueError: no name is given.
    """
    from maskc.compiling import check_compiler

    check_compiler()
    from maskc.captures import capture

    return capture(artifact, *names)


def follow(artifact: Artifact, *names: str, on_complete: OnComplete) -> Followed:
    """Return a maker of matchers whose restricted terminals take words that depend on the text.

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
        UnknownSymbolError: a name is not one of the grammar's.
    """
    from maskc.compiling import check_compiler

    check_compiler()
    from maskc.captures import follow

    return follow(artifact, *names, on_complete=on_complete)


def narrow(artifact: Artifact, **holes: Given) -> Bound:
    """Return an artifact with terminals restricted to any words; it is compiled again for them.

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
    from maskc.compiling import check_compiler

    check_compiler()
    from maskc.kit.artifacts import narrow

    return narrow(artifact, holes)


def load_kit(
    path: str | os.PathLike[str],
    *,
    cache_bytes: int | None = None,
    mapped: bool = True,
    steps: int | None = None,
) -> Kit:
    """Load a kit, which makes the constraints of requests, from a file.

    Args:
        path: of a file that ``maskc kit`` wrote.
        cache_bytes: how much memory all that its constraints cache may take; default: 512 MiB.
        mapped: leave the contents in the file while they are read; False reads it into memory.
        steps: how much may be looked at for one mask of linked parts, and for reading one token;
            default: 20 million, of one to two microseconds each. Beyond it a matcher raises a
            ``LimitError``.

    Raises:
        ArtifactError: it is not a kit, damaged, or of another format version.
    """
    from maskc.compiling import check_compiler

    check_compiler()
    from maskc.kit.file import load_kit
    from maskc.runtime.artifact import DEFAULT_CACHE_BYTES
    from maskc.runtime.step_budget import USUAL_STEPS

    n_bytes = DEFAULT_CACHE_BYTES if cache_bytes is None else cache_bytes
    most = USUAL_STEPS if steps is None else steps
    return load_kit(path, cache_bytes=n_bytes, mapped=mapped, steps=most)


def apply_bitmask(logits: Any, bitmask: Any) -> None:
    """Set the logits of illegal tokens to -inf, in place.

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
        from maskc.integrations.mask_tables import apply_bitmask as apply_to_tensor

        apply_to_tensor(logits, bitmask if bitmask.ndim == 2 else bitmask[None])
        return
    from maskc.runtime.batches import apply_to_array

    apply_to_array(logits, bitmask)


_MODULES = {
    "AddedTokens": "vocab",
    "Artifact": "runtime.artifact",
    "Endpoint": "generation.endpoint",
    "Limits": "limits",
    "MaskcError": "errors",
    "Matcher": "runtime.matcher",
    "allocate_bitmask": "runtime.batches",
    "compile_grammar": "compiling",
    "compile_json_schema": "compiling",
    "compile_pattern": "compiling",
    "compile_spelling": "compiling",
    "compile_structural_tag": "compiling",
    "compile_tools": "compiling",
    "fill_bitmasks": "runtime.batches",
    "generate": "generation",
    "load": "runtime.artifact",
    "load_spelling": "runtime.spelling",
    "register_format": "compiling",
    "stream": "generation",
}
# They are attributes once something below them is loaded.
_PACKAGES = {"artifact", "errors", "runtime"}


def __dir__() -> list[str]:
    """Return the names that there are, those that are not loaded yet, too."""
    return sorted({*globals(), *_MODULES, *_PACKAGES})


if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        """Return what a module of maskc has by a name, which is loaded now."""
        from importlib import import_module

        if name in _PACKAGES:
            import_module("maskc.runtime.artifact")
            return globals()[name]
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        if _MODULES[name].startswith("generation"):
            import_module("maskc.compiling").check_compiler()
        value = getattr(import_module(f"maskc.{_MODULES[name]}"), name)
        globals()[name] = value
        return value
