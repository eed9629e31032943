"""An artifact of a tag is verified by its replies, and one that is wrong is found out."""

import dataclasses
import json
from pathlib import Path

import pytest

from maskc.kit.artifacts import compile_structural_tag
from maskc.limits import Limits
from maskc.runtime.artifact import Artifact
from maskc.verify.model import Document, Experiment, Outcome, Unit, VerifyOptions
from maskc.verify.plan import plan_first, plan_second, run_unit
from maskc.verify.tag import TagSubject
from maskc.vocab.vocabulary import Vocabulary
from tests.grammars.walks import generate_texts

pytest.importorskip("jsonschema")

LETTERS = tuple(bytes([byte]) for byte in range(128))
CALL, RETURN = 128, 129
MODEL = Vocabulary(
    (*LETTERS, None, None), (CALL, RETURN), "ascii", {"<call>": CALL, "<return>": RETURN}
)
OPTIONS = VerifyOptions(texts=3, max_tokens=20, segments=5, mutations=40)


class Letters:
    """A tokenizer that writes one character a token."""

    def encode(self, text: str) -> list[int]:
        return list(text.encode())


def artifact_of(content: object, end: str = "</f>") -> Artifact:
    tag = {"type": "tag", "begin": "<f>", "end": end, "content": content}
    form = {"type": "structural_tag", "format": tag}
    return Artifact(compile_structural_tag(form, MODEL, limits=Limits()))


def schema(kind: str) -> dict[str, object]:
    return {"type": "json_schema", "json_schema": {"type": kind}}


def verify(artifact: Artifact, *replies: str, **options: object) -> dict[str, Experiment]:
    """Do all experiments in this process."""
    chosen = dataclasses.replace(OPTIONS, **options)
    subject = TagSubject("", chosen, Path())
    subject.artifact, subject.encoder = artifact, Letters()
    found: dict[str, Experiment] = {}

    def do(units: list[Unit]) -> list[Document]:
        for unit in units:
            kind = TagSubject.experiments[unit.experiment]
            joined = Experiment(unit.experiment, kind.needed, allow_refused=chosen.allow_refused)
            found.setdefault(unit.experiment, joined).add(run_unit(subject, unit))
        return [document for experiment in found.values() for document in experiment.documents]

    files = [Document(f"{n}.txt", reply) for n, reply in enumerate(replies)]
    do(
        plan_second(
            TagSubject.experiments, chosen, do(plan_first(TagSubject.experiments, chosen, files))
        )
    )
    return found


def outcomes(artifact: Artifact, *replies: str, **options: object) -> list[Outcome]:
    found = verify(artifact, *replies, **options)
    return [found[name].outcome for name in TagSubject.experiments if name in found]


def test_replies_of_the_tag_pass() -> None:
    assert outcomes(artifact_of(schema("integer")), "<f>12</f>") == [Outcome.PASSED] * 4


def test_a_reply_that_is_refused_is_no_failure_if_it_is_allowed() -> None:
    artifact = artifact_of(schema("integer"))
    assert outcomes(artifact, "<f>1</f>", "<f>a</f>")[0] is Outcome.REFUSED
    assert outcomes(artifact, "<f>1</f>", "<f>a</f>", allow_refused=True)[0] is Outcome.PASSED


@pytest.mark.parametrize("content", [{"type": "any_text", "max_tokens": 5}, {"type": "any_tokens"}])
def test_a_tag_that_is_about_tokens_is_not_cut_otherwise(content: dict[str, object]) -> None:
    artifact = artifact_of(content, end="<call>")
    found = verify(artifact, "<f>abc<call>", texts=0, mutations=0)
    assert found["segmentation"].counts == {"not compared, since the tag is about tokens": 1}


def test_a_reply_ends_by_the_token_that_ends_the_tag_or_before_it() -> None:
    artifact = artifact_of(schema("integer"), end="<call>")
    assert outcomes(artifact, "<f>12<call>", "<f>12") == [Outcome.PASSED] * 4
    assert outcomes(artifact, "<f>12<return>", texts=0) == [Outcome.NOTHING]


def test_an_end_is_found_where_the_beginning_of_the_tag_is_a_value_too() -> None:
    """In ``{"n": {"n": {"n": …`` the search would never come to an end."""
    content = {"type": "json_schema", "json_schema": {"type": "object", "minProperties": 1}}
    tag = {"type": "tag", "begin": '{"n": ', "content": content, "end": "}"}
    form = {"type": "structural_tag", "format": tag}
    artifact = Artifact(compile_structural_tag(form, MODEL, limits=Limits()))
    for drawn in generate_texts(artifact, count=10, max_tokens=6, seed=1):
        assert drawn.problem is None
        assert json.loads(drawn.text)["n"]
