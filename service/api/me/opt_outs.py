"""Turning off one kind of mail by the link in a mail, without signing in (RFC 8058)."""

from html import escape

from litestar import Response

from service.api.http.operations import operation
from service.api.http.shell import Asked, Shell
from service.base.errors import StreamNotFound
from service.base.languages import N_, language_of, texts
from service.notices import opting_out, preferences, words
from service.notices.opting_out import OptOut

_HTML = "text/html"
_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; form-action 'self'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
}
_PAGE = """\
<!doctype html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Holotable</title>
</head>
<body>
<main>
<p>{text}</p>
{form}
</main>
</body>
</html>
"""
_FORM = '<form method="post"><button>{button}</button></form>'
_ASK = N_("Do you want no more mails of this kind: {kind}?")
_BUTTON = N_("No more of these mails")
_DONE = N_(
    "You get no more mails of this kind: {kind}. You can turn them on again in your account."
)


@operation(
    "GET", "/v1/opt-outs/{opt_out:str}", "ask_opt_out",
    "Show a page that asks whether to turn off one kind of mail.",
    needs="anyone", answer=str, produces=(_HTML,), problems=("not_found",),
)  # fmt: skip
async def ask_opt_out(request: Asked, opt_out: str, shell: Shell) -> Response[bytes]:
    """Ask. Programs that look into mails follow links, so a GET changes nothing."""
    return _page(request, _opened(shell, opt_out), _ASK, asks=True)


@operation(
    "POST", "/v1/opt-outs/{opt_out:str}", "opt_out",
    "Turn off one kind of mail, with the code from a mail.",
    needs="anyone", answer=str, produces=(_HTML,), problems=("not_found",),
    about="Mail programs send this for their own button (`List-Unsubscribe-Post`, RFC 8058). "
    "The body is not read.",
)  # fmt: skip
async def opt_out(request: Asked, opt_out: str, shell: Shell) -> Response[bytes]:
    """Turn the kind off. Doing it twice changes nothing more."""
    found = _opened(shell, opt_out)
    async with shell.engine.begin() as connection:
        await preferences.turn_off(connection, found.account, found.kind, found.channel)
    return _page(request, found, _DONE, asks=False)


def _opened(shell: Shell, code: str) -> OptOut:
    """
    Return what a code turns off.

    Raises:
        StreamNotFound: If it is not valid.
    """
    found = opting_out.opened(code, *shell.settings.secret_keys)
    if found is None:
        raise StreamNotFound("it does not exist, or you may not see it")
    return found


def _page(request: Asked, found: OptOut, text: str, *, asks: bool) -> Response[bytes]:
    language = language_of(request.headers.get("accept-language"))
    said = texts(language)
    kind = said.gettext(words.CALLED[found.kind])
    form = _FORM.format(button=escape(said.gettext(_BUTTON))) if asks else ""
    shown = escape(said.gettext(text).format(kind=kind))
    page = _PAGE.format(language=language, text=shown, form=form)
    return Response(page.encode(), media_type=_HTML, headers=_HEADERS)
