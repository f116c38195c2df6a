"""
Relations beside the log: people, tokens, seen requests, refused commands, and texts.

The log holds only ``plr_`` identifiers. A person is erased here, and the log loses no proof.
``alembic check`` compares ``metadata`` with the migrations.
"""

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import ARRAY

metadata = sa.MetaData(naming_convention={"fk": "fk_%(table_name)s_%(column_0_name)s"})

_UUID = sa.Uuid(as_uuid=True)
_INSTANT = sa.TIMESTAMP(timezone=True)

account = sa.Table(
    "account",
    metadata,
    sa.Column("id", _UUID, primary_key=True),
    sa.Column("login", sa.Text, unique=True),
    sa.Column("name", sa.Text),
    sa.Column("password", sa.Text),
    sa.Column("created_at", _INSTANT, nullable=False),
    sa.Column("password_set_at", _INSTANT),
    sa.Column("suspended_at", _INSTANT),
    sa.Column("founds_leagues", sa.Boolean, nullable=False, server_default=sa.false()),
)

sign_up_invitation = sa.Table(
    "sign_up_invitation",
    metadata,
    sa.Column("id", _UUID, primary_key=True),
    sa.Column("hash", sa.LargeBinary, nullable=False, unique=True),
    sa.Column("uses_left", sa.Integer, nullable=False),
    sa.Column("founds_leagues", sa.Boolean, nullable=False),
    sa.Column("created_at", _INSTANT, nullable=False),
    sa.Column("expires_at", _INSTANT, nullable=False),
)

