"""Each test has a registry of its own."""

import pytest

from maskc import formats


@pytest.fixture(autouse=True)
def _own_registry(monkeypatch):
    monkeypatch.setattr(formats, "_registered", {})
