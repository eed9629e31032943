"""Each test has a registry of its own."""

import pytest

from maskc.formats import registry


@pytest.fixture(autouse=True)
def _own_registry(monkeypatch):
    monkeypatch.setattr(registry, "_registered", {})