token = sa.Table(
    "token",
    metadata,
    sa.Column("id", _UUID, primary_key=True),
    sa.Column("account", _UUID, sa.ForeignKey("account.id"), nullable=False),
    sa.Column("hash", sa.LargeBinary, nullable=False, unique=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("scopes", ARRAY(sa.Text), nullable=False),
    sa.Column("created_at", _INSTANT, nullable=False),
    sa.Column("expires_at", _INSTANT, nullable=False),
    sa.Column("last_used_at", _INSTANT),
    sa.Column("revoked_at", _INSTANT),
    sa.Column("parent", _UUID, sa.ForeignKey("token.id")),
    sa.Index("ix_token_account", "account"),
    sa.Index("ix_token_parent", "parent"),
)

idempotency = sa.Table(
    "idempotency",
    metadata,
    sa.Column("command", _UUID, primary_key=True),
    sa.Column("digest", sa.LargeBinary, nullable=False),
    sa.Column("created_at", _INSTANT, nullable=False),
    sa.Column("account", _UUID, nullable=False),
    sa.Column("made", _UUID),
    sa.Index("ix_idempotency_account", "account"),
    sa.Index("ix_idempotency_created_at", "created_at"),
)

refused_command = sa.Table(
    "refused_command",
    metadata,
    sa.Column("id", sa.BigInteger, sa.Identity(always=True), primary_key=True),
    sa.Column("received_at", _INSTANT, nullable=False),
    sa.Column("league", _UUID, nullable=False),
    sa.Column("account", _UUID, nullable=False),
    sa.Column("stream", sa.Text, nullable=False),
    sa.Column("command", _UUID, nullable=False),
    sa.Column("code", sa.Text, nullable=False),
    sa.Index("ix_refused_command_stream", "stream", "id"),
)

text = sa.Table(
    "text",
    metadata,
    sa.Column("id", _UUID, primary_key=True),
    sa.Column("league", _UUID, nullable=False),
    sa.Column("author", _UUID, nullable=False),
    sa.Column("subject", _UUID),
    sa.Column("audience", sa.Text, nullable=False),
    sa.Column("digest", sa.LargeBinary, nullable=False),
    sa.Column("salt", sa.LargeBinary),
    sa.Column("body", sa.Text),
    sa.Column("written_at", _INSTANT, nullable=False),
    sa.Column("erased_at", _INSTANT),
    sa.Column("taken_down", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Index("ix_text_author", "author"),
    sa.Index("ix_text_subject", "subject"),
)

confidential_claim = sa.Table(
    "confidential_claim",
    metadata,
    sa.Column("id", _UUID, primary_key=True),
    sa.Column("league", _UUID, nullable=False),
    sa.Column("claimant", _UUID),
    sa.Column("about", _UUID),
    sa.Column("subject", sa.JSON(none_as_null=True)),
    sa.Column("rules", ARRAY(sa.Text)),
    sa.Column("claim", sa.Text),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("filed_at", _INSTANT, nullable=False),
    sa.Column("handled_by", _UUID),
    sa.Column("handled_at", _INSTANT),
    sa.Column("answer", sa.Text),
    sa.Column("dispute", sa.Text),
    sa.Column("told", sa.LargeBinary),
    sa.Index("ix_confidential_claim_league", "league", "filed_at", "id"),
)

operator_deed = sa.Table(
    "operator_deed",
    metadata,
    sa.Column("id", sa.BigInteger, sa.Identity(always=True), primary_key=True),
    sa.Column("league", _UUID),
    sa.Column("size", sa.BigInteger, nullable=False),
    sa.Column("at", _INSTANT, nullable=False),
    sa.Column("actor", sa.Text, nullable=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("about", sa.Text, nullable=False),
    sa.Column("reason", sa.Text),
    sa.Index("ix_operator_deed_league", "league", "size"),
)

calendar_key = sa.Table(
    "calendar_key",
    metadata,
    sa.Column("id", _UUID, primary_key=True),
    sa.Column("account", _UUID, sa.ForeignKey("account.id"), nullable=False),
    sa.Column("hash", sa.LargeBinary, nullable=False, unique=True),
    sa.Column("created_at", _INSTANT, nullable=False),
    sa.Column("revoked_at", _INSTANT),
    sa.Column("token", _UUID, sa.ForeignKey("token.id")),
    sa.Index("ix_calendar_key_account", "account"),
    sa.Index("ix_calendar_key_token", "token"),
)

screen_key = sa.Table(
    "screen_key",
    metadata,
    sa.Column("id", _UUID, primary_key=True),
    sa.Column("league", _UUID, nullable=False),
    sa.Column("tournament", _UUID, nullable=False),
    sa.Column("made_by", _UUID, nullable=False),
    sa.Column("hash", sa.LargeBinary, nullable=False, unique=True),
    sa.Column("created_at", _INSTANT, nullable=False),
    sa.Column("revoked_at", _INSTANT),
    sa.Index("ix_screen_key_tournament", "tournament"),
)

entered_player = sa.Table(
    "entered_player",
    metadata,
    sa.Column("account", _UUID, sa.ForeignKey("account.id"), primary_key=True),
    sa.Column("league", _UUID, nullable=False),
    sa.Column("identity", sa.Text, nullable=False),
    sa.Column("claim", sa.LargeBinary),
    sa.Column("claim_until", _INSTANT),
    sa.Column("claim_by", _UUID),
    sa.Column("entered_at", _INSTANT, nullable=False),
    sa.Column("made_account", sa.Boolean, nullable=False),
    sa.UniqueConstraint("league", "identity", name="uq_entered_player_identity"),
)

password_reset = sa.Table(
    "password_reset",
    metadata,
    sa.Column("account", _UUID, sa.ForeignKey("account.id"), primary_key=True),
    sa.Column("origin", sa.Text, primary_key=True),
    sa.Column("hash", sa.LargeBinary, nullable=False, unique=True),
    sa.Column("league", _UUID),
    sa.Column("given_by", _UUID),
    sa.Column("expires_at", _INSTANT, nullable=False),
)

sign_in = sa.Table(
    "sign_in",
    metadata,
    sa.Column("id", sa.BigInteger, sa.Identity(always=True), primary_key=True),
    sa.Column("account", _UUID, sa.ForeignKey("account.id"), nullable=False),
    sa.Column("at", _INSTANT, nullable=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("address", sa.Text),
    sa.Column("token", _UUID),
    sa.Index("ix_sign_in_account", "account", "id"),
    sa.Index("ix_sign_in_at", "at"),
)

account_email = sa.Table(
    "account_email",
    metadata,
    sa.Column("account", _UUID, sa.ForeignKey("account.id"), primary_key=True),
    sa.Column("address", sa.LargeBinary),
    sa.Column("digest", sa.LargeBinary),
    sa.Column("verified_at", _INSTANT),
    sa.Column("wanted", sa.LargeBinary),
    sa.Column("code", sa.LargeBinary),
    sa.Column("code_until", _INSTANT),
    sa.Index("ix_account_email_digest", "digest"),
)

reset_request = sa.Table(
    "reset_request",
    metadata,
    sa.Column("id", _UUID, primary_key=True),
    sa.Column("asked", sa.LargeBinary, nullable=False),
    sa.Column("language", sa.Text, nullable=False),
    sa.Column("asked_at", _INSTANT, nullable=False),
)

notice_settings = sa.Table(
    "notice_settings",
    metadata,
    sa.Column("account", _UUID, sa.ForeignKey("account.id"), primary_key=True),
    sa.Column("language", sa.Text, nullable=False),
    sa.Column("zone", sa.Text, nullable=False),
    sa.Column("quiet_from", sa.Integer),
    sa.Column("quiet_until", sa.Integer),
    sa.Column("mail_off", ARRAY(sa.Text), nullable=False),
    sa.Column("push_off", ARRAY(sa.Text), nullable=False),
)

push_subscription = sa.Table(
    "push_subscription",
    metadata,
    sa.Column("id", _UUID, primary_key=True),
    sa.Column("account", _UUID, sa.ForeignKey("account.id"), nullable=False),
    sa.Column("host", sa.Text, nullable=False),
    sa.Column("target", sa.LargeBinary, nullable=False),
    sa.Column("digest", sa.LargeBinary, nullable=False),
    sa.Column("failures", sa.Integer, nullable=False),
    sa.Column("created_at", _INSTANT, nullable=False),
    sa.Column("token", _UUID, sa.ForeignKey("token.id", ondelete="CASCADE")),
    sa.UniqueConstraint("digest", name="uq_push_subscription_digest"),
    sa.Index("ix_push_subscription_account", "account"),
    sa.Index("ix_push_subscription_token", "token"),
)

notice_occasion = sa.Table(
    "notice_occasion",
    metadata,
    sa.Column("event", _UUID, primary_key=True),
    sa.Column("league", _UUID, nullable=False),
    sa.Column("position", sa.BigInteger, nullable=False),
    sa.Column("facts", sa.JSON, nullable=False),
    sa.Column("ends_at", _INSTANT, nullable=False),
)

notice_checkpoint = sa.Table(
    "notice_checkpoint",
    metadata,
    sa.Column("league", _UUID, primary_key=True),
    sa.Column("position", sa.BigInteger, nullable=False),
)

notice = sa.Table(
    "notice",
    metadata,
    sa.Column("id", _UUID, primary_key=True),
    sa.Column("account", _UUID, sa.ForeignKey("account.id")),
    sa.Column(
        "target",
        _UUID,
        sa.ForeignKey("push_subscription.id", ondelete="SET NULL"),
    ),
    sa.Column("channel", sa.Text, nullable=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("occasion", _UUID, nullable=False),
    sa.Column("league", _UUID),
    sa.Column("facts", sa.JSON, nullable=False),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("attempts", sa.Integer, nullable=False),
    sa.Column("next_at", _INSTANT),
    sa.Column("ends_at", _INSTANT, nullable=False),
    sa.Column("created_at", _INSTANT, nullable=False),
    sa.Column("told_at", _INSTANT),
    sa.Column("error", sa.Text),
    sa.Column("recipient", sa.LargeBinary),
    sa.Index("ix_notice_account", "account", "kind", "created_at"),
    sa.Index("ix_notice_target", "target"),
    sa.Index("ix_notice_created_at", "created_at"),
    sa.Index("ix_notice_waiting", "next_at", postgresql_where=sa.text("state = 'waiting'")),
)
