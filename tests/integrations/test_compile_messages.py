"""Messages between a server and its compiling process: errors keep their class and fields."""

import json
import time
from socket import socketpair

import pytest

from maskc.errors import BudgetError, LimitError, SchemaError, UnknownSymbolError
from maskc.integrations.compile_messages import (
    check_size,
    read_error,
    read_limits,
    receive,
    send,
    write_error,
    write_limits,
)
from maskc.kit.kit import REQUEST_LIMITS


@pytest.mark.parametrize(
    "error",
    [
        LimitError("things", 1e9, "send less", "here"),
        BudgetError("seconds", 0.3, "send less"),
        SchemaError("/a/\ud800", "type", "is none", "give one"),
        UnknownSymbolError("x", "terminal", "A", ("B", "C")),
    ],
)
def test_an_error_comes_through_a_pipe_with_its_fields(error):
    ours, theirs = socketpair()
    with ours, theirs:
        send(ours, write_error(error), b"\x00\xff")
        message, data = receive(theirs)
    found = read_error(message)
    assert (type(found), found.args, str(found)) == (type(error), error.args, str(error))
    assert data == b"\x00\xff"


def test_a_message_that_nobody_reads_is_given_up_in_time():
    ours, theirs = socketpair()
    with ours, theirs, pytest.raises(TimeoutError):
        send(ours, {"text": "a" * 5_000_000}, until=time.monotonic() + 0.1)


def test_a_message_that_stops_halfway_is_given_up_in_time():
    ours, theirs = socketpair()
    ours.sendall(bytes(7) + b"\x09{")
    with ours, theirs, pytest.raises(TimeoutError):
        receive(theirs, until=time.monotonic() + 0.1)


def test_limits_come_through():
    assert read_limits(write_limits(REQUEST_LIMITS)) == REQUEST_LIMITS


def test_a_plan_may_be_larger_by_what_was_asked_for():
    asked = {"kind": "schema", "text": '{"enum": []}'}
    check_size(asked, 400_000 + len(json.dumps(asked["text"])))
    with pytest.raises(LimitError, match="more than 400,016 bytes of what is compiled"):
        check_size(asked, 400_017)


def test_what_comes_of_a_pattern_is_bounded():
    with pytest.raises(LimitError, match="more than 16,000,000 bytes of what is compiled"):
        check_size({"kind": "pattern", "text": "a" * 100}, 16_000_001)
