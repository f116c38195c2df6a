"""Read model ``disputes``: the disputes of a league, and the rules that their rulings cite."""

from engine.dispute.events import (
    DisputeAppealed,
    DisputeFrozen,
    DisputeOpened,
    DisputeRuled,
    DisputeUnfrozen,
)
from service.projections import schema
from service.projections.applying.changes import Changes
from service.projections.applying.projection import Happened, Projection, on


def _opened(changes: Changes, happened: Happened[DisputeOpened]) -> None:
    event = happened.event
    subject = event.subject
    changes.put(
        schema.dispute,
        dispute=happened.subject,
        league=happened.league,
        kind=subject.kind,
        tournament=subject.tournament,
        season=subject.season,
        hand=subject.hand,
        claimant=event.claimant,
        state="open",
        outcome=None,
        frozen=False,
        opened_at=happened.at,
        opened_position=happened.position,
    )


def _frozen(changes: Changes, happened: Happened[DisputeFrozen]) -> None:
    changes.patch(schema.dispute, dispute=happened.subject, frozen=True)


def _unfrozen(changes: Changes, happened: Happened[DisputeUnfrozen]) -> None:
    changes.patch(schema.dispute, dispute=happened.subject, frozen=False)


def _ruled(changes: Changes, happened: Happened[DisputeRuled]) -> None:
    event = happened.event
    changes.patch(
        schema.dispute,
        dispute=happened.subject,
        state="ruled" if event.instance == 1 else "final",
        outcome=event.outcome,
    )
    for rule in event.rules:
        changes.put(
            schema.dispute_rule,
            league=happened.league,
            rule=rule,
            dispute=happened.subject,
            ruled_position=happened.position,
        )


def _appealed(changes: Changes, happened: Happened[DisputeAppealed]) -> None:
    changes.patch(schema.dispute, dispute=happened.subject, state="appealed")


disputes = Projection(
    name="disputes",
    version=1,
    relations=(schema.dispute, schema.dispute_rule),
    handlers=dict(
        [
            on(DisputeOpened, _opened),
            on(DisputeFrozen, _frozen),
            on(DisputeUnfrozen, _unfrozen),
            on(DisputeRuled, _ruled),
            on(DisputeAppealed, _appealed),
        ]
    ),
)
