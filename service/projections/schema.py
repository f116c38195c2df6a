"""
The relations of the read models, as SQLAlchemy Core sees them.

They are in the schema ``reads``. A rebuild executes the same statements with ``reads``
translated to ``reads_next``. Migrations 0004, 0009, 0013, 0014 and 0036 create them.
"""

import sqlalchemy as sa
from sqlalchemy import BigInteger, Boolean, Column, Integer, Numeric, Table, Text

LIVE = "reads"
NEXT = "reads_next"

metadata = sa.MetaData(schema=LIVE)
_instant = sa.TIMESTAMP(timezone=True)

checkpoint = Table(
    "checkpoint",
    metadata,
    Column("name", Text, primary_key=True),
    Column("league", Text, primary_key=True),
    Column("version", Integer, nullable=False),
    Column("position", BigInteger, nullable=False),
    Column("broken_at", BigInteger),
    Column("reason", Text),
    Column("broken_since", _instant),
)

league = Table(
    "league",
    metadata,
    Column("league", Text, primary_key=True),
    Column("name", Text, nullable=False),
    Column("owner", Text, nullable=False),
    Column("sandbox", Boolean, nullable=False),
    Column("created_at", _instant, nullable=False),
)

member = Table(
    "member",
    metadata,
    Column("league", Text, primary_key=True),
    Column("player", Text, primary_key=True),
    Column("role", Text, nullable=False),
    Column("since_at", _instant, nullable=False),
    sa.Index("ix_member_player", "player"),
)

member_alias = Table(
    "member_alias",
    metadata,
    Column("league", Text, primary_key=True),
    Column("player", Text, primary_key=True),
    Column("into", Text, nullable=False),
    Column("at", _instant, nullable=False),
    sa.Index("ix_member_alias_player", "player"),
    sa.Index("ix_member_alias_into", "into"),
)
"""The players who were merged, each with the one who stands for them after all merges."""

