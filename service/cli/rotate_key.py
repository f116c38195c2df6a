"""``holotable rotate-key``: wrap and seal everything with a new key, while the service runs."""

from typing import NamedTuple
from uuid import UUID

import rich_click as click
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.values import identifier
from service.base.drivers import Driver
from service.base.errors import EventUnreadable
from service.base.settings import Settings
from service.cli.common import DRY_RUN, USAGE, awaited, err, settings
from service.cli.deeds import carried_out
from service.log.keys import Keys, driver_of
from service.notices import browsers, letters
from service.people import emails, operator_log
from service.people.sealed_addresses import AddressKeys

# Locked in one order. If two changes run at once, the second sees the result of the first.
_ROWS = "SELECT league, key_id, wrapped FROM key ORDER BY league FOR NO KEY UPDATE"
_EMAILS = """
    SELECT account, address, digest, wanted FROM account_email ORDER BY account FOR NO KEY UPDATE
"""
_BROWSERS = "SELECT id, target FROM push_subscription ORDER BY id FOR NO KEY UPDATE"
_RESEAL_BROWSER = """
    UPDATE push_subscription SET target = $3, digest = $4 WHERE id = $1 AND target = $2
"""
_RESEAL = """
    UPDATE account_email SET address = $3, digest = $4, wanted = $5
     WHERE account = $1 AND address IS NOT DISTINCT FROM $2 AND wanted IS NOT DISTINCT FROM $6
"""
_RECIPIENTS = """
    SELECT id, recipient FROM notice WHERE recipient IS NOT NULL ORDER BY id FOR NO KEY UPDATE
"""
_RESEAL_RECIPIENT = "UPDATE notice SET recipient = $3 WHERE id = $1 AND recipient = $2"
_REWRAP = "UPDATE key SET wrapped = $3 WHERE league = $1 AND wrapped = $2"


@click.command("rotate-key")
@DRY_RUN
def rotate_key(dry_run: bool) -> None:
    """
    Wrap the leagues' keys with a new HOLOTABLE_SECRET_KEY, while the service runs.

    HOLOTABLE_SECOND_SECRET_KEY is the old key.  Every process must already have both.  Needs
    HOLOTABLE_DATABASE_URL with the login of holotable_migrate.  Addresses of people are sealed
    with the new key too.
    """
    awaited(rotate(settings(), dry_run=dry_run))


async def rotate(settings: Settings, *, dry_run: bool = False) -> int:
    """
    Wrap and seal everything with the settings' first key, in one transaction.

    Return 2 without a second key, or if a league's key or an address opens with neither. All others
    are done. What does not open is left as it is, because the keys may be the wrong ones.
    """
    if settings.second_secret_key is None:
        err.print(
            "there is only one key\n  next: set HOLOTABLE_SECRET_KEY to the new key and "
            "HOLOTABLE_SECOND_SECRET_KEY to the old one",
            markup=False,
        )
        return USAGE
    foreign = 0
    damaged: list[str] = []

    async def work(connection: AsyncConnection) -> str:
        nonlocal foreign
        driver, addresses = await driver_of(connection), AddressKeys(*settings.secret_keys)
        changed, leagues, foreign = await rewrap(driver, Keys(*settings.secret_keys))
        sealed = 0
        for sealing in (reseal, reseal_browsers, reseal_recipients):
            done = await sealing(driver, addresses)
            sealed += done.changed
            damaged.extend(done.damaged)
        if changed or sealed:
            about = f"{changed} of {leagues} leagues' keys, {sealed} addresses"
            await operator_log.add(driver, [None], operator_log.operator(), "key_rotated", about)
        return (
            f"wrapped with the new key: {changed} of {leagues} leagues' keys\n"
            f"sealed with the new key: {sealed} addresses of people\n"
            f"  next: {_AGAIN if changed or sealed else _DONE}"
        )

    done = await carried_out(settings, work, dry_run=dry_run)
    left = [f"the keys of {foreign} leagues were wrapped by another secret key"] if foreign else []
    if damaged:
        more = f" and {len(damaged) - _NAMED_MAX} more" if len(damaged) > _NAMED_MAX else ""
        left.append(f"no key opens the addresses of {', '.join(damaged[:_NAMED_MAX])}{more}")
    if left:
        whole = "; ".join(left)  # no text to translate, which a literal would be here
        raise EventUnreadable(whole)
    return done


class Sealed(NamedTuple):
    """The result for one kind of address."""

    changed: int
    """The number of rows that were sealed again."""

    damaged: list[str]
    """The rows that no key opens. They are left as they are."""


_AGAIN = "restart every process and run this again, until it says 0"
_NAMED_MAX = 10
_DONE = "remove HOLOTABLE_SECOND_SECRET_KEY at the next restart"


async def rewrap(connection: Driver, keys: Keys) -> tuple[int, int, int]:
    """
    Wrap every key with the first of *keys*.

    Returns:
        The number that changed, the total, and the number that no key opens.
    """
    rows = await connection.fetch(_ROWS)
    changed: list[tuple[UUID, bytes, bytes]] = []
    foreign = 0
    for row in rows:
        try:
            anew = keys.rewrapped(row["league"], row["key_id"], row["wrapped"])
        except EventUnreadable:
            foreign += 1
            continue
        if anew is not None:
            changed.append((row["league"], row["wrapped"], anew))
    await connection.executemany(_REWRAP, changed)
    return len(changed), len(rows), foreign


async def reseal(connection: Driver, keys: AddressKeys) -> Sealed:
    """Seal every e-mail address with the first of *keys*, and count the changed accounts."""
    changed, damaged = 0, []
    for row in await connection.fetch(_EMAILS):
        person, boxes = row["account"], {}
        for name in ("address", "wanted"):
            try:
                boxes[name] = row[name] and keys.sealed_again(emails.RELATION, person, row[name])
            except EventUnreadable:
                damaged.append(f"{identifier('plr', person)} ({name})")
        if not any(boxes.values()):
            continue
        address, wanted = (boxes.get(name) or row[name] for name in ("address", "wanted"))
        digest = row["digest"]
        if boxes.get("address"):
            digest = keys.digests(keys.opened(emails.RELATION, person, address))[0]
        before = row["address"], row["wanted"]
        await connection.execute(_RESEAL, person, before[0], address, digest, wanted, before[1])
        changed += 1
    return Sealed(changed, damaged)


async def reseal_browsers(connection: Driver, keys: AddressKeys) -> Sealed:
    """Seal every push subscription with the first of *keys*."""
    changed, damaged = 0, []
    for row in await connection.fetch(_BROWSERS):
        number, target = row["id"], row["target"]
        try:
            box = keys.sealed_again(browsers.RELATION, number, target)
        except EventUnreadable:
            damaged.append(f"browser {number}")
            continue
        if box is not None:
            digest = keys.digests(browsers.endpoint_in(keys, number, box))[0]
            await connection.execute(_RESEAL_BROWSER, number, target, box, digest)
            changed += 1
    return Sealed(changed, damaged)


async def reseal_recipients(connection: Driver, keys: AddressKeys) -> Sealed:
    """Seal the former addresses that still get a mail with the first of *keys*."""
    changed, damaged = 0, []
    for row in await connection.fetch(_RECIPIENTS):
        try:
            box = keys.sealed_again(letters.FORMER, row["id"], row["recipient"])
        except EventUnreadable:
            damaged.append(f"notice {row['id']}")
            continue
        if box is not None:
            await connection.execute(_RESEAL_RECIPIENT, row["id"], row["recipient"], box)
            changed += 1
    return Sealed(changed, damaged)
