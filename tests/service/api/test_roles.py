"""Every route, called by every role on a running server."""

import asyncio
from collections.abc import Iterator

import pytest

from service.api.roles import DOCUMENT, document
from tests.service.api.matrix import NO_TOKEN, PERSONAS, STRANGER, Answer, every_answer, routes
from tests.support.databases import TestDatabase

pytestmark = pytest.mark.slow

OPEN = {
    "open_account",
    "make_token",
    "claim_player",
    "read_code",
    "reset_password",
    "request_password_reset",
    "ask_opt_out",
    "opt_out",
    "list_rulesets",
    "read_ruleset",
    "suggest_structure",
    "evaluate_hands",
    "list_points_formulas",
    "list_terms_presets",
    "read_sandbox",
    "read_public_league",
    "list_public_seasons",
    "list_public_tournaments",
    "read_public_schedule",
    "read_public_calendar",
    "read_public_tournament",
    "read_public_floor",
    "read_public_table",
    "read_public_season",
    "read_public_standings",
    "read_public_record",
    "list_public_hands",
    "replay_public_hand",
    "list_signers",
    "read_league_calendar",  # needs a member's key, which the table cannot say
    "read_my_calendar",
    "read_screen",  # needs a screen key, which staff make
    "livez",
    "readyz",
}
OWN = {
    "list_tokens",
    "make_calendar_key",
    "list_calendar_keys",
    "revoke_calendar_key",
    "revoke_token",
    "rotate_token",
    "sign_out_everywhere",
    "change_password",
    "read_my_email",
    "set_my_email",
    "verify_my_email",
    "read_my_notifications",
    "choose_my_notifications",
    "add_push_subscription",
    "remove_push_subscription",
    "list_sign_ins",
    "read_me",
    "take_me_away",
    "follow_me",
    "read_my_turns",
    "read_my_waiting",
    "read_my_schedule",
    "erase_me",
    "try_points_formula",
    "enter_sandbox",
    "try_season_terms",
    "simulate_evenings",
    "create_league",
    "list_leagues",
    "list_fairness_runs",
    "accept_invitation",
    "join_player",
}

EVERYBODY = "player scorer auditor referee director owner"
STAFF = "scorer auditor referee director owner"
HEADS = "director owner"

RULINGS = (
    "order_move",
    "change_breaking_order",
    "warn_entrant",
    "give_penalty",
    "disqualify_entrant",
    "hold_table",
    "release_table",
    "announce_break",
    "end_break",
    "end_round",
    "call_last_hands",
    "start_hand_for_hand",
    "end_hand_for_hand",
)
"""The orders of a director on the floor."""

DISPUTED = (
    "read_evidence",
    "freeze_disputed",
    "unfreeze_disputed",
    "rule_dispute",
    "open_confidential_claim",
    "dismiss_confidential_claim",
    "grant_disclosure",
)
"""The routes for members who rule on disputes."""

WEBHOOKS = (
    "make_webhook",
    "list_webhooks",
    "read_webhook",
    "change_webhook",
    "remove_webhook",
    "rotate_webhook_secret",
    "try_webhook",
    "list_webhook_deliveries",
    "read_webhook_delivery",
    "redeliver",
)
"""The routes for messages that leave the league."""

