"""Schemas of Python types, by Pydantic's adapter."""

import dataclasses
import enum
import sys
from typing import Annotated, Literal

import pytest
from typing_extensions import TypedDict

import maskc
from maskc.errors import SchemaError
from maskc.jsonschema.sources import describe_type, is_type, read_as

pydantic = pytest.importorskip("pydantic")


class Side(enum.Enum):
    BUY, SELL = "buy", "sell"


class Order(pydantic.BaseModel):
    side: Side
    amount: Annotated[int, pydantic.Field(ge=1, le=9)]


@dataclasses.dataclass
class Point:
    x: int
    y: int = 0


class Movie(TypedDict):
    title: str


CASES = (
    (Order, '{"side":"buy","amount":3}', Order(side=Side.BUY, amount=3), '{"side":"b'),
    (Point, '{"x":1}', Point(1), '{"x":"'),
    (Movie, '{"title":"M"}', {"title": "M"}, '{"title":1'),
    (Side, '"sell"', Side.SELL, '"b'),
    (Literal["a", 1], "1", 1, '"a'),
    (list[Order], "[]", [], "[1"),
    (int | None, "null", None, "tr"),
    (pydantic.TypeAdapter(dict[str, int]), '{"a":1}', {"a": 1}, '{"a":n'),
)
LEGAL = {'{"side":"b', '"b', '"a'}  # beginnings that go on


@pytest.mark.parametrize(("kind", "text", "value", "other"), CASES, ids=lambda c: f"{c!r:.20}")
def test_a_type_is_a_schema_and_reads_its_texts(kind, text, value, other):
    assert is_type(kind)
    artifact = maskc.compile_json_schema(kind, tokenizer="bytes")
    assert artifact.matcher().accept_bytes(text.encode())
    assert artifact.matcher().accept_bytes(other.encode()) == (other in LEGAL)
    assert read_as(kind)(text) == value


@pytest.mark.parametrize("given", ["string", {"type": "string"}, None, True, 3, Point(1), b"{}"])
def test_a_value_is_no_type(given):
    assert not is_type(given)


def test_a_class_is_written_in_the_plain_style_and_a_schema_in_any():
    ordered = maskc.compile_json_schema(Order, tokenizer="bytes")
    free = maskc.compile_json_schema(describe_type(Order), tokenizer="bytes")
    for text in (b'{"amount"', b'{ "side"', b'{"s\\u0069de"'):
        assert not ordered.matcher().accept_bytes(text)
        assert free.matcher().accept_bytes(text)


def test_one_part_of_a_style_can_be_chosen():
    artifact = maskc.compile_json_schema(Order, tokenizer="bytes", key_order="any")
    assert artifact.matcher().accept_bytes(b'{"amount"')
    assert not artifact.matcher().accept_bytes(b'{ "')


def test_a_style_that_does_not_exist_is_refused():
    with pytest.raises(ValueError, match="style is 'pretty'; give any or plain"):
        maskc.compile_json_schema({}, tokenizer="bytes", style="pretty")


class Odd:
    pass


@pytest.mark.parametrize("kind", [Odd, list["Missing"]], ids=["class", "name"])  # noqa: F821
def test_what_pydantic_cannot_describe_is_refused(kind):
    with pytest.raises(
        SchemaError, match=r"is the Python type .*, which Pydantic does not describe"
    ):
        maskc.compile_json_schema(kind, tokenizer="bytes")


def test_without_pydantic_a_type_is_refused_with_a_way_out(monkeypatch):
    monkeypatch.setitem(sys.modules, "pydantic", None)
    with pytest.raises(SchemaError, match="pip install pydantic, or give a JSON Schema"):
        describe_type(Point)


def test_a_naive_date_time_has_no_offset_and_an_aware_one_has():
    class Event(pydantic.BaseModel):
        naive: pydantic.NaiveDatetime
        aware: pydantic.AwareDatetime

    found = {name: held["format"] for name, held in describe_type(Event)["properties"].items()}
    assert found == {"naive": "date-time-local", "aware": "date-time"}
    assert describe_type(pydantic.NaiveDatetime)["format"] == "date-time-local"
    matcher = maskc.compile_json_schema(Event, tokenizer="bytes").matcher()
    text = '{"naive":"2024-02-29T12:00:00","aware":"2024-02-29T12:00:00Z"}'
    assert matcher.accept_bytes(text.encode())
    assert Event.model_validate_json(text).naive.tzinfo is None
