"""Read model ``tournaments``: each tournament's terms and state, its entrants and their results."""

import msgspec

from engine.tournament.model.events import (
    ChipsBrought,
    EntrantBusted,
    EntrantCashedOut,
    EntrantEliminated,
    EntrantRegistered,
    EntrantWithdrawn,
    ItemStaked,
    PlayStarted,
    RebuyTaken,
    RegistrationClosed,
    RegistrationOpened,
    SeatsDrawn,
    TournamentAnnounced,
    TournamentCancelled,
    TournamentFinished,
    TournamentPaused,
    TournamentResumed,
)
from engine.tournament.model.events.correcting import ResultCorrected
from engine.tournament.model.events.entering import (
    DraftDiscarded,
    LateSeatDrawn,
    NoShowPurged,
    NoShowReleased,
    PlacesLowered,
    StartPostponed,
    TableAdded,
    TermsChanged,
    TermsRevised,
    TournamentDrafted,
)
from engine.tournament.model.events.rounds import FinalSeated, RoundSeated
from service.projections import schema
from service.projections.applying.changes import Changes
from service.projections.applying.projection import Happened, Projection, on

_Terms = TournamentDrafted | TermsRevised | TournamentAnnounced


def _drafted(changes: Changes, happened: Happened[TournamentDrafted | TermsRevised]) -> None:
    _with_terms(changes, happened, "draft")


def _tournament_announced(changes: Changes, happened: Happened[TournamentAnnounced]) -> None:
    _with_terms(changes, happened, "announced")


def _with_terms(changes: Changes, happened: Happened[_Terms], state: str) -> None:
    event = happened.event
    changes.put(
        schema.tournament,
        season=event.season,
        name=event.name,
        ruleset_name=event.ruleset_name,
        ruleset_hash=event.ruleset_hash,
        table_seats=event.table_seats,
        starting_stack=event.starting_stack,
        entrants_min=event.entrants_min,
        entrants_max=event.entrants_max,
        bots=event.bots,
        prize_pool=event.prize_pool,
        currency=event.currency,
        decision_seconds=event.decision_seconds,
        tournament=happened.subject,
        league=happened.league,
        state=state,
        entrants=0,
        starts_at=event.starts_at,
        registration_opens_at=event.registration_opens_at,
        visibility=event.visibility,
        place=event.place,
        length_seconds=event.length_seconds,
        terms_changes=0,
        announced_at=happened.at,
        announced_position=happened.position,
        last_position=happened.position,
    )


def _terms_changed(changes: Changes, happened: Happened[TermsChanged]) -> None:
    event = happened.event
    changes.add(schema.tournament, {"tournament": happened.subject}, terms_changes=1)
    _turn(
        changes,
        happened,
        name=event.name,
        entrants_min=event.entrants_min,
        entrants_max=event.entrants_max,
        prize_pool=event.prize_pool,
        currency=event.currency,
        starts_at=event.starts_at,
        registration_opens_at=event.registration_opens_at,
        place=event.place,
        length_seconds=event.length_seconds,
    )


def _draft_discarded(changes: Changes, happened: Happened[DraftDiscarded]) -> None:
    _turn(changes, happened, state="discarded")


def _registration_closed(changes: Changes, happened: Happened[RegistrationClosed]) -> None:
    _turn(changes, happened, state="registration_closed")


def _registration_opened(changes: Changes, happened: Happened[RegistrationOpened]) -> None:
    _turn(changes, happened, state="registering")


def _entrant_registered(changes: Changes, happened: Happened[EntrantRegistered]) -> None:
    event = happened.event
    changes.put(
        schema.entrant,
        entrant=event.entrant,
        league=happened.league,
        tournament=happened.subject,
        player=event.player,
        bot=event.bot,
        number=event.number,
        state="registered",
        registered_at=happened.at,
    )
    changes.add(schema.tournament, {"tournament": happened.subject}, entrants=1)
    _turn(changes, happened)


def _entrant_withdrawn(changes: Changes, happened: Happened[EntrantWithdrawn]) -> None:
    changes.patch(schema.entrant, entrant=happened.event.entrant, state="withdrawn")
    changes.add(schema.tournament, {"tournament": happened.subject}, entrants=-1)
    _turn(changes, happened)


def _seats_drawn(changes: Changes, happened: Happened[SeatsDrawn | FinalSeated]) -> None:
    for assignment in happened.event.assignments:
        changes.patch(schema.entrant, entrant=assignment.entrant, state="playing")
    _turn(changes, happened)


def _round_seated(changes: Changes, happened: Happened[RoundSeated]) -> None:
    for table in happened.event.tables:
        for seat in table.seats:
            changes.patch(schema.entrant, entrant=seat.entrant, state="playing")
    _turn(changes, happened)


def _play_started(changes: Changes, happened: Happened[PlayStarted]) -> None:
    _turn(changes, happened, state="running", started_at=happened.at)


def _tournament_paused(changes: Changes, happened: Happened[TournamentPaused]) -> None:
    _turn(changes, happened, state="paused")