MEMBERS = {
    # every member may read everything public in the league
    **dict.fromkeys(
        (
            "read_league", "list_members", "leave_league", "list_seasons", "read_season",
            "read_standings", "read_standings_series", "read_season_results",
            "list_tournaments", "read_tournament", "read_terms", "evaluate_tournament_hands",
            "list_tournament_hands", "read_happenings",
            "list_registrations",
            "register_entrant", "read_table", "list_tables", "list_hands", "read_hand",
            "replay_hand",
            "read_ledger", "read_ratings", "read_rating_history",
            "read_receipt", "read_text", "list_corrections", "list_terms_changes", "read_floor",
            "read_rounds",
            "read_record", "bundle_hand", "bundle_tournament", "bundle_season",
            "read_house_rules", "list_templates", "read_template",
            "read_tournament_ledger", "read_deals",
            "export_standings", "export_results", "export_payouts", "export_refunds",
            "export_league_results",
            "follow_table", "follow_tournament", "follow_league",
            "list_checkpoints", "list_epochs", "prove_inclusion", "prove_consistency",
            "list_announcements", "answer_offer",
            "read_fairness", "read_decks",
            "list_openings", "read_dispute_windows",
            "file_confidential_claim", "list_confidential_claims",
            "open_dispute", "list_disputes", "list_proofs", "read_dispute", "list_disclosures",
            "list_audits", "read_operation", "list_fixtures", "read_schedule",
        ),
        EVERYBODY,
    ),
    # only owners give offices
    "set_house_rules": "owner",
    "describe_league": "owner",
    "set_visibility": "owner",
    "set_dispute_windows": "owner",
    "change_role": "owner",
    "remove_member": "owner",
    "merge_players": "owner",
    "import_past_season": "owner",
    "offer_password_reset": "owner",
    "take_league_away": "owner",
    **dict.fromkeys(WEBHOOKS, "owner"),
    # a director runs tournaments, lets players in and bans players
    "enter_player": HEADS,
    "import_members": HEADS,
    "renew_claim": HEADS,
    "issue_claims": HEADS,
    "ban_player": HEADS,
    "lift_ban": HEADS,
    "list_bans": STAFF,
    "invite": HEADS,
    "list_invitations": HEADS,
    "list_claims": HEADS,
    "revoke_invitation": HEADS,
    "open_season": HEADS,
    "close_season": HEADS,
    "schedule_close": HEADS,
    "plan_fixtures": HEADS,
    "replan_fixtures": HEADS,
    "end_fixtures": HEADS,
    "change_fixture": HEADS,
    "announce_tournament": HEADS,
    "revise_terms": HEADS,
    "announce_draft": HEADS,
    "discard_draft": HEADS,
    "change_terms": HEADS,
    "approve_entry": HEADS,
    "enter_by_staff": HEADS,
    "walk_in": HEADS,
    "seat_house_bots": HEADS,
    "withdraw_by_staff": HEADS,
    "change_entries": HEADS,
    "rebuy_by_staff": HEADS,
    "add_on_by_staff": HEADS,
    "refuse_entry": HEADS,
    "close_registration": HEADS,
    "publish_seeds": HEADS,
    "save_template": HEADS,
    "change_template": HEADS,
    "remove_template": HEADS,
    "start_tournament": HEADS,
    "close_tournament": HEADS,
    # referees direct play, and referees and auditors open cards
    "pause_tournament": f"referee {HEADS}",
    "cancel_tournament": f"referee {HEADS}",
    "check_in_entrant": f"referee {HEADS}",
    "set_clock": f"referee {HEADS}",
    "make_screen_key": f"referee {HEADS}",
    "list_screen_keys": f"referee {HEADS}",
    "revoke_screen_key": f"referee {HEADS}",
    "undo_check_in": f"referee {HEADS}",
    "post_announcement": f"referee {HEADS}",
    "resume_tournament": f"referee {HEADS}",
    "void_deal": f"referee {HEADS}",
    **dict.fromkeys(RULINGS, f"referee {HEADS}"),
    "start_audit": "auditor referee owner",
    "open_hand": "auditor referee owner",
    "read_staff_log": "auditor referee owner",
    "open_disclosed": "auditor referee owner",
    # for other people's commands, because everybody gets receipts for their own
    "sign_receipt": "auditor referee owner",
    # referees and owners rule
    **dict.fromkeys(DISPUTED, "referee owner"),
    # members who report results may correct them
    "correct_result": f"scorer {HEADS}",
    "forfeit_result": f"scorer {HEADS}",
    "award_anew": f"scorer {HEADS}",
    "record_payment": f"scorer {HEADS}",
    "reverse_payment": f"scorer {HEADS}",
    "hand_over_prize": f"scorer {HEADS}",
    "return_prize": f"scorer {HEADS}",
    "reverse_prize": f"scorer {HEADS}",
    # anybody who directs play may propose a deal, and the entrants must agree to it
    "propose_deal_as_director": f"referee {HEADS}",
    "adjust_points": f"scorer {HEADS}",
    "void_adjustment": f"scorer {HEADS}",
    "revise_award": f"scorer {HEADS}",
    "revoke_award": f"scorer {HEADS}",
}  # fmt: skip
"""The roles that may call each route. Written by hand, to check the declarations against it."""

