"""
Upcasting an event of an old schema version: from n to n + 1, on plain JSON.

Stored bytes never change. Each step returns a new document.
"""

from collections.abc import Callable, Mapping

from service.base.documents import Document

Upcaster = Callable[[Document], Document]


def _same(document: Document) -> Document:
    """Return the document unchanged, because the next version only allows more."""
    return document


def _of_first_rules(document: Document) -> Document:
    """Add ``final_tie: shared`` to the ruleset, which played so before the parameter existed."""
    return document | {"ruleset": document["ruleset"] | {"final_tie": "shared"}}


def _with_price(document: Document) -> Document:
    owed = [post["owed"] for post in document["posts"] if post["kind"] != "ante"]
    return document | {"price": max(owed, default=0)}


def _without_dead_money(document: Document) -> Document:
    return document | {"dead": 0}


def _without_clock(document: Document) -> Document:
    """Return the document without a level clock. No event set a level for all tables yet."""
    return document | {"level": document["level"] | {"set_by": None}}


def _with_presence(document: Document) -> Document:
    """Return the arrivals as present, without timeouts or wins, because a move reset these."""
    present = {"away": False, "timeouts": 0, "hands_won": 0, "pots_won": 0}
    return document | {"arrivals": [arrival | present for arrival in document["arrivals"]]}


def _of_first_terms(document: Document) -> Document:
    """Add the terms of a tournament without any of the later choices."""
    entry: Document = {
        "approval": False,
        "waitlist": False,
        "offer_seconds": 900,
        "registration_closes_before_seconds": 0,
        "check_in_opens_before_seconds": None,
        "no_show": "release",
        "no_show_purge_level": None,
        "late_registration_level": None,
        "late_registration_seconds": None,
        "re_entries_max": 0,
        "too_few": "cancel",
        "postpone_seconds": 3600,
        "postponements_max": 1,
    }
    fees: Document = {
        "buy_in": 0,
        "fee": 0,
        "bounty": 0,
        "rebuy": None,
        "add_on": None,
        "guaranteed": 0,
        "payment": "on_trust",
        "table": [],
        "amounts": [],
        "paid_percent": None,
        "unit": 1,
        "cancellation": "refund_all",
        "cancellation_in_money": "lowest_unpaid_then_chips",
    }
    format_: Document = {"kind": "freezeout"}
    floor: Document = {
        "size_tolerance": 1,
        "final_table_size": None,
        "redraw_at": [],
        "halt_when_short": None,
        "breaks": [],
        "last_hands_at": None,
        "last_hands": None,
        "hand_for_hand": {
            "at_bubble": False,
            "at_left": None,
            "ties": "shared",
            "clock_seconds": 120,
        },
    }
    return document | {"entry": entry, "fees": fees, "format": format_, "floor": floor}


def _without_player_antes(document: Document) -> Document:
    """
    Return a document with blinds that have no antes of the players beside them.

    The ruleset's hash stays as it is stored: it covers the ruleset as it was written.
    """
    ruleset = document["ruleset"]
    forced = ruleset.get("forced")
    if forced is None or forced["kind"] != "blinds":
        return document
    return document | {"ruleset": ruleset | {"forced": forced | {"player_ante": 0}}}


def _of_members_alone(document: Document) -> Document:
    """Add terms without a place or a length, visible to members, where staff may not play."""
    unsaid = {
        "staff_may_play": False,
        "place": None,
        "length_seconds": None,
        "visibility": "members",
    }
    return _without_player_antes(document) | unsaid


def _of_first_season(document: Document) -> Document:
    """Add the terms that all seasons had: every result counts, and equal points share a rank."""
    terms = {"aggregation": {"mode": "sum", "results": None}, "minimum_games": 0, "overall": None}
    drawn: Document = {"bonuses": [], "master_commitment": None, "master": None}
    return document | terms | drawn


def _without_field(document: Document) -> Document:
    """Add awards that depend on the place only: formulas came later."""
    unasked = {"spent": 0, "knockouts": 0, "failure": None}
    awards = [award | unasked for award in document["awards"]]
    return document | {"field": None, "awards": awards}


