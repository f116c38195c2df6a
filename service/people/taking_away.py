"""The data about one person, as files for the person to keep."""

import io
import zipfile
from collections.abc import Mapping

import msgspec
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from service.people import calendar_keys, emails, sign_ins
from service.people.accounts import Account
from service.people.confidential_claims import search
from service.people.memberships import roles_of
from service.people.schema import (
    account,
    notice,
    notice_settings,
    push_subscription,
    refused_command,
    text,
    token,
)
from service.people.sealed_addresses import AddressKeys
from service.people.sealed_rows import KeysOf
from service.projections import schema
from service.projections.reads import record_queries

CONTENT = """\
account.json              the account
email.json                e-mail addresses, confirmed and waiting
notice-settings.json      choices of notices, with language, zone and quiet hours
browsers.json             browsers that get push messages, without their keys
notices.json              messages sent by mail and push in the last 30 days, without their codes
leagues.json              leagues and roles
entries.json              entries in tournaments, with places and payouts
records.json              totals in each league
texts.json                words that the person wrote, as stored; the log holds their digests
confidential-claims.json  claims filed in confidence, with their answers, and the number of all
                          claims that do not open, among which may be more
tokens.json               tokens, without their secrets
calendar-keys.json        keys of calendars, without their secrets
sign-ins.json             sign-ins of the last 90 days, with addresses
refused-commands.json     refused commands at tables
"""
"""The list of files, for the archive's README."""


_OF_OTHERS = ("claimant", "handled_by")


async def taken_away(
    connection: AsyncConnection, keys: KeysOf, addresses: AddressKeys, person: Account
) -> Mapping[str, object]:
    """
    Return everything that the service keeps about a person, by file.

    Texts of others about the person are not in it. They belong to their authors, and staff may read
    them.

    Args:
      connection: One transaction, so that all files are of one instant.
      keys: Returns the keys that open confidential claims.
      addresses: The keys that open addresses.
    """
    entries = await _rows(connection, _entries(person))
    roles = await roles_of(connection, person.player)
    leagues = sorted({*roles, *(str(each["league"]) for each in entries)})
    signed_in = await sign_ins.sign_ins_of(connection, person.number)
    return {
        "account": (await _rows(connection, _account(person)))[0],
        "email": (await emails.email_of(connection, addresses, person.number))._asdict(),
        "notice-settings": await _rows(connection, _choices(person)),
        "browsers": await _rows(connection, _browsers(person)),
        "notices": await _rows(connection, _notices(person)),
        "leagues": roles,
        "entries": entries,
        "records": {
            each: await record_queries.sums(connection, each, person.player) for each in leagues
        },
        "texts": await _rows(connection, _texts(person)),
        "confidential-claims": await _claims(connection, keys, person),
        "tokens": await _rows(connection, _tokens(person)),
        "calendar-keys": await calendar_keys.keys_of(connection, person.number),
        "sign-ins": [each._asdict() for each in signed_in],
        "refused-commands": await _rows(connection, _refused(person)),
    }


def packed(files: Mapping[str, object]) -> bytes:
    """Return a zip of these files. It takes long enough to need a thread."""
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("README.txt", CONTENT)
        for name, content in files.items():
            encoded = msgspec.json.format(msgspec.json.encode(content), indent=1)
            archive.writestr(f"{name}.json", encoded)
    return whole.getvalue()


async def _claims(
    connection: AsyncConnection, keys: KeysOf, person: Account
) -> Mapping[str, object]:
    """
    Return the claims that the person has filed in confidence, without the person's number.

    The person may have left the leagues, so the claims of all leagues are searched.
    """
    claims, unreadable = await search(connection, keys)
    own = [each._asdict() for each in claims if each.claimant == person.number]
    shown = [{name: each[name] for name in each if name not in _OF_OTHERS} for each in own]
    return {"claims": shown, "unreadable": unreadable}


async def _rows(
    connection: AsyncConnection, statement: sa.Select[tuple[object, ...]]
) -> list[Mapping[str, object]]:
    return [dict(row) for row in (await connection.execute(statement)).mappings()]


def _entries(person: Account) -> sa.Select[tuple[object, ...]]:
    return sa.select(schema.entrant).where(schema.entrant.c.player == person.player)


def _account(person: Account) -> sa.Select[tuple[object, ...]]:
    columns = account.c.id, account.c.login, account.c.name, account.c.created_at
    return sa.select(*columns, account.c.password_set_at).where(account.c.id == person.number)


def _tokens(person: Account) -> sa.Select[tuple[object, ...]]:
    columns = (each for each in token.c if each.name not in ("hash", "account"))
    return sa.select(*columns).where(token.c.account == person.number).order_by(token.c.created_at)


def _choices(person: Account) -> sa.Select[tuple[object, ...]]:
    columns = (each for each in notice_settings.c if each.name != "account")
    return sa.select(*columns).where(notice_settings.c.account == person.number)


def _browsers(person: Account) -> sa.Select[tuple[object, ...]]:
    columns = push_subscription.c.id, push_subscription.c.host, push_subscription.c.created_at
    return sa.select(*columns).where(push_subscription.c.account == person.number)


def _notices(person: Account) -> sa.Select[tuple[object, ...]]:
    columns = (each for each in notice.c if each.name not in ("account", "error"))
    return sa.select(*columns).where(notice.c.account == person.number).order_by(notice.c.id)


def _texts(person: Account) -> sa.Select[tuple[object, ...]]:
    columns = text.c.id, text.c.league, text.c.audience, text.c.body, text.c.written_at
    return sa.select(*columns).where(text.c.author == person.number).order_by(text.c.written_at)


def _refused(person: Account) -> sa.Select[tuple[object, ...]]:
    columns = (each for each in refused_command.c if each.name not in ("id", "account"))
    own = refused_command.c.account == person.number
    return sa.select(*columns).where(own).order_by(refused_command.c.received_at)
