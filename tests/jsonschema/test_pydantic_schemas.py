"""Texts of a Python type's schema are values of the type: Pydantic itself reads them."""

import datetime as dt
import decimal
import enum
import ipaddress
import uuid
from collections import Counter, OrderedDict
from random import Random
from typing import Annotated, Literal

import pytest

from maskc.kit.file import make_kit
from maskc.vocab import load_vocabulary
from tests.compiled import legal_ids

pydantic = pytest.importorskip("pydantic")
Field, Decimal = pydantic.Field, decimal.Decimal
KIT = make_kit(load_vocabulary("bytes"))


class Floor(enum.IntEnum):
    GROUND, FIRST = 0, 1


class Height(float, enum.Enum):
    LOW = 1.5


class Mixed(enum.Enum):
    WORD, NUMBER = "x", 2


class Plain(enum.Enum):
    LOW = 1


class House(pydantic.BaseModel):
    floors: dict[Floor, Annotated[Decimal, Field(max_digits=4)]]
    top: Floor


# A type → texts that it reads, and the schema keeps.
TYPES = {
    dt.date: ["0001-01-01", "2024-02-29"],
    dt.time: ["23:59:59Z", "00:00:00.5+01:00"],
    dt.datetime: ["2024-02-29T12:00:00Z"],
    pydantic.NaiveDatetime: ["2024-02-29T12:00:00"],
    dt.timedelta: ["P1DT2H", "PT36H", "P2W"],
    Decimal: ["1.50", "-2e3", ".5", 3, 2.5],
    Annotated[Decimal, Field(ge=0, le=100)]: [0, 99.5],
    Annotated[Decimal, Field(ge=0, decimal_places=2)]: [19.99],
    Annotated[Decimal, Field(decimal_places=2)]: [1.25, -3, "19.99", "-1"],
    Annotated[Decimal, Field(decimal_places=0)]: [-3, "12"],
    Annotated[Decimal, Field(max_digits=3)]: [0.25, 1.5, 999, "1.25"],
    Annotated[Decimal, Field(max_digits=2, decimal_places=2)]: [0.25, "0.25"],
    Annotated[Decimal, Field(max_digits=5, decimal_places=2)]: [999.99, "999.99"],
    Annotated[Decimal, Field(max_digits=19, decimal_places=4)]: [99999999999.9999],
    pydantic.HttpUrl: [
        "http://127.0.0.1:8000/a?b=c#d",
        "https://user:pw@sub.my-shop.example/%20",
        "http://localhost",
        "http://my_service:8000",
        "http://[::1]:65535/",
    ],
    pydantic.FileUrl: ["file:///etc/hosts"],
    pydantic.PostgresDsn: ["postgresql+asyncpg://u:p@a.example:5432,b.example/db"],
    pydantic.RedisDsn: ["redis://localhost:6379/1", "rediss://:secret@localhost/0"],
    pydantic.UUID4: [str(uuid.UUID(int=0, version=4))],
    pydantic.UUID1: [str(uuid.UUID(int=1 << 99, version=1))],
    pydantic.Base64Bytes: ["", "YQ==", "YWI=", "YWJj"],
    pydantic.Base64UrlBytes: ["_-8="],
    pydantic.IPvAnyAddress: ["127.0.0.1", "::1"],
    ipaddress.IPv4Address: ["10.0.0.1"],
    Annotated[str, pydantic.StringConstraints(strip_whitespace=True, min_length=2)]: ["a b", "éé"],
    dict[int, bool]: [{"0": True, "-12": False}],
    dict[bool, int]: [{"true": 1}],
    dict[Decimal, bool]: [{"1.5": True}],
    dict[str | float, int]: [{"abc": 1}],
    dict[int | None, int]: [{"1": 1}],
    dict[int | Literal["all"], int]: [{"3": 1, "all": 2}],
    dict[Literal[1, "a"], int]: [{"a": 1}],
    dict[Plain, int]: [{}],
    OrderedDict[dt.date, int]: [{"2024-02-29": 1}],
    Counter[int]: [{"7": 1}],
    dict[dt.date, bool]: [{"2024-02-29": True}],
    dict[Literal["a", "b"], int]: [{"a": 1}],
    dict[Floor, int]: [{"0": 1, "1": 2}],
    dict[Floor | None, int]: [{"0": 1}],
    dict[Floor | Literal["all"], int]: [{"1": 1, "all": 2}],
    dict[Annotated[Floor, Field(description="d")], int]: [{"1": 1}],
    dict[Height, int]: [{"1.5": 1}],
    dict[Annotated[Decimal, Field(max_digits=3)], int]: [{"123": 1}],
    dict[Mixed, int]: [{"x": 1}],
    dict[Annotated[str, pydantic.StringConstraints(pattern="^a+$")], int]: [{"aa": 1}],
    dict[pydantic.UUID4, int]: [{str(uuid.UUID(int=0, version=4)): 1}],
    House: [{"floors": {"1": 1.5}, "top": 1}],
}


