"""The e-mail address of the caller's account, and the reset of a forgotten password by mail."""

from datetime import datetime
from typing import Annotated, ClassVar
from uuid import UUID

import msgspec
from litestar import Response
from msgspec import Meta
from sqlalchemy.ext.asyncio import AsyncConnection

from service.api.http.operations import operation
from service.api.http.reading.clients import Address, MailLanguage
from service.api.http.shell import Asked, Shell
from service.api.http.writing.submitting import encoded
from service.api.me.first_choices import Zone, first_choice
from service.api.me.signing_in import signed_in
from service.api.me.tokens import PasswordGiven
from service.base.errors import BadRequest, StreamNotFound
from service.base.languages import Language
from service.notices import asking
from service.notices.preferences import begin
from service.people import emails
from service.people.emails import Email
from service.people.rechecking import demand_alive, demand_unchanged
from service.people.sealed_addresses import AddressKeys
from service.people.tokens import MANAGE, Principal

_PART = "[A-Za-z0-9-]{1,63}"
EmailAddress = Annotated[
    str,
    Meta(
        max_length=254,
        pattern=r"^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@" + rf"{_PART}(\.{_PART})*$",
    ),
]
"""An address in ASCII. A domain with other characters is written as ``xn--…``."""


class EmailWanted(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """An e-mail address for the caller's account, or none."""

    SECRET: ClassVar = ("password",)

    email: EmailAddress | None
    """The new address. Null removes the addresses of the account."""

    password: PasswordGiven
    """The password of the account. A token alone must not lead to a new password."""


class EmailShown(msgspec.Struct, kw_only=True):
    """The e-mail addresses of the caller's account."""

    email: str | None
    """The confirmed address, or null. Only this one gets mail about anything but itself."""

    verified_at: datetime | None
    """The instant at which it was confirmed, or null."""

    waiting: str | None
    """The address to which a code was mailed, or null. It is not confirmed yet."""

    waiting_until: datetime | None
    """The instant after which that code is not accepted, or null."""


class EmailCode(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """The code that was mailed to the new address."""

    SECRET: ClassVar = ("code",)

    code: Annotated[str, Meta(max_length=80)]
    """The code, as the mail shows it."""

    zone: Zone | None = None
    """The zone in which notices give times, if the person has chosen none yet."""


class ResetAsked(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """The account whose password was forgotten."""

    account: Annotated[str, Meta(min_length=1, max_length=254)]
    """The login of the account, or its confirmed e-mail address."""


class ResetPromised(msgspec.Struct, kw_only=True):
    """The answer to every request for a reset code."""

    from_: str = msgspec.field(name="from")
    """The sender of the mail, if one comes."""


@operation(
    "GET", "/v1/me/email", "read_my_email", "Read the e-mail addresses of the caller's account.",
    needs="account", scope=MANAGE, answer=EmailShown,
)  # fmt: skip
async def read_my_email(shell: Shell, principal: Principal) -> Response[bytes]:
    """Read the confirmed address, and the one that waits for its code."""
    async with shell.engine.connect() as connection:
        found = await emails.email_of(connection, _keys(shell), principal.account.number)
    return encoded(_shown(found))


@operation(
    "PUT", "/v1/me/email", "set_my_email",
    "Mail a code to a new e-mail address of the caller's account, or remove the addresses.",
    needs="account", answer=EmailShown,
    problems=("wrong_password", "too_many_sign_ins", "mail_unavailable"),
)  # fmt: skip
async def set_my_email(
    body: EmailWanted, address: Address, language: MailLanguage, shell: Shell, principal: Principal
) -> Response[bytes]:
    """Store the address as wanted, or remove both. A removed one gets a last mail."""
    keys = _keys(shell)
    if body.email is not None:
        _demand_mail(shell)
        shell.limits.ask_own_mail(principal.account.number)
    proven = await signed_in(shell, address, principal.account.login, body.password)
    me = proven.account
    async with shell.engine.begin() as connection:
        await demand_unchanged(connection, me.number, proven.kept)
        if body.email is None:
            former = await emails.remove(connection, keys, me.number)
            await tell_former(shell, language, connection, me.number, former)
        else:
            now, occasion = shell.now(), shell.runtime.entropy.uuid()
            await emails.want(connection, keys, me.number, body.email, now)
            await asking.mail_code(connection, me.number, occasion, language, now)
        found = await emails.email_of(connection, keys, me.number)
    return encoded(_shown(found))


@operation(
    "POST", "/v1/me/email/verification", "verify_my_email",
    "Confirm a new e-mail address with the code that was mailed to it.",
    needs="account", answer=EmailShown, problems=("not_found",),
)  # fmt: skip
async def verify_my_email(
    body: EmailCode, language: MailLanguage, shell: Shell, principal: Principal
) -> Response[bytes]:
    """Make the wanted address the confirmed one. An earlier one gets a last mail."""
    me, keys = principal.account.number, _keys(shell)
    async with shell.engine.begin() as connection:
        await demand_alive(connection, principal, shell.now())
        verified = await emails.verify(connection, keys, me, body.code, shell.now())
        if verified is None:
            raise StreamNotFound("it does not exist, or you may not see it")
        await begin(connection, me, first_choice(language, body.zone))
        await tell_former(shell, language, connection, me, verified.former)
        found = await emails.email_of(connection, keys, me)
    return encoded(_shown(found))


async def tell_former(
    shell: Shell, language: Language, connection: AsyncConnection, person: UUID, former: str | None
) -> None:
    """
    Have a mail sent to the address that was confirmed before, if there was one.

    A thief may have replaced it.
    """
    if former is None or shell.settings.smtp_url is None:
        return
    occasion = shell.runtime.entropy.uuid()
    await asking.mail_former(
        connection, _keys(shell), person, occasion, former, language, shell.now()
    )


@operation(
    "POST", "/v1/password-resets/request", "request_password_reset",
    "Have a reset code mailed, if the account has a confirmed e-mail address.",
    needs="anyone", answer=ResetPromised, status=202, problems=("mail_unavailable",),
    about="The answer and its time are the same whether there is such an account or not.",
)  # fmt: skip
async def request_password_reset(
    request: Asked, body: ResetAsked, language: MailLanguage, shell: Shell
) -> Response[bytes]:
    """Store the request as it came. A worker looks for the account."""
    sender = _demand_mail(shell)
    shell.limits.ask_mail(request.scope, body.account.lower())
    occasion = shell.runtime.entropy.uuid()
    async with shell.engine.begin() as connection:
        await asking.mail_reset(
            connection, _keys(shell), occasion, body.account, language, shell.now()
        )
    return encoded(ResetPromised(from_=sender), 202)


def _demand_mail(shell: Shell) -> str:
    """
    Return the sender of mail.

    Raises:
        BadRequest: ``mail_unavailable`` if this installation sends none.
    """
    if shell.settings.smtp_url is None or shell.settings.mail_from is None:
        raise BadRequest(
            "mail_unavailable",
            "this installation sends no mail; ask an owner of your league or the operator",
        )
    return shell.settings.mail_from


def _keys(shell: Shell) -> AddressKeys:
    return AddressKeys(*shell.settings.secret_keys)


def _shown(found: Email) -> EmailShown:
    return EmailShown(
        email=found.address,
        verified_at=found.verified_at,
        waiting=found.wanted,
        waiting_until=found.code_until,
    )
