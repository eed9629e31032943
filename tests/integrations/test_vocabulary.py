"""Whether an artifact is for the tokenizer that a model runs with."""

import pytest

from maskc.errors import VocabularyMismatchError
from maskc.integrations.vocabulary import check_vocabulary
from maskc.kit.artifacts import compile_choices
from maskc.runtime.artifact import Artifact
from maskc.vocab.vocabulary import Vocabulary

OURS = Vocabulary((b"a", b"b", None, None), (2,), "ours")


@pytest.fixture(scope="module")
def artifact():
    return Artifact(compile_choices(["ab"], OURS))


@pytest.mark.parametrize(
    "theirs",
    [
        OURS,
        Vocabulary((b"a", b"b", None, None), (2, 3), "another end"),
        Vocabulary((b"a", b"b", None, None, None, None), (2,), "wider padding"),
    ],
    ids=lambda vocabulary: vocabulary.name,
)
def test_what_need_not_agree_is_not_asked(artifact, theirs):
    check_vocabulary(artifact, "x", theirs)


@pytest.mark.parametrize(
    ("theirs", "difference"),
    [
        (
            Vocabulary((b"a", b"c", None, None), (2,), "model"),
            "token 1 is b'b' in the artifact and b'c' in the model",
        ),
        (
            Vocabulary((b"a", None, None, None), (2,), "model"),
            "token 1 is b'b' in the artifact and no text in the model",
        ),
        (
            Vocabulary((b"a", b"b", None, b"z"), (2,), "model"),
            "token 3 is no text in the artifact and b'z' in the model",
        ),
        (
            Vocabulary((b"a", b"b", None, None, b"z"), (2,), "model"),
            "token 4 is no text in the artifact and b'z' in the model",
        ),
        (
            Vocabulary((b"a", b"b", None), (2,), "model"),
            "the model's logits have 3 ids and the artifact's masks 4",
        ),
        (
            Vocabulary((b"a", b"b", None, None), (3,), "model"),
            "the artifact's texts end with token 2 and the model's with token 3",
        ),
    ],
)
def test_the_first_difference_is_told(artifact, theirs, difference):
    with pytest.raises(VocabularyMismatchError) as refused:
        check_vocabulary(artifact, "x", theirs)
    assert difference in str(refused.value)


def test_added_tokens_are_taken_as_the_artifact_has_them(artifact):
    """Whether an added token writes text was chosen when the artifact was compiled."""
    added = Vocabulary((b"a", None, None, None), (2,), "model", {}, {1: b"b"})
    check_vocabulary(artifact, "x", added)
    other = Vocabulary((b"a", None, None, None), (2,), "model", {}, {1: b"c"})
    with pytest.raises(VocabularyMismatchError):
        check_vocabulary(artifact, "x", other)
