"""Patches of engines: put in place where the engine is as we know it, else told in the log."""

import sys
from types import ModuleType

import pytest

from maskc.integrations.errors import IntegrationError
from maskc.integrations.patches import AND_MORE, ORIGINAL, Engine, Patch, PatchSet


class Backend:
    def fill(self, bitmask, row):
        return bitmask, row

    def accept(self, token, *, now=False):
        return token, now

    name = "x"


@pytest.fixture
def engine(monkeypatch):
    """An engine whose module has a class and a function."""
    module = ModuleType("an_engine")
    module.__version__ = "9.9"
    module.Backend = type("Backend", (), dict(vars(Backend)))
    module.load = lambda path: path
    monkeypatch.setitem(sys.modules, "an_engine", module)
    return Engine("an_engine", ("1.0", "1.1"), "AN_ENGINE_PLUGINS")


def doubled(original):
    return lambda *args, **named: (original(*args, **named),) * 2


FILL = Patch("an_engine:Backend", "fill", ("self", "bitmask", "row"), doubled)
ACCEPT = Patch("an_engine:Backend", "accept", ("self", AND_MORE), doubled)
LOAD = Patch("an_engine", "load", ("path",), doubled)
WRONG = Patch("an_engine:Backend", "fill", ("self", "bitmask"), doubled)


def refuse():
    raise IntegrationError("an_engine", "it goes another way", "wait")


def test_functions_that_are_as_expected_are_taken(engine):
    engine.check(Backend, {"fill": ("self", "bitmask", "row"), "accept": ("self", AND_MORE)})
    engine.check(Backend, {"accept": (AND_MORE,)})


@pytest.mark.parametrize(
    ("wanted", "fact"),
    [
        (
            {"fill": ("self", "bitmask")},
            "Backend.fill takes (self, bitmask, row), not (self, bitmask)",
        ),
        ({"fill": ("self", "row", "bitmask")}, "not (self, row, bitmask)"),
        ({"fill": ("self", "row", AND_MORE)}, "not (self, row, ...)"),
        ({"accepts": ("self",)}, "Backend has no accepts"),
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


def test_a_part_is_put_in_place_once(engine, caplog):
    parts = [PatchSet("nothing is filled", (FILL, ACCEPT)), PatchSet("nothing is loaded", (LOAD,))]
    for _ in range(2):
        assert engine.apply(parts) == parts
        found = engine.find("an_engine:Backend")
        assert found().fill(1, 2) == ((1, 2), (1, 2))
        assert found().accept(3, now=True) == ((3, True), (3, True))
        assert engine.find("an_engine").load("a") == ("a", "a")
    assert caplog.text == ""
    assert found.fill.__name__ == "fill"
    assert getattr(found.fill, ORIGINAL)(None, 1, 2) == (1, 2)


@pytest.mark.parametrize(
    ("part", "fact"),
    [
        (PatchSet("nothing is filled", (ACCEPT, WRONG)), "Backend.fill takes (self, bitmask, row)"),
        (PatchSet("nothing is filled", (ACCEPT,), refuse), "it goes another way"),
        (PatchSet("nothing is filled", (ACCEPT,), probe=refuse), "it goes another way"),
        (
            PatchSet("nothing is filled", (ACCEPT, Patch("an_engine:Other", "a", (), doubled))),
            "an_engine has no Other",
        ),
        (
            PatchSet("nothing is filled", (ACCEPT, Patch("an_engine.other", "a", (), doubled))),
            "this version has no module an_engine.other",
        ),
    ],
)
def test_a_part_that_cannot_be_put_in_place_is_left_to_the_engine(engine, caplog, part, fact):
    other = PatchSet("nothing is loaded", (LOAD,))
    assert engine.apply([part, other]) == [other]
    found = engine.find("an_engine:Backend")
    assert found().accept(3) == (3, False)
    assert engine.find("an_engine").load("a") == ("a", "a")
    (record,) = caplog.records
    assert record.levelname == "ERROR"
    assert record.getMessage().startswith("nothing is filled, since an_engine")
    assert fact in record.getMessage()
