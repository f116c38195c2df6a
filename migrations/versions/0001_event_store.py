"""
Create the log: append-only, dense within a league, with one way in.

The unique constraint on (league, stream, stream_version) is a second check, because the
function has compared the heads under the league's lock. The triggers make append-only a
property of the database. They fire even for a superuser whose session plays a replica. ``data``
is ``json``, because ``jsonb`` would rewrite the hashed bytes.
"""

from alembic import op

from service.base.migrations import load

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

RELATIONS = (
    """
    CREATE TABLE events (
        league uuid NOT NULL,
        position bigint NOT NULL CONSTRAINT ck_events_position CHECK (position >= 0),
        stream text NOT NULL CONSTRAINT ck_events_stream
            CHECK (stream ~ '^(league|season|tournament|table|dispute)-[0-9a-f]{32}$'),
        stream_version bigint NOT NULL
            CONSTRAINT ck_events_stream_version CHECK (stream_version >= 1),
        event_id uuid NOT NULL,
        type text NOT NULL,
        schema_version smallint NOT NULL
            CONSTRAINT ck_events_schema_version CHECK (schema_version >= 1),
        at timestamptz NOT NULL,
        data json NOT NULL,
        sealed bytea,
        metadata json NOT NULL,
        hash bytea NOT NULL CONSTRAINT ck_events_hash CHECK (length(hash) = 32),
        CONSTRAINT pk_events PRIMARY KEY (league, position),
        CONSTRAINT uq_events_stream_version UNIQUE (league, stream, stream_version),
        CONSTRAINT uq_events_event_id UNIQUE (league, event_id)
    )
    """,
    # Without this, the planner would search an unknown league through the primary key.
    "ALTER TABLE events ALTER league SET STATISTICS 0",
    """
    CREATE TABLE league_epoch (
        league uuid NOT NULL CONSTRAINT pk_league_epoch PRIMARY KEY,
        epoch integer NOT NULL CONSTRAINT ck_league_epoch_epoch CHECK (epoch >= 1),
        raised_by text NOT NULL,
        raised_at timestamptz NOT NULL DEFAULT clock_timestamp()
    )
    """,
    """
    CREATE TABLE key (
        league uuid NOT NULL CONSTRAINT pk_key PRIMARY KEY,
        key_id uuid NOT NULL,
        wrapped bytea NOT NULL,
        created_at timestamptz NOT NULL DEFAULT clock_timestamp()
    )
    """,
)

GUARDS = (
    load("refuse_to_rewrite", revision),
    """
    CREATE TRIGGER events_are_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON events
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_to_rewrite()
    """,
    "ALTER TABLE events ENABLE ALWAYS TRIGGER events_are_append_only",
)

TYPES = (
    # One mention of a stream by one append. Only a stream's first mention in the call (checked) is
    # compared with the log. Later mentions build on earlier ones in the call.
    """
    CREATE TYPE append_head AS (
        append integer,
        stream text,
        version bigint,
        hash bytea,
        checked boolean,
        written boolean,
        first_at timestamptz
    )
    """,
    """
    CREATE TYPE append_event AS (
        append integer,
        stream text,
        stream_version bigint,
        event_id uuid,
        type text,
        schema_version smallint,
        at timestamptz,
        data text,
        sealed bytea,
        metadata text,
        hash bytea
    )
    """,
)

FUNCTIONS = (load("append_events", revision), load("raise_epoch", revision))

RIGHTS = (
    "REVOKE ALL ON FUNCTION append_events FROM PUBLIC",
    "REVOKE ALL ON FUNCTION raise_epoch FROM PUBLIC",
    "GRANT EXECUTE ON FUNCTION append_events TO holotable_api, holotable_worker",
    "GRANT SELECT ON events, league_epoch TO holotable_api, holotable_worker",
    "GRANT SELECT ON events, league_epoch TO holotable_project, holotable_audit",
    "GRANT SELECT, INSERT ON key TO holotable_api, holotable_worker",
    "GRANT SELECT ON key TO holotable_audit",
)


def upgrade() -> None:
    for statement in (*RELATIONS, *GUARDS, *TYPES, *FUNCTIONS, *RIGHTS):
        op.execute(statement)


def downgrade() -> None:
    raise NotImplementedError("the log is never removed by a migration")
