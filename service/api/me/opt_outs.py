"""Turning off one kind of mail by the link in a mail, without signing in (RFC 8058)."""

import msgspec
from litestar import Response

from service.api.http.operations import operation
from service.api.http.shell import Asked, Shell
from service.api.http.wire.negotiating import ALL, best
from service.api.http.writing.submitting import encoded
from service.base.errors import StreamNotFound
from service.notices import opting_out, preferences
from service.notices.kinds import Kind
from service.notices.opting_out import OptOut
from service.notices.outbox import Channel

_JSON, _HTML = "application/json", "text/html"
_HEADERS = {"Cache-Control": "no-store", "Referrer-Policy": "no-referrer"}
_PAGE = """\
<!doctype html>
<meta charset="utf-8">
<meta http-equiv="refresh" content="0; url={path}">
<title>Holotable</title>
<p><a href="{path}">Holotable</a></p>
"""


class OptOutShown(msgspec.Struct, kw_only=True):
    """One kind of mail, and whether its person still gets it."""

    kind: Kind
    """The kind, as in the choices of notifications."""

    channel: Channel
    """The channel: `mail` or `push`."""

    wanted: bool
    """True while the kind is sent."""


@operation(
    "GET", "/v1/opt-outs/{opt_out:str}", "ask_opt_out",
    "Read which kind of mail a code turns off. A browser is led to a page that asks.",
    needs="anyone", answer=OptOutShown, produces=(_JSON, _HTML), problems=("not_found",),
)  # fmt: skip
async def ask_opt_out(request: Asked, opt_out: str, shell: Shell) -> Response[bytes]:
    """Show the kind. Programs that inspect mails follow links, so a GET changes nothing."""
    found = _opened(shell, opt_out)
    if best(request.headers.get("accept", ALL), (_JSON, _HTML)) == _HTML:
        page = _PAGE.format(path=opting_out.path_of(opt_out))
        return Response(page.encode(), media_type=_HTML, headers=_HEADERS)
    return encoded(await _shown(shell, found), headers=_HEADERS)


@operation(
    "POST", "/v1/opt-outs/{opt_out:str}", "opt_out",
    "Turn off one kind of mail, with the code from a mail.",
    needs="anyone", answer=OptOutShown, problems=("not_found",),
    about="Mail programs send this for their own button (`List-Unsubscribe-Post`, RFC 8058). "
    "The body is not read.",
)  # fmt: skip
async def opt_out(opt_out: str, shell: Shell) -> Response[bytes]:
    """Turn the kind off. Doing it twice changes nothing more."""
    found = _opened(shell, opt_out)
    async with shell.engine.begin() as connection:
        await preferences.turn_off(connection, found.account, found.kind, found.channel)
    return encoded(await _shown(shell, found), headers=_HEADERS)


def _opened(shell: Shell, code: str) -> OptOut:
    """
    Return the notices that a code turns off.

    Raises:
        StreamNotFound: If it is not valid.
    """
    found = opting_out.opened(code, *shell.settings.secret_keys)
    if found is None:
        raise StreamNotFound("it does not exist, or you may not see it")
    return found


async def _shown(shell: Shell, found: OptOut) -> OptOutShown:
    chosen = await preferences.of_account(shell.pool, found.account)
    wanted = chosen.wants(found.kind, found.channel)
    return OptOutShown(kind=found.kind, channel=found.channel, wanted=wanted)