def _tournament_resumed(changes: Changes, happened: Happened[TournamentResumed]) -> None:
    _turn(changes, happened, state="running")


def _entrant_busted(changes: Changes, happened: Happened[EntrantBusted]) -> None:
    changes.patch(schema.entrant, entrant=happened.event.entrant, state="busted")
    _turn(changes, happened)


def _back_in_play(
    changes: Changes,
    happened: Happened[LateSeatDrawn | TableAdded | RebuyTaken | ItemStaked | ChipsBrought],
) -> None:
    changes.patch(schema.entrant, entrant=happened.event.entrant, state="playing")
    _turn(changes, happened)


def _cashed_out(changes: Changes, happened: Happened[EntrantCashedOut]) -> None:
    changes.patch(schema.entrant, entrant=happened.event.entrant, state="cashed_out")
    _turn(changes, happened)


def _start_postponed(changes: Changes, happened: Happened[StartPostponed]) -> None:
    changes.add(schema.tournament, {"tournament": happened.subject}, terms_changes=1)
    _turn(changes, happened, state="registering", starts_at=happened.event.until)


def _no_show_released(changes: Changes, happened: Happened[NoShowReleased | NoShowPurged]) -> None:
    changes.patch(schema.entrant, entrant=happened.event.entrant, state="no_show")
    changes.add(schema.tournament, {"tournament": happened.subject}, entrants=-1)
    _turn(changes, happened)


def _places_lowered(changes: Changes, happened: Happened[PlacesLowered]) -> None:
    for entrant in happened.event.entrants:
        changes.add(schema.entrant, {"entrant": entrant}, placing=happened.event.by)
    _turn(changes, happened)


def _no_show_purged(changes: Changes, happened: Happened[NoShowPurged]) -> None:
    event = happened.event
    if not event.struck:
        _turn(changes, happened)
        return
    for entrant in event.raised:
        changes.add(schema.entrant, {"entrant": entrant}, placing=-1)
    _no_show_released(changes, happened)


def _entrant_eliminated(changes: Changes, happened: Happened[EntrantEliminated]) -> None:
    event = happened.event
    changes.patch(schema.entrant, entrant=event.entrant, state="eliminated", placing=event.place)
    _turn(changes, happened)


def _tournament_finished(changes: Changes, happened: Happened[TournamentFinished]) -> None:
    paid = {payout.entrant: payout.amount for payout in happened.event.payouts}
    for placing in happened.event.placings:
        changes.patch(
            schema.entrant,
            entrant=placing.entrant,
            state="finished",
            placing=placing.place,
            payout=paid.get(placing.entrant, 0),
        )
    _turn(changes, happened, state="finished", finished_at=happened.at)


def _result_corrected(changes: Changes, happened: Happened[ResultCorrected]) -> None:
    paid = {payout.entrant: payout.amount for payout in happened.event.payouts}
    for placing in happened.event.placings:
        changes.patch(
            schema.entrant,
            entrant=placing.entrant,
            placing=placing.place,
            payout=paid.get(placing.entrant, 0),
        )
    _turn(changes, happened)


def _tournament_cancelled(changes: Changes, happened: Happened[TournamentCancelled]) -> None:
    _turn(changes, happened, state="cancelled", finished_at=happened.at)


def _turn(changes: Changes, happened: Happened[msgspec.Struct], **columns: object) -> None:
    changes.patch(
        schema.tournament,
        tournament=happened.subject,
        last_position=happened.position,
        **columns,
    )


tournaments = Projection(
    name="tournaments",
    version=5,
    relations=(schema.tournament, schema.entrant),
    handlers=dict(
        [
            on(TournamentDrafted, _drafted),
            on(TermsRevised, _drafted),
            on(DraftDiscarded, _draft_discarded),
            on(TermsChanged, _terms_changed),
            on(TournamentAnnounced, _tournament_announced),
            on(StartPostponed, _start_postponed),
            on(NoShowReleased, _no_show_released),
            on(NoShowPurged, _no_show_purged),
            on(LateSeatDrawn, _back_in_play),
            on(TableAdded, _back_in_play),
            on(PlacesLowered, _places_lowered),
            on(RegistrationOpened, _registration_opened),
            on(RegistrationClosed, _registration_closed),
            on(EntrantRegistered, _entrant_registered),
            on(EntrantWithdrawn, _entrant_withdrawn),
            on(SeatsDrawn, _seats_drawn),
            on(RoundSeated, _round_seated),
            on(FinalSeated, _seats_drawn),
            on(PlayStarted, _play_started),
            on(TournamentPaused, _tournament_paused),
            on(TournamentResumed, _tournament_resumed),
            on(EntrantBusted, _entrant_busted),
            on(RebuyTaken, _back_in_play),
            on(ItemStaked, _back_in_play),
            on(ChipsBrought, _back_in_play),
            on(EntrantCashedOut, _cashed_out),
            on(EntrantEliminated, _entrant_eliminated),
            on(TournamentFinished, _tournament_finished),
            on(ResultCorrected, _result_corrected),
            on(TournamentCancelled, _tournament_cancelled),
        ]
    ),
)
