"""Terminals narrowed to any words, by compiling the grammar again.

:meth:`maskc.Artifact.bind` takes words that can stand wherever the grammar may need one, and
compiles nothing. With other words texts become impossible, and which these are the compiler finds.

Example: ``narrow(artifact, {"TABLE": []})`` has the texts of the grammar without any TABLE.
"""

from __future__ import annotations

from collections.abc import Mapping

from maskc.arguments import describe
from maskc.errors import WrongTypeError, WrongValueError
from maskc.frontends.source import source_from_header
from maskc.pipeline import compile_narrowed
from maskc.runtime.artifact import Artifact
from maskc.runtime.holes.bound import Bound, Given
from maskc.vocab.vocabulary import Vocabulary


def narrow(artifact: Artifact, given: Mapping[str, Given]) -> Bound:
    """Return an artifact with terminals narrowed to any words.

    Raises:
        GrammarError: no text is left; or the grammar is read differently by this version of Lark.
        HoleError, TypeError, UnknownSymbolError: as :meth:`maskc.Artifact.bind`.
        LimitError: a limit of compiling was reached, or the words are too many.
    """
    if not isinstance(artifact, Artifact):
        raise WrongTypeError(f"narrow takes an artifact, and this is {describe(artifact)}")
    if not given:
        raise WrongValueError("narrow takes at least one terminal and its words")
    words = artifact.binder.read(given)
    tokens = tuple(map(artifact.token_bytes, range(artifact.vocab_size)))
    vocabulary = Vocabulary(tokens, artifact.eos_ids, str(artifact.header["tokenizer"]["name"]))
    source = source_from_header(artifact.header["grammar"])
    made = Artifact(compile_narrowed(source, vocabulary, words))
    return Bound(made, made.machine, tuple(words))
