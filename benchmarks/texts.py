"""Texts that are timed: drawn from templates by a seed, or files of this Python.

In a template ``<name>`` is one of the name's alternatives, and ``<name*1-4|, >`` one to four of
them with ``, `` between. In texts that are nested deep the alternatives of ``name0`` are taken.
Programs and scripts are for parsing: their names need not mean anything.

Example: of ``{"text": ["<word*2-2| >"], "word": ["a", "b"]}`` a text is ``b a``.
"""

from __future__ import annotations

import importlib.metadata
import json
import random
import re
import sysconfig
from collections.abc import Mapping, Sequence
from pathlib import Path

SEED, DEPTH = 2026, 9
_NAME = re.compile(r"<(\w+)(?:\*(\d+)-(\d+)\|([^<>]*))?>")
Templates = Mapping[str, Sequence[str]]
Named = list[tuple[str, str]]

_WORDS = ("buffer", "node", "item", "table", "index", "entry", "state", "queue", "frame", "record")
C: Templates = {
    "text": [
        "typedef unsigned long size_t;\ntypedef unsigned int uint32_t;\n\n"
        "extern int printf(const char *format, ...);\nvoid *malloc(size_t size);\n\n"
        "<struct*2-3|\n\n>\n\nenum kind { FIRST = 1, SECOND, MAX_SIZE = 64 };\n\n"
        "static const unsigned char table[] = {<byte*4-24|, >};\n\n<function*3-5|\n\n>\n"
    ],
    "struct": [
        "typedef struct <noun> {\n    <field*2-6|\n    >\n    struct <noun> *parent;\n"
        "    int (*compare)(const void *left, const void *right);\n} <noun>_t;"
    ],
    "field": [
        "<type> <name>;",
        "<type> *<name>;",
        "<type> <name>[16];",
        "<type> <name>[MAX_SIZE];",
    ],
    "function": [
        "<comment>static <result> <verb>_<noun>(<noun>_t *self, const char *key, int argument)\n{\n"
        "    int result = 0;\n    size_t i, n = <value>;\n"
        "    <noun>_t *other = (<noun>_t *)malloc(sizeof(<noun>_t));\n    <line*3-9|\n    >\n"
        "    return result;\n}"
    ],
    "comment": ["", "/* returns 0, or -1 if there is none. */\n"],
    "result": ["int", "size_t", "void *"],
    "line": [
        *("<place> <set> <value>;", "printf(<string>, <value>);", "<call>;", "n++;", "i--;"),
        *("if (<test>) <block>", "if (<test>) <block> else <block>", "while (<test>) <block>"),
        *("for (i = 0; i < <atom>; i++) <block>", "do <block> while (<test>);"),
        "switch (<atom>) {\n    case 0: <line0> break;\n    case 'x': <line0> break;\n"
        "    default: goto done;\n    }",
    ],
    "line0": ["<place> <set> <value>;", "printf(<string>, <atom>);", "<call>;", "n++;"],
    "block": ["{\n        <line*1-3|\n        >\n    }", "{ /* nothing else */ <leave> }"],
    "block0": ["{ <line0> }", "{ <leave> }"],
    "leave": ["break;", "continue;", "return -1;"],
    "place": ["self-><name>", "result", "other->parent-><name>", "self->data[i]", "*self->next"],
    "set": ["=", "+=", "|=", "<<="],
    "test": ["<value> <sign> <value>"],
    "sign": ["==", "!=", "<", ">=", "&&", "||"],
    "value": [
        *("<atom>", "<atom>", "<call>", "(<value> <operator> <value>)", "!<place>"),
        *("(unsigned int)(<value> >> 2)", "(<value> ? <number> : table[i])"),
    ],
    "value0": ["<atom>"],
    "atom": ["self", "n", "i", "<number>", "<place>"],
    "call": ["<verb>_<noun>(self, <string>, <atom>)"],
    "operator": [*"+-*/%&|^"],
    "number": ["0", "1", "16", "0xff", "0x7fffffffUL", "1024u", "'\\n'", "'a'", "3.5f", "1e-9"],
    "string": ['"%d items\\n"', '"out of memory"', '"key=\\"%s\\""', '"\\x1b[0m"', '""', '"a" "b"'],
    "byte": ["0x7f", "0xc3", "0x00", "17"],
    "type": ["int", "unsigned int", "char", "size_t", "long", "double", "const char", "uint32_t"],
    "name": ["size", "count", "next", "flags", "data", "capacity", "offset"],
    "noun": _WORDS,
    "verb": ["read", "write", "find", "push", "reset", "parse", "copy", "merge", "check"],
}
# Blanks stand only where toy_c.gbnf and llama.cpp's c.gbnf both take them.
TOY_C: Templates = {
    "text": ["<function*3-7|>"],
    "function": ["<declared>(<declared>){<line*4-10|>}", "<declared>(){<line*4-10|>}"],
    "declared": ["<type> <name>"],
    "line": [
        *("<type> <set>;", "<set>;", "<set>;", "<name> (<arguments>);", "return <value>;"),
        *("// the next one is checked below\n", "/* nothing else to do here */"),
        *("while(<test>)<block>", "for(<type> <set>; <test>; <set>)<block>"),
        *("if(<test>)<block>", "if(<test>)<block>else<block>"),
    ],
    "line0": ["<set>;", "return <value>;"],
    "block": ["{<line*1-4|>}"],
    "set": ["<name> = <value>"],
    "test": ["<atom0><sign><atom0>"],
    "sign": ["<=", "<", "==", "!=", ">=", ">"],
    "value": [
        "<atom>",
        "<atom>",
        "<atom><operator><atom>",
        "<atom><operator><atom><operator><atom>",
    ],
    "operator": [*"+-*/"],
    "atom": ["<atom0>", "<atom0>", "<name>(<arguments>)", "( <value> )"],
    "atom0": ["<name>", "<name>", "<number>", "<number>", "-<name>"],
    "arguments": ["", "<value>", "<value>, <value>", "<value>, <value>, <value>"],
    "number": ["0", "1", "2", "16", "255", "1024", "65536"],
    "type": ["int", "int", "float", "char"],
    "name": [*_WORDS, "i", "n", "x", "result", "parent_size", "MAX_SIZE", "read_node"],
}
SQL: Templates = {
    "text": ["<statement*1-6|;\n\n>;\n"],
    "statement": [
        "SELECT <distinct><term*1-5|, >\nFROM <table> AS t<join>\nWHERE <test*1-4|\n  AND ><order>",
        "SELECT <distinct><term*1-5|, > FROM <table> AS t<join> WHERE <test*1-4| OR ><order>",
        "WITH recent AS (\n  SELECT * FROM orders WHERE placed_at > <string>\n)\n"
        "SELECT city, count(*) AS n, sum(total) AS revenue\nFROM recent\n"
        "JOIN customers ON customers.id = recent.customer_id\nGROUP BY city\n"
        "HAVING sum(total) > <number>\nORDER BY revenue DESC\nLIMIT 20",
        "SELECT id, customer_id, rank() OVER (PARTITION BY customer_id ORDER BY total <way>) AS n "
        "FROM orders",
        "INSERT INTO <table> (<column*3-3|, >) VALUES\n  <row*1-4|,\n  >",
        "UPDATE <table> SET <column> = <value>, <column> = <value> WHERE <test>",
        "DELETE FROM <table> WHERE <test>",
        "CREATE TABLE IF NOT EXISTS <table>_7 (\n  id INTEGER PRIMARY KEY,\n"
        "  <definition*2-6|,\n  >,\n"
        "  FOREIGN KEY (id) REFERENCES <table> (id)\n)",
    ],
    "distinct": ["", "DISTINCT "],
    "term": ["<expression>", "<expression> AS c1"],
    "join": [
        "",
        "\nJOIN orders AS o ON t.<column> = o.id",
        "\nLEFT JOIN orders AS o ON t.id = o.id",
    ],
    "order": ["", "\nORDER BY t.<column> <way>, 1\nLIMIT 100 OFFSET 50"],
    "way": ["ASC", "DESC"],
    "expression": [
        *("t.<column>", "<value>", "<expression> <operator> t.<column>", "<call>(<expression>)"),
        *("(<expression> || <string>)", "CAST(<expression> AS <type>)"),
        "CASE WHEN <test> THEN <expression> ELSE <value> END",
    ],
    "expression0": ["t.<column>", "<value>"],
    "test": [
        *("t.<column> <sign> <value>", "t.<column> IS NOT NULL", "t.<column> LIKE <string>"),
        *("t.<column> BETWEEN 1 AND 99", "t.<column> IN (<value>, <value>)", "NOT t.<column> = 1"),
        "(t.<column> = <value> OR t.<column> IS NULL)",
        "t.<column> IN (SELECT customer_id FROM orders WHERE total > <number>)",
    ],
    "row": ["(<value>, <value>, <value>)"],
    "definition": ["<column> <type><rule>"],
    "rule": ["", " NOT NULL", " UNIQUE", " DEFAULT 3"],
    "sign": ["=", "<>", "<", ">=", "!="],
    "operator": [*"+-*/"],
    "value": ["<number>", "<number>.25", "<string>", "NULL"],
    "number": ["0", "17", "420", "4999"],
    "string": ["'open'", "'paid'", "'O''Neill'", "'Zürich'", "'2026-01-31'", "'%pen%'", "''"],
    "call": ["count", "sum", "avg", "min", "max", "lower", "coalesce", "length"],
    "type": ["INTEGER", "TEXT", "REAL", "VARCHAR(255)", "DECIMAL(10, 2)", "BLOB", "TIMESTAMP"],
    "table": ["customers", "orders", "order_lines", "products"],
    "column": ["id", "name", "email", "city", "state", "total", "sku", "amount", "price", "stock"],
}
TINY_SQL: Templates = {
    "text": ["SELECT <column> FROM <table> WHERE <column> = <number>"],
    "column": ["price", "amount", "name"],
    "table": ["orders", "products"],
    "number": ["1", "2", "3"],
}
JSON: Templates = {
    "text": [
        *("<orders>", "<profile>", "[<event*2-12|, >]", "<rows>", "<settings>"),
        "[\n  <event*2-12|,\n  >\n]",
    ],
    "orders": ['{"object": "list", "has_more": <flag>, "data": [<order*1-3|, >]}'],
    "order": [
        '{"id": "<id>", "created_at": "<time>", "customer": {"name": <name>, "city": <city>}, '
        '"items": [<line*1-6|, >], "note": <note>}'
    ],
    "line": [
        '{"sku": "A<integer>", "quantity": <integer>, '
        '"price": {"amount": <number>, "currency": "EUR"}}'
    ],
    "profile": [
        '{\n  "id": <integer>,\n  "login": "user<integer>",\n  "name": <name>,\n'
        '  "avatar_url": "https://example.org/avatars/<id>.png?size=64&v=2",\n  "bio": <note>,\n'
        '  "address": {"city": <city>, "geo": [<number>, -<number>]},\n'
        '  "roles": ["admin", "viewer"],\n'
        '  "settings": {},\n  "followers": [],\n  "deleted_at": null\n}'
    ],
    "event": [
        '{"ts": 17<integer>000<integer>, "type": "order.created", "request_id": "<id>", '
        '"duration_ms": <number>, "ok": <flag>, "error": <error>}'
    ],
    "error": ["null", "null", '{"code": 500, "message": <note>}'],
    "rows": ['{"columns":["time","value"],"rows":[<pair*5-40|,>],"unit":"\\u00b5m"}'],
    "pair": ["[<integer>,<number>,<sign>]"],
    "sign": ["0", "-1", "1e-9", "2.5e+21"],
    "settings": [
        '{\n    "$schema": "https://example.org/settings.schema.json",\n    <member*2-4|,\n    >\n}'
    ],
    "member": ["<key>: {<member*1-3|, >}", "<key>: <note>", "<key>: <flag>", "<key>: <integer>"],
    "member0": ["<key>: <flag>", "<key>: <integer>"],
    "key": ['"server"', '"client"', '"retry"', '"limits"', '"cache"', '"logging"', '"auth"'],
    "id": ["5f3a<integer>-9c1e-4b7d-a0<integer>"],
    "time": ["2026-03-17T08:<integer>:00Z"],
    "name": [
        '"Ada Lovelace"',
        '"Zoë Müller"',
        '"Nguyễn Thị Hoa"',
        '"山田 太郎"',
        '"O\'Neill, Pat"',
    ],
    "city": ['"London"', '"Z\\u00fcrich"', '"São Paulo"', '"Kraków"', '"東京"'],
    "note": [
        "null",
        '"<word*3-14| >"',
        '"\\"<word*3-9| >\\""',
        '"<word>\\n<word>\\t"',
        '"🎉 <word>"',
    ],
    "word": ["please", "leave", "the", "parcel", "at", "door", "of", "my", "neighbour", "thanks"],
    "flag": ["true", "false"],
    "integer": ["1", "12", "40", "99", "137"],
    "number": ["0.5", "12.75", "899.99", "0.0031", "47.120034"],
}
# What a schema fixes, keys and their order without blanks, is forced; values are left to the model.
RECORD = r"""
// maskc: start=record
record: "{\"employee\":{\"name\":" STRING ",\"department_id\":" NUMBER role rest "}"
rest: ",\"start_date\":" DATE ",\"is_active\":" BOOL ",\"tags\":[" (STRING ("," STRING)*)? "]"
role: ",\"role\":" ("\"engineer\"" | "\"analyst\"" | "\"manager\"") "}"
STRING: /"[^"\\\x00-\x1f]*"/
NUMBER: /0|[1-9][0-9]*/
DATE: /"[0-9]{4}-[0-9]{2}-[0-9]{2}"/
BOOL: "true" | "false"
"""
RECORDS: Templates = {
    "text": [
        '{"employee":{"name":<name>,"department_id":<number>,"role":<role>},"start_date":<date>,'
        '"is_active":<flag>,"tags":[<tag*0-2|,>]}'
    ],
    "name": ['"Ada Lovelace"', '"Grace Hopper"', '"Émilie du Châtelet"', '"Alan Turing"'],
    "number": ["3", "17", "120", "1999"],
    "role": ['"engineer"', '"analyst"', '"manager"'],
    "date": ['"2026-01-31"', '"2026-07-04"', '"2026-11-19"'],
    "flag": ["true", "false"],
    "tag": ['"remote"', '"part time"', '"on call"', '"first aid"', '"night shift"'],
}


