"""The poster of a tournament: time, place, price, guests, and the button to enter."""

import asyncio
import re
from collections.abc import Sequence
from datetime import datetime, timedelta

import msgspec
from msgspec.structs import replace

from service.api.http.shell import shell_of
from service.api.me.accounts import Me
from service.api.public.tournaments import PublicTournament
from service.api.season.seasons import SeasonShown
from service.api.tournament.entering import AnswerWanted
from service.api.tournament.entrants import EntrantShown, EntrantStatus
from service.api.tournament.registrations import Registration, RegistrationWanted
from service.api.tournament.starting import Reasoned
from service.api.tournament.tournaments import TournamentShown
from service.console import links
from service.console.asking import Ask, house_address, seen_by
from service.console.calling import Body
from service.console.declaring import form, page
from service.console.drawing.qr import qr_svg
from service.console.forms import Given, Rehearsal, command
from service.console.pages import Done, Page
from service.console.screens.evening import waitlist
from service.console.screens.evening.cancelled import told, told_strangers
from service.console.screens.evening.changes import Changed, changes_of, in_words
from service.console.screens.evening.entry import BEFORE_PLAY, OVER, EntryRules, entry_rules
from service.console.screens.evening.levels import LevelLine, levels_of
from service.console.screens.evening.playing import own_entry
from service.console.words import lasting

_CODE = re.compile(r"plr_[0-9a-f]{32}")

_WAITS = frozenset({"requested", "waitlisted", "offered", "registered", "playing", "rebuy_open"})
"""The states of an entry that is not over."""


class Guest(msgspec.Struct, kw_only=True):
    """An entered player, or one who waits for a place."""

    player: str
    name: str | None
    bot: bool
    status: EntrantStatus | None
    """The state of the entry, or null for a stranger."""

    placing: int | None
    payout: int | None
    """Money won, or null without it, or for a stranger."""

    line: int | None
    checked_in: bool


class Mine(msgspec.Struct, kw_only=True):
    """The reader's entry, and the actions open to the reader."""

    status: EntrantStatus | None
    """The state of the latest entry, or null without one."""

    place: int | None
    """The place of a reader who is out, or null."""

    line: int | None
    offered_until: datetime | None
    table: str | None
    may_enter: bool
    may_leave: bool
    may_check_in: bool
    checked_in: bool
    code: str
    """The reader's QR code for the door, or nothing once the reader has checked in."""

    next: str
    """The way to a place, for a reader on the waitlist, or nothing."""


class Price(msgspec.Struct, kw_only=True):
    """The price of an entry in minor units, and the present prizes."""

    currency: str | None
    entry: int
    pool: int
    prizes: tuple[int, ...]


class PosterScreen(msgspec.Struct, kw_only=True):
    """The page of a tournament."""

    id: str
    league: str
    league_name: str | None
    """The name of the league for a stranger. A member's account knows it."""

    name: str
    state: str
    starts_at: datetime
    """The start of play, or the planned start before it."""

    entry: EntryRules
    place: str | None
    length_seconds: int | None
    game: str
    """The name of the game, and of the ruleset if it is not the game's own."""

    starting_stack: int
    table_seats: int
    decision: str
    """The time for a decision in words, or nothing for a stranger."""

    entrants_min: int
    entrants_max: int
    levels: tuple[LevelLine, ...]
    """Empty if the bets do not rise by the clock."""

    price: Price | None
    """Null for a stranger."""

    guests: tuple[Guest, ...]
    waiting: tuple[Guest, ...]
    mine: Mine | None
    """Null for a stranger."""

    closed_season: str | None = None
    """The name of the season if it closed before the evening is over. Null for a stranger."""

    cancelled_because: str | None = None
    """The reason of a cancelled evening, or null for another. Strangers read no words of staff."""

    changes: tuple[Changed, ...] = ()
    """The changes after the announcement, newest first. Strangers read no words of staff."""

    then: str
    """The page to which signing in leads: the poster, or the door with a scanned code."""

    may_cancel: bool
    """True if the reader's role may cancel the evening, and it is not over."""

    may_invite: bool
    """True if the reader's role may invite people, and play has not begun."""

    may_change: bool
    """True if the reader's role may change the terms, and the evening is not over."""

    may_repeat: bool = False
    """True if the evening is cancelled, and the reader may plan another with its terms."""


