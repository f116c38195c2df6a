"""
Closing a season: the fate of every tournament, the lots and the final standings.

Source: rulebook ``standings.uncounted``, ``standings.left_out`` and ``standings.lot``.
"""

from collections.abc import Collection, Iterable

from msgspec.structs import replace

from engine.errors import InvariantViolated, Wording
from engine.kit.hidden import Withheld
from engine.season import correcting, freezing
from engine.season.commands import CloseSeason, LeaveOut, RevokeAward
from engine.season.errors import LeaveOutInvalid, SeasonClosedAlready, SeasonUncounted
from engine.season.events import Event, FinalStanding, LotsDrawn, SeasonClosed
from engine.season.lots import drawn
from engine.season.standings import Standing, level_groups
from engine.season.state import Opened, Tournament, evolve
from engine.season.tiebreaks import LOT
from engine.season.values import Fate, FateKind, Outlook
from engine.values import TournamentId


def close_season(state: Opened, command: CloseSeason) -> tuple[Event, ...]:
    """
    Return the revoked awards of tournaments left out, then the lots, then the end.

    Raises:
        Frozen: If a dispute freezes the standings, unless its tournament is left out.
        LeaveOutInvalid: If a tournament to be left out is counted, cancelled or of another season.
        SeasonUncounted: If a tournament is neither counted nor left out.
        SeasonClosedAlready: If the season is closed.
        InvariantViolated: If a tournament of the season is missing in *command*.
    """
    if state.closed:
        raise SeasonClosedAlready
    outlooks = {each.tournament: each for each in command.tournaments}
    _demand_all(state, outlooks)
    left_out = command.leave_out
    if left_out is not None:
        _demand_leavable(state, outlooks, left_out)
    named = () if left_out is None else left_out.tournaments
    _demand_counted(state, (each for each in outlooks.values() if each.tournament not in named))
    revoked, decided = _revoked(state, command)
    freezing.demand_free(_holding(decided, outlooks.values(), named))
    lots = _lots(decided)
    decided = replace(decided, lots=lots)
    master = state.terms.master
    closed = SeasonClosed(
        standings=tuple(
            FinalStanding(
                rank=each.rank,
                player=each.player,
                points=each.points,
                decided_by=each.decided_by,
            )
            for each in decided.standings()
        ),
        master=None if master is None else master.value,
        fates=tuple(_fate(decided, outlooks[each], left_out) for each in sorted(outlooks)),
    )
    return (*revoked, *lots, closed)


def pending(state: Opened, outlook: Outlook) -> str | None:
    """Return the reason why a tournament prevents the closing, or None."""
    counted = state.tournament(outlook.tournament)
    if outlook.prospect in ("unplayed", "cancelled") or (counted and counted.revoked):
        return None
    if outlook.frozen:
        return "frozen"
    if outlook.prospect != "finished":
        return outlook.prospect
    if counted is None:
        return "finished"
    return "corrected" if outlook.uncounted else None


def _demand_all(state: Opened, outlooks: Iterable[TournamentId]) -> None:
    counted = tuple(each.tournament for each in state.counted)
    unknown = {*state.added, *counted}.difference(outlooks)
    if unknown:
        raise InvariantViolated(f"no outlook for {', '.join(sorted(unknown))}")


def _demand_leavable(
    state: Opened, outlooks: dict[TournamentId, Outlook], left_out: LeaveOut
) -> None:
    for each in left_out.tournaments:
        outlook = outlooks.get(each)
        if outlook is None:
            problem = Wording("was not announced for this season")
        elif outlook.prospect == "cancelled":
            problem = Wording("is cancelled, and counts for nothing anyway")
        elif _counts(state.tournament(each)) and pending(state, outlook) is None:
            problem = Wording("is counted already: revoke its award instead")
        else:
            continue
        raise LeaveOutInvalid(tournament=each, problem=problem)


def _demand_counted(state: Opened, outlooks: Iterable[Outlook]) -> None:
    found = [(each, pending(state, each)) for each in outlooks]
    uncounted = [_named(each, why) for each, why in found if why]
    if uncounted:
        uncounted.sort(key=lambda each: str(each["tournament"]))
        raise SeasonUncounted(tournaments=uncounted)


def _named(outlook: Outlook, why: str) -> dict[str, str | None]:
    dispute = next(iter(outlook.frozen), None)
    return {"tournament": outlook.tournament, "reason": why, "dispute": dispute}


def _holding(
    state: Opened, outlooks: Iterable[Outlook], named: Collection[TournamentId]
) -> tuple[str, ...]:
    """Return the disputes that freeze the standings, except those over tournaments left out."""
    over: set[str] = set()
    for each in outlooks:
        counted = state.tournament(each.tournament)
        if each.tournament in named or (counted is not None and counted.revoked):
            over.update(each.frozen)
    return tuple(each for each in state.frozen if each not in over)


def _revoked(state: Opened, command: CloseSeason) -> tuple[tuple[Event, ...], Opened]:
    """
    Return the events that revoke the awards of tournaments left out, and the state after them.
    """
    events: list[Event] = []
    left_out = command.leave_out
    for each in () if left_out is None else left_out.tournaments:
        if left_out is None or not _counts(state.tournament(each)):
            continue
        revoke = RevokeAward(
            tournament=each, reason=left_out.reason, author=left_out.author, now=command.now
        )
        for event in correcting.revoke(state, revoke):
            events.append(event)
            state = _opened(evolve(state, event))
    return tuple(events), state


def _fate(state: Opened, outlook: Outlook, left_out: LeaveOut | None) -> Fate:
    """Return the fate of one tournament. *state* is the season after the revoked awards."""
    tournament = outlook.tournament
    counted = state.tournament(tournament)
    if counted is not None and counted.revocation is not None:
        by, reason = counted.revocation.author, counted.revocation.reason
        return Fate(tournament=tournament, fate="left_out", by=by, reason=reason)
    if left_out is not None and tournament in left_out.tournaments:
        by, reason = left_out.author, left_out.reason
        return Fate(tournament=tournament, fate="left_out", by=by, reason=reason)
    kind: FateKind = "cancelled" if outlook.prospect == "cancelled" else "not_played"
    return Fate(
        tournament=tournament, fate=kind if counted is None else "counted", by=None, reason=None
    )


def _counts(counted: Tournament | None) -> bool:
    return counted is not None and not counted.revoked


def _opened(state: object) -> Opened:
    if not isinstance(state, Opened):
        raise InvariantViolated("a season does not vanish")
    return state


def awaits_lots(state: Opened) -> bool:
    """Return whether a season that was closed in a dry run still has lots to draw."""
    return state.closed and bool(_level(state))


def _level(state: Opened) -> list[tuple[Standing, ...]]:
    """Return the groups of level players that need a lot."""
    if state.terms.master is None or LOT not in state.terms.tie_breaks:
        return []
    return level_groups(state.standings())


def _lots(state: Opened) -> tuple[LotsDrawn, ...]:
    master, groups = state.terms.master, _level(state)
    if master is None or isinstance(master.value, Withheld):
        return ()  # a dry run does not reveal the lots
    return tuple(
        LotsDrawn(
            rank=group[0].rank,
            draw=drawn([each.player for each in group], master=master.value, number=number),
            rule=LOT,
        )
        for number, group in enumerate(groups, start=1)
    )
