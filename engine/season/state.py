"""The state of a season: its terms, awards and adjustments. They determine the standings."""

from collections.abc import Mapping, Sequence
from decimal import Decimal, localcontext
from typing import Never

import msgspec
from msgspec.structs import replace

from engine.decider import Cases
from engine.errors import cannot_follow
from engine.kit.merges import Merged, merged, one_of
from engine.season import freezing
from engine.season.errors import SeasonNotOpened
from engine.season.events import (
    AdjustmentVoided,
    AwardRevised,
    AwardRevoked,
    BonusesAwarded,
    Event,
    LotsDrawn,
    PointsAdjusted,
    PointsAwarded,
    ResultsImported,
    ResultsMerged,
    SeasonClosed,
    SeasonOpened,
    TournamentAdded,
    TournamentsRecorded,
)
from engine.season.expression.limits import arithmetic
from engine.season.schedule import events as schedule
from engine.season.schedule.state import Schedule, evolved
from engine.season.standings import Result, Standing, StandingsTerms, folded, standings
from engine.season.values import (
    Adjustment,
    Award,
    AwardChange,
    Fate,
    ImportedResult,
    ImportedTournament,
)
from engine.values import AdjustmentId, PlayerId, TournamentId


class Unopened(msgspec.Struct, frozen=True, kw_only=True):
    """The state of an empty stream."""


class Tournament(msgspec.Struct, frozen=True, kw_only=True):
    """A tournament that is counted, or was counted before its award was revoked."""

    tournament: TournamentId
    awards: tuple[Award, ...]
    revisions: int = 0
    revocation: AwardRevoked | None = None
    """The event that stopped the counting, or None if the tournament counts."""

    @property
    def revoked(self) -> bool:
        """Return whether the award is revoked."""
        return self.revocation is not None


class Adjusted(msgspec.Struct, frozen=True, kw_only=True):
    adjustment: Adjustment
    by_terms: bool
    """True if the season's terms gave the adjustment, and not a person."""

    voided: bool = False


class Opened(msgspec.Struct, frozen=True, kw_only=True):
    terms: SeasonOpened
    added: tuple[TournamentId, ...] = ()
    """
    Tournaments announced for the season.

    Announcements before ``tournament_added`` are missing.
    """

    counted: tuple[Tournament, ...] = ()
    """Counted tournaments, in the order of first counting."""

    imported: tuple[ImportedTournament, ...] = ()
    """Tournaments that were not played here. They count before all others."""

    stated_own: PlayerId | None = None
    """The player whose imported results are the player's own statement, or None."""

    merged: tuple[Merged, ...] = ()
    """Players whose results count for others."""

    adjustments: tuple[Adjusted, ...] = ()
    lots: tuple[LotsDrawn, ...] = ()
    closed: bool = False
    fates: tuple[Fate, ...] | None = None
    """The fates of its tournaments after closing. None in seasons closed before fates existed."""

    recorded: bool = False
    """True if the season's log holds the heads of its tournaments."""

    schedule: Schedule = Schedule()
    frozen: tuple[str, ...] = ()
    """Disputes that freeze the standings."""

    def tournament(self, tournament: TournamentId) -> Tournament | None:
        """Return the counted *tournament*, or None if it was never counted."""
        return next((each for each in self.counted if each.tournament == tournament), None)

    def adjusted(self, adjustment: AdjustmentId) -> Adjusted | None:
        """Return the adjustment with this identifier, or None."""
        found = (each for each in self.adjustments if each.adjustment.id == adjustment)
        return next(found, None)

    def one(self, player: PlayerId) -> PlayerId:
        """Return the player for whom the results of *player* count."""
        return one_of(self.merged, player)

    def imported_of(
        self, player: PlayerId, imported: tuple[ImportedTournament, ...]
    ) -> list[tuple[str, ImportedResult]]:
        """Return the results in *imported* that count for *player*, by tournament."""
        one = self.one(player)
        return [
            (each.name, result)
            for each in imported
            for result in each.results
            if self.one(result.player) == one
        ]

    def standings(self) -> tuple[Standing, ...]:
        """
        Return all players with a result or an adjustment, the leader first.

        Equals share a rank.
        """
        counted = tuple(results for _, results in self.results())
        terms = self.terms
        decisive = StandingsTerms(
            scale=terms.scale,
            aggregation=terms.aggregation,
            minimum_games=terms.minimum_games,
            overall=terms.overall,
            tie_breaks=terms.tie_breaks,
        )
        return standings(decisive, counted, self.adjusted_points(), lot_order(self.lots))

    def results(self) -> tuple[tuple[ImportedTournament | Tournament, Sequence[Result]], ...]:
        """Return each tournament that counts with its results, in the order of first counting."""
        played = (each for each in self.counted if not each.revoked)
        ended: tuple[ImportedTournament | Tournament, ...] = (*self.imported, *played)
        found = folded((_results_of(each) for each in ended), self.merged)
        return tuple(zip(ended, found, strict=True))

    def adjusted_points(self) -> Mapping[PlayerId, Decimal]:
        """Return the sum of the adjustments in force, by player."""
        sums: dict[PlayerId, Decimal] = {}
        with localcontext(arithmetic()):
            for each in self.adjustments:
                if not each.voided:
                    player = self.one(each.adjustment.player)
                    sums[player] = sums.get(player, Decimal(0)) + Decimal(each.adjustment.points)
        return sums