@page("/tournaments/{tournament:str}", open=True)
async def poster(ask: Ask, tournament: str) -> Page:
    """Show the tournament as the reader may see it."""
    return Page("evening/poster.html", await seen_by(ask, _as_member, _as_stranger, tournament))


@form("/tournaments/{tournament:str}/enter", of=poster)
async def enter(ask: Ask, given: Given, tournament: str) -> Done | Page:
    """Enter, or join the waitlist."""
    path, body = f"/v1/tournaments/{tournament}", RegistrationWanted()
    made = await ask.api.send(
        "POST", f"{path}/registrations", body, Registration, key=given.key, if_match=given.if_match
    )
    shown = await ask.api.get(path, TournamentShown)
    return Done(links.tournament(tournament), waitlist.joined(ask.language, shown, made.entrant))


@form("/tournaments/{tournament:str}/leave", of=poster)
async def leave(ask: Ask, given: Given, tournament: str) -> Done | Page:
    """Give up the entry, the place on the waitlist or the application."""
    said = {
        "waitlisted": ask.gettext("You are no longer on the waitlist."),
        "requested": ask.gettext("You no longer ask to enter."),
    }.get(given.text("status"), ask.gettext("You are no longer on the list."))
    return await _sent(ask, given, tournament, "withdrawals", said)


@form("/tournaments/{tournament:str}/check-in", of=poster)
async def check_in(ask: Ask, given: Given, tournament: str) -> Done | Page:
    """Check the reader in."""
    said = ask.gettext("You are checked in.")
    return await _sent(ask, given, tournament, "check-ins", said)


@form("/tournaments/{tournament:str}/offer", of=poster)
async def answer_offer(ask: Ask, given: Given, tournament: str) -> Done | Page:
    """Accept the offered place, or leave it to the next player on the waitlist."""
    taken = given.flag("accepted")
    said = ask.gettext("The place is yours.") if taken else ask.gettext("The place is passed on.")
    return await _sent(ask, given, tournament, "offers", said, AnswerWanted(accepted=taken))


@form("/tournaments/{tournament:str}/cancel", of=poster)
async def cancel(ask: Ask, given: Given, tournament: str) -> Done | Page:
    """Cancel the evening, after the page has shown what that changes."""
    return await command(
        ask, given, "POST", f"/v1/tournaments/{tournament}/cancel", given.into(Reasoned),
        said=ask.gettext("The evening is cancelled."), to=links.tournament(tournament),
        rehearse=Rehearsal(ask.gettext("Cancel this evening?"), grave=True),
    )  # fmt: skip


async def _sent(
    ask: Ask, given: Given, tournament: str, what: str, said: str, body: Body = None
) -> Done | Page:
    """Send a command about the evening, and return to its poster."""
    return await command(
        ask, given, "POST", f"/v1/tournaments/{tournament}/{what}", body,
        said=said, to=links.tournament(tournament),
    )  # fmt: skip


def entry_of(tournament: TournamentShown, player: str) -> EntrantShown | None:
    """Return the latest entry of *player* that is not over, or None."""
    mine = [each for each in tournament.entrants if each.player == player]
    return next((each for each in reversed(mine) if each.status in _WAITS), None)


def check_in_open(tournament: TournamentShown, mine: EntrantShown, now: datetime) -> bool:
    """
    Return whether *mine* may check in now.

    Players who wait in line check in too: only those who are there get the places of others.
    """
    before = tournament.entry.check_in_opens_before_seconds
    if before is None or mine.checked_in:
        return False
    if tournament.state in BEFORE_PLAY:
        opened = now >= tournament.starts_at - timedelta(seconds=before)
        return opened and mine.status in ("registered", "waitlisted")
    return mine.absent or (tournament.late_registration and mine.status == "waitlisted")


async def _as_member(ask: Ask, tournament: str) -> PosterScreen:
    me, shown, changes = await asyncio.gather(
        ask.me(),
        ask.api.get(f"/v1/tournaments/{tournament}", TournamentShown),
        changes_of(ask, tournament),
    )
    fees = shown.fees
    return replace(
        _poster(ask, shown, [_guest(each) for each in shown.entrants]),
        levels=levels_of(shown.ruleset, shown.floor.breaks),
        price=Price(
            currency=shown.currency,
            entry=fees.buy_in + fees.fee + fees.bounty,
            pool=shown.money.pool,
            prizes=shown.money.prizes,
        ),
        decision=lasting(shown.decision_seconds, ask.language),
        mine=await _mine(ask, shown, me),
        closed_season=await _closed_season(ask, shown),
        cancelled_because=told(ask, shown),
        changes=in_words(ask, changes, shown.currency),
        may_cancel=_may(me, shown, "owner", "director", "referee") and own_entry(me, shown) is None,
        may_invite=_may(me, shown, "owner", "director") and shown.state in BEFORE_PLAY,
        may_change=_may(me, shown, "owner", "director") and own_entry(me, shown) is None,
        may_repeat=shown.state == "cancelled" and me.role_in(shown.league) in ("owner", "director"),
    )


