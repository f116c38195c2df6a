"""
An answer for each relation when a league moves to another cell.

Every relation of the database has an answer here: its rows are copied, they are made again in the
new cell, or they stay in the old one. A test compares this list with a migrated database, so a new
relation fails until somebody answers for it. Every column of bytes has an answer too, because it
may be sealed with a key that the other cell does not have.
"""

from typing import Final, Literal, NamedTuple

from service.base.drivers import Driver

Sealed = Literal["league", "settings", "plain", "empty"]
"""
The meaning of a column of bytes: sealed with the league's key, which moves; sealed with a key of
the settings, so it is opened and sealed again; a digest or a salt, without any key; or always empty
in the rows that move.
"""


class Copied(NamedTuple):
    """A relation whose rows of the league go into the file."""

    rows: str
    """
    The condition for these rows. It may use the temporary relations that ``people.begin`` makes.
    """

    sealed: dict[str, Sealed] = {}  # noqa: RUF012 - never changed
    """The columns of bytes."""

    people: tuple[str, ...] = ()
    """The columns that name an account without a foreign key."""

    order: str | None = None
    """A column that numbers the rows by itself. The new cell gives new numbers in this order."""

    known: bool = False
    """True if the new cell may have the same rows already. It then keeps its own."""

    instead: dict[str, str] = {}  # noqa: RUF012 - never changed
    """The columns that do not go as they stand, each with the expression that goes instead."""


class Rebuilt(NamedTuple):
    """A relation that the new cell fills by itself."""

    why: str


class Left(NamedTuple):
    """A relation of which nothing moves."""

    why: str


Answer = Copied | Rebuilt | Left

_LEAGUE: Final = "league = (SELECT league FROM going_league)"
_NAMED: Final = "league = (SELECT name FROM going_league)"
_REPORTS: Final = """
    report IN (SELECT id FROM audit_report JOIN going_league ON name = audit_report.league)
"""
_WEBHOOKS: Final = "webhook IN (SELECT id FROM webhook JOIN going_league USING (league))"
_DELIVERIES: Final = """
    delivery IN (SELECT webhook_delivery.id FROM webhook_delivery
                   JOIN webhook ON webhook.id = webhook_delivery.webhook
                   JOIN going_league USING (league))
"""
_OUTAGES: Final = """
    league = (SELECT league FROM going_league)
    OR league IS NULL AND until_at > coalesce(
        (SELECT here_since FROM append_turn JOIN going_league USING (league)),
        (SELECT at FROM events JOIN going_league USING (league) WHERE position = 0))
"""
# greatest() passes over NULL.
_OUTAGE_SINCE: Final = """
    greatest(since_at, (SELECT here_since FROM append_turn JOIN going_league USING (league)
                         WHERE outage.league IS NULL))
"""
_OF_PERSON: Final = "account IN (SELECT id FROM going_person)"
_OF_OWN_PERSON: Final = "account IN (SELECT id FROM going_person WHERE NOT shared)"
_LIVING: Final = "(token IS NULL OR token IN (SELECT id FROM going_token))"

_READ_MODEL: Final = Rebuilt("a read model, which the projector makes from the log")

