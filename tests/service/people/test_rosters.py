"""Lists of players as spreadsheets write them, and with the faults that people make."""

import pytest

from service.base.errors import BadRequest
from service.people.rosters import ROWS_MAX, Row, read_roster

HEAD = b"name,email,role,external_id\n"


def faults(content: bytes) -> list[tuple[int, str]]:
    """Return the line and the code of each fault."""
    return [(each.line, each.code) for each in read_roster(content).faults]


def test_a_list_is_read_with_and_without_a_byte_order_mark() -> None:
    plain = "name,role\nJabba,scorer\nŽižka Ångström,\n".encode()
    for content in (plain, b"\xef\xbb\xbf" + plain, plain.replace(b"\n", b"\r\n")):
        assert read_roster(content).rows == (
            Row(2, "Jabba", "scorer", "name:jabba"),
            Row(3, "Žižka Ångström", "player", "name:žižka ångström"),
        )


def test_columns_come_in_any_order_and_with_semicolons_too() -> None:
    content = b"External_ID; Name\n7;Han\n"
    assert read_roster(content).rows == (Row(2, "Han", "player", "id:7"),)


def test_a_player_is_known_by_external_id_then_address_and_name_then_name() -> None:
    content = HEAD + b"Han,h@x.y,,7\nHan,H@X.Y,,\n HAN  solo ,,,\n"
    assert [each.identity for each in read_roster(content).rows] == [
        "id:7",
        "email:h@x.y han",
        "name:han solo",
    ]


def test_a_quoted_cell_may_hold_separators_and_lines_are_still_counted() -> None:
    content = b'name\n"Solo, Han"\n\n"two\nlines"\nLeia\n'
    found = read_roster(content)
    assert [(each.line, each.name) for each in found.rows] == [(2, "Solo, Han"), (6, "Leia")]
    assert faults(content) == [(4, "characters")]


@pytest.mark.parametrize(
    ("row", "code"),
    [
        (b"Han,,", "cells"),
        (b"Han,,,,", "cells"),
        (b" ,a@b.c,,", "name"),
        (b"x" * 81 + b",,,", "name"),
        (b"Han,nowhere,,", "email"),
        (b"Han,a b@c.d,,", "email"),
        (b"Han,,emperor,", "role"),
        (b"Han,,owner,", "role"),
        (b"Han,,,two words", "external_id"),
        (b"Han,,," + b"7" * 65, "external_id"),
        (b"Han\x07,,,", "characters"),
        (b"Han\x00,,,", "characters"),
        ("Han\u2028Solo,,,".encode(), "characters"),
    ],
)
def test_a_faulty_row_is_named_by_its_line(row: bytes, code: str) -> None:
    assert faults(HEAD + b"Leia,,,\n" + row + b"\nChewie,,,\n") == [(3, code)]


def test_the_same_player_twice_is_a_fault_of_the_second_line() -> None:
    assert faults(HEAD + b"Han,,,\nLeia,,,\nhan,,scorer,\nHan,,,9\n") == [(4, "repeated")]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\n\n",
        b"name,name\nHan,Han\n",
        b"email\na@b.c\n",
        b"name,colour\nHan,red\n",
        b'name\n"Han\n',
        b'name\n"Han" Solo\n',
        b"name\n" + b"Han\n" * (ROWS_MAX + 1),
    ],
)
def test_what_is_no_list_is_refused_whole(content: bytes) -> None:
    with pytest.raises(BadRequest) as refusal:
        read_roster(content)
    assert refusal.value.code == "invalid_csv"


def test_bytes_that_are_no_text_are_refused() -> None:
    with pytest.raises(BadRequest) as refusal:
        read_roster(b"name\n\xff\xfe\n")
    assert refusal.value.code == "invalid_unicode"
