"""Indenters for grammars in tests."""

from lark.indenter import Indenter


class TwoColumns(Indenter):
    """Tabs are worth two columns."""

    NL_type = "_NL"
    OPEN_PAREN_types = ["LP"]  # noqa: RUF012
    CLOSE_PAREN_types = ["RP"]  # noqa: RUF012
    INDENT_type = "_INDENT"
    DEDENT_type = "_DEDENT"
    tab_len = 2
