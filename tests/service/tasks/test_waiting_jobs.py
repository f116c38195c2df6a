"""Jobs that wait for an operator never die of it: see ``jobs.fail``."""

import errno

import pytest

from service.base.errors import (
    EventUnreadable,
    LeagueKeyUnknown,
    LeagueSuspended,
    StoreUnavailable,
)
from service.tasks.child import _waits


@pytest.mark.parametrize(
    "error",
    [
        LeagueKeyUnknown(),
        LeagueSuspended("suspended"),
        StoreUnavailable("away"),
        OSError(errno.ENOSPC, "No space left on device"),
        OSError(errno.EROFS, "Read-only file system", "head"),
    ],
)
def test_what_an_operator_can_end_is_waited_for(error: Exception) -> None:
    """With a wrong key each table's watch was dead in minutes, also after the key was right."""
    assert _waits(error)


@pytest.mark.parametrize(
    "error", [EventUnreadable("damaged"), ValueError("a defect"), FileNotFoundError(2, "no", "it")]
)
def test_a_defect_is_not_waited_for(error: Exception) -> None:
    assert not _waits(error)
