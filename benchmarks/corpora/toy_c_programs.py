"""Programs of a toy C: seeded, and parsed by ``toy_c.gbnf`` and by llama.cpp's ``c.gbnf`` alike.

Functions with declarations, assignments, calls, loops, conditions, comments, and expressions with
brackets. Blanks stand only where both grammars take them.
"""

from __future__ import annotations

import random

SEED, N_PROGRAMS = 2026, 20
NAMES = (
    *("buffer", "node", "item", "table", "index", "entry", "state", "queue", "frame", "record"),
    *("i", "n", "x", "result", "count", "self", "parent_size", "MAX_SIZE", "read_node"),
)
NUMBERS = ("0", "1", "2", "16", "255", "1024", "65536")
TYPES = ("int", "int", "float", "char")
SIGNS = ("<=", "<", "==", "!=", ">=", ">")
COMMENTS = ("// the next one is checked below\n", "/* nothing else to do here */")


def generate_programs() -> list[tuple[str, str]]:
    """Return ``N_PROGRAMS`` names and programs, the same on every call."""
    draw = random.Random(SEED)
    return [(f"toy-{n}.c", _Program(draw).write()) for n in range(N_PROGRAMS)]


class _Program:
    """Writes one program."""

    def __init__(self, draw: random.Random) -> None:
        self.draw = draw

    def write(self) -> str:
        return "".join(self.function() for _ in range(self.draw.randint(3, 7)))

    def function(self) -> str:
        parameter = self.declared() if self.draw.random() < 0.7 else ""
        return f"{self.declared()}({parameter}){self.block(2, self.draw.randint(4, 10))}"

    def declared(self) -> str:
        return f"{self.draw.choice(TYPES)} {self.draw.choice(NAMES)}"

    def block(self, depth: int, n_statements: int) -> str:
        return "{" + "".join(self.statement(depth) for _ in range(n_statements)) + "}"

    def statement(self, depth: int) -> str:
        draw = self.draw
        kind = draw.randrange(10) if depth else draw.randrange(6)
        if kind == 0:
            return f"{draw.choice(TYPES)} {self.assignment()};"
        if kind <= 2:
            return f"{self.assignment()};"
        if kind == 3:
            return f"{draw.choice(NAMES)} ({self.arguments(1)});"
        if kind == 4:
            return draw.choice(COMMENTS)
        if kind == 5:
            return f"return {self.value(1)};"
        inner = self.block(depth - 1, draw.randint(1, 4))
        if kind == 6:
            return f"while({self.test()}){inner}"
        if kind == 7:
            declared = f"{draw.choice(TYPES)} " if draw.random() < 0.7 else ""
            head = f"{declared}{self.assignment()}; {self.test()}; {self.assignment()}"
            return f"for({head}){inner}"
        other = f"else{self.block(depth - 1, draw.randint(1, 4))}" if draw.random() < 0.4 else ""
        return f"if({self.test()}){inner}{other}"

    def assignment(self) -> str:
        return f"{self.draw.choice(NAMES)} = {self.value(2)}"

    def test(self) -> str:
        return f"{self.value(0)}{self.draw.choice(SIGNS)}{self.value(0)}"

    def value(self, depth: int) -> str:
        draw = self.draw
        parts = [self.atom(depth)]
        for _ in range(draw.choice((0, 0, 1, 2))):
            parts += [draw.choice("+-*/"), self.atom(depth)]
        return "".join(parts)

    def atom(self, depth: int) -> str:
        draw = self.draw
        kind = draw.randrange(8) if depth else draw.randrange(5)
        if kind <= 1:
            return draw.choice(NAMES)
        if kind <= 3:
            return draw.choice(NUMBERS)
        if kind == 4:
            return f"-{draw.choice(NAMES)}"
        if kind <= 6:
            return f"{draw.choice(NAMES)}({self.arguments(depth - 1)})"
        return f"( {self.value(depth - 1)} )"

    def arguments(self, depth: int) -> str:
        values = [self.value(depth) for _ in range(self.draw.choice((0, 1, 1, 2, 3)))]
        return ", ".join(values)
