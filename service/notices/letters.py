"""
The words of mails about an account. Most hold a code, so they are made when they are sent.

A mail names the installation and the login, so that a person with several accounts knows which one
is meant. It says what to do if somebody else asked for it.
"""

from typing import Final, NamedTuple

from service.base.languages import N_, Language, texts


class Letter(NamedTuple):
    """A mail or a push message in one language."""

    subject: str
    body: str


VERIFY: Final = "verify_email"
FORMER: Final = "former_email"

_VERIFY = (
    N_("Confirm your e-mail address"),
    N_(
        "Hello {name},\n"
        "\n"
        "this address was entered for the account {login} at {place}. To confirm it, enter this "
        "code there within 24 hours:\n"
        "\n"
        "    {code}\n"
        "\n"
        "If you did not ask for this, ignore this mail. Nothing else will be sent to you."
    ),
)
_VERIFY_LINKED = (
    _VERIFY[0],
    N_(
        "Hello {name},\n"
        "\n"
        "this address was entered for the account {login} at {place}. To confirm it, open this "
        "page within 24 hours and press “Confirm the address”:\n"
        "\n"
        "{link}\n"
        "\n"
        "Or enter this code in your account:\n"
        "\n"
        "    {code}\n"
        "\n"
        "If you did not ask for this, ignore this mail. Nothing else will be sent to you."
    ),
)
_FORMER = (
    N_("This address no longer belongs to {login}"),
    N_(
        "Hello {name},\n"
        "\n"
        "this address was removed from the account {login} at {place}, or another one took its "
        "place. Nothing else will be sent to it.\n"
        "\n"
        "If you did not do this, somebody else knows your password. Choose a new one there at "
        "once, and enter your address again. If you cannot sign in any more, ask the operator, or "
        "an owner of your league."
    ),
)
_RESET = (
    N_("A new password for {login}"),
    N_(
        "Hello {name},\n"
        "\n"
        "somebody asked for a new password for the account {login} at {place}. To choose one, "
        "enter this code there within 24 hours:\n"
        "\n"
        "    {code}\n"
        "\n"
        "The code works once. If you did not ask for this, ignore this mail: your password stays "
        "as it is."
    ),
)


def verification(
    language: Language, name: str, login: str, place: str, code: str, link: str | None
) -> Letter:
    """
    Return the mail that asks to confirm an address.

    Args:
        link: The page that confirms it, or None on a server that does not know its own address.
    """
    told = {"name": name, "login": login, "place": place, "code": code}
    if link is None:
        return _filled(_VERIFY, language, **told)
    return _filled(_VERIFY_LINKED, language, **told, link=link)


def confirming(code: str) -> str:
    """Return the path of the page that confirms an address. Only its own account can use it."""
    return f"/account/email/confirm/{code}"


def former(language: Language, name: str, login: str, place: str) -> Letter:
    """Return the last mail to an address that is no longer the confirmed one."""
    return _filled(_FORMER, language, name=name, login=login, place=place)


def reset(language: Language, name: str, login: str, place: str, code: str) -> Letter:
    """Return the mail with a reset code."""
    return _filled(_RESET, language, name=name, login=login, place=place, code=code)


def _filled(written: tuple[str, str], language: Language, **values: str) -> Letter:
    found = texts(language)
    subject, body = (found.gettext(each).format(**values) for each in written)
    return Letter(subject, body)
