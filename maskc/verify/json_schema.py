"""Does an artifact of a JSON Schema keep its promise? The judge is the package ``jsonschema``.

1. *corpus*: each file is read as JSON and judged. A text that is accepted is JSON without a key
   twice, and its value is valid; a valid value is accepted as compact JSON, token by token, and an
   invalid one is not.
2. *generation*: texts drawn from the masks can be ended, and their values are valid.

Example: with ``{"type": "null"}`` the file ``null`` is accepted, and a file ``3`` must not be.

Limits: where a schema has formats or the layout asks for more than the judge reads
(:mod:`maskc.verify.json_judge`), only what is accepted is judged. Schemas that refer to other
documents are not judged without these, as the artifact does not carry them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from maskc.runtime.artifact import Artifact
from maskc.runtime.matcher import allocate_bitmask
from maskc.verify.files import choose_files, find_corpus, read_text
from maskc.verify.json_judge import Judge, NotJsonError, NotJudgedError, read_json, write_value
from maskc.verify.json_texts import draw_texts
from maskc.verify.model import Experiment, VerifyOptions, VerifyReport
from maskc.vocab import Encoder

Encode = Callable[[str], Iterable[int]]


def verify_schema_files(
    artifact: Artifact,
    paths: Sequence[str],
    options: VerifyOptions,
    load: Callable[[], Encoder],
    resources: Mapping[str, Any] | None = None,
) -> VerifyReport:
    """Return the outcome for the files of a corpus.

    Args:
        artifact: of a JSON Schema.
        paths: files and folders.
        options: how much to check.
        load: returns the tokenizer.
        resources: URI → the documents that the schema refers to.

    Raises:
        GrammarError: there is no such file.
        MissingPackageError: the judge is not installed.
    """
    corpus = find_corpus(paths, options.max_bytes)
    files = choose_files(corpus.files, options.files, options.seed)
    return verify_schema(
        artifact,
        ((str(path), read_text(path, options.max_bytes)) for path in files),
        load().encode,
        n_generated=options.texts,
        max_tokens=options.max_tokens,
        seed=options.seed,
        resources=resources,
    )


def verify_schema(
    artifact: Artifact,
    texts: Iterable[tuple[str, str]],
    encode: Encode,
    *,
    n_generated: int,
    max_tokens: int,
    seed: int,
    resources: Mapping[str, Any] | None = None,
) -> VerifyReport:
    """Return the outcome of both experiments.

    Args:
        artifact: of a JSON Schema.
        texts: names of files, and what they hold.
        encode: the tokenizer.
        n_generated: how many texts to draw; 0: none.
        max_tokens: after which a text is brought to its end.
        seed: of the random choices.
        resources: URI → the documents that the schema refers to.

    Raises:
        SchemaError: it refers to a document that is not given.
    """
    judge = Judge(artifact, resources)
    corpus = Experiment("corpus", "texts", lack="no file of the corpus is JSON")
    for name, text in texts:
        _check_text(artifact, judge, encode, name, text, corpus)
    if not n_generated:
        return VerifyReport((corpus,))
    generation = Experiment("generation", "texts", lack="no text came to an end in the search")
    for text, is_whole in draw_texts(artifact, n_generated, max_tokens, seed):
        if not is_whole:
            generation.count("no end found")
            continue
        generation.count("texts")
        problem = _judge_accepted(judge, text)
        if problem:
            generation.fail(text=text[:400], problem=problem)
    return VerifyReport((corpus, generation))


def _check_text(
    artifact: Artifact, judge: Judge, encode: Encode, name: str, text: str, corpus: Experiment
) -> None:
    if _takes(artifact, encode(text), corpus):
        problem = _judge_accepted(judge, text)
        if problem:
            corpus.fail(file=name, problem=f"it is accepted, and {problem}")
    try:
        value = read_json(text)
    except NotJsonError:
        corpus.count("not JSON")
        return
    except NotJudgedError:
        corpus.count("not judged")
        return
    corpus.count("texts")
    is_valid = judge.judge(value)
    corpus.count("valid" if is_valid else "invalid")
    taken = _takes(artifact, encode(write_value(value)), corpus)
    if taken and not is_valid:
        corpus.fail(file=name, problem="its value is accepted, and the judge finds it invalid")
    elif is_valid and not taken and judge.is_complete:
        corpus.fail(file=name, problem="its value is refused, and the judge finds it valid")


def _judge_accepted(judge: Judge, text: str) -> str | None:
    """Return what is wrong with a text that was accepted, ``None`` if nothing is."""
    try:
        value = read_json(text)
    except NotJsonError as error:
        return f"it is not JSON: {error}"
    except NotJudgedError:
        return None
    return None if judge.judge(value) else "the judge finds its value invalid"


def _takes(artifact: Artifact, tokens: Iterable[int], corpus: Experiment) -> bool:
    """Return whether all tokens are taken, each one as the mask before it has it, to an end."""
    matcher = artifact.matcher()
    bitmask = allocate_bitmask(1, artifact.vocab_size)
    for token in tokens:
        matcher.fill_bitmask(bitmask, 0)
        is_legal = bool(bitmask[0, token // 32] >> (token % 32) & 1)
        if matcher.accept_token(token) != is_legal:
            corpus.fail(token=token, problem="the mask and the matcher do not agree on it")
        if not is_legal:
            return False
    return matcher.is_accepting
