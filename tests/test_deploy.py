"""What deploy/Dockerfile copies is there, and what it builds is asked for rightly."""

import doctest
import importlib.util
import sys
from pathlib import Path

import pytest

import maskc
from maskc.build.config import load_config
from maskc.build.jobs import load_job

ROOT = Path(maskc.__file__).parent.parent
pytestmark = pytest.mark.skipif(not (ROOT / "deploy").exists(), reason="it is of a checkout")


def test_what_is_copied_into_the_image_is_there():
    lines = (ROOT / "deploy" / "Dockerfile").read_text().splitlines()
    copied = [line.split()[1:-1] for line in lines if line.startswith("COPY ") and "--" not in line]
    names = [name for parts in copied for name in parts]
    assert "maskc" in names
    assert [name for name in names if not (ROOT / name).exists()] == []


def test_what_is_built_into_the_image_can_be_read():
    config = load_config(str(ROOT / "deploy" / "maskc.toml"))
    assert [load_job(config, entry).sources[0].name for entry in config.grammars] == [
        "json.lark",
        "sql.lark",
    ]


@pytest.fixture(scope="module")
def rehearsal():
    spec = importlib.util.spec_from_file_location("rehearse", ROOT / "deploy" / "rehearse.py")
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "rehearse", module)  # dataclasses look it up
        spec.loader.exec_module(module)
        yield module


def test_every_instruction_of_the_image_can_be_rehearsed(rehearsal):
    assert doctest.testmod(rehearsal).failed == 0
    text = (ROOT / "deploy" / "Dockerfile").read_text()
    source = Path(rehearsal.__file__).read_text()
    names = {name for name, _ in rehearsal.read_instructions(text)}
    assert {"FROM", "COPY", "RUN", "ENTRYPOINT"} <= names
    assert [name for name in sorted(names) if f'"{name}"' not in source] == []


def test_a_rehearsal_stays_in_its_folder(rehearsal, tmp_path, monkeypatch):
    monkeypatch.setattr(rehearsal.subprocess, "run", lambda *_, **__: None)  # no environment
    (tmp_path / "context" / "app").mkdir(parents=True)
    (tmp_path / "context" / "app" / "a.txt").write_text("hello")
    dockerfile = tmp_path / "Dockerfile"
    dockerfile.write_text(
        "FROM base AS first\n"
        "WORKDIR /work\n"
        "COPY app app\n"
        "RUN cp app/a.txt /work/b.txt && \\\n    useradd --help >/dev/null; true\n"
        "FROM base\n"
        "COPY --from=first /work/b.txt /out/c.txt\n"
        "RUN useradd --system nobody-at-all\n"
        "ENV WHERE=/out\n"
        'CMD ["sh", "-c", "test $(cat $WHERE/c.txt) = hello"]\n'
    )
    last = rehearsal.rehearse(dockerfile, tmp_path / "context", tmp_path / "image")
    assert (tmp_path / "image" / "first" / "work" / "b.txt").read_text() == "hello"
    assert (tmp_path / "image" / "1" / "out" / "c.txt").read_text() == "hello"
    assert last.run(last.command).wait() == 0
    assert last.translate("http://x/out /out/c /outer") == (
        f"http://x/out {last.root}/out/c /outer"
    )
    dockerfile.write_text("FROM base\nRUN exit 3\n")
    with pytest.raises(rehearsal.subprocess.CalledProcessError):
        rehearsal.rehearse(dockerfile, tmp_path, tmp_path / "image")
