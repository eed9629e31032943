"""The scanner's rows, as lists."""

import pytest

from maskc.ids import DEAD
from maskc.runtime.scanner import ENDS, FORKS, ScannerTables, group_bytes
from tests.compiled import compile_text


@pytest.fixture(scope="module")
def scanner():
    return ScannerTables(compile_text('start: (NAME | "+" | "++")+\nNAME: /[a-z]+/\n').contents)


def move(scanner, state, byte):
    return scanner.moves(state)[scanner.byte_classes[ord(byte)]]


def test_a_byte_goes_on_ends_forks_or_dies(scanner):
    name = scanner.next(scanner.start)[scanner.byte_classes[ord("a")]]
    plus = scanner.next(scanner.start)[scanner.byte_classes[ord("+")]]
    assert move(scanner, name, "b") == name
    assert move(scanner, name, "+") == ENDS
    assert move(scanner, plus, "+") in {FORKS, scanner.next(plus)[scanner.byte_classes[ord("+")]]}
    assert move(scanner, name, "?") == DEAD


def test_an_end_names_the_terminal_and_a_boundary(scanner):
    name = scanner.next(scanner.start)[scanner.byte_classes[ord("a")]]
    ((terminal, boundary),) = scanner.ends(name)
    assert terminal == scanner.end_of_text[name]
    entered = scanner.entry(boundary, 0)[scanner.byte_classes[ord("+")]]
    assert entered > 0
    assert scanner.entry(boundary, 0)[scanner.byte_classes[ord("?")]] == DEAD


def test_rows_are_made_once(scanner):
    assert scanner.moves(scanner.start) is scanner.moves(scanner.start)
    assert scanner.ends(scanner.start) is scanner.ends(scanner.start)


def test_bytes_are_grouped_by_class_and_some_stand_alone():
    classes = bytes(1 if byte in b"ab\n" else 0 for byte in range(256))
    whole = group_bytes(classes)
    assert [len(group) for group in whole] == [253, 3]
    apart = group_bytes(classes, apart=b"\n")
    assert set(apart[1:]) == {b"ab", b"\n"}
