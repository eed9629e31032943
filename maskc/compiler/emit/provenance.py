r"""What an artifact's header says about what it was made from.

Equal grammars with equal settings have equal hashes. ``postlex`` is the attributes of an
``Indenter`` under Lark's names; an older version wrote ``module:Class``. ``parser`` is named only
where it is not LALR, so that an artifact of an older version says the same.

What ``\w`` or the flag ``i`` match is what the tables of characters say that come with Python: one
grammar is another language on another Python, and the version of Unicode tells them apart.
"""

from __future__ import annotations

import hashlib
import json
import unicodedata
from typing import Any

from maskc.frontends.source import GrammarSource
from maskc.vocab.vocabulary import Vocabulary


def describe_grammar(source: GrammarSource) -> dict[str, Any]:
    """Return the header's entry ``grammar``."""
    parser = {} if source.parser == "lalr" else {"parser": source.parser}
    # What it was translated from; a grammar in Lark's notation is its own original.
    origin = (
        {"dialect": source.dialect, "original": source.original}
        if source.original is not None
        else {}
    )
    return {
        "name": source.name,
        "text": source.text,
        "imports": dict(source.imports),
        "start": source.start,
        "lexer": source.lexer,
        "postlex": _describe_postlex(source),
        "sha256": _hash(source),
        **parser,
        **origin,
    }


def describe_tokenizer(vocabulary: Vocabulary) -> dict[str, Any]:
    """Return the header's entry ``tokenizer``."""
    return {
        "name": vocabulary.name,
        "fingerprint": vocabulary.fingerprint,
        "vocab_size": vocabulary.vocab_size,
        "eos_ids": list(vocabulary.eos_ids),
        "n_tokens": vocabulary.n_texts,
        **vocabulary.describe_added(),
    }


def describe_unicode() -> str:
    """Return the header's entry ``unicode``: of the tables that patterns were read with."""
    return unicodedata.unidata_version


def _describe_postlex(source: GrammarSource) -> dict[str, Any] | None:
    """Return the attributes of its ``Indenter``: no name, so that no reader has to import one."""
    return None if source.postlex is None else source.postlex.to_dict()


def _hash(source: GrammarSource) -> str:
    postlex = _describe_postlex(source)
    fields = [source.text, source.start, source.lexer, postlex, dict(source.imports)]
    if source.parser != "lalr":
        fields.append(source.parser)
    return hashlib.sha256(json.dumps(fields, sort_keys=True).encode()).hexdigest()
