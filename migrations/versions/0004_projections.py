"""
Create the read models, and the functions that rebuild them.

Everything in the schema ``reads`` follows from the log and may be dropped and rebuilt. A change
bumps a projection's ``version`` and alters no rows. A rebuild writes to ``reads_next``. Two
functions of the owner make the empty relations there and swap them in one transaction, so the
projecting role needs no right to create anything.

``audit_report`` is not a read model. It records each requested audit, its progress and its
findings.
"""

import sqlalchemy as sa
from alembic import op

from service.base.migrations import load

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

RELATIONS = """
CREATE TABLE reads.checkpoint (
    name text NOT NULL,
    league text NOT NULL,
    version integer NOT NULL,
    position bigint NOT NULL CHECK (position >= -1),
    broken_at bigint,
    reason text,
    PRIMARY KEY (name, league)
);
CREATE TABLE reads.league (
    league text PRIMARY KEY,
    name text NOT NULL,
    owner text NOT NULL,
    sandbox boolean NOT NULL,
    created_at timestamptz NOT NULL
);
CREATE TABLE reads.member (
    league text NOT NULL,
    player text NOT NULL,
    role text NOT NULL,
    since_at timestamptz NOT NULL,
    PRIMARY KEY (league, player)
);
CREATE INDEX ix_member_player ON reads.member (player);
CREATE TABLE reads.tournament (
    tournament text PRIMARY KEY,
    league text NOT NULL,
    season text,
    name text NOT NULL,
    state text NOT NULL,
    ruleset_name text NOT NULL,
    ruleset_hash text NOT NULL,
    table_seats integer NOT NULL,
    starting_stack bigint NOT NULL,
    entrants_min integer NOT NULL,
    entrants_max integer NOT NULL,
    entrants integer NOT NULL,
    bots text NOT NULL,
    prize_pool bigint NOT NULL,
    currency text,
    starts_at timestamptz,
    registration_opens_at timestamptz,
    decision_seconds integer NOT NULL,
    announced_at timestamptz NOT NULL,
    started_at timestamptz,
    finished_at timestamptz,
    announced_position bigint NOT NULL,
    last_position bigint NOT NULL
);
CREATE INDEX ix_tournament_league ON reads.tournament (league, announced_position);
CREATE INDEX ix_tournament_season ON reads.tournament (season);
CREATE TABLE reads.entrant (
    entrant text PRIMARY KEY,
    league text NOT NULL,
    tournament text NOT NULL,
    player text NOT NULL,
    bot boolean NOT NULL,
    number integer NOT NULL,
    state text NOT NULL,
    "placing" integer,
    payout bigint,
    registered_at timestamptz NOT NULL
);
CREATE INDEX ix_entrant_tournament ON reads.entrant (tournament, number);
CREATE INDEX ix_entrant_player ON reads.entrant (player);
CREATE TABLE reads.table_summary (
    "table" text PRIMARY KEY,
    league text NOT NULL,
    tournament text NOT NULL,
    number integer NOT NULL,
    state text NOT NULL,
    ruleset_hash text NOT NULL,
    seat_count integer NOT NULL,
    hand_number integer NOT NULL,
    hand text,
    carry bigint NOT NULL,
    sabacc_pot bigint NOT NULL,
    opened_at timestamptz NOT NULL,
    closed_at timestamptz,
    version bigint NOT NULL
);
CREATE INDEX ix_table_summary_tournament ON reads.table_summary (tournament, number);
CREATE TABLE reads.seat (
    "table" text NOT NULL,
    seat integer NOT NULL,
    league text NOT NULL,
    entrant text NOT NULL,
    stack bigint NOT NULL CHECK (stack >= 0),
    PRIMARY KEY ("table", entrant)
);
CREATE INDEX ix_seat_entrant ON reads.seat (entrant);
CREATE TABLE reads.hand (
    "table" text NOT NULL,
    number integer NOT NULL,
    hand text NOT NULL,
    league text NOT NULL,
    tournament text NOT NULL,
    deal integer NOT NULL,
    level integer,
    button integer,
    target integer,
    suit text,
    state text NOT NULL,
    seats json NOT NULL,
    pots json NOT NULL,
    winners json NOT NULL,
    opened_at timestamptz NOT NULL,
    settled_at timestamptz,
    first_position bigint NOT NULL,
    last_position bigint NOT NULL,
    PRIMARY KEY ("table", number)
);
CREATE UNIQUE INDEX ux_hand_hand ON reads.hand (hand);
CREATE INDEX ix_hand_tournament ON reads.hand (tournament, first_position);
CREATE TABLE reads.hand_table (
    "table" text PRIMARY KEY,
    league text NOT NULL,
    tournament text NOT NULL
);
CREATE TABLE reads.season (
    season text PRIMARY KEY,
    league text NOT NULL,
    name text NOT NULL,
    state text NOT NULL,
    opened_at timestamptz NOT NULL,
    closed_at timestamptz
);
CREATE INDEX ix_season_league ON reads.season (league);
CREATE TABLE reads.standing (
    season text NOT NULL,
    player text NOT NULL,
    league text NOT NULL,
    points numeric NOT NULL,
    played integer NOT NULL,
    wins integer NOT NULL,
    best numeric NOT NULL,
    best_placing integer NOT NULL,
    PRIMARY KEY (season, player)
);
"""