State = Unopened | Opened


def opened_of(state: State) -> Opened:
    """
    Return *state* if the season has been opened. It may be closed by now.

    Raises:
        SeasonNotOpened: If its stream is empty.
    """
    if not isinstance(state, Opened):
        raise SeasonNotOpened
    return state


def _results_of(ended: ImportedTournament | Tournament) -> tuple[Result, ...]:
    if isinstance(ended, ImportedTournament):
        return tuple(map(stated_result, ended.results))
    return tuple(map(result_of, ended.awards))


def result_of(award: Award) -> Result:
    """Return the part of *award* that matters for the standings."""
    return Result(player=award.player, place=award.place, shared=award.shared, points=award.points)


def stated_result(imported: ImportedResult) -> Result:
    """Return an imported result in the form that the standings are made of."""
    return Result(
        player=imported.player,
        place=imported.place,
        shared=imported.shared,
        points=imported.points,
    )


def lot_order(lots: tuple[LotsDrawn, ...]) -> Mapping[PlayerId, int]:
    """Return each player's place in their draw of lots, from 1."""
    return {player: place for each in lots for place, player in enumerate(each.draw.order, start=1)}


def evolve(state: State, event: Event) -> State:
    """
    Return the state after *event*.

    Raises:
        InvariantViolated: If *event* cannot have happened in *state*.
    """
    if isinstance(state, Opened):
        return _EVOLVED[type(event)](state, event)
    if isinstance(event, SeasonOpened):
        return Opened(terms=event)
    raise cannot_follow(state, event)


def _demand_open(state: Opened, event: Event) -> None:
    if state.closed:
        raise cannot_follow(state, event)


def _opened_twice(state: Opened, event: SeasonOpened) -> Opened:
    raise cannot_follow(state, event)


def _tournament_added(state: Opened, event: TournamentAdded) -> Opened:
    _demand_open(state, event)
    return replace(state, added=(*state.added, event.tournament))


def _points_awarded(state: Opened, event: PointsAwarded) -> Opened:
    _demand_open(state, event)
    counted = Tournament(tournament=event.tournament, awards=event.awards)
    return replace(state, counted=(*state.counted, counted))


def _award_corrected(state: Opened, event: AwardRevised | AwardRevoked) -> Opened:
    _demand_open(state, event)
    counted = tuple(
        _corrected(each, event) if each.tournament == event.tournament else each
        for each in state.counted
    )
    return replace(state, counted=counted)


def _bonuses_awarded(state: Opened, event: BonusesAwarded) -> Opened:
    _demand_open(state, event)
    given = (Adjusted(adjustment=each, by_terms=True) for each in event.bonuses)
    return replace(state, adjustments=(*state.adjustments, *given))


