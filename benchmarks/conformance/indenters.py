"""The Indenter that syncode's python.lark is written for, by its attributes."""

from __future__ import annotations

from lark.indenter import PythonIndenter


class SyncodePython(PythonIndenter):
    """Its newline is ``_NL``, and a tab is worth four columns."""

    NL_type = "_NL"
    tab_len = 4
