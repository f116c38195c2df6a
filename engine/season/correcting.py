"""
Corrections of awards and adjustments, each with a reason and an author.

No award is ever edited. A correction is a new event, and the ledger keeps both versions.
"""

from collections.abc import Iterable
from decimal import Decimal

from engine.errors import Wording
from engine.kit.house_bots import is_house_bot
from engine.season.awarding import demand_placings, field_of
from engine.season.commands import AdjustPoints, ReviseAward, RevokeAward, VoidAdjustment
from engine.season.errors import AdjustmentInvalid, AdjustmentUnknown, AwardUnknown, OwnPoints
from engine.season.events import (
    AdjustmentVoided,
    AwardRevised,
    AwardRevoked,
    BonusesAwarded,
    Event,
    PointsAdjusted,
)
from engine.season.points import POINTS_MAX, awards_of, bonuses_of, written
from engine.season.state import Adjusted, Opened, Tournament
from engine.season.values import Adjustment, Award, AwardChange
from engine.values import TournamentId

_ANOTHER = Wording("another scorer has to decide on your points")


def revise(state: Opened, command: ReviseAward) -> tuple[Event, ...]:
    """
    Return the events that count a tournament again, or no events if its award is the same.

    Source: rulebook ``points.revised``.

    Raises:
        AwardUnknown: If the tournament was never counted.
        PlacingsInvalid: If the new placings are not possible.
    """
    award = command.award
    counted = _counted(state, award.tournament)
    demand_placings(award.placings)
    field = field_of(award)
    terms = state.terms
    after = awards_of(award.placings, rule=terms.points, field=field, scale=terms.scale)
    changes = _changes(counted.awards, after)
    if not changes and not counted.revoked:
        return ()
    revised = AwardRevised(
        tournament=award.tournament,
        field=field,
        changes=changes,
        reason=command.reason,
        author=command.author,
        rule="points.revised",
    )
    bonuses = bonuses_of(
        after,
        bonuses=terms.bonuses,
        tournament=award.tournament,
        scale=terms.scale,
        revision=counted.revisions + 1,
    )
    return (revised, *_exchanged(state, command, counted, bonuses))


def revoke(state: Opened, command: RevokeAward) -> tuple[Event, ...]:
    """
    Return the events that stop counting a tournament and void its bonuses.

    Source: rulebook ``points.revoked``.
    """
    counted = _counted(state, command.tournament)
    if counted.revoked:
        return ()
    revoked = AwardRevoked(
        tournament=command.tournament,
        reason=command.reason,
        author=command.author,
        rule="points.revoked",
    )
    return (revoked, *_exchanged(state, command, counted, ()))


def adjust(state: Opened, command: AdjustPoints) -> tuple[Event, ...]:
    """
    Return an adjustment, which is an entry of the ledger apart from any placing.

    Source: rulebook ``points.adjusted``.

    Raises:
        OwnPoints: If the author adjusts their own points.
        AdjustmentInvalid: If the number is out of bounds, or its sign contradicts its kind, or the
            player is a house bot.
        AwardUnknown: If it names a tournament that was never counted.
    """
    asked = command.adjustment
    if state.adjusted(asked.id) is not None:
        return ()
    if state.one(command.author) == state.one(asked.player):
        raise OwnPoints(problem=_ANOTHER)
    if is_house_bot(asked.player):
        raise AdjustmentInvalid(problem=Wording("house bots get no points"))
    points = Decimal(asked.points)
    if not points or abs(points) > POINTS_MAX:
        raise AdjustmentInvalid(problem=Wording(f"must not be 0 or beyond {POINTS_MAX:f}"))
    exact = written(points, scale=state.terms.scale)
    if Decimal(exact) != points:
        problem = Wording(f"this season counts {state.terms.scale} fraction digits")
        raise AdjustmentInvalid(problem=problem)
    if asked.kind != "manual" and (points < 0) != (asked.kind == "penalty"):
        raise AdjustmentInvalid(
            problem=Wording("a penalty must take points, and every other bonus must give them")
        )
    if asked.tournament is not None:
        _counted(state, asked.tournament)
    kept = Adjustment(
        id=asked.id,
        player=asked.player,
        kind=asked.kind,
        points=exact,
        tournament=asked.tournament,
    )
    return (
        PointsAdjusted(
            adjustment=kept,
            reason=command.reason,
            author=command.author,
            rule="points.adjusted",
        ),
    )


def void(state: Opened, command: VoidAdjustment) -> tuple[Event, ...]:
    """
    Return the event that voids one adjustment.

    Source: rulebook ``points.voided``.

    Raises:
        AdjustmentUnknown: If no adjustment has this identifier.
        OwnPoints: If the adjustment is the author's own.
    """
    found = state.adjusted(command.adjustment)
    if found is None:
        raise AdjustmentUnknown
    if state.one(found.adjustment.player) == state.one(command.author):
        raise OwnPoints(problem=_ANOTHER)
    return () if found.voided else (_voided(found, command),)


def _counted(state: Opened, tournament: TournamentId) -> Tournament:
    found = state.tournament(tournament)
    if found is None:
        raise AwardUnknown
    return found


def _changes(before: Iterable[Award], after: Iterable[Award]) -> tuple[AwardChange, ...]:
    old = {each.player: each for each in before}
    new = {each.player: each for each in after}
    return tuple(
        AwardChange(player=player, before=old.get(player), after=new.get(player))
        for player in dict.fromkeys((*new, *old))
        if old.get(player) != new.get(player)
    )


def _exchanged(
    state: Opened,
    command: ReviseAward | RevokeAward,
    counted: Tournament,
    due: tuple[Adjustment, ...],
) -> tuple[Event, ...]:
    """
    Return the events that void outdated bonuses of the terms and give the ones that are *due*.

    An unchanged bonus stays as it is, even if somebody has voided it. A revoked tournament has no
    bonuses to keep.
    """
    tournament = counted.tournament
    last = {
        (each.adjustment.player, each.adjustment.kind): each
        for each in state.adjustments
        if each.by_terms and each.adjustment.tournament == tournament
    }
    wanted = {(each.player, each.kind): each for each in due}
    staying = {
        key
        for key, each in last.items()
        if not counted.revoked and key in wanted and wanted[key].points == each.adjustment.points
    }
    voided = tuple(
        _voided(each, command)
        for key, each in last.items()
        if key not in staying and not each.voided
    )
    given = tuple(each for key, each in wanted.items() if key not in staying)
    if not given:
        return voided
    return (*voided, BonusesAwarded(tournament=tournament, bonuses=given, rule="points.bonus"))


def _voided(
    found: Adjusted, command: ReviseAward | RevokeAward | VoidAdjustment
) -> AdjustmentVoided:
    return AdjustmentVoided(
        adjustment=found.adjustment.id,
        reason=command.reason,
        author=command.author,
        rule="points.voided",
    )
