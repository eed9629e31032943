"""Artifacts of tags, tools and choices, compiled ahead of time, and of narrowed grammars.

What a kit links for one request is frozen whole, see :mod:`maskc.tags.freezing`: no kit is needed.
"""

from __future__ import annotations

import hashlib
import json
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

import maskc
from maskc.arguments import describe
from maskc.artifact.container import encode
from maskc.artifact.model import FORMAT, Contents
from maskc.bounded import run_bounded
from maskc.compiler.pipeline import compile_stages
from maskc.errors import WrongTypeError, WrongValueError
from maskc.frontends.notations import NAME, read_pattern
from maskc.frontends.source import source_from_header
from maskc.kit.constraint import Constraint
from maskc.kit.examples import add_calls
from maskc.kit.file import make_kit
from maskc.kit.kit import write_choice
from maskc.limits import Limits
from maskc.regular.counted import count_loops
from maskc.runtime.artifact import Artifact
from maskc.runtime.holes import Bound, Given
from maskc.runtime.link.counts import count_written
from maskc.runtime.vocabulary import TOKEN_ARRAYS
from maskc.tags.fields import parse_json, parse_tag
from maskc.tags.freezing import freeze
from maskc.tags.tools import describe_tools
from maskc.vocab.vocabulary import Vocabulary

# Characters of a pattern whose loops are written out; one with more is followed with counters.
MOST_WRITTEN = 2_000


def compile_structural_tag(
    tag: Mapping[str, Any] | str | bytes,
    vocabulary: Vocabulary,
    *,
    name: str = "<tag>",
    limits: Limits,
) -> Contents:
    """Return the contents of the artifact of a structural tag, of either request form.

    Raises:
        MaskcError: as :meth:`maskc.kit.kit.Kit.structural_tag`.
    """
    given = parse_tag(tag)
    kit = make_kit(vocabulary)
    made = kit.structural_tag(given, limits=limits)
    return _assemble(made, given, vocabulary, name=name, dialect="structural-tag", settings={})


def describe_counted(pattern: str, limits: Limits) -> dict[str, Any] | None:
    """Return the tag of a pattern that counts so far that it is followed with counters.

    ``None`` for other patterns: they are compiled as grammars, whose masks are known ahead.

    Raises:
        GrammarError: ``re`` refuses the pattern, or it has a back-reference to many texts.
        LimitError: a limit was reached.
    """

    def work() -> dict[str, Any] | None:
        counted = count_loops(read_pattern(pattern))
        if counted is None or count_written(counted) <= MOST_WRITTEN:
            return None
        return {"type": "structural_tag", "format": {"type": "regex", "pattern": pattern}}

    return run_bounded(work, limits, name=NAME)


def compile_tools(
    tools: Any,
    vocabulary: Vocabulary,
    *,
    family: str,
    choice: str | Mapping[str, Any] = "auto",
    parallel: bool = True,
    reasoning: bool = False,
    strict: bool = False,
    name: str = "<tools>",
    limits: Limits,
) -> Contents:
    """Return the contents of the artifact of tools; see :meth:`maskc.kit.kit.Kit.tools`.

    Raises:
        MaskcError: as there.
    """
    given = parse_json(tools, "/tools")
    calls: dict[str, Any] = {"family": family, "choice": choice, "parallel": parallel}
    calls |= {"reasoning": reasoning, **({"strict": strict} if strict else {})}
    kit = make_kit(vocabulary)
    made = kit.tools(given, **calls, limits=limits)
    tag = describe_tools(given, **calls)
    said = choice if isinstance(choice, str) else json.dumps(dict(choice))
    settings = {**calls, "choice": said}
    contents = _assemble(made, tag, vocabulary, name=name, dialect="tools", settings=settings)
    return add_calls(contents, kit, vocabulary, given, **calls)


def compile_choices(
    words: Iterable[str], vocabulary: Vocabulary, *, name: str = "<choices>"
) -> Contents:
    """Return the contents of the artifact of one of some texts; see :meth:`Kit.choice`.

    The tag that it carries is for :mod:`maskc.verify`: names of special tokens in it are text.

    Raises:
        GrammarError: there is no text, or one is not UTF-8.
        TypeError: one is neither a text nor a number.
    """
    chosen = [write_choice(word) for word in words]
    made = make_kit(vocabulary).choice(chosen)
    options = [{"type": "const_string", "value": word} for word in sorted(set(chosen))]
    tag = {"type": "structural_tag", "format": {"type": "or", "elements": options}}
    return _assemble(made, tag, vocabulary, name=name, dialect="choices", settings={})


def _assemble(
    made: Constraint,
    tag: Mapping[str, Any],
    vocabulary: Vocabulary,
    *,
    name: str,
    dialect: str,
    settings: Mapping[str, str | bool],
) -> Contents:
    frozen, source = freeze(made.expression), json.dumps(tag).encode()
    specials = {n: i for n, i in vocabulary.special_ids.items() if i in frozen.atoms}
    grammars = [_encode_grammar(contents) for contents in frozen.grammars]
    digest = hashlib.sha256(json.dumps([dialect, settings]).encode() + source + frozen.plan)
    for grammar in grammars:
        digest.update(grammar)
    header = {
        "format": FORMAT,
        "maskc": maskc.__version__,
        "unicode": unicodedata.unidata_version,
        "grammar": {
            "name": name,
            "parser": "link",
            "dialect": dialect,
            "sha256": digest.hexdigest(),
        },
        "link": {"settings": dict(settings), "counts": frozen.counts, "tokens": specials},
        "tokenizer": vocabulary.describe(),
        "sizes": {"V": vocabulary.vocab_size},
    }
    arrays: dict[str, NDArray[Any]] = {
        **made.tokens.table.arrays,
        "link_plan": np.frombuffer(frozen.plan, dtype=np.uint8),
        "link_source": np.frombuffer(source, dtype=np.uint8),
        "link_grammar_first": np.cumsum([0, *map(len, grammars)]).astype(np.int32),
        "link_grammar_bytes": np.frombuffer(b"".join(grammars), dtype=np.uint8),
    }
    return Contents(header, arrays)


def _encode_grammar(contents: Contents) -> bytes:
    arrays = {k: array for k, array in contents.arrays.items() if k not in TOKEN_ARRAYS}
    return encode(contents.header, arrays)


def narrow(artifact: Artifact, given: Mapping[str, Given]) -> Bound:
    """Return an artifact with terminals narrowed to any words, by compiling the grammar again.

    :meth:`maskc.Artifact.bind` takes words that can stand wherever the grammar may need one, and
    compiles nothing. With other words texts become impossible, and the compiler finds which.
    ``narrow(artifact, {"TABLE": []})`` has the texts of the grammar without any TABLE.

    Raises:
        GrammarError: no text is left; or the grammar is read differently by this version of Lark.
        HoleError, TypeError, UnknownSymbolError: as :meth:`maskc.Artifact.bind`.
        LimitError: a limit of compiling was reached, or the words are too many.
    """
    if not isinstance(artifact, Artifact):
        raise WrongTypeError(f"narrow takes an artifact, not {describe(artifact)}")
    if not given:
        raise WrongValueError("narrow takes at least one terminal and its words")
    words = artifact.binder.read(given)
    tokens = tuple(map(artifact.token_bytes, range(artifact.vocab_size)))
    vocabulary = Vocabulary(tokens, artifact.eos_ids, str(artifact.header["tokenizer"]["name"]))
    source = source_from_header(artifact.header["grammar"])
    made = Artifact(compile_stages(source, vocabulary, holes=words).contents)
    return Bound(made, made.machine, tuple(words))
