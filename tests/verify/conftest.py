import json
from random import Random

import pytest

import maskc
from maskc.frontends.source import load_source
from maskc.verify.grammar import GrammarSubject
from maskc.verify.model import VerifyOptions
from maskc.vocab import load_encoder
from tests.compiled import compile_text


@pytest.fixture(scope="session")
def artifact():
    return maskc.compile_grammar("grammars/json.lark", tokenizer="bytes")


@pytest.fixture(scope="session")
def corpus(tmp_path_factory):
    folder = tmp_path_factory.mktemp("corpus")
    draw = Random(7)
    for number in range(12):
        document = {"a": [draw.randint(-9, 9), "é\n", None], "b": {"c": draw.random()}}
        indent = 2 if number % 2 else None
        text = json.dumps(document, indent=indent, ensure_ascii=number % 3 == 0)
        (folder / f"{number}.json").write_text(text)
    (folder / "bad.json").write_text('{"a": 1,}')
    (folder / "latin.json").write_bytes(b'"\xe9"')
    return folder


@pytest.fixture
def saved(artifact, tmp_path):
    artifact.save(tmp_path / "json.maskc")
    return tmp_path / "json.maskc"


@pytest.fixture
def subject_of(tmp_path):
    """Return a function that holds an artifact of one grammar against Lark's parser of another."""

    def make(compiled, judged=None, tokens=None):
        subject = GrammarSubject("", VerifyOptions(), tmp_path)
        subject.artifact = compile_text(compiled, *(() if tokens is None else (tokens,)))
        subject.source = load_source(f"{judged or compiled}\n")
        if tokens is None:
            subject.encoder = load_encoder("bytes")
        return subject

    return make