async def _as_stranger(ask: Ask, tournament: str) -> PosterScreen:
    shown = await ask.api.get(f"/v1/public/tournaments/{tournament}", PublicTournament)
    guests = [
        Guest(
            player=each.player,
            name=each.name,
            bot=each.bot,
            status=None,
            placing=each.placing,
            payout=None,
            line=None,
            checked_in=False,
        )
        for each in shown.entrants
    ]
    code = ask.query("code")
    return replace(
        _poster(ask, shown, guests),
        league_name=shown.league_name,
        cancelled_because=told_strangers(ask, shown),
        then=links.at_door(shown.id, code) if _CODE.fullmatch(code) else links.tournament(shown.id),
    )


def _poster(
    ask: Ask, shown: TournamentShown | PublicTournament, guests: Sequence[Guest]
) -> PosterScreen:
    """Return the parts of the poster that everybody sees."""
    return PosterScreen(
        id=shown.id,
        league=shown.league,
        league_name=None,
        name=shown.name,
        state=shown.state,
        starts_at=shown.started_at or shown.starts_at,
        entry=entry_rules(ask.language, shown, shell_of(ask.request).now()),
        place=shown.place,
        length_seconds=shown.length_seconds,
        game=shown.ruleset_name,
        starting_stack=shown.starting_stack,
        table_seats=shown.table_seats,
        decision="",
        entrants_min=shown.entrants_min,
        entrants_max=waitlist.places(shown),
        levels=levels_of(shown.ruleset, ()),
        price=None,
        guests=tuple(each for each in guests if not _outside(each)),
        waiting=tuple(each for each in guests if _outside(each)),
        mine=None,
        then="",
        may_cancel=False,
        may_invite=False,
        may_change=False,
    )


async def _closed_season(ask: Ask, shown: TournamentShown) -> str | None:
    """Return the name of the season that closed without the evening, or None."""
    if shown.season is None or shown.state in OVER:
        return None
    season = await ask.api.get(f"/v1/seasons/{shown.season}", SeasonShown)
    return season.name if season.state == "closed" else None


def _may(me: Me, shown: TournamentShown, *roles: str) -> bool:
    """Return whether the reader has one of *roles* before the evening is over. The API decides."""
    return me.role_in(shown.league) in roles and shown.state not in OVER


def _guest(each: EntrantShown) -> Guest:
    return Guest(
        player=each.player,
        name=each.name,
        bot=each.bot,
        status=each.status,
        placing=each.placing,
        payout=each.payout,
        line=each.line,
        checked_in=each.checked_in,
    )


def _outside(guest: Guest) -> bool:
    return guest.status in ("requested", "refused", "waitlisted", "offered")


def _promised(shown: TournamentShown) -> str | None:
    """Return the table at which the reader gets a seat before its next hand, or None."""
    return None if shown.my is None else shown.my.promised_table


async def _mine(ask: Ask, shown: TournamentShown, me: Me) -> Mine:
    entry, now = entry_of(shown, me.id), shell_of(ask.request).now()
    early = shown.state in BEFORE_PLAY
    code = ""
    if entry is not None and early and not entry.checked_in:
        where = f"{house_address(ask)}{links.at_door(shown.id, me.id)}"
        code = await qr_svg(where, ask.gettext("Code of the player"))
    places = [each.placing for each in shown.entrants if each.player == me.id]
    return Mine(
        status=None if entry is None else entry.status,
        place=places[-1] if places and entry is None else None,
        line=None if entry is None else entry.line,
        offered_until=None if entry is None else entry.offered_until,
        table=None if entry is None else entry.table or _promised(shown),
        may_enter=entry is None and waitlist.may_enter(shown, me.id),
        may_leave=entry is not None and waitlist.may_leave(shown, entry),
        may_check_in=entry is not None and check_in_open(shown, entry, now),
        checked_in=entry is not None and entry.checked_in,
        code=code,
        next="" if entry is None else waitlist.what_happens_next(ask.language, shown),
    )