def generate(templates: Templates, n: int) -> Named:
    """Return names and so many texts, the same on every call."""
    draw = random.Random(SEED)
    return [(f"text-{k}", _expand(templates, "text", draw, 0)) for k in range(n)]


def _expand(templates: Templates, name: str, draw: random.Random, depth: int) -> str:
    is_flat = depth > DEPTH and f"{name}0" in templates
    template = draw.choice(templates[f"{name}0" if is_flat else name])

    def fill(found: re.Match[str]) -> str:
        n = draw.randint(int(found[2]), int(found[3])) if found[2] else 1
        parts = (_expand(templates, found[1], draw, depth + 1) for _ in range(n))
        return (found[4] or "").join(parts)

    return _NAME.sub(fill, template)


def find_json() -> Named:
    """Return 20 small JSON files of installed packages, the first by name."""
    found: Named = []
    files = (f for d in importlib.metadata.distributions() for f in d.files or ())
    for file in sorted(f for f in files if f.suffix == ".json" and ".dist-info" not in str(f)):
        path = Path(str(file.locate()))
        if len(found) == 20 or not path.is_file() or not 200 <= path.stat().st_size <= 20_000:
            continue
        try:
            text = path.read_text(encoding="utf-8")
            json.loads(text)
        except ValueError:
            continue
        found.append((str(file), text.rstrip()))  # no peer takes blanks after the value
    return found


def find_python(*, others: bool = False) -> Named:
    """Return 60 modules at the top of the standard library; all others, to three times the size."""
    paths = sorted(Path(sysconfig.get_path("stdlib")).glob("*.py"))
    sizes = {path: path.stat().st_size for path in paths if path.stat().st_size >= 1_000}
    chosen = [path for path, size in sizes.items() if size <= 20_000][:60]
    if others:
        chosen = [path for path, size in sizes.items() if size <= 60_000 and path not in chosen]
    return [(path.name, path.read_text(encoding="utf-8")) for path in chosen]
