"""
The words of the document: groups of routes, and descriptions made of each declaration.

A route needs a text of its own (``about``) only for facts that its declaration does not state.
"""

from collections.abc import Iterator
from typing import get_args

from litestar.handlers import HTTPRouteHandler

from engine.league.roles import CLOCK_AND_SEATING, LOST_WHEN_ENTERED, Role, may
from service.api.http.declaring.declaration import Operation
from service.base.documents import Document

INFO = """\
The API of a Holotable server: a league server for Sabacc.

Answers are JSON. Clients ignore members and values of enumerations that they do not know, because \
new ones may be added at any time. Bodies and queries are strict: an unknown name is refused. \
Instants have an offset from UTC. Money is in minor units of its currency.

Every refusal is a problem document (RFC 9457). Read its `code` in programs. \
`GET /problems/{code}` explains it.

Edits of terms, orders, roles and results send the `ETag` that they have read in `If-Match`. \
Commands that would do harm if they were done twice send an `Idempotency-Key`. After a lost \
answer, send the same request with the same key.

Lists wait a second for the caller's own commands. If several processes may answer, send back \
their header `Min-Position`.\
"""

TAGS: dict[str, tuple[str, tuple[str, ...]]] = {
    "Accounts": (
        "The caller's own account: sign-up, password, e-mail address, sign-ins, deletion.",
        ("me.accounts", "me.archives", "me.emails", "me.erasing", "me.passwords"),
    ),
    "Notices": (
        "Notices to a person, by mail and in browsers.",
        ("me.notifications", "me.opt_outs", "me.push_subscriptions"),
    ),
    "Tokens": ("Tokens for programs, with scopes and an end.", ("me.tokens",)),
    "Leagues": (
        "Leagues, which hold members, seasons and tournaments.",
        ("league.leagues", "league.visibility"),
    ),
    "Public": (
        "Reads of public leagues, without a token.",
        (
            "public.leagues",
            "public.players",
            "public.tournaments",
            "public.tables",
            "public.hands",
            "public.results",
        ),
    ),
    "Members": (
        "The people of a league: members, roles, invitations, claim codes and bans.",
        (
            "league.members",
            "league.invitations",
            "league.players",
            "league.merging",
            "league.claim_codes",
            "league.codes",
            "league.bans",
        ),
    ),
    "Templates": (
        "House rules and templates, which complete announcements.",
        ("season.templates",),
    ),
    "Seasons": (
        "Seasons, their points and their standings.",
        (
            "season.seasons",
            "season.season_ends",
            "season.past_seasons",
            "season.ledgers",
            "season.points",
            "season.trying_terms",
            "season.series",
            "season.season_results",
        ),
    ),
    "Records": (
        "Ratings and records of players.",
        ("league.ratings", "league.records"),
    ),
    "Schedules": (
        "Recurring tournaments, the schedule of a league, and calendars.",
        ("season.fixtures", "season.calendars", "table.my_schedule"),
    ),
    "Rulesets": (
        "Named rulesets and terms, and calculations with them.",
        ("rules.rulesets", "rules.evaluating", "rules.simulating", "tournament.comparing"),
    ),
    "Tournaments": (
        "Tournaments from the announcement to the end.",
        ("tournament.tournaments", "tournament.repeating", "tournament.starting"),
    ),
    "Entries": (
        "Entries of players: registration, approval, waitlist and check-in.",
        (
            "tournament.registrations",
            "tournament.by_staff",
            "tournament.walk_ins",
            "tournament.house_bots",
            "tournament.entering",
            "tournament.terms_changes",
        ),
    ),
    "Floor": (
        "Directing a tournament: clock, seating, rounds, warnings and penalties.",
        (
            "tournament.floors",
            "tournament.happenings",
            "tournament.screen_keys",
            "tournament.screens",
            "tournament.pacing",
            "tournament.rounds",
            "tournament.rulings",
        ),
    ),
    "Money": (
        "Payments, rebuys, deals and the books of a tournament.",
        ("tournament.money", "tournament.prizes", "tournament.rebuys", "tournament.payout_deals"),
    ),
    "Results": ("Corrections of results.", ("tournament.corrections",)),
    "Fairness": (
        "Commitments to the shuffle, entropy of the players, and published seeds.",
        ("tournament.fairness", "tournament.fairness_runs"),
    ),
    "Sandbox": (
        "The league of the house, where every account finds opponents at once.",
        ("table.sandbox",),
    ),
    "Tables": (
        "Tables as the caller may see them, and actions of players.",
        ("table.tables", "table.presence", "table.voiding"),
    ),
    "Hands": (
        "Hands, their replays, and the openings that let an auditor see every card.",
        ("table.hands", "table.replays", "table.openings"),
    ),
    "Feeds": (
        "Events as they happen, as pages or as a stream.",
        ("table.feeds", "table.my_stream", "table.my_waiting"),
    ),
    "Disputes": (
        "Claims, evidence, rulings and appeals.",
        (
            "proof.claiming",
            "proof.confidential",
            "proof.dispute_windows",
            "proof.disputes",
            "proof.dispute_rulings",
            "proof.disclosures",
        ),
    ),
    "Proofs": (
        "Signed heads, proofs, receipts, bundles and audits.",
        ("proof.evidence", "proof.bundles", "proof.audits", "http.receipts"),
    ),
    "Oversight": (
        "The log of staff, and the words behind reasons.",
        ("league.staff_log", "league.texts"),
    ),
    "Webhooks": (
        "Messages about public events, sent to addresses that owners choose.",
        ("league.webhooks", "league.webhook_deliveries"),
    ),
    "Exports": ("Tables and archives to take away.", ("league.exports",)),
    "Service": ("The state of the process.", ("http.health",)),
}
"""The groups of routes: the text of each, and the modules that belong to it."""

