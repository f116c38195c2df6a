"""
The accounts of a packed league in the cell that unpacks it.

An account keeps its identifier, because the log names it. Two people may have chosen one login in
two cells, and even one identifier: it follows from what the person sent at sign-up. So an account
is never taken for one that is here already, unless the operator says so by name.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple
from uuid import UUID

from service.base.drivers import Driver
from service.people import operator_log
from service.people.relocations import RelocationRefused

_MET: Final = """
    SELECT moved.id, moved.login, moved.created_at = here.created_at AS same,
           here.id IS NOT NULL AS here, here.login AS login_here
      FROM moved_account moved LEFT JOIN account here ON here.id = moved.id
     ORDER BY moved.login, moved.id
"""
_HOLDER: Final = "SELECT id FROM account WHERE login = $1"
_RENAME: Final = "UPDATE moved_account SET login = $2 WHERE id = $1"
# Permissions of the old cell's operator end there.
_OF_ANOTHER_OPERATOR: Final = "UPDATE moved_account SET founds_leagues = false"
_TWICE: Final = "SELECT login FROM moved_account GROUP BY login HAVING count(login) > 1"
_DROP: Final = "DELETE FROM {} WHERE {} = ANY ($1)"
_THEIRS: Final = ("token", "account_email", "notice_settings", "push_subscription", "calendar_key")
_LONGEST: Final = 64


class Met(NamedTuple):
    """The accounts that a file brings, after the operator's choices."""

    copied: int
    mapped: tuple[tuple[UUID, str], ...]
    """Accounts with what the operator decided, in words."""


class _Coming(NamedTuple):
    id: UUID
    login: str | None
    same: bool | None
    here: bool
    login_here: str | None

    @property
    def name(self) -> str:
        """The login in the old cell, or the identifier of an account without one."""
        return self.login or f"plr_{self.id.hex}"


async def meet(connection: Driver, chosen: Mapping[str, str]) -> Met:
    """
    Give every account that the file brings its place here, as the operator has chosen.

    Accounts that are here already leave the temporary relations, with what belongs to them.

    Args:
        chosen: By login in the old cell (or ``plr_…``): a free login of this cell for a copy, or
            the present login of the same account here.

    Raises:
        RelocationRefused: If a login is taken or an account is here already, and *chosen* does not
            name it; or if an account here has the same identifier and is another one.
    """
    open_questions: list[str] = []
    kept: list[UUID] = []
    mapped: list[tuple[UUID, str]] = []
    coming = [_Coming(*row) for row in await connection.fetch(_MET)]
    unknown = set(chosen) - {each.name for each in coming}
    if unknown:
        step = "leave out --account for these"
        raise RelocationRefused(f"the file has no account {', '.join(sorted(unknown))}", step)
    for each in coming:
        wanted = chosen.get(each.name)
        if each.here:
            question = _of_known(each, wanted)
            kept.append(each.id)
            mapped.append((each.id, f"{each.name} is {wanted} here"))
        else:
            question = await _of_new(connection, each, wanted)
            if wanted is not None:
                mapped.append((each.id, f"{each.name} becomes {wanted} here"))
        open_questions += [] if question is None else [question]
    await connection.execute(_OF_ANOTHER_OPERATOR)
    open_questions += [
        f"two accounts would be called {login}" for (login,) in await connection.fetch(_TWICE)
    ]
    if open_questions:
        raise RelocationRefused(
            "; ".join(open_questions), "ask these people, and give --account OLD=NEW for each"
        )
    for relation, column in (("account", "id"), *((each, "account") for each in _THEIRS)):
        await connection.execute(_DROP.format(f"moved_{relation}", column), kept)
    return Met(len(coming) - len(kept), tuple(mapped))


def _of_known(coming: _Coming, wanted: str | None) -> str | None:
    """Return the question about an account whose identifier is here already, or None."""
    if not coming.same:
        raise RelocationRefused(
            f"plr_{coming.id.hex} is here already, and is another account",
            "this league cannot come to this cell",
        )
    own = coming.login_here or f"plr_{coming.id.hex}"
    if wanted == own:
        return None
    return f"{coming.name} is here already, as {own}"


async def _of_new(connection: Driver, coming: _Coming, wanted: str | None) -> str | None:
    """Rename a copy as the operator has chosen. Return the question about it, or None."""
    login = coming.login
    if wanted is not None:
        if login is None or not 0 < len(wanted) <= _LONGEST or wanted != wanted.lower():
            return f"{coming.name} cannot become {wanted}"
        login = wanted
        await connection.execute(_RENAME, coming.id, login)
    if login is None:  # a player without a login, or one who was erased
        return None
    if await connection.fetchval(_HOLDER, login) is not None:
        return f"the login {login} is taken here"
    return None


async def record(connection: Driver, met: Met, by: str) -> None:
    """Record each choice of the operator."""
    for number, said in met.mapped:
        about = f"plr_{number.hex}"
        reason = said[: operator_log.REASON_MAX]
        await operator_log.add(connection, [None], by, "account_mapped", about, reason)
