"""
Keep who opened each epoch of a league, and why.

``raise_epoch`` demands a reason and writes a row that nobody can change.  It may be
executed by the owner of the relations alone, so by whoever logs in as
``holotable_migrate``: no process of the service has that login.

An epoch begins after events were lost, so stored subtrees may hold what the log no
longer does.  They can be computed again at any time; the function drops them, and
for that they are no longer append-only to their owner.  It sets the tickers back to
the last event, so that what follows is noticed and the epoch's first head signed.
"""

from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

STATEMENTS = (
    """
    CREATE TABLE epoch_opening (
        league uuid NOT NULL,
        epoch integer NOT NULL CONSTRAINT ck_epoch_opening_epoch CHECK (epoch >= 1),
        operator text NOT NULL CONSTRAINT ck_epoch_opening_operator CHECK (operator ~ '\\S'),
        reason text NOT NULL CONSTRAINT ck_epoch_opening_reason CHECK (reason ~ '\\S'),
        size bigint NOT NULL CONSTRAINT ck_epoch_opening_size CHECK (size >= 0),
        opened_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        CONSTRAINT pk_epoch_opening PRIMARY KEY (league, epoch)
    )
    """,
    """
    CREATE TRIGGER epoch_opening_is_append_only BEFORE UPDATE OR DELETE OR TRUNCATE
    ON epoch_opening FOR EACH STATEMENT EXECUTE FUNCTION refuse_to_rewrite()
    """,
    "ALTER TABLE epoch_opening ENABLE ALWAYS TRIGGER epoch_opening_is_append_only",
    "GRANT SELECT ON epoch_opening TO holotable_api, holotable_worker, holotable_audit",
    "DROP TRIGGER tree_node_is_append_only ON tree_node",
    """
    CREATE TRIGGER tree_node_is_never_changed BEFORE UPDATE OR TRUNCATE
    ON tree_node FOR EACH STATEMENT EXECUTE FUNCTION refuse_to_rewrite()
    """,
    "ALTER TABLE tree_node ENABLE ALWAYS TRIGGER tree_node_is_never_changed",
    "DROP FUNCTION raise_epoch(uuid, text)",
    """
    CREATE FUNCTION raise_epoch(p_league uuid, p_operator text, p_reason text) RETURNS integer
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
    DECLARE
        raised integer;
        kept bigint;
    BEGIN
        -- Behind the appends of this league, so that the size is the one it begins with.
        PERFORM pg_advisory_xact_lock(
            hashtextextended('holotable/append/' || p_league::text, 0));
        INSERT INTO league_epoch (league, epoch, raised_by) VALUES (p_league, 1, p_operator)
        ON CONFLICT (league) DO UPDATE
           SET epoch = league_epoch.epoch + 1, raised_by = excluded.raised_by,
               raised_at = clock_timestamp()
        RETURNING epoch INTO raised;
        kept := coalesce((SELECT e.position + 1 FROM events e WHERE e.league = p_league
                           ORDER BY e.position DESC LIMIT 1), 0);
        INSERT INTO epoch_opening (league, epoch, operator, reason, size)
        VALUES (p_league, raised, p_operator, p_reason, kept);
        DELETE FROM tree_node WHERE league = p_league;
        UPDATE ticker_checkpoint SET position = least(position, greatest(kept - 1, 0))
         WHERE league = p_league;
        RETURN raised;
    END
    $$
    """,
    "REVOKE ALL ON FUNCTION raise_epoch(uuid, text, text) FROM PUBLIC",
)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.execute(statement)


def downgrade() -> None:
    raise NotImplementedError("who opened an epoch is never forgotten by a migration")
