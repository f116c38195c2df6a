"""Forged cursors are refused before they reach the database."""

import pytest

from service.api.http.reading.paging import parts_of, token
from service.base.errors import BadRequest


@pytest.mark.parametrize("position", [2**63, -2, 10**30])
def test_a_cursor_no_log_can_reach_is_refused(position: int) -> None:
    with pytest.raises(BadRequest):
        parts_of(token("trn", position), str, int)


def test_a_cursor_comes_back_as_it_was_given() -> None:
    assert parts_of(token("trn", -1), str, int) == ["trn", -1]


def test_a_cursor_with_what_no_database_keeps_is_refused() -> None:
    for text in ("\0", "plr_\0"):
        with pytest.raises(BadRequest):
            parts_of(token(text), str)
