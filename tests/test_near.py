from tests.near import GUARDS, QUICK, ROOT, list_tests, without_doubles
from tests.test_layers import MODULES

UNGUARDED = {"", "__main__", "errors", "files", "ids", "levels", "native", "wording"}


def test_every_package_has_a_line():
    packages = {module.partition(".")[0] for module in MODULES}
    assert packages - UNGUARDED == {module.partition(".")[0] for module in GUARDS}


def test_what_the_lines_name_is_there():
    named = {f"tests/{name}" for names in GUARDS.values() for name in names}
    assert [name for name in sorted(named | set(QUICK)) if not (ROOT / name).exists()] == []
    assert [module for module in GUARDS if module not in MODULES] == []


def test_a_module_has_the_tests_of_its_folder_and_the_laws_of_its_line():
    found = list_tests(ROOT / "maskc" / "runtime" / "schema" / "leaves" / "key_leaves.py")
    assert "tests/runtime/schema" in found
    assert "tests/laws/test_dense_requests.py" in found


def test_a_name_inside_of_a_named_folder_is_dropped():
    assert without_doubles(["tests/a", "tests/b.py", "tests/a/c.py"]) == ["tests/a", "tests/b.py"]
