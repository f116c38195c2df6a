"""The reader's notices: the kinds, the channels and the quiet hours."""

from zoneinfo import available_timezones

import msgspec

from service.api.me.notifications import (
    Channels,
    NoticeKinds,
    NotificationsShown,
    NotificationsWanted,
)
from service.api.me.push_subscriptions import PushWanted, Subscribed
from service.base.languages import N_
from service.console import links
from service.console.asking import Ask
from service.console.declaring import form, page
from service.console.forms import Given, command
from service.console.languages import NAMES
from service.console.pages import Done, Page

KINDS = {
    "your_turn": (N_("Your turn"), N_("In games with at least ten minutes for a decision.")),
    "place_offered": (
        N_("A place is free"),
        N_("You were on the waitlist. Take the place while it is offered."),
    ),
    "check_in_open": (N_("Check-in is open"), N_("For an evening that you have entered.")),
    "start_changed": (
        N_("The start waits, or the evening is cancelled"),
        N_("For an evening that you have entered."),
    ),
    "seat_drawn": (N_("Your seat is drawn"), ""),
    "result": (N_("Results"), N_("Your evening is over, or its result was corrected.")),
    "dispute": (N_("Disputes"), N_("A claim or a ruling concerns you.")),
    "audit_failed": (N_("An audit has failed"), N_("Only for owners of a league.")),
}


class Told(msgspec.Struct, kw_only=True):
    """A kind of notices, and its channels."""

    kind: str
    name: str
    hint: str
    mail: bool
    push: bool


class NoticesScreen(msgspec.Struct, kw_only=True):
    """The page of the reader's notices."""

    kinds: tuple[Told, ...]
    language: str
    languages: tuple[tuple[str, str], ...]
    zone: str
    quiet_begin: str
    quiet_end: str
    email: str | None
    mail_available: bool
    push_key: str | None
    browsers: tuple[Subscribed, ...]


@page(links.NOTICES)
async def notices(ask: Ask) -> Page:
    """Show the choices."""
    shown = await ask.api.get("/v1/me/notifications", NotificationsShown)
    quiet = shown.quiet_hours
    screen = NoticesScreen(
        kinds=tuple(
            Told(
                kind=kind,
                name=ask.gettext(name),
                hint=ask.gettext(hint) if hint else "",
                mail=_channels(shown.kinds, kind).mail,
                push=_channels(shown.kinds, kind).push,
            )
            for kind, (name, hint) in KINDS.items()
        ),
        language=ask.language.code if _unchosen(shown) else shown.language,
        languages=tuple(NAMES.items()),
        zone=shown.zone,
        quiet_begin="" if quiet is None else quiet.begin,
        quiet_end="" if quiet is None else quiet.end,
        email=shown.email,
        mail_available=shown.mail_available,
        push_key=shown.push_key,
        browsers=shown.browsers,
    )
    return Page("account/notices.html", screen)


@form(links.NOTICES, of=notices)
async def choose_notices(ask: Ask, given: Given) -> Done | Page:
    """Keep the choices."""
    mail = () if given.flag("no_mail") else given.texts("mail[]")
    push = given.texts("push[]")
    kinds = {each: Channels(mail=each in mail, push=each in push) for each in KINDS}
    wanted = given.into(NotificationsWanted, kinds=msgspec.convert(kinds, NoticeKinds))
    return await command(
        ask, given, "PUT", "/v1/me/notifications", wanted,
        said=ask.gettext("Your choices are saved."), to=links.NOTICES,
    )  # fmt: skip


@form("/account/notices/browsers", of=notices)
async def add_browser(ask: Ask, given: Given) -> Done | Page:
    """Have messages sent to this browser. Its script fills the form in."""
    return await command(
        ask, given, "POST", "/v1/me/push-subscriptions",
        given.into(PushWanted, zone=device_zone(given)),
        said=ask.gettext("This browser shows your messages now."), to=links.NOTICES,
    )  # fmt: skip


@form("/account/notices/browsers/{browser:str}/remove", of=notices)
async def remove_browser(ask: Ask, given: Given, browser: str) -> Done | Page:
    """Send no more messages to a browser."""
    return await command(
        ask, given, "DELETE", f"/v1/me/push-subscriptions/{browser}",
        said=ask.gettext("That browser gets no more messages."), to=links.NOTICES,
    )  # fmt: skip


def _unchosen(shown: NotificationsShown) -> bool:
    """Return whether no choice was made. The page then proposes the reader's language and zone."""
    usual = NotificationsWanted()
    return (shown.language, shown.zone, shown.quiet_hours, shown.kinds) == (
        usual.language, usual.zone, usual.quiet_hours, usual.kinds,
    )  # fmt: skip


def device_zone(given: Given) -> str | None:
    """Return the zone that the device's script filled in, or None if it did not or cannot know."""
    zone = given.text("zone")
    return zone if zone in available_timezones() else None


def _channels(kinds: NoticeKinds, kind: str) -> Channels:
    found: dict[str, Channels] = msgspec.structs.asdict(kinds)
    return found[kind]
