"""
The people whom an occasion concerns, and the message for each of them.

States come from the log. A person may be erased or banned, or leave, before the notice is sent. So
such people are left out only then.
"""

from msgspec.structs import replace

from engine.dispute.state import Claimed
from engine.league.state import Created
from engine.table.model.state import Table
from engine.tournament.model.state import Cancelled, Registering, Running, Unannounced, entries_of
from engine.tournament.model.state import State as Tournament
from engine.tournament.model.values import Entry
from engine.tournament.model.values.entering import Applicant
from engine.values import EntrantId, PlayerId, aggregate_of
from service.director.runtime import Runtime
from service.log.streams import dispute_stream, league_stream, table_stream, tournament_stream
from service.notices.about import About
from service.notices.occasions import Occasion, Share
from service.notices.owners import house_of

Told = dict[str, About]
"""The messages for each player, by ``plr_`` identifier."""


async def addressed(runtime: Runtime, league: str, occasion: Occasion) -> Told:
    """Return everybody whom an occasion concerns now."""
    if occasion.kind == "audit_failed":
        known = await house_of(runtime, league)
        return dict.fromkeys(known.owners, About(league=league, league_name=known.name))
    house = (await runtime.writer.load(league, league_stream(league))).state
    if not isinstance(house, Created):
        return {}
    base = About(league=league, league_name=house.name)
    told = await _concerned(runtime, base, occasion)
    # The player who stands for a merged one gets the notice.
    return {house.one(PlayerId(player)): about for player, about in told.items()}


async def _concerned(runtime: Runtime, base: About, occasion: Occasion) -> Told:
    about = aggregate_of(occasion.stream)
    match occasion.kind:
        case "dispute":
            return await _of_dispute(runtime, base, about, occasion)
        case "your_turn":
            return await _of_turn(runtime, base, about, occasion)
        case _:
            return await _of_tournament(runtime, base, about, occasion)


async def _of_tournament(runtime: Runtime, base: About, name: str, occasion: Occasion) -> Told:
    state = await tournament(runtime, base.league, name)
    base = replace(base, tournament=name, name=_name(state), until=occasion.until)
    if occasion.kind == "check_in_open":
        absent = absent_from(state)
        return {player: replace(base, entrant=each) for each, player in absent.items()}
    if occasion.kind == "start_changed":
        base = replace(base, variant=occasion.cancelled)
        known = (each for each in entered_in(state) if not each.bot)
        return {each.player: replace(base, entrant=each.entrant) for each in known}
    if occasion.kind == "place_offered":
        offered = offered_in(state)
        return {
            offered[each.entrant]: replace(base, entrant=each.entrant)
            for each in occasion.shares
            if each.entrant in offered
        }
    players = {each.entrant: each.player for each in entries_of(state) if not each.bot}
    tables = state.tables if isinstance(state, Running) else ()
    numbers: dict[str | None, int] = {each.table: each.number for each in tables}
    told: Told = {}
    # A player may have several entries. The notice names the best place of them.
    for each in sorted(occasion.shares, key=lambda share: -(share.place or 0)):
        player = players.get(EntrantId(each.entrant))
        if player is not None:
            told[player] = _of_share(base, each, numbers.get(each.table), occasion)
    return told


def _of_share(base: About, share: Share, number: int | None, occasion: Occasion) -> About:
    return replace(
        base,
        entrant=share.entrant,
        table=share.table,
        number=number,
        seat=share.seat,
        place=share.place,
        variant=occasion.corrected,
    )


async def _of_turn(runtime: Runtime, base: About, name: str, occasion: Occasion) -> Told:
    table = await seated_table(runtime, base.league, name)
    if table is None or awaited(table) != occasion.decision:
        return {}
    state = await tournament(runtime, base.league, table.tournament)
    players = {each.entrant: each.player for each in entries_of(state) if not each.bot}
    base = replace(
        base,
        tournament=table.tournament,
        name=_name(state),
        table=name,
        number=table.number,
        until=occasion.until,
        decision=occasion.decision,
    )
    return {
        players[each.entrant]: replace(base, entrant=each.entrant, seat=each.seat)
        for each in table.places
        if each.seat in occasion.seats and each.entrant in players
    }


async def _of_dispute(runtime: Runtime, base: About, name: str, occasion: Occasion) -> Told:
    """Return the players in the disputed hand or result. The claimant hears only of a ruling."""
    state = (await runtime.writer.load(base.league, dispute_stream(name))).state
    if not isinstance(state, Claimed):
        return {}
    subject, claimant = state.opened.subject, state.opened.claimant
    base = replace(base, dispute=name, variant=occasion.ruled)
    told: Told = {}
    if subject.tournament is not None:
        night = await tournament(runtime, base.league, subject.tournament)
        base = replace(base, name=_name(night))
        table = None
        if subject.table is not None:
            table = await seated_table(runtime, base.league, subject.table)
        seated = None if table is None else {each.entrant for each in table.places}
        for each in entries_of(night):
            if not each.bot and (seated is None or each.entrant in seated):
                told[each.player] = base
    told.pop(claimant, None)
    return told | {claimant: base} if occasion.ruled else told


async def tournament(runtime: Runtime, league: str, name: str) -> Tournament:
    """Return the state of a tournament."""
    return (await runtime.writer.load(league, tournament_stream(name))).state


async def seated_table(runtime: Runtime, league: str, name: str) -> Table | None:
    """Return the state of a table that has been opened, or None."""
    state = (await runtime.writer.load(league, table_stream(name))).state
    return state if isinstance(state, Table) else None


def awaited(table: Table) -> str | None:
    """Return the decision that a table waits for, or None."""
    decision = None if table.hand is None else table.hand.decision
    return None if decision is None else decision.token


def absent_from(state: Tournament) -> dict[str, str]:
    """Return the players of entrants, and of people on the waitlist, who have not checked in."""
    if not isinstance(state, Registering):
        return {}
    there = state.entering.checked_in
    return {each.entrant: each.player for each in entered_in(state) if each.entrant not in there}


def offered_in(state: Tournament) -> dict[str, str]:
    """Return the player of each entrant who has an offer of a place."""
    if not isinstance(state, Registering | Running):
        return {}
    return {each.entrant: each.player for each in state.entering.waiting if each.offered_until}


def entered_in(state: Tournament) -> tuple[Entry | Applicant, ...]:
    """Return the entries of a tournament, and its waitlist unless it has finished."""
    if isinstance(state, Registering | Running | Cancelled):
        return (*state.entrants, *state.entering.waiting)
    return entries_of(state)


def _name(state: Tournament) -> str:
    return "" if isinstance(state, Unannounced) else state.terms.name