GRANTS = """
GRANT USAGE ON SCHEMA reads TO holotable_project, holotable_api, holotable_worker, holotable_audit;
GRANT USAGE ON SCHEMA reads_next
    TO holotable_project, holotable_api, holotable_worker, holotable_audit;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA reads TO holotable_project;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA reads_next TO holotable_project;
GRANT SELECT ON ALL TABLES IN SCHEMA reads TO holotable_api, holotable_worker, holotable_audit;
GRANT SELECT ON ALL TABLES IN SCHEMA reads_next TO holotable_audit;
REVOKE ALL ON FUNCTION reads_begin_rebuild(text[], text) FROM PUBLIC;
REVOKE ALL ON FUNCTION reads_swap(text[], text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION reads_begin_rebuild(text[], text) TO holotable_project;
GRANT EXECUTE ON FUNCTION reads_swap(text[], text) TO holotable_project;
GRANT SELECT, INSERT ON audit_report TO holotable_api;
GRANT SELECT, INSERT, UPDATE ON audit_report TO holotable_worker, holotable_audit;
"""


def upgrade() -> None:
    op.execute("CREATE SCHEMA reads")
    op.execute("CREATE SCHEMA reads_next")
    for statement in RELATIONS.split(";\n"):
        if statement.strip():
            op.execute(statement)
    op.execute("CREATE TABLE reads_next.checkpoint (LIKE reads.checkpoint INCLUDING ALL)")
    op.create_table(
        "audit_report",
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("league", sa.Text, nullable=False),
        sa.Column("scope", sa.Text, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("progress", sa.Double, nullable=False, server_default=sa.text("0")),
        sa.Column(
            "requested_at",
            sa.TIMESTAMP(timezone=True),
            nullable=False,
            server_default=sa.text("clock_timestamp()"),
        ),
        sa.Column("started_at", sa.TIMESTAMP(timezone=True)),
        sa.Column("finished_at", sa.TIMESTAMP(timezone=True)),
        sa.Column("report", sa.JSON),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit_report")),
        sa.CheckConstraint(
            "state IN ('waiting', 'running', 'passed', 'failed', 'broken')",
            name=op.f("ck_audit_report_state"),
        ),
    )
    op.create_index(op.f("ix_audit_report_league"), "audit_report", ["league", "requested_at"])
    op.execute(load("reads_begin_rebuild", revision))
    op.execute(load("reads_swap", revision))
    for statement in GRANTS.split(";\n"):
        if statement.strip():
            op.execute(statement)


def downgrade() -> None:
    raise NotImplementedError("audit reports are kept; read models are rebuilt, not migrated down")