# In the order in which the new cell inserts them.
ANSWERS: Final[dict[str, Answer]] = {
    "public.events": Copied(_LEAGUE, {"sealed": "league", "hash": "plain"}),
    "public.league_epoch": Copied(_LEAGUE),
    "public.epoch_opening": Copied(_LEAGUE),
    "public.checkpoint": Copied(_LEAGUE, {"root": "plain"}),
    "public.signer_key": Copied("true", known=True),
    "public.account": Copied("id IN (SELECT id FROM going_person)"),
    "public.token": Copied("id IN (SELECT id FROM going_token)", {"hash": "plain"}),
    "public.account_email": Copied(
        _OF_PERSON,
        {"address": "settings", "digest": "settings", "wanted": "settings", "code": "plain"},
    ),
    "public.notice_settings": Copied(_OF_PERSON),
    "public.push_subscription": Copied(
        f"{_OF_OWN_PERSON} AND {_LIVING}", {"target": "settings", "digest": "settings"}
    ),
    "public.calendar_key": Copied(f"{_OF_OWN_PERSON} AND {_LIVING}", {"hash": "plain"}),
    "public.entered_player": Copied(_LEAGUE, {"claim": "plain"}, ("account", "claim_by")),
    "public.text": Copied(_LEAGUE, {"digest": "plain", "salt": "plain"}, ("author", "subject")),
    "public.confidential_claim": Copied(
        _LEAGUE, {"told": "league"}, ("claimant", "about", "handled_by")
    ),
    "public.screen_key": Copied(_LEAGUE, {"hash": "plain"}, ("made_by",)),
    "public.refused_command": Copied(_LEAGUE, {}, ("account",), order="id"),
    "public.operator_deed": Copied(_LEAGUE, order="id"),
    "public.webhook": Copied(
        _LEAGUE,
        {"url": "league", "secret": "league", "second_secret": "league"},
        ("created_by",),
    ),
    "public.webhook_delivery": Copied(_WEBHOOKS, order="number"),
    "public.webhook_attempt": Copied(_DELIVERIES, order="id"),
    "public.webhook_checkpoint": Copied(_LEAGUE),
    "public.notice_occasion": Copied(_LEAGUE),
    "public.notice_checkpoint": Copied(_LEAGUE),
    # A former address gets a mail about an account, and never one about a league.
    "public.notice": Copied(
        f"{_LEAGUE} AND recipient IS NULL", {"recipient": "empty"}, ("account",)
    ),
    "public.ticker_checkpoint": Copied(_LEAGUE),
    "public.job": Copied("args ->> 'league' = (SELECT name FROM going_league)"),
    "public.audit_report": Copied(_NAMED),
    "public.audit_plan": Copied(_REPORTS),
    "public.audit_unit": Copied(_REPORTS),
    # Outages of the whole cell gave time to this league too. In the new cell they are its own, from
    # the instant at which it came to the old one.
    "public.outage": Copied(_OUTAGES, instead={"since_at": _OUTAGE_SINCE}),
    "public.key": Rebuilt("opened, and wrapped again with the key of the new cell's settings"),
    "public.append_turn": Rebuilt("made closed, and opened by the release code"),
    "public.league_relocation": Rebuilt("made by unpacking, with an arrival code of its own"),
    "public.tree_node": Rebuilt("computed from the hashes of the log"),
    "public.entering_turn": Rebuilt("a row to lock, made when it is needed"),
    "public.quarantine": Left("a league in quarantine is not packed"),
    "public.idempotency": Left(
        "keyed digests of requests that append nothing; a retry across the move is a new request"
    ),
    "public.password_reset": Left("codes that are valid for a short time; ask for another"),
    "public.sign_in": Left("the history of sign-ins in the old cell"),
    "public.reset_request": Left("requests that a worker answers within seconds"),
    "public.sign_up_invitation": Left("the operator of each cell admits people"),
    "public.heartbeat": Left("of the processes of a cell"),
    "public.clock_step": Left("of the clock of a cell; a step that was believed is an outage"),
    "public.maintenance": Left("of a cell"),
    "public.fairness_run": Left("of the generator of a cell"),
    "public.alembic_version": Left("the schema of both cells must be the same"),
    "public.schema_support": Left("the schema of both cells must be the same"),
    "reads.checkpoint": Rebuilt("the projector begins with the league's first event"),
    **{
        f"reads.{name}": _READ_MODEL
        for name in (
            "dispute", "dispute_rule", "entrant", "hand", "hand_table", "league", "ledger",
            "member", "member_alias", "opening", "rated", "rating", "rating_alias",
            "rating_change", "record_game", "record_table", "record_tournament", "season", "seat",
            "standing", "table_summary", "tournament",
        )
    },
    "reads_next.checkpoint": Left("of a rebuild under way"),
}  # fmt: skip

COPIED: Final = {
    name.removeprefix("public."): answer
    for name, answer in ANSWERS.items()
    if isinstance(answer, Copied)
}
"""The relations that a file holds, in the order in which they are inserted."""

_COLUMNS: Final = """
    SELECT attname FROM pg_attribute
     WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped
       AND attidentity = '' AND attgenerated = '' ORDER BY attnum
"""


async def columns_of(connection: Driver, relation: str) -> tuple[str, ...]:
    """Return the columns that a file holds of a relation: all but those that number themselves."""
    return tuple(row[0] for row in await connection.fetch(_COLUMNS, f"public.{relation}"))
