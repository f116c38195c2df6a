"""The colours and the language of the pages: chosen here, or taken from the reader's device."""

from service.console import links
from service.console.asking import Ask
from service.console.declaring import form
from service.console.forms import Given
from service.console.languages import LANGUAGE_COOKIE, NAMES
from service.console.pages import SCHEME_COOKIE, SCHEMES, Done
from service.console.screens.account.home import home
from service.console.screens.account.signing_in import local
from service.console.sessions import set_cookie

_SECONDS = 365 * 24 * 3600


@form(links.SCHEME, of=home, open=True)
async def choose_scheme(ask: Ask, given: Given) -> Done:
    """Keep the chosen colours in this browser, and go back to the page."""
    wanted = given.text("scheme")
    seconds = _SECONDS if wanted in SCHEMES else 0
    cookie = set_cookie(SCHEME_COOKIE, wanted if seconds else "", ask.transport, seconds)
    return Done(local(given.text("then")), cookies=(cookie,))


@form(links.LANGUAGE, of=home, open=True)
async def choose_language(ask: Ask, given: Given) -> Done:
    """Keep the chosen language in this browser, and go back to the page."""
    wanted = given.text("language")
    seconds = _SECONDS if wanted in NAMES else 0
    cookie = set_cookie(LANGUAGE_COOKIE, wanted if seconds else "", ask.transport, seconds)
    return Done(local(given.text("then")), cookies=(cookie,))
