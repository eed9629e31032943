"""What is said of a normalizer."""

from pathlib import Path

import pytest

from maskc.vocab.files import FileFormat, TokenizerFile
from maskc.vocab.normalizers import describe_normalizer


def describe(normalizer):
    contents = {"normalizer": normalizer}
    file = TokenizerFile("x", "tokenizer.json", Path(), FileFormat.HUGGINGFACE, b"", contents)
    return describe_normalizer(file)


def test_a_normalizer_that_changes_texts_is_named():
    steps = [{"type": "NFKC"}, {"type": "Sequence", "normalizers": [{"type": "Lowercase"}]}]
    assert describe({"type": "Sequence", "normalizers": steps}) == (
        "its normalizer (NFKC, Lowercase) changes texts before they are encoded; "
        "masks are of what tokens write, which it leaves alone",
    )


@pytest.mark.parametrize(
    "normalizer",
    [
        None,
        {"type": "Sequence", "normalizers": []},
        {"type": "Prepend", "prepend": "▁"},
        {"type": "Replace", "pattern": {"String": " "}, "content": "▁"},
        "NFC",
    ],
)
def test_of_one_that_only_writes_blanks_otherwise_nothing_is_said(normalizer):
    assert describe(normalizer) == ()


def test_many_steps_are_not_all_named():
    steps = [{"type": f"Step{n}"} for n in range(9)]
    (said,) = describe({"type": "Sequence", "normalizers": steps})
    assert "(Step0, Step1, Step2, Step3, Step4, …)" in said
