"""Mails, made at the moment of sending from what holds then: address, language, codes."""

from email.headerregistry import Address
from email.message import EmailMessage
from email.utils import format_datetime, parseaddr
from typing import NamedTuple
from uuid import UUID

import msgspec

from service.base.languages import Language
from service.director.runtime import Runtime
from service.notices import letters, resets
from service.notices.letters import Letter
from service.notices.outbox import Due
from service.people import emails, resetting
from service.people.sealed_addresses import AddressKeys

_ACCOUNT = "SELECT login, name FROM account WHERE id = $1 AND login IS NOT NULL"


class Mail(NamedTuple):
    """A mail with its recipient."""

    recipient: str
    message: EmailMessage


class _AboutAccount(msgspec.Struct, frozen=True):
    """The facts of a mail about an account."""

    language: Language = "en"


class Composer:
    """Makes mails from notices."""

    def __init__(self, runtime: Runtime, keys: AddressKeys) -> None:
        self._runtime = runtime
        self._keys = keys

    async def mail(self, due: Due) -> Mail | None:
        """
        Return the mail of a notice, or None if it must not be sent any more.

        Raises:
            EventUnreadable: If the address does not open.
        """
        if due.ends_at <= self._runtime.clock.now():
            return None
        return await self._about_account(due)

    async def _about_account(self, due: Due) -> Mail | None:
        pool, now = self._runtime.pool, self._runtime.clock.now()
        row = await pool.fetchrow(_ACCOUNT, due.account)
        if row is None:  # erased
            return None
        language = msgspec.json.decode(due.facts, type=_AboutAccount).language
        place = self._runtime.settings.public_url or "Holotable"
        if due.kind == letters.VERIFY:
            code = resetting.code_text(self._runtime.entropy.bytes(emails.SECRET_BYTES))
            to = await emails.keep_code(pool, self._keys, due.account, code, now)
            letter = letters.verification(language, row["name"], row["login"], place, code)
        elif due.kind == resets.KIND:
            to = await emails.address_of(pool, self._keys, due.account)
            if to is None:
                return None
            code = resetting.code_text(self._runtime.entropy.bytes(resetting.SECRET_BYTES))
            await resetting.offer_by_mail(pool, due.account, code, now)
            letter = letters.reset(language, row["name"], row["login"], place, code)
        else:
            return None
        return None if to is None else Mail(to, self._message(due.id, to, letter))

    def _message(self, number: UUID, to: str, letter: Letter) -> EmailMessage:
        """Return the message with the headers of a mail that nobody answers."""
        sender = parseaddr(self._runtime.settings.mail_from or "")
        message = EmailMessage()
        message["From"] = Address(display_name=sender[0], addr_spec=sender[1])
        message["To"] = Address(addr_spec=to)
        message["Subject"] = " ".join(letter.subject.split())
        message["Date"] = format_datetime(self._runtime.clock.now())
        message["Message-ID"] = f"<{number.hex}@{sender[1].rpartition('@')[2]}>"
        message["Auto-Submitted"] = "auto-generated"
        message.set_content(letter.body)
        return message
