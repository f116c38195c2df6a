"""
The log's relations, as ``migrations/versions/0001_event_store.py`` and its successors make them.

``alembic check`` compares this schema with the migrations.
"""

import sqlalchemy as sa

metadata = sa.MetaData()

_UUID = sa.Uuid(as_uuid=True)
_INSTANT = sa.TIMESTAMP(timezone=True)

events = sa.Table(
    "events",
    metadata,
    sa.Column("league", _UUID, nullable=False),
    sa.Column("position", sa.BigInteger, nullable=False, autoincrement=False),
    sa.Column("stream", sa.Text, nullable=False),
    sa.Column("stream_version", sa.BigInteger, nullable=False),
    sa.Column("event_id", _UUID, nullable=False),
    sa.Column("type", sa.Text, nullable=False),
    sa.Column("schema_version", sa.SmallInteger, nullable=False),
    sa.Column("at", _INSTANT, nullable=False),
    sa.Column("data", sa.JSON, nullable=False),
    sa.Column("sealed", sa.LargeBinary),
    sa.Column("metadata", sa.JSON, nullable=False),
    sa.Column("hash", sa.LargeBinary, nullable=False),
    sa.PrimaryKeyConstraint("league", "position", name="pk_events"),
    sa.UniqueConstraint("league", "stream", "stream_version", name="uq_events_stream_version"),
    sa.UniqueConstraint("league", "event_id", name="uq_events_event_id"),
    sa.Index("ix_events_first_of_stream", "stream", postgresql_where=sa.text("stream_version = 1")),
    sa.Index(
        "ix_events_voiding",
        "league",
        "position",
        postgresql_where=sa.text("type = 'positions_voided'"),
    ),
    sa.Index(
        "ix_events_deal_voided",
        "league",
        "position",
        postgresql_where=sa.text("type = 'deal_voided'"),
    ),
)

league_epoch = sa.Table(
    "league_epoch",
    metadata,
    sa.Column("league", _UUID, primary_key=True),
    sa.Column("epoch", sa.Integer, nullable=False),
    sa.Column("raised_by", sa.Text, nullable=False),
    sa.Column("raised_at", _INSTANT, nullable=False, server_default=sa.func.clock_timestamp()),
)

key = sa.Table(
    "key",
    metadata,
    sa.Column("league", _UUID, primary_key=True),
    sa.Column("key_id", _UUID, nullable=False),
    sa.Column("wrapped", sa.LargeBinary, nullable=False),
    sa.Column("created_at", _INSTANT, nullable=False, server_default=sa.func.clock_timestamp()),
)
"""A league's key, wrapped by the settings' key. Backups dump it to a file of its own."""
