"""What does a model write that has to follow a JSON schema? Seeded records, one object each.

The grammar fixes what such schemas fix: keys, their order, and no blanks. What is left to the
model are the values.
"""

from __future__ import annotations

import json
import random

SEED, N_RECORDS = 2026, 100
NAMES = ("Ada Lovelace", "Grace Hopper", "Émilie du Châtelet", "Alan Turing", "Sophie Germain")
ROLES = ("engineer", "analyst", "manager")
TAGS = ("remote", "part time", "on call", "first aid", "night shift")

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


def generate_records() -> list[tuple[str, str]]:
    """Return ``N_RECORDS`` names and records, the same on every call."""
    draw = random.Random(SEED)
    return [(f"record-{n}.json", _write(draw)) for n in range(N_RECORDS)]


def _write(draw: random.Random) -> str:
    employee = {
        "name": draw.choice(NAMES),
        "department_id": draw.randrange(2000),
        "role": draw.choice(ROLES),
    }
    record = {
        "employee": employee,
        "start_date": f"2026-{draw.randint(1, 12):02}-{draw.randint(1, 28):02}",
        "is_active": draw.random() < 0.7,
        "tags": draw.sample(TAGS, draw.randrange(3)),
    }
    return json.dumps(record, separators=(",", ":"), ensure_ascii=False)
