"""Requests about seasons, their recurring tournaments and their points."""

from service.api.examples import ids
from service.base.documents import Document

FIXTURES: Document = {
    "rrule": "FREQ=WEEKLY",
    "zone": "Etc/UTC",
    "starts": "2098-12-29T19:00",
    "tournament": {"name": "Weekly", "ruleset": "better"},
}

REQUESTS: dict[str, Document] = {
    "open_season": {"name": "Next"},
    "close_season": {"leave_out": []},
    "schedule_close": {"closes_at": None},
    "plan_fixtures": FIXTURES,
    "replan_fixtures": {"since": "2099-01-05T19:00"},
    "end_fixtures": {"since": "2099-01-05T19:00"},
    "change_fixture": {"skipped": True},
    "adjust_points": {"player": ids.PLAYER, "points": "5", "reason": "High hand"},
    "void_adjustment": {"reason": "Counted again"},
    "revise_award": {"reason": "Counted again"},
    "revoke_award": {"reason": "Counted again"},
    "try_points_formula": {"formula": "n - k"},
    "suggest_structure": {"players": 24, "stack": 2000, "minutes": 180, "ruleset": "better"},
    "try_season_terms": {
        "points": {"type": "points_preset", "name": "table"},
        "evenings": [
            {"places": [{"label": "Ada", "place": 1}, {"label": "Bo", "place": 2}]},
            {"places": [{"label": "Bo", "place": 1}, {"label": "Ada", "place": 2}]},
        ],
    },
    "simulate_evenings": {
        "players": 6,
        "table_seats": 6,
        "stack": 1000,
        "levels": [
            {"small": 10, "big": 20, "length": 600},
            {"small": 50, "big": 100, "length": 600},
            {"small": 250, "big": 500},
        ],
        "late": {"level": 1, "players": 1},
        "rebuys": {"max": 1, "until_level": 2},
    },
    "evaluate_hands": {
        "hands": [["T+10", "Z1"], ["C+10"]],
        "target": 10,
        "suit": "triangle",
    },
}
