"""What SQL would a model write? Seeded scripts over the tables of a shop.

``generate_scripts`` gives scripts of one to six statements: joins, groups, sub-queries, common
table expressions, windows, CASE, changes and definitions. ``generate_tiny`` gives single SELECTs
of a toy language of five words, the size of the examples in the manuals of inference servers.
"""

from __future__ import annotations

import random
from collections.abc import Callable

SEED, N_SCRIPTS, N_TINY = 2026, 40, 16
TABLES = {
    "customers": ("id", "name", "email", "city", "balance", "created_at"),
    "orders": ("id", "customer_id", "state", "placed_at", "total"),
    "order_lines": ("order_id", "sku", "amount", "price"),
    "products": ("sku", "title", "price", "stock", "category"),
}
TEXTS = ("'open'", "'paid'", "'O''Neill'", "'Zürich'", "'2026-01-31'", "'%pen%'", "''")
FUNCTIONS = ("count", "sum", "avg", "min", "max", "lower", "coalesce", "length")
TYPES = ("INTEGER", "TEXT", "REAL", "VARCHAR(255)", "DECIMAL(10, 2)", "BLOB", "TIMESTAMP")


def generate_tiny() -> list[tuple[str, str]]:
    """Return names and single statements of ``grammars/tiny_sql.lark``."""
    draw = random.Random(SEED)
    columns, tables = ("price", "amount", "name"), ("orders", "products")
    return [
        (
            f"tiny-{number}.sql",
            f"SELECT {draw.choice(columns)} FROM {draw.choice(tables)} "
            f"WHERE {draw.choice(columns)} = {draw.choice('123')}",
        )
        for number in range(N_TINY)
    ]


def generate_scripts() -> list[tuple[str, str]]:
    """Return ``N_SCRIPTS`` names and scripts, the same on every call."""
    draw = random.Random(SEED)
    return [(f"script-{number}.sql", _script(draw)) for number in range(N_SCRIPTS)]


def _script(draw: random.Random) -> str:
    makers: tuple[Callable[[random.Random], str], ...] = (
        *(_select, _select, _report, _window, _insert, _update, _delete, _create),
    )
    count = draw.randint(1, 6)
    return ";\n\n".join(draw.choice(makers)(draw) for _ in range(count)) + ";\n"


def _value(draw: random.Random) -> str:
    number = str(draw.randint(0, 5000))
    return draw.choice((number, f"{draw.uniform(0, 99):.2f}", draw.choice(TEXTS), "NULL"))


def _expression(draw: random.Random, alias: str, columns: tuple[str, ...], depth: int = 2) -> str:
    column = f"{alias}.{draw.choice(columns)}"
    kind = draw.randrange(7) if depth else draw.randrange(2)
    if kind == 0:
        return column
    if kind == 1:
        return _value(draw)
    inner = _expression(draw, alias, columns, depth - 1)
    if kind == 2:
        return f"{inner} {draw.choice('+-*/')} {column}"
    if kind == 3:
        return f"{draw.choice(FUNCTIONS)}({inner})"
    if kind == 4:
        return f"({inner} || {draw.choice(TEXTS)})"
    if kind == 5:
        return f"CAST({inner} AS {draw.choice(TYPES[:3])})"
    return f"CASE WHEN {_condition(draw, alias, columns)} THEN {inner} ELSE {_value(draw)} END"


def _condition(draw: random.Random, alias: str, columns: tuple[str, ...]) -> str:
    column = f"{alias}.{draw.choice(columns)}"
    value = _value(draw)
    return draw.choice(
        (
            f"{column} {draw.choice(('=', '<>', '<', '>=', '!='))} {value}",
            f"{column} IS NOT NULL",
            f"{column} LIKE {draw.choice(TEXTS)}",
            f"{column} BETWEEN 1 AND {draw.randint(2, 99)}",
            f"{column} IN ({_value(draw)}, {_value(draw)}, {value})",
            f"NOT {column} = {value}",
            f"({column} = {value} OR {column} IS NULL)",
            f"{column} IN (SELECT customer_id FROM orders WHERE total > {draw.randint(1, 900)})",
        )
    )


