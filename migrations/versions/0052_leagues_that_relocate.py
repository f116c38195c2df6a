"""
Let an operator move a league to another cell, so that never two copies of it take commands.

`append_turn.relocation` says where a league stands between two cells. `packed`: it was copied into
a file, and may still be kept. `released`: it lives elsewhere, for ever. `unpacked`: it has come
from elsewhere, and waits for its release there. The append function then refuses every event, also
audits' reports. A constraint keeps such a league suspended, and a trigger keeps a released one
released, so that no command of any version opens it by mistake.

`here_since` is the instant before which outages of this cell did not concern the league.

`league_relocation` holds the numbers by which the two cells know each other. No process reads it.
"""

from alembic import op

from service.base.migrations import load

revision = "0052"
down_revision = "0051"
branch_labels = None
depends_on = None

STATEMENTS = (
    """
    ALTER TABLE append_turn
        ADD COLUMN relocation text CONSTRAINT ck_append_turn_relocation
            CHECK (relocation IN ('packed', 'released', 'unpacked')),
        ADD COLUMN here_since timestamptz,
        ADD CONSTRAINT ck_append_turn_suspended_while_it_moves
            CHECK (relocation IS NULL OR suspended_at IS NOT NULL)
    """,
    """
    CREATE INDEX ix_append_turn_relocation ON append_turn (league) WHERE relocation IS NOT NULL
    """,
    """
    CREATE TABLE league_relocation (
        league uuid CONSTRAINT pk_league_relocation PRIMARY KEY,
        number uuid NOT NULL,
        secret bytea NOT NULL CONSTRAINT ck_league_relocation_secret CHECK (length(secret) = 32),
        cell text NOT NULL,
        arrival text,
        since timestamptz NOT NULL
    )
    """,
    load("refuse_to_take_back", revision),
    "REVOKE ALL ON FUNCTION refuse_to_take_back() FROM PUBLIC",
    """
    CREATE TRIGGER released_leagues_stay_released BEFORE UPDATE OR DELETE ON append_turn
    FOR EACH ROW WHEN (OLD.relocation = 'released') EXECUTE FUNCTION refuse_to_take_back()
    """,
    "ALTER TABLE append_turn ENABLE ALWAYS TRIGGER released_leagues_stay_released",
    load("append_events", revision),
)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.execute(statement)


def downgrade() -> None:
    raise NotImplementedError("a migration does not open a league that lives elsewhere")