def _without_lots(document: Document) -> Document:
    standings = [standing | {"decided_by": None} for standing in document["standings"]]
    return document | {"standings": standings, "master": None}


def _of_themselves(document: Document) -> Document:
    """Return the document without a staff member, because that was not recorded yet."""
    return document | {"by": None}


def _without_fates(document: Document) -> Document:
    """Return the document without fates. Nothing recorded yet why tournaments gave no points."""
    return document | {"fates": None}


def _not_struck(document: Document) -> Document:
    """Return the document as one in which a no-show kept a place, and the buy-in the pool."""
    return document | {"struck": False, "raised": []}


def _with_hours_as_they_were(document: Document) -> Document:
    """Return the document with its other hours unchanged. Only the start was postponed."""
    return document | {"last_hands_at": None, "rounds_start_at": []}


def _without_dry_run(document: Document) -> Document:
    """Return a ruling without the dry run that showed its effects. It was not required yet."""
    return document | {"dry_run": None}


def _without_words(document: Document) -> Document:
    """Return a document without the digest of its reason's text."""
    return document | {"words": None}


def _without_scores(document: Document) -> Document:
    """Return candidates without scores. Moves were chosen by the order of seats alone."""
    unknown = {
        "hands_to_button": None,
        "newcomer": None,
        "moved": None,
        "to_table": None,
        "to_seat": None,
        "hands_there": None,
        "positions_lost": None,
    }
    return document | {"candidates": [each | unknown for each in document["candidates"]]}


UPCASTERS: Mapping[tuple[str, int], Upcaster] = {
    ("tournament_announced", 1): _of_first_rules,
    ("tournament_announced", 2): _of_first_terms,
    ("tournament_announced", 3): _of_members_alone,
    ("tournament_drafted", 1): _of_members_alone,
    ("terms_revised", 1): _of_members_alone,
    ("table_opened", 1): _of_first_rules,
    ("table_opened", 2): _without_player_antes,
    ("hand_opened", 1): _without_clock,
    ("arrivals_seated", 1): _with_presence,
    ("forced_bets_posted", 1): _with_price,
    ("decision_opened", 1): _same,
    ("entrant_eliminated", 1): _same,
    ("street_closed", 1): _same,
    ("pots_formed", 1): _without_dead_money,
    ("no_show_purged", 1): _not_struck,
    ("entrants_moved", 1): _without_scores,
    ("table_broken", 1): _without_scores,
    ("seats_redrawn", 1): _without_scores,
    ("tournament_paused", 1): _without_words,
    ("tournament_cancelled", 1): _without_words,
    ("start_postponed", 1): _with_hours_as_they_were,
    ("season_opened", 1): _of_first_season,
    ("points_awarded", 1): _without_field,
    ("payout_deal_proposed", 1): _same,
    ("payout_deal_voided", 1): _same,
    ("season_closed", 1): _without_lots,
    ("season_closed", 2): _without_fates,
    ("dispute_ruled", 1): _without_dry_run,
    ("entrant_registered", 1): _of_themselves,
    ("entrant_withdrawn", 1): _of_themselves,
    ("entrant_waitlisted", 1): _of_themselves,
    ("waitlist_left", 1): _of_themselves,
    ("entry_request_withdrawn", 1): _of_themselves,
    ("entrant_checked_in", 1): _of_themselves,
    ("rebuy_declared", 1): _of_themselves,
    ("rebuy_taken", 1): _of_themselves,
    ("add_on_taken", 1): _of_themselves,
}
"""By event type and the version it starts from."""


def current_version(type_: str, known: Mapping[tuple[str, int], Upcaster] = UPCASTERS) -> int:
    """Return the schema version in which events of *type_* are written today."""
    version = 1
    while (type_, version) in known:
        version += 1
    return version


def upcast(
    type_: str,
    version: int,
    document: Document,
    known: Mapping[tuple[str, int], Upcaster] = UPCASTERS,
) -> Document:
    """
    Return *document* upcast to the current version.

    Raises:
      KeyError: If the version is newer than this code knows.
    """
    target = current_version(type_, known)
    if version > target:
        raise KeyError((type_, version))
    for step in range(version, target):
        document = known[(type_, step)](document)
    return document