def draw_text(draw, constraint, length=60):
    """Return a random text, or None where it comes to no end."""
    matcher, text = constraint.matcher(), b""
    for n in range(length):
        legal = sorted(legal_ids(matcher, 257) - {256})
        if matcher.is_accepting and (not legal or draw.random() < 0.25):
            return text
        plain = [byte for byte in legal if 32 <= byte < 127]
        byte = 34 if n > 25 and 34 in legal else draw.choice(plain or legal)
        assert matcher.accept_bytes(bytes([byte]))
        text += bytes([byte])
    return None


@pytest.mark.parametrize("kind", TYPES, ids=lambda kind: f"{kind!r:.60}")
def test_pydantic_reads_what_is_legal(kind):
    adapter, constraint, draw = pydantic.TypeAdapter(kind), KIT.json_schema(kind), Random(1)
    texts = [text for text in (draw_text(draw, constraint) for _ in range(25)) if text is not None]
    assert len(texts) > 5
    for text in texts:
        adapter.validate_json(text)


@pytest.mark.parametrize("kind", TYPES, ids=lambda kind: f"{kind!r:.60}")
def test_what_is_common_stays_legal(kind):
    adapter, constraint = pydantic.TypeAdapter(kind), KIT.json_schema(kind)
    for value in TYPES[kind]:
        text = pydantic.TypeAdapter(type(value)).dump_json(value)
        adapter.validate_json(text)
        matcher = constraint.matcher()
        assert matcher.accept_bytes(text), text
        assert matcher.is_accepting, text


def test_bounds_of_a_key_are_left_to_pydantic():
    kind = dict[Annotated[Decimal, Field(ge=0)], int]
    assert KIT.json_schema(kind).matcher().accept_bytes(b'{"1.5":1}')


REFUSED = (
    (dt.date, '"0000-01-01'),
    (dt.time, '"23:59:6'),
    (dt.datetime, '"2016-12-31T23:59:6'),
    (Decimal, '"x'),
    (Annotated[Decimal, Field(le=100)], '"'),
    (pydantic.HttpUrl, '"f'),
    (pydantic.HttpUrl, '"http:///'),
    (pydantic.UUID4, '"00000000-0000-0'),
    (dict[int, bool], '{"a'),
    (dict[Mixed, int], '{"2'),
    (dict[Plain, int], '{"1'),
    (dict[Literal[1, 2], int], '{"1'),
    (Counter[int], '{"a'),
    (dict[Annotated[Decimal, Field(max_digits=3)], int], '{"1234'),
    (Annotated[Decimal, Field(max_digits=3)], '"1234'),
)


@pytest.mark.parametrize(("kind", "text"), REFUSED)
def test_what_pydantic_refuses_is_illegal(kind, text):
    assert not KIT.json_schema(kind).matcher().accept_bytes(text.encode())


def test_an_address_has_a_domain_that_mail_can_reach():
    class Person(pydantic.BaseModel):
        mail: Annotated[str, Field(json_schema_extra={"format": "email"})]

    for address, holds in (
        ("a.b+c__d@mail.example.org", True),
        ("O'NEIL@ACME.COM", True),
        ("a@b.LOCAL", False),
        ("a@localhost", False),
        ("a@b.test", False),
        ("a@b.tests", True),
        ('"a b"@example.org', False),
    ):
        matcher = KIT.json_schema(Person).matcher()
        text = pydantic.TypeAdapter(dict[str, str]).dump_json({"mail": address})
        assert matcher.accept_bytes(text) == holds, address
