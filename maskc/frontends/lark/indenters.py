"""Lark's ``Indenter``: from a class that the user names to its attributes, and back.

The class is imported once, where the user names it on the command line or in a call, and read:
from then on only its attributes count. Whatever is parsed with Lark is parsed with an ``Indenter``
built from them.

Example: ``load_indentation("lark.indenter:PythonIndenter")`` is
``maskc.frontends.indentation.PYTHON``, and ``build_indenter`` of it indents as that class does.
"""

from __future__ import annotations

import importlib

from lark.indenter import Indenter

from maskc.errors import PostlexError
from maskc.frontends.indentation import (
    ATTRIBUTES,
    Indentation,
    build_indentation,
    format_indentation,
)

# What every class statement writes into the class, on some Python.
_OF_EVERY_CLASS = {
    *("__module__", "__qualname__", "__doc__", "__dict__", "__weakref__", "__slots__"),
    *("__annotations__", "__annotate__", "__annotate_func__", "__annotations_cache__"),
    *("__firstlineno__", "__static_attributes__", "__parameters__", "__orig_bases__"),
    *("__abstractmethods__", "_abc_impl", "paren_level", "indent_level"),
}


def load_indentation(spec: str) -> Indentation:
    """Return the attributes of an ``Indenter``, given as ``module:Class``, which is imported.

    Raises:
        PostlexError: it cannot be imported, or is no ``Indenter`` that only sets attributes.
    """
    module_name, colon, class_name = spec.partition(":")
    if not colon:
        raise PostlexError(spec, "is not of the form module:Class")
    if module_name.startswith("."):
        raise PostlexError(spec, "names its module relatively; write the module's full name")
    try:
        found = getattr(importlib.import_module(module_name), class_name)
    except (ImportError, AttributeError, ValueError, SyntaxError) as error:
        raise PostlexError(spec, f"cannot be imported ({error}); check the spelling") from None
    if not (isinstance(found, type) and issubclass(found, Indenter)):
        raise PostlexError(
            spec,
            "is not a lark.indenter.Indenter, and its code is not run; leave --postlex out and "
            "write what it drops and renames at the top of the grammar, as in "
            "// maskc: postlex=rules rule=drop:_NL:between:LPAR brackets=LPAR:RPAR",
        )
    overridden = _find_override(found)
    if overridden is not None:
        raise PostlexError(
            spec,
            f"overrides {overridden}; only an Indenter's attributes can change"
            f"{_offer_attributes(found)}",
        )
    try:
        made = found()
    except (TypeError, NotImplementedError, AssertionError) as error:
        raise PostlexError(
            spec, f"cannot be constructed ({error}); set all its attributes"
        ) from None
    try:
        return build_indentation({name: getattr(made, name) for name in ATTRIBUTES})
    except ValueError as error:
        raise PostlexError(spec, f"{error}; set it to what the grammar needs") from None


def _offer_attributes(found: type[Indenter]) -> str:
    """Return how to write the attributes of a class that has code of its own, empty if they vary.

    Many override ``handle_NL`` only to raise a nicer error, which changes no language.
    """
    try:
        written = build_indentation({name: getattr(found, name) for name in ATTRIBUTES})
    except ValueError:
        return ""
    return (
        "; if all that it does is raise other errors, leave --postlex out and write at the top of "
        f"the grammar // maskc: postlex={format_indentation(written)}"
    )


def build_indenter(indentation: Indentation) -> Indenter:
    """Return Lark's postlex with these attributes; nothing is imported."""
    made: Indenter = type("SettingsIndenter", (Indenter,), indentation.to_dict())()
    return made


def _find_override(found: type[Indenter]) -> str | None:
    """Return something other than an attribute that a class has in the place of Lark's."""
    for owner in found.__mro__:
        if owner is Indenter:
            return None
        for name in vars(owner):
            if name not in ATTRIBUTES and name not in _OF_EVERY_CLASS and hasattr(Indenter, name):
                return name
    return None
