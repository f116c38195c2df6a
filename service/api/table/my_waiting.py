"""The caller's open matters in all leagues: turns, offers, rebuys, check-ins and deals."""

from datetime import datetime, timedelta
from typing import TypeAlias, TypedDict

import msgspec
from litestar import Response

from engine.tournament.model.state import Registering, Running, State, Unannounced, entry_of
from engine.tournament.model.values import Window
from engine.values import EntrantId
from service.api.http.access.my_leagues import leagues_now
from service.api.http.access.phases import entering_of
from service.api.http.operations import operation
from service.api.http.shell import Shell
from service.api.http.writing.submitting import encoded
from service.api.table.my_following import HAND_OVER, Following, Mine
from service.base import heartbeats
from service.director.next_hand import pauses_since
from service.log.record import league_number
from service.people.tokens import Principal


class _Waiting(msgspec.Struct, kw_only=True, tag_field="type"):
    league: str
    league_name: str
    """The league's name now."""

    tournament: str
    tournament_name: str
    """The name of the tournament."""

    entrant: str
    """The caller's entry, or the place on the waitlist."""

    until: datetime | None
    """The instant until which the caller may answer, or null if none is known."""


class TurnWaiting(_Waiting, kw_only=True, tag="turn"):
    """A table waits for the caller's decision."""

    table: str
    decision: str
    """The token of the decision. An action must name it."""


class OfferWaiting(_Waiting, kw_only=True, tag="offer"):
    """A free place is offered to the caller. `POST …/offers` takes or declines it."""


class RebuyWaiting(_Waiting, kw_only=True, tag="rebuy_window"):
    """The caller has busted and may come back before the table's next hand."""

    table: str
    """The table at which the caller busted."""

    rebuy: bool
    """True if a rebuy is allowed. Otherwise only a staked item brings the caller back."""

    number: int
    """The number of this rebuy among the caller's, from 1."""


class CheckInWaiting(_Waiting, kw_only=True, tag="check_in"):
    """Check-in is open, and the caller has not checked in."""


class DealWaiting(_Waiting, kw_only=True, tag="deal"):
    """A payout deal is proposed that the caller has neither accepted nor declined."""

    number: int
    """The number of the deal, by which it is accepted or declined."""

    amount: int
    """The caller's share, in minor units of `currency`."""

    play_for: int
    """The money left for the winner, in minor units of `currency`."""

    ends: bool
    """True if the deal ends play, and chips decide the places."""

    currency: str | None
    """The currency (ISO 4217), or null if no money is played for."""


Waiting: TypeAlias = TurnWaiting | OfferWaiting | RebuyWaiting | CheckInWaiting | DealWaiting
"""Something that waits for the caller, distinguished by its ``type``."""


class MyWaiting(msgspec.Struct, kw_only=True):
    """Everything that waits for the caller now, the most urgent first."""

    items: tuple[Waiting, ...]
    """By the time until which the caller may answer. Those without one come last."""

    now: datetime
    """The server's time."""


@operation(
    "GET", "/v1/me/waiting", "read_my_waiting",
    "Read what waits for the caller: turns, offers, rebuy windows, check-ins and deals.",
    needs="account", scope="leagues:read", answer=MyWaiting,
    about="The caller's stream sends the same as it happens (`GET /v1/me/stream`).",
)  # fmt: skip
async def read_my_waiting(shell: Shell, principal: Principal) -> Response[bytes]:
    """Look at every tournament of the caller that is not over, as of the end of the log."""
    leagues = await leagues_now(shell, principal.account.player)
    names = {each.league: each.name for each in leagues}
    items: list[Waiting] = []
    with shell.news.watching((HAND_OVER,)) as watch:
        following = Following(shell, principal, watch, None, {})
        await following.begin()
        for league, here in following.leagues.items():
            for mine in here.tournaments.values():
                items += await _of(following, mine, names.get(league, ""))
    last = datetime.max.replace(tzinfo=shell.now().tzinfo)
    items.sort(key=lambda each: (each.until or last, each.tournament))
    return encoded(MyWaiting(items=tuple(items), now=shell.now()))


