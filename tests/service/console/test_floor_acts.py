"""The commands of a director about one player, as drawn."""

from datetime import UTC, datetime

from service.console.pages import environment
from service.console.screens.floor.shown import FloorScreen, Powers, SeatSeen


def test_a_player_whom_the_list_of_entrants_does_not_know_yet_is_offered_no_rebuy() -> None:
    """Floor and list are read one beside the other, and late players come in between."""
    known, late = (
        SeatSeen(entrant=each, player=None, name=each, bot=False, seat=1) for each in ("ann", "ben")
    )
    screen = FloorScreen(
        id="trn_1", league="lge_1", league_name=None, name="Thursday", state="running",
        now=datetime(2026, 1, 1, tzinfo=UTC), may=Powers(sells=True), etag=None, clock=None,
        entrants=2, left=2, average=10, break_ends=None, break_left=None, next_break=None,
        break_after_level=None, hand_for_hand=None, last_hands=None, closing=False, tables=(),
        outside=(known, late), breaking_order=(), rebuys={"ann": 2}, add_ons=False,
        house_bots=False, bots_have_no_money=False, happened=(), out=(),
    )  # fmt: skip
    acts = environment("en").get_template("floor/acts.html").make_module({})
    drawn = [str(acts.seat_acts(screen, each, "", None, "")) for each in (known, late)]  # type: ignore[attr-defined]
    assert 'name="number" value="2"' in drawn[0]
    assert "/rebuy" in drawn[0] and "/rebuy" not in drawn[1]
