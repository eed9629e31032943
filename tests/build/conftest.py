"""A small ``maskc.toml``, built without other processes."""

from concurrent.futures import Executor, Future
from contextlib import nullcontext

import pytest

from maskc.build.config import load_config
from maskc.errors import MaskcError

WORDS = 'WORD: "a" | "b"\n'
LIST = """\
// maskc: start=list
%import .words (WORD)
list: "[" (WORD ("," WORD)*)? "]"
"""
CONFIG = """\
[tokenizers]
bytes = "bytes"
wide = { source = "bytes", vocab-size = 300 }

[grammars]
list = "list.lark"
phone = { regex = "[0-9]{3}", tokenizers = ["bytes"] }
order = { source = "order.schema.json", blanks = "compact", tokenizers = ["bytes"] }
"""
FILES = ["list.bytes.maskc", "list.wide.maskc", "order.bytes.maskc", "phone.bytes.maskc"]


class Inline(Executor):
    """Does a timed call at once, in this process."""

    def submit(self, fn, /, *args, **kwargs):
        future = Future()
        try:
            future.set_result(fn.function(*args, **kwargs))
        except MaskcError as error:
            future.set_exception(error)
        return future


@pytest.fixture(autouse=True)
def _inline(monkeypatch):
    monkeypatch.setattr("maskc.build.building.open_executor", lambda *_: nullcontext(Inline()))


@pytest.fixture
def project(tmp_path):
    """Return a folder with a ``maskc.toml`` and what it names."""
    (tmp_path / "words.lark").write_text(WORDS)
    (tmp_path / "list.lark").write_text(LIST)
    (tmp_path / "order.schema.json").write_text('{"type": "object", "properties": {"a": {}}}')
    (tmp_path / "maskc.toml").write_text(CONFIG)
    return tmp_path


@pytest.fixture
def load(project):
    """Return a function that reads the configuration, with another text if one is given."""

    def read(text=None):
        if text is not None:
            (project / "maskc.toml").write_text(text)
        return load_config(str(project / "maskc.toml"))

    return read
