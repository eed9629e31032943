"""What do JSON answers of a web API look like? Seeded documents, and those of installed packages.

The generated ones are of five kinds: a page of orders, a user's profile, a log of events, a table
of measurements, a configuration. Half are indented; some escape what is not ASCII.
"""

from __future__ import annotations

import importlib.metadata
import json
import random
from collections.abc import Iterator
from typing import Any

SEED, N_GENERATED = 2026, 50
MIN_BYTES, MAX_BYTES, N_INSTALLED = 200, 20_000, 20
NAMES = (
    "Ada Lovelace",
    "Zoë Müller",
    "José Ramírez",
    "Nguyễn Thị Hoa",
    "山田 太郎",
    "O'Neill, Pat",
)
CITIES = ("London", "Zürich", "São Paulo", "Kraków", "東京", "New York")
WORDS = ("please", "leave", "the", "parcel", "at", "the", "door", "of", "my", "neighbour", "thanks")
KINDS = ("created", "updated", "deleted", "failed", "retried")


def generate_payloads() -> list[tuple[str, str]]:
    """Return ``N_GENERATED`` names and documents, the same on every call."""
    draw = random.Random(SEED)
    makers = (_orders, _profile, _events, _table, _settings)
    documents = []
    for number in range(N_GENERATED):
        payload = makers[number % len(makers)](draw)
        text = json.dumps(
            payload,
            indent=(None, 2, None, 4)[number % 4],
            separators=(",", ":") if number % 4 == 2 else None,
            ensure_ascii=number % 3 == 0,
        )
        documents.append((f"payload-{number}.json", text))
    return documents


def find_installed() -> list[tuple[str, str]]:
    """Return names and texts of the first small JSON files of installed packages, by name."""
    return list(_installed())[:N_INSTALLED]


def _installed() -> Iterator[tuple[str, str]]:
    found = {
        str(file): file.locate()
        for distribution in importlib.metadata.distributions()
        for file in distribution.files or ()
        if file.suffix == ".json" and ".dist-info" not in str(file)
    }
    for name, path in sorted(found.items()):
        try:
            data = path.read_bytes()  # type: ignore[attr-defined]
            text = data.decode()
            json.loads(text)
        except (OSError, ValueError):
            continue
        if MIN_BYTES <= len(data) <= MAX_BYTES:
            # No peer takes blanks after the value.
            yield name, text.rstrip()


def _id(draw: random.Random) -> str:
    digits = f"{draw.getrandbits(128):032x}"
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def _time(draw: random.Random) -> str:
    day, hour, minute = draw.randint(1, 28), draw.randint(0, 23), draw.randint(0, 59)
    return f"2026-{draw.randint(1, 12):02}-{day:02}T{hour:02}:{minute:02}:{draw.randint(0, 59):02}Z"


def _note(draw: random.Random) -> str:
    text = " ".join(draw.choices(WORDS, k=draw.randint(3, 14)))
    return draw.choice(
        (text, f'"{text}"', f"{text}\n{text[:20]}\t", f"C:\\temp\\{text[:6]}", "🎉 " + text)
    )


def _orders(draw: random.Random) -> Any:
    items = [
        {
            "sku": f"{draw.choice('ABCDE')}{draw.randint(100, 99999)}",
            "quantity": draw.randint(1, 12),
            "price": {"amount": round(draw.uniform(0.5, 900), 2), "currency": "EUR"},
            "gift": draw.random() < 0.2,
        }
        for _ in range(draw.randint(1, 6))
    ]
    return {
        "object": "list",
        "has_more": draw.random() < 0.5,
        "data": [
            {
                "id": _id(draw),
                "created_at": _time(draw),
                "customer": {"name": draw.choice(NAMES), "city": draw.choice(CITIES)},
                "items": items,
                "note": draw.choice((None, _note(draw))),
            }
            for _ in range(draw.randint(1, 3))
        ],
    }


def _profile(draw: random.Random) -> Any:
    return {
        "id": draw.randint(1, 10**9),
        "login": f"user{draw.randint(1, 9999)}",
        "name": draw.choice(NAMES),
        "email": f"user{draw.randint(1, 99)}@example.org",
        "avatar_url": f"https://example.org/avatars/{_id(draw)}.png?size=64&v=2",
        "bio": _note(draw),
        "address": {"city": draw.choice(CITIES), "zip": f"{draw.randint(0, 99999):05}", "geo": [
            round(draw.uniform(-90, 90), 6), round(draw.uniform(-180, 180), 6)]},
        "roles": draw.sample(["admin", "editor", "viewer", "billing"], k=draw.randint(0, 3)),
        "settings": {}, "followers": [],
        "deleted_at": None,
    }  # fmt: skip


def _events(draw: random.Random) -> Any:
    return [
        {
            "ts": draw.randint(1_700_000_000_000, 1_800_000_000_000),
            "type": f"order.{draw.choice(KINDS)}",
            "request_id": _id(draw),
            "duration_ms": round(draw.expovariate(0.02), 3),
            "ok": draw.random() < 0.9,
            "error": draw.choice((None, None, {"code": 500, "message": _note(draw)})),
        }
        for _ in range(draw.randint(2, 12))
    ]


def _table(draw: random.Random) -> Any:
    columns = ["time", "value", "low", "high"]
    rows = [
        [n, round(draw.gauss(0, 1), 4), draw.choice((0, -1, 1e-9, 2.5e21)), draw.randint(-9, 9)]
        for n in range(draw.randint(5, 40))
    ]
    return {"columns": columns, "rows": rows, "unit": "µm"}


def _settings(draw: random.Random) -> Any:
    def nest(depth: int) -> Any:
        if depth == 0:
            return draw.choice((True, False, None, draw.randint(0, 99), _note(draw)))
        keys = draw.sample(["server", "client", "retry", "limits", "cache", "logging", "auth"], 3)
        return {key: nest(depth - 1) for key in keys}

    return {"$schema": "https://example.org/settings.schema.json", **nest(draw.randint(2, 3))}
