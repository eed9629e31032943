"""The public interface says what it does."""

import inspect

import pytest

import maskc
import maskc.errors
from maskc.kit.kit import Kit

SUBJECTS = (
    {name: getattr(maskc, name) for name in maskc.__all__} | vars(maskc.errors) | {"Kit": Kit}
)
DOCUMENTED = sorted(
    name
    for name, value in SUBJECTS.items()
    if callable(value) and getattr(value, "__module__", "").startswith("maskc")
)


@pytest.mark.parametrize("name", DOCUMENTED)
def test_a_public_name_and_its_methods_have_a_docstring(name):
    value = SUBJECTS[name]
    parts = [value, *(vars(value).values() if inspect.isclass(value) else ())]
    told = [
        part
        for part in parts
        if (inspect.isfunction(part) or isinstance(part, property) or part is value)
        and not getattr(part, "__name__", "").startswith("_")
    ]
    assert all((part.__doc__ or "").strip() for part in told)
