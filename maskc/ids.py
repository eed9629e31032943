"""The types of the compiler's ids, and the values that stand for no id.

An id is a ``NewType`` of ``int``: at run time it is the number itself, and mypy tells a boundary
from a lookahead. Sets of ids are bit sets (:mod:`maskc.bits`), dense tables are arrays; both hold
plain numbers.

A *sentinel* stands for an id where there is none. Each is defined here once; what an
artifact stores of them is part of its format, so their values never change.
"""

from __future__ import annotations

from typing import Final, NewType

TokenId = NewType("TokenId", int)

TerminalId = NewType("TerminalId", int)
NonterminalId = NewType("NonterminalId", int)
ProductionId = NewType("ProductionId", int)
ContextId = NewType("ContextId", int)
LayoutContextId = NewType("LayoutContextId", int)  # a context, outside of brackets or between them

LalrStateId = NewType("LalrStateId", int)
RefinedStateId = NewType("RefinedStateId", int)
GeneralStateId = NewType("GeneralStateId", int)

ScannerStateId = NewType("ScannerStateId", int)
BoundaryId = NewType("BoundaryId", int)
LookaheadId = NewType("LookaheadId", int)
OpenLexemeId = NewType("OpenLexemeId", int)
ColumnsId = NewType("ColumnsId", int)

SequenceId = NewType("SequenceId", int)
NodeId = NewType("NodeId", int)
ProfileId = NewType("ProfileId", int)

# Terminals.
END: Final = TerminalId(0)  # `$END`, the end of the text
IGNORED: Final = TerminalId(-1)  # the lexeme is dropped: it never reaches the parser
ENTRY: Final = TerminalId(-2)  # of a boundary that a walk starts from: it went to the parser before
NO_EVENT: Final = TerminalId(-8)  # nothing ends: the token stays inside its lexeme

# Terminals of a text's end, where `end_of_text` says which one the open lexeme is.
NOT_AN_END: Final = TerminalId(-2)  # the text cannot end here
EMPTY_TEXT: Final = TerminalId(-3)  # no lexeme is open: the start of the text

DEAD: Final = ScannerStateId(0)  # nothing leads out of it
# Instead of the state after a byte:
ENDS: Final = ScannerStateId(-1)  # the byte ends the lexeme
FORKS: Final = ScannerStateId(-2)  # it may end the lexeme, and the lexeme may also go on with it
# Columns of an open newline lexeme, as far as one token knows.
NO_LINE: Final = -1  # no line break in the lexeme yet
SAME: Final = -2  # what it was before the token; SAME - d is d columns more
NO_COLUMNS: Final = ColumnsId(-1)  # the open lexeme is no newline that counts columns
NO_LOOKAHEAD: Final = LookaheadId(-1)  # there is none, or the parser never sees it
AT_END: Final = BoundaryId(-1)  # the boundary at the end of the text, where DEDENTs are free
ROOT: Final = ProductionId(-1)  # `$root -> start`, which Lark adds and does not list
NO_BASE: Final = -1  # of a mask that is kept without another one: its words are all it has
NO_PARENT: Final = -1  # of a mask whose words are changed by no earlier one
ANY_PROFILE: Final = ProfileId(-1)  # instead of a profile: the answer is the same for all
AT_THE_END: Final = NodeId(-1)  # instead of a node: the text has to end there
NO_NONTERMINAL: Final = NonterminalId(-1)  # nothing is pushed: the parser shifts, or refuses
DROPPED: Final = SequenceId(-1)  # instead of a path or a sequence: no text has it
