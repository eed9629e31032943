"""maskc verify: a sound artifact passes, a wrong one fails with a witness."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace

import click
import numpy as np
import pytest

import maskc
from maskc.artifact.container import encode
from maskc.cli.main import commands
from maskc.verify import VerifyOptions
from tests.security.test_signals import count_group

ALONE = ("--jobs", 1)
FEW = (
    *("--files", 5, "--texts", 5, "--max-tokens", 20, "--positions", 20),
    *("--segments", 10, "--mutations", 10, "--allow-refused", *ALONE),
)
NAMES = ["corpus", "generation", "oracle", "segmentation", "mutation", "optimisation"]


@pytest.fixture
def corpus(tmp_path):
    folder = tmp_path / "corpus"
    folder.mkdir()
    for number, text in enumerate(["[]", "[a]", "[abc, d,e ]", " [ x ] ", "[a b]", "]", ""]):
        (folder / f"{number}.txt").write_text(text)
    return folder


def test_the_defaults_are_those_of_the_options():
    defaults = VerifyOptions()
    parameters = {
        p.name: p.default for p in commands.get_command(click.Context(commands), "verify").params
    }
    for name in VerifyOptions.__slots__:
        if name not in {"tokenizer", "start", "limits", "resources"}:
            assert parameters[name] == getattr(defaults, name)


def test_the_report_is_json_and_does_not_depend_on_the_number_of_processes(
    command, artifact, corpus
):
    arguments = ("verify", artifact, "--corpus", corpus, *FEW, "--json", "--tokenizer", "bytes")
    alone, together = command(*arguments), command(*arguments, "--jobs", 2)
    assert together == alone
    report = json.loads(alone.out)
    assert report["ok"] is True
    assert [e["name"] for e in report["experiments"]] == NAMES
    assert report["experiments"][0]["checked"] == {"files that Lark parses": 3}


def test_without_a_corpus_the_texts_are_drawn(command, artifact):
    report = json.loads(command("verify", artifact, *FEW, "--json").out)
    assert report["ok"] is True
    assert [e["name"] for e in report["experiments"]] == NAMES[1:]


def test_an_interrupted_run_leaves_a_line_and_its_status(artifact, corpus):
    many = ("verify", artifact, "--corpus", corpus, *FEW, "--json", "--texts", 1500)
    process = subprocess.Popen(
        [sys.executable, "-m", "maskc", *map(str, many)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    # When there is a worker, the command waits for it.
    while count_group(process.pid) < 3 and process.poll() is None:
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate()
    assert (process.returncode, out, err) == (130, "", "maskc: interrupted\n")


@pytest.fixture
def wrong(artifact):
    """Return an artifact whose letter a has become a letter that is not there."""
    loaded = maskc.load(artifact)
    arrays = dict(loaded.contents.arrays)
    tokens = np.array(arrays["token_bytes"])
    tokens[ord("a")], tokens[ord("b")] = ord("b"), ord("a")
    tokens[ord("[")], tokens[ord("]")] = ord("]"), ord("[")
    arrays["token_bytes"] = tokens
    changed = maskc.Artifact(replace(loaded.contents, arrays=arrays))
    tokenizer = {**loaded.header["tokenizer"], "fingerprint": changed.fingerprint}
    artifact.write_bytes(encode({**loaded.header, "tokenizer": tokenizer}, arrays))
    return artifact


def test_a_wrong_artifact_fails_with_a_witness(command, wrong, corpus):
    outcome = command("verify", wrong, "--corpus", corpus, *FEW)
    assert outcome.status == 1
    assert "FAILED" in outcome.out
    assert "The artifact is WRONG." in outcome.out
    report = json.loads(command("verify", wrong, "--corpus", corpus, *FEW, "--json").out)
    assert report["ok"] is False
    assert any(experiment["failures"] for experiment in report["experiments"])
