"""The relations of webhooks. ``alembic check`` compares ``metadata`` with the migrations."""

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import ARRAY

metadata = sa.MetaData()

_UUID = sa.Uuid(as_uuid=True)
_INSTANT = sa.TIMESTAMP(timezone=True)

webhook = sa.Table(
    "webhook",
    metadata,
    sa.Column("id", _UUID, primary_key=True),
    sa.Column("league", _UUID, nullable=False),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("kinds", ARRAY(sa.Text), nullable=False),
    sa.Column("form", sa.Text, nullable=False),
    sa.Column("url", sa.LargeBinary, nullable=False),
    sa.Column("secret", sa.LargeBinary),
    sa.Column("second_secret", sa.LargeBinary),
    sa.Column("second_until", _INSTANT),
    sa.Column("since", sa.BigInteger, nullable=False),
    sa.Column("created_by", _UUID, nullable=False),
    sa.Column("created_at", _INSTANT, nullable=False),
    sa.Column("failing_since", _INSTANT),
    sa.Column("disabled_at", _INSTANT),
    sa.Column("disabled_why", sa.Text),
    sa.Index("ix_webhook_league", "league"),
)

delivery = sa.Table(
    "webhook_delivery",
    metadata,
    sa.Column("id", _UUID, primary_key=True),
    sa.Column("number", sa.BigInteger, sa.Identity(always=True), nullable=False),
    sa.Column(
        "webhook",
        _UUID,
        sa.ForeignKey("webhook.id", name="fk_webhook_delivery_webhook", ondelete="CASCADE"),
        nullable=False,
    ),
    sa.Column("event", _UUID, nullable=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("body", sa.Text, nullable=False),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("attempts", sa.Integer, nullable=False),
    sa.Column("next_at", _INSTANT),
    sa.Column("created_at", _INSTANT, nullable=False),
    sa.UniqueConstraint("webhook", "event", name="uq_webhook_delivery_event"),
    sa.Index("ix_webhook_delivery_created_at", "created_at"),
    sa.Index("ix_webhook_delivery_listed", "webhook", "number"),
    sa.Index(
        "ix_webhook_delivery_of",
        "webhook",
        "next_at",
        postgresql_where=sa.text("state = 'waiting'"),
    ),
    sa.Index(
        "ix_webhook_delivery_waiting",
        "next_at",
        postgresql_where=sa.text("state = 'waiting'"),
    ),
)

attempt = sa.Table(
    "webhook_attempt",
    metadata,
    sa.Column("id", sa.BigInteger, sa.Identity(always=True), primary_key=True),
    sa.Column(
        "delivery",
        _UUID,
        sa.ForeignKey(
            "webhook_delivery.id", name="fk_webhook_attempt_delivery", ondelete="CASCADE"
        ),
        nullable=False,
    ),
    sa.Column("at", _INSTANT, nullable=False),
    sa.Column("millis", sa.Integer, nullable=False),
    sa.Column("status", sa.Integer),
    sa.Column("error", sa.Text),
    sa.Index("ix_webhook_attempt_delivery", "delivery", "id"),
)

checkpoint = sa.Table(
    "webhook_checkpoint",
    metadata,
    sa.Column("league", _UUID, primary_key=True),
    sa.Column("position", sa.BigInteger, nullable=False),
)
