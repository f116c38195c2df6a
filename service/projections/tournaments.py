"""Read model ``tournaments``: each tournament's terms and state, its entrants and their results."""

from datetime import datetime
from typing import Any

from service.projections import schema
from service.projections.changes import Changes
from service.projections.projection import Happened, Projection

_TERMS = (
    "season",
    "name",
    "ruleset_name",
    "ruleset_hash",
    "table_seats",
    "starting_stack",
    "entrants_min",
    "entrants_max",
    "bots",
    "prize_pool",
    "currency",
    "decision_seconds",
)


def _drafted(changes: Changes, happened: Happened) -> None:
    _with_terms(changes, happened, "draft")


def _tournament_announced(changes: Changes, happened: Happened) -> None:
    _with_terms(changes, happened, "announced")


def _with_terms(changes: Changes, happened: Happened, state: str) -> None:
    data = happened.data
    changes.put(
        schema.tournament,
        **{name: data[name] for name in _TERMS},
        tournament=happened.subject,
        league=happened.league,
        state=state,
        entrants=0,
        starts_at=_instant(data["starts_at"]),
        registration_opens_at=_instant(data["registration_opens_at"]),
        announced_at=happened.at,
        announced_position=happened.position,
        last_position=happened.position,
    )


def _draft_discarded(changes: Changes, happened: Happened) -> None:
    _turn(changes, happened, state="discarded")


def _registration_closed(changes: Changes, happened: Happened) -> None:
    _turn(changes, happened, state="registration_closed")


def _registration_opened(changes: Changes, happened: Happened) -> None:
    _turn(changes, happened, state="registering")


def _entrant_registered(changes: Changes, happened: Happened) -> None:
    data = happened.data
    changes.put(
        schema.entrant,
        entrant=data["entrant"],
        league=happened.league,
        tournament=happened.subject,
        player=data["player"],
        bot=data["bot"],
        number=data["number"],
        state="registered",
        registered_at=happened.at,
    )
    changes.add(schema.tournament, {"tournament": happened.subject}, entrants=1)
    _turn(changes, happened)


def _entrant_withdrawn(changes: Changes, happened: Happened) -> None:
    changes.patch(schema.entrant, entrant=happened.data["entrant"], state="withdrawn")
    changes.add(schema.tournament, {"tournament": happened.subject}, entrants=-1)
    _turn(changes, happened)


def _seats_drawn(changes: Changes, happened: Happened) -> None:
    for assignment in happened.data["assignments"]:
        changes.patch(schema.entrant, entrant=assignment["entrant"], state="playing")
    _turn(changes, happened)


def _round_seated(changes: Changes, happened: Happened) -> None:
    for table in happened.data["tables"]:
        for seat in table["seats"]:
            changes.patch(schema.entrant, entrant=seat["entrant"], state="playing")
    _turn(changes, happened)


def _play_started(changes: Changes, happened: Happened) -> None:
    _turn(changes, happened, state="running", started_at=happened.at)


def _tournament_paused(changes: Changes, happened: Happened) -> None:
    _turn(changes, happened, state="paused")


def _tournament_resumed(changes: Changes, happened: Happened) -> None:
    _turn(changes, happened, state="running")


def _entrant_busted(changes: Changes, happened: Happened) -> None:
    changes.patch(schema.entrant, entrant=happened.data["entrant"], state="busted")
    _turn(changes, happened)


def _back_in_play(changes: Changes, happened: Happened) -> None:
    changes.patch(schema.entrant, entrant=happened.data["entrant"], state="playing")
    _turn(changes, happened)


def _cashed_out(changes: Changes, happened: Happened) -> None:
    changes.patch(schema.entrant, entrant=happened.data["entrant"], state="cashed_out")
    _turn(changes, happened)


def _start_postponed(changes: Changes, happened: Happened) -> None:
    _turn(changes, happened, state="registering", starts_at=_instant(happened.data["until"]))


def _no_show_released(changes: Changes, happened: Happened) -> None:
    changes.patch(schema.entrant, entrant=happened.data["entrant"], state="no_show")
    changes.add(schema.tournament, {"tournament": happened.subject}, entrants=-1)
    _turn(changes, happened)


def _places_lowered(changes: Changes, happened: Happened) -> None:
    for entrant in happened.data["entrants"]:
        changes.add(schema.entrant, {"entrant": entrant}, placing=happened.data["by"])
    _turn(changes, happened)


def _no_show_purged(changes: Changes, happened: Happened) -> None:
    data = happened.data
    if not data["struck"]:
        _turn(changes, happened)
        return
    for entrant in data["raised"]:
        changes.add(schema.entrant, {"entrant": entrant}, placing=-1)
    _no_show_released(changes, happened)


def _entrant_eliminated(changes: Changes, happened: Happened) -> None:
    data = happened.data
    changes.patch(
        schema.entrant, entrant=data["entrant"], state="eliminated", placing=data["place"]
    )
    _turn(changes, happened)


def _tournament_finished(changes: Changes, happened: Happened) -> None:
    paid = {payout["entrant"]: payout["amount"] for payout in happened.data["payouts"]}
    for placing in happened.data["placings"]:
        changes.patch(
            schema.entrant,
            entrant=placing["entrant"],
            state="finished",
            placing=placing["place"],
            payout=paid.get(placing["entrant"], 0),
        )
    _turn(changes, happened, state="finished", finished_at=happened.at)


def _result_corrected(changes: Changes, happened: Happened) -> None:
    paid = {payout["entrant"]: payout["amount"] for payout in happened.data["payouts"]}
    for placing in happened.data["placings"]:
        changes.patch(
            schema.entrant,
            entrant=placing["entrant"],
            placing=placing["place"],
            payout=paid.get(placing["entrant"], 0),
        )
    _turn(changes, happened)


def _tournament_cancelled(changes: Changes, happened: Happened) -> None:
    _turn(changes, happened, state="cancelled", finished_at=happened.at)


def _turn(changes: Changes, happened: Happened, **columns: Any) -> None:
    changes.patch(
        schema.tournament,
        tournament=happened.subject,
        last_position=happened.position,
        **columns,
    )


def _instant(written: str | None) -> datetime | None:
    return None if written is None else datetime.fromisoformat(written)


tournaments = Projection(
    name="tournaments",
    version=3,
    relations=(schema.tournament, schema.entrant),
    handlers={
        "tournament_drafted": _drafted,
        "terms_revised": _drafted,
        "draft_discarded": _draft_discarded,
        "tournament_announced": _tournament_announced,
        "start_postponed": _start_postponed,
        "no_show_released": _no_show_released,
        "no_show_purged": _no_show_purged,
        "late_seat_drawn": _back_in_play,
        "table_added": _back_in_play,
        "places_lowered": _places_lowered,
        "registration_opened": _registration_opened,
        "registration_closed": _registration_closed,
        "entrant_registered": _entrant_registered,
        "entrant_withdrawn": _entrant_withdrawn,
        "seats_drawn": _seats_drawn,
        "round_seated": _round_seated,
        "final_seated": _seats_drawn,
        "play_started": _play_started,
        "tournament_paused": _tournament_paused,
        "tournament_resumed": _tournament_resumed,
        "entrant_busted": _entrant_busted,
        "rebuy_taken": _back_in_play,
        "item_staked": _back_in_play,
        "chips_brought": _back_in_play,
        "entrant_cashed_out": _cashed_out,
        "entrant_eliminated": _entrant_eliminated,
        "tournament_finished": _tournament_finished,
        "result_corrected": _result_corrected,
        "tournament_cancelled": _tournament_cancelled,
    },
)