def _points_adjusted(state: Opened, event: PointsAdjusted) -> Opened:
    _demand_open(state, event)
    adjusted = Adjusted(adjustment=event.adjustment, by_terms=False)
    return replace(state, adjustments=(*state.adjustments, adjusted))


def _adjustment_voided(state: Opened, event: AdjustmentVoided) -> Opened:
    _demand_open(state, event)
    adjustments = tuple(
        replace(each, voided=True) if each.adjustment.id == event.adjustment else each
        for each in state.adjustments
    )
    return replace(state, adjustments=adjustments)


def _results_merged(state: Opened, event: ResultsMerged) -> Opened:
    _demand_open(state, event)
    return replace(state, merged=merged(state.merged, event.player, event.into))


def _results_imported(state: Opened, event: ResultsImported) -> Opened:
    _demand_open(state, event)
    return replace(state, imported=event.tournaments, stated_own=_stated_own(state, event))


def _stated_own(state: Opened, event: ResultsImported) -> PlayerId | None:
    """
    Return the author of *event*, if results in it are the author's own statement.

    Results that another owner stated and the author left unchanged are not.
    """
    now = state.imported_of(event.author, event.tournaments)
    kept = now == state.imported_of(event.author, state.imported)
    by_another = state.stated_own is None or state.one(state.stated_own) != state.one(event.author)
    return None if not now or (kept and by_another) else event.author


def _lots_drawn(state: Opened, event: LotsDrawn) -> Opened:
    _demand_open(state, event)
    return replace(state, lots=(*state.lots, event))


def _closed(state: Opened, event: SeasonClosed) -> Opened:
    _demand_open(state, event)
    return replace(state, closed=True, fates=event.fates)


def _recorded(state: Opened, event: TournamentsRecorded) -> Opened:
    if not state.closed:
        raise cannot_follow(state, event)
    return replace(state, recorded=True)


def _frozen(state: Opened, event: freezing.Event) -> Opened:
    return replace(state, frozen=freezing.applied(state.frozen, event))


def _scheduled(state: Opened, event: schedule.Event) -> Opened:
    _demand_open(state, event)
    return replace(state, schedule=evolved(state.schedule, event))


def _corrected(counted: Tournament, event: AwardRevised | AwardRevoked) -> Tournament:
    revisions = counted.revisions + 1
    if isinstance(event, AwardRevoked):
        return replace(counted, awards=(), revisions=revisions, revocation=event)
    return replace(
        counted,
        awards=changed(counted.awards, event.changes),
        revisions=revisions,
        revocation=None,
    )


def changed(awards: tuple[Award, ...], changes: tuple[AwardChange, ...]) -> tuple[Award, ...]:
    """Return *awards* after *changes*, in order of place."""
    by_player = {each.player: each for each in awards}
    for change in changes:
        by_player.pop(change.player, None)
        if change.after is not None:
            by_player[change.player] = change.after
    return tuple(sorted(by_player.values(), key=lambda each: (each.place, each.entrant)))


_EVOLVED = (
    Cases[Opened, Never, Opened]()
    .on(SeasonOpened, _opened_twice)
    .on(TournamentAdded, _tournament_added)
    .on(PointsAwarded, _points_awarded)
    .on(AwardRevised, _award_corrected)
    .on(AwardRevoked, _award_corrected)
    .on(BonusesAwarded, _bonuses_awarded)
    .on(PointsAdjusted, _points_adjusted)
    .on(AdjustmentVoided, _adjustment_voided)
    .on(ResultsMerged, _results_merged)
    .on(ResultsImported, _results_imported)
    .on(LotsDrawn, _lots_drawn)
    .on(SeasonClosed, _closed)
    .on(TournamentsRecorded, _recorded)
    .on(freezing.StandingsFrozen, _frozen)
    .on(freezing.StandingsReleased, _frozen)
    .on(schedule.FixturesPlanned, _scheduled)
    .on(schedule.FixturesReplanned, _scheduled)
    .on(schedule.FixturesEnded, _scheduled)
    .on(schedule.FixtureChanged, _scheduled)
    .on(schedule.FixtureMaterialised, _scheduled)
    .on(schedule.FixtureMissed, _scheduled)
    .on(schedule.SeasonScheduled, _scheduled)
)
