"""What is each number a number of? The ids of the compiler, and the values that are none.

An id is a ``NewType`` of ``int``: at run time it is the number itself, and mypy tells a boundary
from a lookahead. Sets of ids are bit sets (:mod:`maskc.bits`), dense tables are arrays; both hold
plain numbers.

A *sentinel* stands in the place of an id where there is none. Each is defined here once; what an
artifact stores of them is part of its format, so their values never change.
"""

from __future__ import annotations

from typing import NewType

TerminalId = NewType("TerminalId", int)
ProductionId = NewType("ProductionId", int)
ContextId = NewType("ContextId", int)

LalrStateId = NewType("LalrStateId", int)
RefinedStateId = NewType("RefinedStateId", int)
GeneralStateId = NewType("GeneralStateId", int)

ScannerStateId = NewType("ScannerStateId", int)
BoundaryId = NewType("BoundaryId", int)
LookaheadId = NewType("LookaheadId", int)
OpenLexemeId = NewType("OpenLexemeId", int)

SequenceId = NewType("SequenceId", int)
NodeId = NewType("NodeId", int)

# Terminals.
END = TerminalId(0)  # `$END`, the end of the text
IGNORED = TerminalId(-1)  # the lexeme is dropped: it never reaches the parser
ENTRY = TerminalId(-2)  # of a boundary that a walk starts from: it went to the parser before
NO_EVENT = TerminalId(-8)  # nothing ends: the token stays inside its lexeme

# Terminals of a text's end, where `end_of_text` says which one the open lexeme is.
NOT_AN_END = TerminalId(-2)  # the text cannot end here
EMPTY_TEXT = TerminalId(-3)  # no lexeme is open: the start of the text

DEAD = ScannerStateId(0)  # nothing leads out of it
NO_LOOKAHEAD = LookaheadId(-1)  # no text has the terminal at that boundary
AT_END = BoundaryId(-1)  # the boundary at the end of the text, where DEDENTs are free
ROOT = ProductionId(-1)  # `$root -> start`, which Lark adds and does not list
NO_BASE = -1  # of a mask that is kept without another one: its words are all it has
ANY_PROFILE = -1  # in the place of a profile: the answer is the same for all of them
DROPPED = SequenceId(-1)  # in the place of a path or a sequence: no text has it
