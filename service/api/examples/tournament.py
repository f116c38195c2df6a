"""Requests about tournaments: their terms, their entrants, their money and their floor."""

from service.api.examples import ids
from service.base.documents import Document

REQUESTS: dict[str, Document] = {
    "announce_tournament": {"name": "Later", "ruleset": "better"},
    "revise_terms": {"name": "Later", "ruleset": "better"},
    "evaluate_tournament_hands": {
        "hands": [["T+10", "Z1"], ["C+10"]],
        "target": 10,
        "suit": "triangle",
    },
    "change_terms": {
        "place": "The back room",
        "length_seconds": 10_800,
        "reason": "More players than we thought",
    },
    "register_entrant": {"bot": False},
    "enter_by_staff": {"player": ids.PLAYER},
    "change_entries": {
        "changes": [
            {"type": "enter", "player": ids.PLAYER},
            {"type": "check_in", "entrant": ids.ENTRANT},
        ]
    },
    "walk_in": {"name": "Wedge Antilles"},
    "seat_house_bots": {"count": 1, "strength": "calm"},
    "declare_rebuy": {"number": 1},
    "rebuy_by_staff": {"entrant": ids.ENTRANT, "number": 1},
    "add_on_by_staff": {"entrant": ids.ENTRANT},
    "refuse_entry": {"reason": "Not this time"},
    "answer_offer": {"accepted": True},
    "commit_entropy": {"commitment": "0" * 64},
    "open_entropy": {"value": "0" * 64},
    "post_announcement": {"text": "Dinner at nine"},
    "pause_tournament": {"reason": "A fire drill"},
    "resume_tournament": {"reason": "All are back"},
    "cancel_tournament": {"reason": "The hall is flooded"},
    "stake_item": {"item": "ship", "value": 5},
    "add_on": {"chips": 5},
    "record_payment": {"entrant": ids.STRANGER, "kind": "fee", "amount": 5},
    "reverse_payment": {
        "entrant": ids.STRANGER,
        "kind": "fee",
        "amount": 5,
        "reason": "Recorded by mistake",
    },
    "reverse_prize": {"reason": "Recorded by mistake"},
    "propose_deal": {"method": "equal"},
    "propose_deal_as_director": {"method": "equal"},
    "correct_result": {"order": [[ids.STRANGER]], "reason": "Counted again"},
    "forfeit_result": {"entrant": ids.STRANGER, "reason": "Counted again"},
    "award_anew": {"awards": [], "reason": "Counted again"},
    "order_move": {"entrant": ids.ENTRANT, "table": ids.TABLE, "reason": "Too late"},
    "change_breaking_order": {"order": [1], "reason": "Too late"},
    "warn_entrant": {"entrant": ids.ENTRANT, "reason": "Too loud"},
    "give_penalty": {"entrant": ids.ENTRANT, "hands": 1, "reason": "Too loud"},
    "disqualify_entrant": {"entrant": ids.ENTRANT, "reason": "Too loud"},
    "hold_table": {"reason": "A dispute"},
    "release_table": {"reason": "Settled"},
    "set_clock": {"seconds": 300, "reason": "The pizza came late"},
    "announce_break": {"seconds": 60, "reason": "Dinner"},
    "end_break": {"reason": "All are back"},
    "end_round": {"reason": "The hall closes"},
    "call_last_hands": {"reason": "The bar closes"},
    "start_hand_for_hand": {"reason": "The bubble"},
    "end_hand_for_hand": {"reason": "It burst"},
}
