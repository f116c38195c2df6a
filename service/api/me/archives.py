"""The caller's personal data in one file."""

from litestar.response import Stream

from service.api.http.operations import operation
from service.api.http.reading.positions import own_seen
from service.api.http.shell import Asked, Shell
from service.base import pools
from service.people.memberships import roles_of
from service.people.sealed_addresses import AddressKeys
from service.people.taking_away import packed, taken_away
from service.people.tokens import MANAGE, Principal


@operation(
    "GET", "/v1/me/archive", "take_me_away",
    "Download everything that the server keeps about the caller, as a zip of JSON files.",
    needs="account", scope=MANAGE, answer=bytes, produces=("application/zip",),
    problems=("overloaded",),
)  # fmt: skip
async def take_me_away(request: Asked, shell: Shell, principal: Principal) -> Stream:
    """Read accounts, texts and read models. Play itself is in the archives of the leagues."""
    async with shell.engine.connect() as connection:
        leagues = await roles_of(connection, principal.account.player)
    for league in leagues:
        await own_seen(request, league, "records")
    async with shell.engine.connect() as connection:
        keys = shell.runtime.writer.store.keys
        addresses = AddressKeys(*shell.settings.secret_keys)
        files = await taken_away(connection, keys, addresses, principal.account)
    whole = await pools.PACKING.run(principal.account.player, packed, files)
    name = f"{principal.account.player}.zip"
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
    return Stream(iter((whole,)), media_type="application/zip", headers=headers)
