"""
Notices, made when they are sent from the present address, language, choices and codes.

So an erased, suspended or banned person gets nothing, a new choice counts at once, and nobody gets
news of a turn that is over.
"""

from datetime import datetime
from email.headerregistry import Address
from email.message import EmailMessage
from email.utils import format_datetime, parseaddr
from typing import Final, NamedTuple
from uuid import UUID

import msgspec

from engine.values import identifier
from service.base.languages import Language
from service.director.runtime import Runtime
from service.notices import letters, opting_out, preferences, resets, words
from service.notices.about import About
from service.notices.kinds import KINDS, URGENT, Kind
from service.notices.letters import Letter
from service.notices.opting_out import OptOut
from service.notices.outbox import Channel, Due
from service.notices.preferences import Preferences
from service.notices.push import Message
from service.notices.wanted import seated_now, still_wanted
from service.people import emails, resetting
from service.people.sealed_addresses import AddressKeys

_TO_OPERATOR: Final = """\
{said}

    holotable audit {league}

Do not delete or restore anything before.
"""
"""The settings name no language of the operator's."""

_ACCOUNT: Final = """
    SELECT login, name FROM account
     WHERE id = $1 AND login IS NOT NULL AND suspended_at IS NULL
"""


class Mail(NamedTuple):
    """A mail with its recipient."""

    recipient: str
    message: EmailMessage


class Pushed(NamedTuple):
    """A message for a browser."""

    message: Message
    urgent: bool


class Quiet(Exception):
    """It is quiet hours for the person. The notice waits."""

    def __init__(self, until: datetime) -> None:
        super().__init__(f"quiet until {until:%Y-%m-%d %H:%M}")
        self.until = until


class _AboutAccount(msgspec.Struct, frozen=True):
    """The facts of a mail about an account."""

    language: Language = "en"


