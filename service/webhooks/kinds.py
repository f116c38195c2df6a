"""
The kinds of messages: the event behind each kind, and its content.

A kind's name is public and is never renamed. Only events that the public may read have a kind.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

import msgspec

from engine.dispute.events import DisputeOpened, DisputeRuled
from engine.season.events import PointsAwarded, SeasonClosed, SeasonOpened
from engine.table.model.events.showdown_events import HandSettled
from engine.tournament.model.events import (
    EntrantEliminated,
    EntrantRegistered,
    EntrantWithdrawn,
    LevelRaised,
    PlayStarted,
    RegistrationClosed,
    RegistrationOpened,
    TournamentAnnounced,
    TournamentCancelled,
    TournamentFinished,
    TournamentPaused,
    TournamentResumed,
)
from engine.tournament.model.events.correcting import ResultCorrected
from engine.tournament.model.events.entering import (
    AnnouncementPosted,
    LateRegistrationOpened,
    StartPostponed,
    TermsChanged,
)
from engine.tournament.model.events.floor import BreakEnded, BreakStarted
from engine.tournament.model.events.rounds import RoundEnded, RoundSeated
from service.log.catalogue import tag_of
from service.webhooks.facts import (
    AwardFacts,
    DisputeFacts,
    EliminatedFacts,
    EntrantFacts,
    EntryFacts,
    HandFacts,
    LevelFacts,
    PlannedFacts,
    RoundFacts,
    SeasonFacts,
    TournamentFacts,
    TrialFacts,
)

Name = Literal[
    "tournament.announced",
    "tournament.registration_opened",
    "tournament.registration_closed",
    "tournament.postponed",
    "tournament.terms_changed",
    "tournament.started",
    "tournament.late_registration_opened",
    "tournament.paused",
    "tournament.resumed",
    "tournament.announcement_posted",
    "tournament.level_raised",
    "tournament.break_started",
    "tournament.break_ended",
    "tournament.round_seated",
    "tournament.round_ended",
    "tournament.finished",
    "tournament.cancelled",
    "tournament.result_corrected",
    "entrant.registered",
    "entrant.withdrawn",
    "entrant.eliminated",
    "hand.settled",
    "season.opened",
    "season.closed",
    "season.points_awarded",
    "dispute.opened",
    "dispute.ruled",
]

TRIED: Final = "webhook.tried"
"""The kind of the message that a person asks for. Every webhook gets it."""

Members = dict[str, object]


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of messages."""

    event: type[msgspec.Struct]
    says: str
    """A sentence for people, which is also the description in the document."""

    facts: type[msgspec.Struct]


KINDS: Mapping[Name, Kind] = {
    "tournament.announced": Kind(TournamentAnnounced, "A tournament was announced.", PlannedFacts),
    "tournament.registration_opened": Kind(
        RegistrationOpened, "Registration opened.", TournamentFacts
    ),
    "tournament.registration_closed": Kind(
        RegistrationClosed, "Registration closed.", TournamentFacts
    ),
    "tournament.postponed": Kind(
        StartPostponed,
        "The start was postponed: too few players have entered.",
        PlannedFacts,
    ),
    "tournament.terms_changed": Kind(
        TermsChanged, "Staff changed the announced terms.", PlannedFacts
    ),
    "tournament.started": Kind(PlayStarted, "Play started.", TournamentFacts),
    "tournament.late_registration_opened": Kind(
        LateRegistrationOpened, "Late registration opened.", TournamentFacts
    ),
    "tournament.paused": Kind(TournamentPaused, "Play was paused.", TournamentFacts),
    "tournament.resumed": Kind(TournamentResumed, "Play was resumed.", TournamentFacts),
    "tournament.announcement_posted": Kind(
        AnnouncementPosted, "The staff posted an announcement for the players.", TournamentFacts
    ),
    "tournament.level_raised": Kind(LevelRaised, "A new level began.", LevelFacts),
    "tournament.break_started": Kind(BreakStarted, "A break started.", TournamentFacts),
    "tournament.break_ended": Kind(BreakEnded, "The break ended.", TournamentFacts),
    "tournament.round_seated": Kind(RoundSeated, "The players of a round were seated.", RoundFacts),
    "tournament.round_ended": Kind(RoundEnded, "A round ended.", RoundFacts),
    "tournament.finished": Kind(
        TournamentFinished, "The tournament finished, and its result is known.", TournamentFacts
    ),
    "tournament.cancelled": Kind(
        TournamentCancelled, "The tournament was cancelled.", TournamentFacts
    ),
    "tournament.result_corrected": Kind(
        ResultCorrected, "The result was corrected.", TournamentFacts
    ),
    "entrant.registered": Kind(EntrantRegistered, "A player entered.", EntryFacts),
    "entrant.withdrawn": Kind(EntrantWithdrawn, "An entrant withdrew.", EntrantFacts),
    "entrant.eliminated": Kind(EntrantEliminated, "An entrant was eliminated.", EliminatedFacts),
    "hand.settled": Kind(HandSettled, "A hand was settled.", HandFacts),
    "season.opened": Kind(SeasonOpened, "A season opened.", SeasonFacts),
    "season.closed": Kind(
        SeasonClosed, "A season closed, and its standings are final.", SeasonFacts
    ),
    "season.points_awarded": Kind(
        PointsAwarded, "A season gave points for a tournament.", AwardFacts
    ),
    "dispute.opened": Kind(DisputeOpened, "A dispute was opened.", DisputeFacts),
    "dispute.ruled": Kind(DisputeRuled, "A dispute was ruled on.", DisputeFacts),
}
"""Every kind that a webhook can subscribe to."""

TRIAL: Final = ("Somebody tried the webhook.", TrialFacts)
"""The sentence and the content of :data:`TRIED`."""

BY_EVENT: Mapping[type[msgspec.Struct], Name] = {kind.event: name for name, kind in KINDS.items()}
TOLD: Final = {tag_of(kind.event): name for name, kind in KINDS.items()}
"""The kind of each type of event. Events of other types lead to no message."""


def own_facts(event: msgspec.Struct) -> Members:
    """Return the members of a message that come from the event itself."""
    match event:
        case (
            TournamentAnnounced(starts_at=starts_at)
            | TermsChanged(starts_at=starts_at)
            | StartPostponed(until=starts_at)
        ):
            return {"starts_at": starts_at}
        case EntrantRegistered(entrant=entrant, player=player):
            return {"entrant": entrant, "player": player}
        case EntrantWithdrawn(entrant=entrant):
            return {"entrant": entrant}
        case EntrantEliminated(entrant=entrant, player=player, place=place):
            return {"entrant": entrant, "player": player, "place": place}
        case LevelRaised(level=level):
            return {"level": level}
        case RoundSeated(round=number) | RoundEnded(round=number):
            return {"round": number}
        case HandSettled(hand=hand):
            return {"hand": hand}
        case PointsAwarded(tournament=tournament):
            return {"tournament": tournament}
        case _:
            return {}