class _About(TypedDict):
    league: str
    league_name: str
    tournament: str
    tournament_name: str
    entrant: str


async def _of(following: Following, mine: Mine, league_name: str) -> list[Waiting]:
    """Return the matters that wait for the caller in one tournament."""
    state, facts = mine.loaded.state, mine.facts
    if isinstance(state, Unannounced):
        return []
    about: _About = {
        "league": mine.league,
        "league_name": league_name,
        "tournament": mine.id,
        "tournament_name": state.terms.name,
        "entrant": mine.player.entrant,
    }
    found: list[Waiting] = []
    if facts.decision is not None and mine.table is not None:
        table = mine.table.state.table
        found.append(
            TurnWaiting(**about, until=facts.deadline, table=table, decision=facts.decision)
        )
    if facts.offer is not None:
        found.append(OfferWaiting(**about, until=facts.offer))
    if _absent(state, mine.player.entrant):
        starts_at = state.terms.starts_at if isinstance(state, Registering) else None
        found.append(CheckInWaiting(**about, until=starts_at))
    if isinstance(state, Running):
        found += [*await _windows(following, mine, state, about), *_deals(state, mine, about)]
    return found


def _absent(state: State, entrant: EntrantId) -> bool:
    """
    Return whether check-in is open and *entrant* is expected to check in.

    During late registration, who waits in line gets a free place only after that.
    """
    entering = entering_of(state)
    if entrant in entering.absent:
        return True
    if entrant in entering.checked_in or not entering.check_in_opened:
        return False
    if entering.waiter(entrant) is not None:
        return isinstance(state, Registering) or bool(entering.late)
    return isinstance(state, Registering) and entry_of(state, entrant) is not None


async def _windows(
    following: Following, mine: Mine, state: Running, about: _About
) -> list[RebuyWaiting]:
    """Return the open rebuy window. It ends some seconds after the hand of the bust."""
    window = state.selling_window(mine.player.entrant)
    if window is None:
        return []
    until = await _window_ends(following, mine.league, state, window)
    number = state.next_rebuy(window.entrant)
    return [
        RebuyWaiting(**about, until=until, table=window.table, rebuy=window.buys, number=number)
    ]


async def _window_ends(
    following: Following, league: str, state: Running, window: Window
) -> datetime | None:
    """Return the end of *window*, counted as the director counts it, or None if none is known."""
    shell, together = following.shell, state.floor.hand_for_hand is not None
    # In hand-for-hand play the windows of all tables end together, once no hand is in play.
    asked = [each.table for each in state.tables] if together else [window.table]
    tables = [await following.table(league, each) for each in asked]
    idle = [each for each in tables if each is not None and each.state.idle]
    stands = state.paused or state.floor.rest is not None
    if len(idle) < len(asked) or stands or any(each.state.held for each in idle):
        return None
    last = {each.table for each in state.windows} & set(asked)
    since = max(pauses_since(each) for each in idle if each.state.table in last)
    ends = since + timedelta(seconds=state.terms.ruleset.rebuy.seconds)
    closed = shell.doors.closed_since(league)
    return await heartbeats.lengthened(shell.pool, league_number(league), since, ends, until=closed)


def _deals(state: Running, mine: Mine, about: _About) -> list[DealWaiting]:
    offer, entrant = state.books.offer, mine.player.entrant
    share = (
        None
        if offer is None
        else next((each for each in offer.shares if each.entrant == entrant), None)
    )
    if offer is None or share is None or entrant in offer.accepted:
        return []
    return [
        DealWaiting(
            **about,
            until=None,
            number=offer.number,
            amount=share.amount,
            play_for=offer.play_for,
            ends=offer.ends,
            currency=state.terms.currency,
        )
    ]
