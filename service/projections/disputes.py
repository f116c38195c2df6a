"""Read model ``disputes``: what is disputed in a league, and what was ruled by which rule."""

from service.projections import schema
from service.projections.changes import Changes
from service.projections.projection import Happened, Projection


def _opened(changes: Changes, happened: Happened) -> None:
    data, subject = happened.data, happened.data["subject"]
    changes.put(
        schema.dispute,
        dispute=happened.subject,
        league=happened.league,
        kind=subject["kind"],
        tournament=subject["tournament"],
        season=subject["season"],
        hand=subject["hand"],
        claimant=data["claimant"],
        state="open",
        outcome=None,
        frozen=False,
        opened_at=happened.at,
        opened_position=happened.position,
    )


def _frozen(changes: Changes, happened: Happened) -> None:
    changes.patch(schema.dispute, dispute=happened.subject, frozen=True)


def _unfrozen(changes: Changes, happened: Happened) -> None:
    changes.patch(schema.dispute, dispute=happened.subject, frozen=False)


def _ruled(changes: Changes, happened: Happened) -> None:
    data = happened.data
    changes.patch(
        schema.dispute,
        dispute=happened.subject,
        state="ruled" if data["instance"] == 1 else "final",
        outcome=data["outcome"],
    )
    for rule in data["rules"]:
        changes.put(
            schema.dispute_rule,
            league=happened.league,
            rule=rule,
            dispute=happened.subject,
            ruled_position=happened.position,
        )


def _appealed(changes: Changes, happened: Happened) -> None:
    changes.patch(schema.dispute, dispute=happened.subject, state="appealed")


disputes = Projection(
    name="disputes",
    version=1,
    relations=(schema.dispute, schema.dispute_rule),
    handlers={
        "dispute_opened": _opened,
        "dispute_frozen": _frozen,
        "dispute_unfrozen": _unfrozen,
        "dispute_ruled": _ruled,
        "dispute_appealed": _appealed,
    },
)
