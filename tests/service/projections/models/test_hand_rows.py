"""The read model of hands keeps one order of pots, whenever they were awarded."""

from datetime import UTC, datetime

import msgspec

from engine.table.model.events import FormedPot, PotAwarded, PotsFormed, SabaccPotAwarded
from engine.values import EntrantId
from service.projections.applying.changes import Changes
from service.projections.applying.projection import Happened
from service.projections.models.hands import hands

TABLE = "0" * 32


def happened(event: msgspec.Struct) -> Happened[msgspec.Struct]:
    return Happened(
        league="lge_1",
        position=1,
        stream=f"table-{TABLE}",
        stream_version=1,
        at=datetime(2026, 1, 1, tzinfo=UTC),
        event=event,
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
    best = "showdown.best"
    formed = (FormedPot(chips=5, eligible=(1,)), FormedPot(chips=5, eligible=(2,)))
    for event in (
        PotsFormed(pots=formed, carry=0, dead=0, rule=best),
        PotAwarded(pot=1, chips=5, shares=(), remainder=0, rule=best),
        SabaccPotAwarded(seat=1, entrant=EntrantId("e"), chips=3, rule="spike.sabacc_pot"),
        PotAwarded(pot=2, chips=5, shares=(), remainder=0, rule=best),
    ):
        each = happened(event)
        hands.handlers[each.type](changes, each)
    pots = changes.memory[f"tbl_{TABLE}"]["pots"]
    assert [each["pot"] for each in pots] == [1, 2, "sabacc"]
