"""Does an artifact of a structural tag, or of tools, keep its promise?

1. *corpus*: each file is a reply. It is accepted token by token, as each mask has it, and character
   by character alike; and the judge (:mod:`maskc.verify.tag_judge`), which reads the tag's JSON and
   shares nothing with the compiler, agrees wherever it can judge.
2. *generation*: texts drawn from the masks come to an end, and the judge takes them.

Example: a reply with a call of a tool that there is not is refused, and named.

Limits: what the judge does not read is counted as *not judged*; it refuses in doubt where a text
writes JSON in another way than ``json.dumps``.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence

from maskc.runtime.artifact import Artifact
from maskc.runtime.link.plan.replies import accept_reply, encode_reply, names_of
from maskc.runtime.matcher import allocate_bitmask
from maskc.verify.files import choose_files, find_corpus, read_text
from maskc.verify.json_judge import NotJudgedError
from maskc.verify.link_texts import draw_replies
from maskc.verify.model import Experiment, VerifyOptions, VerifyReport
from maskc.verify.tag_judge import TagJudge
from maskc.vocab import Encoder

Encode = Callable[[str], Iterable[int]]
_SHOWN = 400


def verify_link_files(
    artifact: Artifact,
    paths: Sequence[str],
    options: VerifyOptions,
    load: Callable[[], Encoder],
) -> VerifyReport:
    """Return the outcome for the files of a corpus.

    Args:
        artifact: of a structural tag or of tools.
        paths: files and folders.
        options: how much to check.
        load: returns the tokenizer.

    Raises:
        GrammarError: there is no such file.
        MissingPackageError: the judge of JSON values is not installed.
    """
    corpus = find_corpus(paths, options.max_bytes)
    files = choose_files(corpus.files, options.files, options.seed)
    replies = ((str(path), read_text(path, options.max_bytes)) for path in files)
    return verify_link(artifact, replies, load().encode, options)


def verify_link(
    artifact: Artifact,
    replies: Iterable[tuple[str, str]],
    encode: Encode,
    options: VerifyOptions,
) -> VerifyReport:
    """Return the outcome of both experiments.

    Args:
        artifact: of a structural tag or of tools.
        replies: names of files, and what they hold.
        encode: the tokenizer.
        options: how much to check.
    """
    tag = json.loads(artifact.contents.arrays["link_source"].tobytes())
    names = names_of(artifact.header)
    judge = TagJudge(tag, names)
    # A text that is over may be left without the name of the token that ended it.
    ends = ["", *(name for name, token in names.items() if token in artifact.ends)]
    corpus = Experiment(
        "corpus",
        "accepted",
        lack="no file of the corpus is a reply of this tag",
        allow_refused=options.allow_refused,
        refused_by="the tag",
    )
    for name, text in replies:
        _check_reply(artifact, judge, encode, name, text, corpus, ends)
    if not options.texts:
        return VerifyReport((corpus,))
    generation = Experiment("generation", "texts", lack="no text came to an end in the search")
    for text, is_whole in draw_replies(artifact, options.texts, options.max_tokens, options.seed):
        if not is_whole:
            generation.count("no end found")
            continue
        generation.count("texts")
        if _ask(judge, text, generation, ends, strict=False) is False:
            generation.fail(text=text[:_SHOWN], problem="the judge refuses it")
    return VerifyReport((corpus, generation))


def _check_reply(
    artifact: Artifact,
    judge: TagJudge,
    encode: Encode,
    name: str,
    text: str,
    corpus: Experiment,
    ends: list[str],
) -> None:
    names = names_of(artifact.header)
    matcher = artifact.matcher()
    n_taken = accept_reply(matcher, text, names)
    is_accepted = n_taken == len(text) and (matcher.is_accepting or matcher.is_terminated)
    corpus.count("accepted" if is_accepted else "refused")
    if _takes(artifact, encode_reply(text, names, encode), corpus, name) != is_accepted:
        corpus.fail(file=name, problem="tokens and single characters do not have the same verdict")
    if is_accepted:
        if _ask(judge, text, corpus, ends, strict=False) is False:
            corpus.fail(file=name, problem="it is accepted, and the judge refuses it")
        return
    if _ask(judge, text, corpus, ends, strict=True):
        corpus.fail(file=name, problem="it is refused, and the judge takes it")
        return
    before = text[:n_taken]
    corpus.refused.append(
        {
            "file": name,
            "line": before.count("\n") + 1,
            "column": n_taken - before.rfind("\n"),
            "reason": f"unexpected {text[n_taken : n_taken + 12]!r}"
            if n_taken < len(text)
            else "the reply ends too early",
            "expected": [matcher.forced_bytes().decode(errors="replace")]
            if matcher.forced_bytes()
            else [],
        }
    )


def _ask(
    judge: TagJudge, text: str, experiment: Experiment, ends: list[str], *, strict: bool
) -> bool | None:
    """Return what the judge says, ``None`` if it does not judge."""
    try:
        verdict = any(judge.judge(f"{text}{end}", strict=strict) for end in ends)
    except NotJudgedError:
        experiment.count("not judged")
        return None
    experiment.count("judged")
    return verdict


def _takes(artifact: Artifact, tokens: Iterable[int], corpus: Experiment, name: str) -> bool:
    """Return whether all tokens are taken, each one as the mask before it has it, to an end."""
    matcher = artifact.matcher()
    bitmask = allocate_bitmask(1, artifact.vocab_size)
    for token in tokens:
        matcher.fill_bitmask(bitmask, 0)
        is_legal = bool(bitmask[0, token // 32] >> (token % 32) & 1)
        if matcher.accept_token(token) != is_legal:
            corpus.fail(file=name, token=token, problem="mask and matcher do not agree on it")
        if not is_legal:
            return False
    return matcher.is_accepting or matcher.is_terminated