_BY_MODULE = {
    f"service.api.{module}": tag for tag, (_, modules) in TAGS.items() for module in modules
}
_ROLES: tuple[Role, ...] = get_args(Role)


def tags() -> list[Document]:
    """Return the groups with their texts."""
    return [{"name": name, "description": text} for name, (text, _) in TAGS.items()]


def tag_of(handler: HTTPRouteHandler, described: Operation) -> str:
    """
    Return the group of a route.

    Raises:
        LookupError: If the declaration names an unknown group, or nothing names one.
    """
    tag = described.tag or _BY_MODULE.get(handler.fn.__module__)
    if tag not in TAGS:
        raise LookupError(f"{described.name} has no group: name its module in openapi/texts.py")
    return tag


def description(described: Operation) -> str:
    """Return the description of a route, in Markdown."""
    own = [described.about] if described.about else []
    return "\n\n".join([*own, " ".join(_rights(described)), *_behaviour(described)])


def _rights(described: Operation) -> Iterator[str]:
    if described.open:
        yield "Needs no token."
    else:
        yield (
            f"Needs a token with the scope `{described.scope}`."
            if described.scope
            else ("Needs a token.")
        )
    capability = described.capability
    if capability is None:
        return
    if described.needs == "own_entry":
        yield "The caller must be entered in the tournament, and acts only for the own entry."
        return
    roles = [role for role in _ROLES if may(role, capability)]
    yield f"The caller's role in the league must be {_listed(roles)}."
    if capability in LOST_WHEN_ENTERED:
        yield "Staff who are entered in the tournament may not do it" + (
            ", unless its terms say `staff_may_play`." if capability in CLOCK_AND_SEATING else "."
        )


def _behaviour(described: Operation) -> Iterator[str]:
    names = described.query_names
    if described.deprecated is not None:
        since, ends, instead = described.deprecated
        yield f"Deprecated since {since}. It ends on {ends}. Use `{instead}` instead."
    if described.key_required:
        yield "Send an `Idempotency-Key`. A retry with the same key changes nothing."
    if described.precondition == "demanded":
        yield "Send `If-Match` with the `ETag` of the version that was read."
    if described.dry_run:
        yield "With `dry_run=true` the answer lists the changes, and nothing changes."
    if len(described.produces) > 1:
        forms = ", ".join(f"`{each}`" for each in described.produces)
        yield f"`Accept` chooses the form of the answer: {forms}."
    if described.streams:
        yield "A stream of `text/event-stream` stays open."
    if {"limit", "cursor"} <= names:
        yield "The list comes in pages. `next_cursor` leads to the next page."
    if "wait" in names:
        yield "With `wait` the answer comes as soon as there is news."


def _listed(words: list[Role]) -> str:
    if len(words) == len(_ROLES):
        return "that of any member"
    shown = [f"`{each}`" for each in words]
    return " or ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)