def _select(draw: random.Random) -> str:
    table, other = draw.sample(sorted(TABLES), 2)
    columns = TABLES[table]
    lines = [
        f"SELECT {draw.choice(('', 'DISTINCT '))}"
        + ", ".join(
            f"{_expression(draw, 't', columns)}{draw.choice(('', f' AS c{n}'))}"
            for n in range(draw.randint(1, 5))
        ),
        f"FROM {table} AS t",
    ]
    if draw.random() < 0.6:
        join = draw.choice(("JOIN", "LEFT JOIN", "INNER JOIN", "LEFT OUTER JOIN"))
        lines.append(f"{join} {other} AS o ON t.{columns[0]} = o.{TABLES[other][0]}")
    if draw.random() < 0.8:
        conditions = [_condition(draw, "t", columns) for _ in range(draw.randint(1, 4))]
        lines.append("WHERE " + draw.choice((" AND ", " OR ", "\n  AND ")).join(conditions))
    if draw.random() < 0.5:
        lines.append(f"ORDER BY t.{draw.choice(columns)} {draw.choice(('ASC', 'DESC'))}, 1")
        lines.append(f"LIMIT {draw.randint(1, 100)} OFFSET {draw.randint(0, 50)}")
    return draw.choice(("\n", " ")).join(lines)


def _report(draw: random.Random) -> str:
    return (
        f"WITH recent AS (\n  SELECT * FROM orders WHERE placed_at > {draw.choice(TEXTS)}\n)\n"
        f"SELECT city, count(*) AS n, sum(total) AS revenue\nFROM recent\n"
        f"JOIN customers ON customers.id = recent.customer_id\nGROUP BY city\n"
        f"HAVING sum(total) > {draw.randint(10, 9999)}\nORDER BY revenue DESC\n"
        f"LIMIT {draw.randint(1, 20)}"
    )


def _window(draw: random.Random) -> str:
    function = draw.choice(("row_number()", "rank()", "sum(total)", "avg(total)"))
    return (
        f"SELECT id, customer_id, {function} OVER (PARTITION BY customer_id "
        f"ORDER BY placed_at {draw.choice(('ASC', 'DESC'))}) AS n FROM orders"
    )


def _insert(draw: random.Random) -> str:
    table = draw.choice(sorted(TABLES))
    columns = TABLES[table]
    rows = ["(" + ", ".join(_value(draw) for _ in columns) + ")" for _ in range(draw.randint(1, 4))]
    return f"INSERT INTO {table} ({', '.join(columns)}) VALUES\n  " + ",\n  ".join(rows)


def _update(draw: random.Random) -> str:
    table = draw.choice(sorted(TABLES))
    columns = TABLES[table]
    changes = [f"{column} = {_value(draw)}" for column in draw.sample(columns, 2)]
    condition = _condition(draw, table, columns)
    return f"UPDATE {table} SET {', '.join(changes)} WHERE {condition}"


def _delete(draw: random.Random) -> str:
    table = draw.choice(sorted(TABLES))
    return f"DELETE FROM {table} WHERE {_condition(draw, table, TABLES[table])}"


def _create(draw: random.Random) -> str:
    table = draw.choice(sorted(TABLES))
    lines = ["id INTEGER PRIMARY KEY"]
    for number in range(draw.randint(2, 6)):
        rule = draw.choice(("", " NOT NULL", " UNIQUE", f" DEFAULT {draw.randint(0, 9)}"))
        lines.append(f"{draw.choice(TABLES[table])}_{number} {draw.choice(TYPES)}{rule}")
    lines.append(f"FOREIGN KEY (id) REFERENCES {table} (id)")
    return (
        f"CREATE TABLE IF NOT EXISTS {table}_{draw.randint(1, 99)} (\n  "
        + ",\n  ".join(lines)
        + "\n)"
    )