class Composer:
    """Makes mails and push messages from notices."""

    def __init__(self, runtime: Runtime, keys: AddressKeys) -> None:
        self._runtime = runtime
        self._keys = keys
        self._place = runtime.settings.public_url or "Holotable"

    async def mail(self, due: Due) -> Mail | None:
        """
        Return the mail of a notice, or None if it must not be sent any more.

        Raises:
            EventUnreadable: If the address does not open.
            Quiet: If the person wants no messages now.
        """
        kind = self._kind(due)
        if kind is None:
            return await self._about_account(due)
        if due.account is None:
            return self._to_operator(due, kind)
        wanted = await self._wanted(due, kind, "mail")
        to = await emails.address_of(self._runtime.pool, self._keys, due.account)
        if wanted is None or to is None:
            return None
        chosen, about = wanted
        letter = words.told(kind, about, chosen)
        out, base = None, self._runtime.settings.public_url
        if base is not None:
            ends = OptOut(due.account, "mail", kind)
            code = opting_out.code_of(ends, *self._runtime.settings.secret_keys)
            out = f"{base}/v1/opt-outs/{code}"
            letter = words.with_link(letter, chosen.language, base + about.path)
            page = base + opting_out.path_of(code)
            letter = words.with_reason(letter, chosen.language, self._place, page)
        return Mail(to, self._message(due.id, to, letter, out))

    async def push(self, due: Due) -> Pushed | None:
        """
        Return the push message of a notice, or None if it must not be sent any more.

        Raises:
            Quiet: If the person wants no messages now.
        """
        kind = self._kind(due)
        if kind is None:
            return None
        wanted = await self._wanted(due, kind, "push")
        if wanted is None:
            return None
        chosen, about = wanted
        letter = words.told(kind, about, chosen)
        message = Message(
            kind=kind,
            title=letter.subject,
            body=letter.body,
            path=about.path,
            tag=str(due.occasion),
        )
        return Pushed(message, kind in URGENT)

    def _kind(self, due: Due) -> Kind | None:
        """Return the kind of a notice that people choose, or None for a mail about an account."""
        return next((each for each in KINDS if each == due.kind), None)

    async def _wanted(
        self, due: Due, kind: Kind, channel: Channel
    ) -> tuple[Preferences, About] | None:
        """
        Return the choices of the person and the present facts, or None if the notice must not be
        sent any more.

        Raises:
            Quiet: If the person wants no messages now.
        """
        now = self._runtime.clock.now()
        if due.account is None or due.ends_at <= now or await self._account(due.account) is None:
            return None
        chosen = await preferences.of_account(self._runtime.pool, due.account)
        if not chosen.wants(kind, channel):
            return None
        about = msgspec.json.decode(due.facts, type=About)
        player = identifier("plr", due.account)
        if not await still_wanted(self._runtime, kind, player, about, now):
            return None
        seated = await seated_now(self._runtime, about) if kind == "seat_drawn" else about
        if seated is None:
            return None
        until = chosen.quiet_until_after(now)
        if until is not None:
            raise Quiet(until)
        return chosen, seated

    def _to_operator(self, due: Due, kind: Kind) -> Mail | None:
        to = self._runtime.settings.operator_email
        if to is None or due.ends_at <= self._runtime.clock.now():
            return None
        about = msgspec.json.decode(due.facts, type=About)
        letter = words.told(kind, about, Preferences())
        letter = Letter(letter.subject, _TO_OPERATOR.format(said=letter.body, league=about.league))
        return Mail(to, self._message(due.id, to, letter, None))

    async def _account(self, person: UUID) -> tuple[str, str] | None:
        """Return the login and the name of an account, or None if it was erased or suspended."""
        row = await self._runtime.pool.fetchrow(_ACCOUNT, person)
        return None if row is None else (row["login"], row["name"])

    async def _about_account(self, due: Due) -> Mail | None:
        pool, now = self._runtime.pool, self._runtime.clock.now()
        known = None if due.account is None else await self._account(due.account)
        if due.account is None or known is None or due.ends_at <= now:
            return None
        (login, name), place = known, self._place
        language = msgspec.json.decode(due.facts, type=_AboutAccount).language
        if due.kind == letters.VERIFY:
            code = resetting.code_text(self._runtime.entropy.bytes(emails.SECRET_BYTES))
            to = await emails.keep_code(pool, self._keys, due.account, code, now)
            base = self._runtime.settings.public_url
            link = None if base is None else base + letters.confirming(code)
            letter = letters.verification(language, name, login, place, code, link)
        elif due.kind == resets.KIND:
            code = resetting.code_text(self._runtime.entropy.bytes(resetting.SECRET_BYTES))
            to = await resetting.offer_by_mail(pool, self._keys, due.account, code, now)
            letter = letters.reset(language, name, login, place, code)
        elif due.kind == letters.FORMER and due.recipient is not None:
            to = self._keys.opened(letters.FORMER, due.id, due.recipient)
            letter = letters.former(language, name, login, place)
        else:
            return None
        return None if to is None else Mail(to, self._message(due.id, to, letter, None))

    def _message(self, number: UUID, to: str, letter: Letter, out: str | None) -> EmailMessage:
        """
        Return the message with the headers of a mail that nobody answers.

        Args:
            out: The address that turns off mails of this kind in one step.
        """
        sender = parseaddr(self._runtime.settings.mail_from or "")
        message = EmailMessage()
        message["From"] = Address(display_name=sender[0], addr_spec=sender[1])
        message["To"] = Address(addr_spec=to)
        message["Subject"] = " ".join(letter.subject.split())
        message["Date"] = format_datetime(self._runtime.clock.now())
        message["Message-ID"] = f"<{number.hex}@{sender[1].rpartition('@')[2]}>"
        message["Auto-Submitted"] = "auto-generated"
        if out is not None:
            message["List-Unsubscribe"] = f"<{out}>"
            message["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
        message.set_content(letter.body, cte="quoted-printable")
        return message