NOT_WHEN_ENTERED = {
    "cancel_tournament",
    "open_hand",
    "check_in_entrant",
    "undo_check_in",
    "set_clock",
    "make_screen_key",
    "list_screen_keys",
    "revoke_screen_key",
    "enter_by_staff",
    "walk_in",
    "seat_house_bots",
    "withdraw_by_staff",
    "change_entries",
    "rebuy_by_staff",
    "add_on_by_staff",
    "post_announcement",
    "pause_tournament",
    "resume_tournament",
    "publish_seeds",
    "void_deal",
    "start_audit",
} | {
    *RULINGS,
    *DISPUTED,
    "read_staff_log",
    "open_disclosed",
    "sign_receipt",
    "correct_result",
    "forfeit_result",
    "award_anew",
    "record_payment",
    "reverse_payment",
    "hand_over_prize",
    "return_prize",
    "reverse_prize",
    "propose_deal_as_director",
    "revise_award",
    "revoke_award",
    "take_league_away",
    "change_terms",
    "approve_entry",
    "refuse_entry",
    "close_registration",
    "start_tournament",
    "close_tournament",
}
"""Routes that staff may not call for a tournament in which they play."""

ENTRANTS = {
    "act",
    "appeal_ruling",
    "set_presence",
    "withdraw_entrant",
    "check_in",
    "commit_entropy",
    "open_entropy",
    "declare_rebuy",
    "stake_item",
    "buy_back_item",
    "add_on",
    "propose_deal",
    "accept_deal",
    "decline_deal",
    "leave_casino",
}
"""Routes that only entrants may call, with any role."""

REFUSALS = {"forbidden", "not_found", "unauthenticated"}
NO_ENTRY = {"entrant_not_seated", "entrant_unknown"}
"""Codes that some routes for entrants answer to callers without an entry."""

NO_SIGNER = "signer_away"
"""The code that this server, which has no signer, answers to callers who may have a receipt."""


def permitted(persona: str, name: str) -> bool:
    """Return whether the table above lets *persona* call the operation *name*."""
    if name in OPEN or (name in OWN and persona != NO_TOKEN):
        return True
    if persona in (NO_TOKEN, STRANGER) or name in OWN:
        return False
    entered, role = persona.startswith("entered "), persona.rpartition(" ")[2]
    if name in ENTRANTS:
        return entered
    return role in MEMBERS[name].split() and not (entered and name in NOT_WHEN_ENTERED)


@pytest.fixture
def answers(database: TestDatabase) -> dict[tuple[str, str], Answer]:
    """The answers to all personas, from one server."""
    return asyncio.run(every_answer(database))


NOT_PUBLIC = {"replay_public_hand", "read_public_record"}
"""
Open routes that show nothing of what is asked about here: the hand is in play, and the player is in
no public tournament.
"""


def faults(persona: str, name: str, answer: Answer) -> Iterator[str]:
    """Yield the faults of one answer."""
    if answer.status >= 500 and answer.code != NO_SIGNER:
        yield "the server failed"
    if answer.code == "validation_failed":
        yield "the request was not understood, so nothing was asked"
    if answer.undeclared:
        yield "the route does not declare this answer"
    no_entry = name in ENTRANTS and answer.code in NO_ENTRY
    refused = answer.status in (401, 403, 404) or answer.code in REFUSALS or no_entry
    if refused is (permitted(persona, name) and name not in NOT_PUBLIC):
        yield "refused" if refused else "permitted"
    if persona == NO_TOKEN and name not in OPEN and answer != Answer(401, "unauthenticated"):
        yield "a client without a token must learn that, and nothing else"
    own = name in OPEN or name in OWN
    if persona == STRANGER and not own and answer != Answer(404, "not_found"):
        yield "a stranger must learn nothing"


def test_every_role_is_answered_on_every_route_as_the_table_says(
    answers: dict[tuple[str, str], Answer],
) -> None:
    """One test, because the answers need a server and a minute. It lists all faults."""
    assert set(answers) == {(persona, name) for name in routes() for persona in PERSONAS}
    wrong = {
        f"{name}, asked by {persona}": (fault, answer)
        for (persona, name), answer in answers.items()
        for fault in faults(persona, name, answer)
    }
    assert wrong == {}


def test_every_route_is_in_one_row_of_the_table() -> None:
    rows = [*OPEN, *OWN, *MEMBERS, *ENTRANTS]
    assert sorted(rows) == sorted(routes())


def test_the_table_in_the_documents_is_what_the_routes_declare() -> None:
    assert DOCUMENT.read_text(encoding="utf-8") == document()
