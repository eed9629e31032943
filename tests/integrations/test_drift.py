"""An engine whose methods take other arguments than its plug-in expects is refused by name."""

import sys
from types import ModuleType

import pytest

from maskc.integrations.drift import Interface
from maskc.integrations.errors import IntegrationError


class Backend:
    def fill(self, bitmask, row): ...

    name = "x"


@pytest.fixture
def engine(monkeypatch):
    module = ModuleType("an_engine")
    module.__version__ = "9.9"
    monkeypatch.setitem(sys.modules, "an_engine", module)
    return Interface("an_engine", ("1.0", "1.1"), "AN_ENGINE_PLUGINS")


def test_methods_that_are_as_expected_are_taken(engine):
    engine.check(Backend, {"fill": ("self", "bitmask", "row")})
    engine.check(Backend, {})


@pytest.mark.parametrize(
    ("wanted", "fact"),
    [
        (
            {"fill": ("self", "bitmask")},
            "Backend.fill takes (self, bitmask, row), not (self, bitmask)",
        ),
        ({"fill": ("self", "row", "bitmask")}, "not (self, row, bitmask)"),
        ({"accept": ("self",)}, "Backend has no accept"),
        ({"name": ("self",)}, "Backend has no name"),  # it is none that can be called
    ],
)
def test_what_has_changed_is_told_with_the_versions_that_work(engine, wanted, fact):
    with pytest.raises(IntegrationError) as refused:
        engine.check(Backend, wanted)
    said = str(refused.value)
    assert said.startswith("an_engine 9.9: ")
    assert fact in said
    assert said.endswith(
        "use a version that maskc was tested with (1.0, 1.1), or leave maskc out of "
        "AN_ENGINE_PLUGINS"
    )