tournament = Table(
    "tournament",
    metadata,
    Column("tournament", Text, primary_key=True),
    Column("league", Text, nullable=False),
    Column("season", Text),
    Column("name", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("ruleset_name", Text, nullable=False),
    Column("ruleset_hash", Text, nullable=False),
    Column("table_seats", Integer, nullable=False),
    Column("starting_stack", BigInteger, nullable=False),
    Column("entrants_min", Integer, nullable=False),
    Column("entrants_max", Integer, nullable=False),
    Column("entrants", Integer, nullable=False),
    Column("bots", Text, nullable=False),
    Column("prize_pool", BigInteger, nullable=False),
    Column("currency", Text),
    Column("starts_at", _instant),
    Column("registration_opens_at", _instant),
    Column("decision_seconds", Integer, nullable=False),
    Column("announced_at", _instant, nullable=False),
    Column("started_at", _instant),
    Column("finished_at", _instant),
    Column("announced_position", BigInteger, nullable=False),
    Column("last_position", BigInteger, nullable=False),
    Column("visibility", Text),
    Column("place", Text),
    Column("length_seconds", Integer),
    Column("terms_changes", Integer),
    sa.Index("ix_tournament_league", "league", "announced_position"),
    sa.Index("ix_tournament_season", "season"),
)

entrant = Table(
    "entrant",
    metadata,
    Column("entrant", Text, primary_key=True),
    Column("league", Text, nullable=False),
    Column("tournament", Text, nullable=False),
    Column("player", Text, nullable=False),
    Column("bot", Boolean, nullable=False),
    Column("number", Integer, nullable=False),
    Column("state", Text, nullable=False),
    Column("placing", Integer),
    Column("payout", BigInteger),
    Column("registered_at", _instant, nullable=False),
    sa.Index("ix_entrant_player", "player"),
    sa.Index("ix_entrant_tournament", "tournament", "number"),
)

table_summary = Table(
    "table_summary",
    metadata,
    Column("table", Text, primary_key=True),
    Column("league", Text, nullable=False),
    Column("tournament", Text, nullable=False),
    Column("number", Integer, nullable=False),
    Column("state", Text, nullable=False),
    Column("ruleset_hash", Text, nullable=False),
    Column("seat_count", Integer, nullable=False),
    Column("hand_number", Integer, nullable=False),
    Column("hand", Text),
    Column("carry", BigInteger, nullable=False),
    Column("sabacc_pot", BigInteger, nullable=False),
    Column("opened_at", _instant, nullable=False),
    Column("closed_at", _instant),
    Column("version", BigInteger, nullable=False),
    sa.Index("ix_table_summary_tournament", "tournament", "number"),
)

seat = Table(
    "seat",
    metadata,
    Column("table", Text, primary_key=True),
    Column("entrant", Text, primary_key=True),
    Column("seat", Integer, nullable=False),
    Column("league", Text, nullable=False),
    Column("stack", BigInteger, nullable=False),
    sa.Index("ix_seat_entrant", "entrant"),
)

hand = Table(
    "hand",
    metadata,
    Column("table", Text, primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("hand", Text, nullable=False),
    Column("league", Text, nullable=False),
    Column("tournament", Text, nullable=False),
    Column("deal", Integer, nullable=False),
    Column("level", Integer),
    Column("button", Integer),
    Column("target", Integer),
    Column("suit", Text),
    Column("state", Text, nullable=False),
    Column("seats", sa.JSON, nullable=False),
    Column("pots", sa.JSON, nullable=False),
    Column("winners", sa.JSON, nullable=False),
    Column("opened_at", _instant, nullable=False),
    Column("settled_at", _instant),
    Column("first_position", BigInteger, nullable=False),
    Column("last_position", BigInteger, nullable=False),
    sa.Index("ix_hand_tournament", "tournament", "first_position"),
    sa.Index("ux_hand_hand", "hand", unique=True),
)

hand_table = Table(
    "hand_table",
    metadata,
    Column("table", Text, primary_key=True),
    Column("league", Text, nullable=False),
    Column("tournament", Text, nullable=False),
)
"""The tournament of each table. The projection ``hands`` keeps it for itself."""

season = Table(
    "season",
    metadata,
    Column("season", Text, primary_key=True),
    Column("league", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("opened_at", _instant, nullable=False),
    Column("closed_at", _instant),
    Column("terms", sa.JSON, nullable=False),
    Column("lots", sa.JSON, nullable=False),
    sa.Index("ix_season_league", "league"),
)

ledger = Table(
    "ledger",
    metadata,
    Column("season", Text, primary_key=True),
    Column("position", BigInteger, primary_key=True),
    Column("part", Integer, primary_key=True),
    Column("league", Text, nullable=False),
    Column("at", _instant, nullable=False),
    Column("kind", Text, nullable=False),
    Column("player", Text, nullable=False),
    Column("points", Numeric, nullable=False),
    Column("tournament", Text),
    Column("place", Integer),
    Column("shared", Integer),
    Column("adjustment", Text),
    Column("rule", Text, nullable=False),
    Column("failure", Text),
    Column("reason", Text),
    Column("author", Text),
    Column("title", Text),
    Column("counts_for", Text),
    sa.Index("ix_ledger_player", "player"),
    sa.Index("ix_ledger_season_tournament", "season", "tournament"),
)

standing = Table(
    "standing",
    metadata,
    Column("season", Text, primary_key=True),
    Column("player", Text, primary_key=True),
    Column("league", Text, nullable=False),
    Column("rank", Integer, nullable=False),
    Column("shared", Boolean, nullable=False),
    Column("qualified", Boolean, nullable=False),
    Column("points", Numeric, nullable=False),
    Column("played", Integer, nullable=False),
    Column("counted", Integer, nullable=False),
    Column("wins", Integer, nullable=False),
    Column("best", Numeric),
    Column("best_placing", Integer),
    Column("decided_by", Text),
    sa.Index("ix_standing_player", "player"),
)

rated = Table(
    "rated",
    metadata,
    Column("tournament", Text, primary_key=True),
    Column("league", Text, nullable=False),
    Column("position", BigInteger, nullable=False),
    Column("placings", sa.JSON, nullable=False),
    sa.Index("ix_rated_league", "league", "position"),
)
"""The results that ratings follow from, ordered by the end of their tournaments."""

rating_alias = Table(
    "rating_alias",
    metadata,
    Column("league", Text, primary_key=True),
    Column("player", Text, primary_key=True),
    Column("into", Text, nullable=False),
)
"""The players who were merged. The projection ``ratings`` keeps it for itself."""

rating = Table(
    "rating",
    metadata,
    Column("league", Text, primary_key=True),
    Column("player", Text, primary_key=True),
    Column("mu", Numeric, nullable=False),
    Column("sigma", Numeric, nullable=False),
    Column("ordinal", Numeric, nullable=False),
    Column("played", Integer, nullable=False),
    sa.Index("ix_rating_player", "player"),
)

rating_change = Table(
    "rating_change",
    metadata,
    Column("tournament", Text, primary_key=True),
    Column("player", Text, primary_key=True),
    Column("league", Text, nullable=False),
    Column("position", BigInteger, nullable=False),
    Column("place", Integer, nullable=False),
    Column("mu", Numeric, nullable=False),
    Column("sigma", Numeric, nullable=False),
    Column("ordinal", Numeric, nullable=False),
    sa.Index("ix_rating_change_player", "player", "position"),
)

record_tournament = Table(
    "record_tournament",
    metadata,
    Column("tournament", Text, primary_key=True),
    Column("league", Text, nullable=False),
    Column("season", Text),
    Column("name", Text, nullable=False),
    Column("currency", Text),
    Column("state", Text, nullable=False),
    Column("finished_at", _instant),
)

record_game = Table(
    "record_game",
    metadata,
    Column("entrant", Text, primary_key=True),
    Column("league", Text, nullable=False),
    Column("player", Text, nullable=False),
    Column("tournament", Text, nullable=False),
    Column("bot", Boolean, nullable=False),
    Column("withdrawn", Boolean, nullable=False),
    Column("placing", Integer),
    Column("shared", Integer),
    Column("payout", BigInteger),
    Column("hands", Integer, nullable=False),
    Column("hands_won", Integer, nullable=False),
    Column("busts", Integer, nullable=False),
    Column("rebuys", Integer, nullable=False),
    Column("knockouts", Integer, nullable=False),
    Column("knocked_out_by", sa.JSON(none_as_null=True)),
    Column("bounties", BigInteger, nullable=False),
    Column("registered_at", _instant, nullable=False),
    Column("registered_position", BigInteger, nullable=False),
    sa.Index("ix_record_game_player", "league", "player", "registered_position"),
)

record_table = Table(
    "record_table",
    metadata,
    Column("table", Text, primary_key=True),
    Column("league", Text, nullable=False),
    Column("dealt", sa.JSON, nullable=False),
)
"""The entrants dealt into the hand in play. The projection ``records`` keeps it for itself."""

outside = sa.MetaData()
"""Relations that are not read models, so they cannot be rebuilt."""

audit_report = Table(
    "audit_report",
    outside,
    Column("id", Text, primary_key=True),
    Column("league", Text, nullable=False),
    Column("scope", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("progress", sa.Double, nullable=False),
    Column("requested_at", _instant, nullable=False),
    Column("started_at", _instant),
    Column("finished_at", _instant),
    Column("report", sa.JSON),
    sa.Index("ix_audit_report_league", "league", "requested_at"),
)

dispute = Table(
    "dispute",
    metadata,
    Column("dispute", Text, primary_key=True),
    Column("league", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("tournament", Text),
    Column("season", Text),
    Column("hand", Text),
    Column("claimant", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("outcome", Text),
    Column("frozen", Boolean, nullable=False),
    Column("opened_at", _instant, nullable=False),
    Column("opened_position", BigInteger, nullable=False),
    sa.Index("ix_dispute_league", "league", "opened_position"),
)

opening = Table(
    "opening",
    metadata,
    Column("league", Text, primary_key=True),
    Column("position", BigInteger, primary_key=True),
    Column("at", _instant, nullable=False),
    Column("by", Text, nullable=False),
    Column("what", Text, nullable=False),
    Column("subject", Text, nullable=False),
    Column("right", Text, nullable=False),
    Column("dispute", Text),
    Column("until", _instant, nullable=False),
)

dispute_rule = Table(
    "dispute_rule",
    metadata,
    Column("league", Text, primary_key=True),
    Column("rule", Text, primary_key=True),
    Column("dispute", Text, primary_key=True),
    Column("ruled_position", BigInteger, nullable=False),
)
