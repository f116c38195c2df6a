"""
Create a season's ledger, entry by entry, and ratings.

Standings by best results, by series or with tie-breaks between players cannot be kept by
adding, so they follow from the ledger. Seasons and standings are read models. They are emptied
here, and the projector fills them again from the log.
"""

from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None

STATEMENTS = (
    "DROP TABLE reads.standing",
    "DROP TABLE reads.season",
    """
    CREATE TABLE reads.season (
        season text NOT NULL,
        league text NOT NULL,
        name text NOT NULL,
        state text NOT NULL,
        opened_at timestamptz NOT NULL,
        closed_at timestamptz,
        terms json NOT NULL,
        lots json NOT NULL,
        PRIMARY KEY (season)
    )
    """,
    "CREATE INDEX ix_season_league ON reads.season (league)",
    """
    CREATE TABLE reads.ledger (
        season text NOT NULL,
        position bigint NOT NULL,
        part integer NOT NULL,
        league text NOT NULL,
        at timestamptz NOT NULL,
        kind text NOT NULL,
        player text NOT NULL,
        points numeric NOT NULL,
        tournament text,
        place integer,
        shared integer,
        adjustment text,
        rule text NOT NULL,
        failure text,
        reason text,
        author text,
        PRIMARY KEY (season, position, part)
    )
    """,
    "CREATE INDEX ix_ledger_player ON reads.ledger (player)",
    """
    CREATE TABLE reads.standing (
        season text NOT NULL,
        player text NOT NULL,
        league text NOT NULL,
        rank integer NOT NULL,
        shared boolean NOT NULL,
        qualified boolean NOT NULL,
        points numeric NOT NULL,
        played integer NOT NULL,
        counted integer NOT NULL,
        wins integer NOT NULL,
        best numeric,
        best_placing integer,
        decided_by text,
        PRIMARY KEY (season, player)
    )
    """,
    "CREATE INDEX ix_standing_player ON reads.standing (player)",
    """
    CREATE TABLE reads.rated (
        tournament text NOT NULL,
        league text NOT NULL,
        position bigint NOT NULL,
        placings json NOT NULL,
        PRIMARY KEY (tournament)
    )
    """,
    "CREATE INDEX ix_rated_league ON reads.rated (league, position)",
    """
    CREATE TABLE reads.rating (
        league text NOT NULL,
        player text NOT NULL,
        mu numeric NOT NULL,
        sigma numeric NOT NULL,
        ordinal numeric NOT NULL,
        played integer NOT NULL,
        PRIMARY KEY (league, player)
    )
    """,
    "CREATE INDEX ix_rating_player ON reads.rating (player)",
    """
    CREATE TABLE reads.rating_change (
        tournament text NOT NULL,
        player text NOT NULL,
        league text NOT NULL,
        position bigint NOT NULL,
        place integer NOT NULL,
        mu numeric NOT NULL,
        sigma numeric NOT NULL,
        ordinal numeric NOT NULL,
        PRIMARY KEY (tournament, player)
    )
    """,
    "CREATE INDEX ix_rating_change_player ON reads.rating_change (player, position)",
    "DELETE FROM reads.checkpoint WHERE name = 'standings'",
    *(
        f"GRANT SELECT, INSERT, UPDATE, DELETE ON reads.{relation} TO holotable_project"
        for relation in ("season", "ledger", "standing", "rated", "rating", "rating_change")
    ),
    *(
        f"GRANT SELECT ON reads.{relation} TO holotable_api, holotable_worker, holotable_audit"
        for relation in ("season", "ledger", "standing", "rated", "rating", "rating_change")
    ),
)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.execute(statement)


def downgrade() -> None:
    raise NotImplementedError("read models are rebuilt, not migrated down")
