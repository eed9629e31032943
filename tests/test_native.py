"""Which runtime runs, and whether what is compiled is what is here."""

import build_native
from maskc import native


def test_what_is_compiled_are_modules_of_the_runtime_and_what_they_share():
    sources = build_native.sources()
    assert {"maskc/runtime/lalr/__init__.py", "maskc/levels.py"} <= set(sources)
    assert all((build_native.ROOT / path).exists() for path in sources)
    # A reason that is given for a file that is gone tells nobody anything.
    assert all((build_native.ROOT / path).exists() for path in build_native.INTERPRETED)


def test_what_is_compiled_has_no_attribute_that_is_kept_in_a_dict():
    # Objects of compiled classes have none.
    for path in build_native.sources():
        text = (build_native.ROOT / path).read_text()
        assert "@made_once" not in text, path
        assert "@cached_property" not in text, path


def test_a_source_that_is_not_what_was_compiled_is_found(tmp_path):
    (tmp_path / "build").mkdir()
    for name in ("same.py", "edited.py", "gone.py"):
        (tmp_path / name).write_text("x = 1\n")
    native.record(tmp_path, ["same.py", "edited.py", "gone.py"])
    assert native.edited_since(tmp_path) == []
    (tmp_path / "edited.py").write_text("x = 2\n")
    (tmp_path / "gone.py").unlink()
    assert native.edited_since(tmp_path) == ["edited.py", "gone.py"]
    native.forget(tmp_path)
    assert native.edited_since(tmp_path) == []


def test_the_runtime_is_named_in_words():
    assert native.describe_runtime() == ("compiled" if native.is_compiled() else "pure Python")
    assert native.is_compiled() == bool(build_native.libraries())
