"""What does C look like after the preprocessor? Seeded programs with the shapes of real code.

A program has typedefs, an enumeration, structures, prototypes, a table of constants, and functions
with declarations, loops, switches, pointers, casts, calls and comments. It is for parsing: names
need not mean anything, but every name is used as one kind of thing only.
"""

from __future__ import annotations

import random

SEED, N_PROGRAMS = 2026, 20
NOUNS = ("buffer", "node", "item", "table", "index", "entry", "state", "queue", "frame", "record")
VERBS = ("read", "write", "find", "push", "reset", "parse", "copy", "merge", "check", "update")
FIELDS = ("size", "count", "next", "flags", "data", "name", "capacity", "offset")
NUMBERS = ("0", "1", "2", "16", "0xff", "0x7fffffffUL", "1024u", "'\\n'", "'a'", "3.5f", "1e-9")
TEXTS = ('"%d items\\n"', '"out of memory"', '"key=\\"%s\\""', '"\\x1b[0m"', '""', '"name" ": "')
BASIC = ("int", "unsigned int", "char", "size_t", "long", "double", "const char", "uint32_t")


def generate_programs() -> list[tuple[str, str]]:
    """Return ``N_PROGRAMS`` names and programs, the same on every call."""
    draw = random.Random(SEED)
    return [(f"program-{n}.c", _Program(draw).write()) for n in range(N_PROGRAMS)]


class _Program:
    """Writes one program."""

    def __init__(self, draw: random.Random) -> None:
        self.draw = draw
        self.nouns = draw.sample(NOUNS, 3)
        self.functions = [f"{v}_{n}" for v in draw.sample(VERBS, 4) for n in self.nouns[:1]]
        self.variables: list[str] = []

    def write(self) -> str:
        draw = self.draw
        parts = [
            "typedef unsigned long size_t;\ntypedef unsigned int uint32_t;",
            "extern int printf(const char *format, ...);\nvoid *malloc(size_t size);",
            *(self.structure(noun) for noun in self.nouns),
            self.enumeration(),
            "static const unsigned char table[] = {"
            + ", ".join(hex(draw.randrange(256)) for _ in range(draw.randint(4, 24)))
            + "};",
            *(self.function(name) for name in self.functions),
        ]
        return "\n\n".join(parts) + "\n"

    def structure(self, noun: str) -> str:
        draw = self.draw
        lines = [
            f"    {draw.choice(BASIC)} {'*' * draw.randrange(2)}{field}"
            f"{draw.choice(('', '', '[16]', '[MAX_SIZE]'))};"
            for field in draw.sample(FIELDS, draw.randint(2, 6))
        ]
        lines.append(f"    struct {noun} *parent;")
        lines.append("    int (*compare)(const void *left, const void *right);")
        return f"typedef struct {noun} {{\n" + "\n".join(lines) + f"\n}} {noun}_t;"

    def enumeration(self) -> str:
        noun = self.nouns[0]
        names = [f"{noun.upper()}_{verb.upper()}" for verb in self.draw.sample(VERBS, 4)]
        return f"enum {noun}_kind {{ {names[0]} = 1, {', '.join(names[1:])}, MAX_SIZE = 64 }};"

    def function(self, name: str) -> str:
        draw = self.draw
        noun = draw.choice(self.nouns)
        self.variables = ["self", "n", "i", "result"]
        comment = draw.choice(("", f"/* {name}: returns 0, or -1 if there is none. */\n"))
        head = f"static {draw.choice(('int', 'size_t', 'void *'))} {name}"
        body = [
            "int result = 0;",
            f"size_t i, n = {self.expression(1)};",
            f"{noun}_t *other = ({noun}_t *)malloc(sizeof({noun}_t));",
        ]
        self.variables.append("other")
        body += [self.statement(3) for _ in range(draw.randint(3, 9))]
        body.append("return result;")
        block = "\n".join(f"    {line}" for text in body for line in text.split("\n"))
        return f"{comment}{head}({noun}_t *self, const char *key, int argument)\n{{\n{block}\n}}"

    def statement(self, depth: int) -> str:
        draw = self.draw
        kind = draw.randrange(9) if depth else draw.randrange(4)
        if kind == 0:
            return f"{self.place()} {draw.choice(('=', '+=', '|=', '<<='))} {self.expression(2)};"
        if kind == 1:
            return f"printf({draw.choice(TEXTS)}, {self.expression(1)});"
        if kind == 2:
            return f"{draw.choice(self.functions)}(self, key, {self.expression(1)});"
        if kind == 3:
            return f"{draw.choice(self.variables[1:3])}{draw.choice(('++', '--'))};"
        if kind == 4:
            other = f" else {self.block(depth - 1)}" if draw.random() < 0.4 else ""
            return f"if ({self.condition()}) {self.block(depth - 1)}{other}"
        if kind == 5:
            return f"for (i = 0; i < {self.expression(0)}; i++) {self.block(depth - 1)}"
        if kind == 6:
            return f"while ({self.condition()}) {self.block(depth - 1)}"
        if kind == 7:
            cases = "\n".join(
                f"case {number}:\n    {self.statement(0)}\n    break;"
                for number in draw.sample(("0", "1", "'x'", "MAX_SIZE"), 2)
            )
            return f"switch ({self.expression(0)}) {{\n{cases}\ndefault:\n    goto done;\n}}"
        return f"do {self.block(depth - 1)} while ({self.condition()});"

    def block(self, depth: int) -> str:
        lines = [self.statement(depth) for _ in range(self.draw.randint(1, 3))]
        if self.draw.random() < 0.2:
            lines.insert(0, f"const char *text = {self.draw.choice(TEXTS)};")
        if self.draw.random() < 0.15:
            lines.append("/* nothing else to do here */")
            lines.append(self.draw.choice(("break;", "continue;", "return -1;")))
        inner = "\n".join(f"    {line}" for text in lines for line in text.split("\n"))
        return f"{{\n{inner}\n}}"

    def place(self) -> str:
        field = self.draw.choice(FIELDS)
        return self.draw.choice(
            (f"self->{field}", "result", f"other->parent->{field}", "self->data[i]", "*self->next")
        )

    def condition(self) -> str:
        sign = self.draw.choice(("==", "!=", "<", ">=", "&&", "||"))
        return f"{self.expression(1)} {sign} {self.expression(1)}"

    def expression(self, depth: int) -> str:
        draw = self.draw
        kind = draw.randrange(8) if depth else draw.randrange(3)
        if kind == 0:
            return draw.choice(self.variables[:3])
        if kind == 1:
            return draw.choice(NUMBERS)
        if kind == 2:
            return self.place()
        inner = self.expression(depth - 1)
        if kind == 3:
            return f"{draw.choice(self.functions)}(self, {draw.choice(TEXTS)}, {inner})"
        if kind == 4:
            return f"({inner} {draw.choice('+-*/%&|^')} {self.expression(depth - 1)})"
        if kind == 5:
            return f"(unsigned int)({inner} >> 2)"
        if kind == 6:
            return f"!{inner}" if inner[0] != "'" else inner
        return f"({inner} ? {draw.choice(NUMBERS)} : table[i])"
