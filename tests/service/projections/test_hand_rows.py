"""The read model of hands: pots stand in one order, whenever they were given away."""

from datetime import UTC, datetime
from typing import Any

from service.projections.changes import Changes
from service.projections.hands import hands
from service.projections.projection import Happened

TABLE = "0" * 32


def happened(type_: str, **data: Any) -> Happened:
    now = datetime(2026, 1, 1, tzinfo=UTC)
    return Happened(
        league="lge_1",
        position=1,
        stream=f"table-{TABLE}",
        stream_version=1,
        type=type_,
        at=now,
        data=data,
    )


def test_the_sabacc_pot_stands_last_though_it_is_given_away_between_two_others() -> None:
    changes = Changes()
    changes.memory[f"tbl_{TABLE}"] = {
        "league": "lge_1",
        "table": "tbl_1",
        "number": 1,
        "deal": 1,
        "hand": "hnd_1",
        "pots": [],
    }
    told = {"chips": 5, "shares": [], "remainder": 0, "rule": "showdown.best"}
    formed = [{"chips": 5, "eligible": [1]}, {"chips": 5, "eligible": [2]}]
    sabacc = {"chips": 3, "seat": 1, "rule": "spike.sabacc_pot"}
    for event in (
        happened("pots_formed", pots=formed),
        happened("pot_awarded", pot=1, **told),
        happened("sabacc_pot_awarded", **sabacc),
        happened("pot_awarded", pot=2, **told),
    ):
        hands.handlers[event.type](changes, event)
    pots = changes.memory[f"tbl_{TABLE}"]["pots"]
    assert [each["pot"] for each in pots] == [1, 2, "sabacc"]
