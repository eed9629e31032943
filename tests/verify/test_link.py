"""An artifact of a tag is verified by its replies, and one that is wrong is found out."""

import dataclasses
import json

import pytest

from maskc.artifact.model import Contents
from maskc.kit.artifacts import compile_structural_tag
from maskc.limits import Limits
from maskc.runtime.artifact import Artifact
from maskc.verify.link import verify_link
from maskc.verify.model import Outcome, VerifyOptions
from maskc.vocab.vocabulary import Vocabulary

pytest.importorskip("jsonschema")

LETTERS = tuple(bytes([byte]) for byte in range(128))
CALL, RETURN = 128, 129
MODEL = Vocabulary(
    (*LETTERS, None, None), (CALL, RETURN), "ascii", {"<call>": CALL, "<return>": RETURN}
)
OPTIONS = VerifyOptions(texts=3, max_tokens=20)


def artifact_of(content: object, end: str = "</f>", judged: object = None) -> Artifact:
    """Return an artifact; ``judged``: another content for the judge."""
    tag = {"type": "tag", "begin": "<f>", "end": end, "content": content}
    made = compile_structural_tag({"type": "structural_tag", "format": tag}, MODEL, limits=Limits())
    if judged is None:
        return Artifact(made)
    import numpy as np

    other = json.dumps({"type": "structural_tag", "format": {**tag, "content": judged}}).encode()
    source = np.frombuffer(other, dtype=np.uint8)
    return Artifact(Contents(made.header, {**made.arrays, "link_source": source}))


def schema(kind: str) -> dict[str, object]:
    return {"type": "json_schema", "json_schema": {"type": kind}}


def outcomes(artifact: Artifact, *replies: str, **options: object) -> list[Outcome]:
    named = [(f"{n}.txt", reply) for n, reply in enumerate(replies)]
    chosen = dataclasses.replace(OPTIONS, **options)
    report = verify_link(artifact, named, lambda text: text.encode(), chosen)
    return [experiment.outcome for experiment in report.experiments]


def test_replies_of_the_tag_pass() -> None:
    assert outcomes(artifact_of(schema("integer")), "<f>12</f>") == [Outcome.PASSED] * 2


def test_a_reply_that_is_refused_is_no_failure_if_it_is_allowed() -> None:
    artifact = artifact_of(schema("integer"))
    assert outcomes(artifact, "<f>1</f>", "<f>a</f>")[0] is Outcome.REFUSED
    assert outcomes(artifact, "<f>1</f>", "<f>a</f>", allow_refused=True)[0] is Outcome.PASSED


def test_what_the_judge_does_not_take_fails() -> None:
    wrong = artifact_of(schema("integer"), judged=schema("boolean"))
    assert outcomes(wrong, "<f>12</f>") == [Outcome.FAILED] * 2


def test_what_is_refused_and_the_judge_takes_fails() -> None:
    wrong = artifact_of(schema("integer"), judged=schema("boolean"))
    assert outcomes(wrong, "<f>true</f>", texts=0) == [Outcome.FAILED]


def test_a_reply_ends_by_the_token_that_ends_the_tag_or_before_it() -> None:
    artifact = artifact_of(schema("integer"), end="<call>")
    assert outcomes(artifact, "<f>12<call>", "<f>12") == [Outcome.PASSED] * 2
    assert outcomes(artifact, "<f>12<return>", texts=0) == [Outcome.NOTHING]
