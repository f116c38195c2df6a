"""
Create the read model ``records`` of each player's achievements.

Like everything in ``reads`` it follows from the log. The projector fills it.
"""

from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

STATEMENTS = (
    """
    CREATE TABLE reads.record_tournament (
        tournament text PRIMARY KEY,
        league text NOT NULL,
        season text,
        name text NOT NULL,
        currency text,
        state text NOT NULL,
        finished_at timestamptz
    )
    """,
    """
    CREATE TABLE reads.record_game (
        entrant text PRIMARY KEY,
        league text NOT NULL,
        player text NOT NULL,
        tournament text NOT NULL,
        bot boolean NOT NULL,
        withdrawn boolean NOT NULL,
        "placing" integer,
        shared integer,
        payout bigint,
        hands integer NOT NULL,
        hands_won integer NOT NULL,
        busts integer NOT NULL,
        rebuys integer NOT NULL,
        knockouts integer NOT NULL,
        knocked_out_by json,
        bounties bigint NOT NULL,
        registered_at timestamptz NOT NULL,
        registered_position bigint NOT NULL
    )
    """,
    "CREATE INDEX ix_record_game_player ON reads.record_game (league, player, registered_position)",
    """
    CREATE TABLE reads.record_table (
        "table" text PRIMARY KEY,
        league text NOT NULL,
        dealt json NOT NULL
    )
    """,
)

RELATIONS = "reads.record_tournament, reads.record_game, reads.record_table"


def upgrade() -> None:
    for statement in STATEMENTS:
        op.execute(statement)
    op.execute(f"GRANT SELECT, INSERT, UPDATE, DELETE ON {RELATIONS} TO holotable_project")
    op.execute(f"GRANT SELECT ON {RELATIONS} TO holotable_api, holotable_worker, holotable_audit")


def downgrade() -> None:
    op.execute(f"DROP TABLE {RELATIONS}")
    op.execute("DELETE FROM reads.checkpoint WHERE name = 'records'")
