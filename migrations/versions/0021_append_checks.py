"""
Have the append function check what it stores, under a lock that only a writer can take.

Every written stream needs a head that is compared with the log, or that an earlier
append of the call leaves.  Versions continue from it, and each hash is computed again
over the entry's parts.  The function compares; it never computes what it stores.  Its
signature stays, so that processes of the version before can go on appending.

Any login may take any advisory lock.  So a league's turn is a row that belongs to the
function's owner, and no login has a right on its relation.
"""

from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None

TURNS = (
    "CREATE TABLE append_turn (league uuid NOT NULL CONSTRAINT pk_append_turn PRIMARY KEY)",
    "CREATE TABLE entering_turn (league text NOT NULL CONSTRAINT pk_entering_turn PRIMARY KEY)",
    "GRANT SELECT, INSERT, UPDATE ON entering_turn TO holotable_api",
    """
    CREATE FUNCTION take_append_turn(p_league uuid) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, public, pg_temp AS $$
    BEGIN
        PERFORM 1 FROM append_turn t WHERE t.league = p_league FOR UPDATE;
        IF NOT FOUND THEN
            INSERT INTO append_turn (league) VALUES (p_league) ON CONFLICT DO NOTHING;
            PERFORM 1 FROM append_turn t WHERE t.league = p_league FOR UPDATE;
        END IF;
    END
    $$
    """,
    "REVOKE ALL ON FUNCTION take_append_turn FROM PUBLIC",
)

# Look-ups are LATERAL with LIMIT 1, never joins: a test reads their plans.  They are planned
# once per connection, perhaps on an empty log, and must never become sequential scans.
APPEND = """
CREATE OR REPLACE FUNCTION append_events(
    p_league uuid, p_epoch integer, p_firsts uuid[],
    p_heads append_head[], p_events append_event[],
    OUT first_position bigint, OUT epoch integer, OUT failed integer[],
    OUT duplicates integer[], OUT duplicate_positions bigint[]
) LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off
AS $$
DECLARE
    stale text[];
    skipped integer[] := '{}';
    latest timestamptz;
    last_at timestamptz;
    wrong text;
    falling integer[];
    mention record;
BEGIN
    failed := '{}';
    PERFORM 1 FROM append_turn t WHERE t.league = p_league FOR UPDATE;
    IF NOT FOUND THEN
        PERFORM take_append_turn(p_league);
    END IF;

    epoch := coalesce((SELECT l.epoch FROM league_epoch l WHERE l.league = p_league), 0);
    IF epoch <> p_epoch THEN
        RETURN;
    END IF;

    SELECT array_agg(f.number::integer), array_agg(known.position)
      INTO duplicates, duplicate_positions
      FROM unnest(p_firsts) WITH ORDINALITY AS f(event_id, number)
     CROSS JOIN LATERAL (
        SELECT e.position FROM events e
         WHERE e.league = p_league AND e.event_id = f.event_id LIMIT 1
     ) known;
    duplicates := coalesce(duplicates, '{}');

    -- Each stream's heads and events in turn; a step must follow from the one before it.
    WITH steps AS (
        SELECT h.append, 0 AS kind, h.number, h.stream, h.version, h.hash, h.checked, h.written,
               last.at, NULL::bytea AS rest,
               h.checked AND (coalesce(last.stream_version, 0) <> h.version
                   OR coalesce(last.hash, decode(repeat('00', 32), 'hex')) <> h.hash) AS moved
          FROM unnest(p_heads) WITH ORDINALITY AS h(
                   append, stream, version, hash, checked, written, first_at, number)
          LEFT JOIN LATERAL (
            SELECT e.stream_version, e.hash, e.at FROM events e
             WHERE h.checked AND e.league = p_league AND e.stream = h.stream
             ORDER BY e.stream_version DESC LIMIT 1
          ) last ON true
        UNION ALL
        SELECT n.append, 1, n.number, n.stream, n.stream_version, n.hash, false, true, n.at,
               sha256(convert_to(n.stream, 'UTF8')) || int8send(n.stream_version)
               || uuid_send(n.event_id)
               || int8send((extract(epoch FROM n.at) * 1000000)::bigint)
               || sha256(convert_to(n.type, 'UTF8')) || int2send(n.schema_version)
               || sha256(convert_to(n.data, 'UTF8')) || sha256(convert_to(n.metadata, 'UTF8'))
               || coalesce(sha256(n.sealed), decode(repeat('00', 32), 'hex')),
               false
          FROM unnest(p_events) WITH ORDINALITY AS n(
                   append, stream, stream_version, event_id, type, schema_version,
                   at, data, sealed, metadata, hash, number)
         WHERE isfinite(n.at)
    ), linked AS (
        SELECT s.*, lag(s.append) OVER before AS append_before,
               lag(s.version) OVER before AS version_before,
               lag(s.hash) OVER before AS hash_before,
               lag(s.written) OVER before AS written_before,
               max(s.at) OVER (before ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
                   AS at_before
          FROM steps s
        WINDOW before AS (PARTITION BY s.stream COLLATE "C" ORDER BY s.append, s.kind, s.number)
    )
    SELECT array_agg(l.stream) FILTER (WHERE l.moved),
           array_agg(l.append) FILTER (WHERE l.kind = 1 AND l.at < l.at_before),
           max(l.at) FILTER (WHERE l.kind = 1),
           coalesce(min(CASE
               WHEN (l.append BETWEEN 1 AND cardinality(p_firsts)) IS NOT TRUE
                   THEN 'an append is not of this call'
               WHEN l.kind = 0 AND l.append = l.append_before
                   THEN 'an append names a stream twice'
               WHEN l.kind = 0 AND (l.stream IS NOT NULL AND l.version >= 0
                       AND length(l.hash) = 32 AND l.written IS NOT NULL) IS NOT TRUE
                   THEN 'a head is not whole'
               WHEN l.kind = 0 AND l.append_before IS NULL AND l.checked IS NOT TRUE
                   THEN 'a stream has no checked head'
               WHEN l.kind = 0 AND l.append_before IS NOT NULL AND (l.version, l.hash)
                       IS DISTINCT FROM (l.version_before, l.hash_before)
                   THEN 'a head is not what the call leaves'
               WHEN l.kind = 1 AND (l.append_before = l.append AND l.written_before) IS NOT TRUE
                   THEN 'a stream is written without a head'
               WHEN l.kind = 1 AND l.version IS DISTINCT FROM l.version_before + 1
                   THEN 'a version does not follow its head'
               WHEN l.kind = 1 AND l.hash IS DISTINCT FROM sha256(
                       '\\x00686f6c6f7461626c652f31'::bytea || uuid_send(p_league)
                       || l.hash_before || l.rest)
                   THEN 'a hash is not that of its entry'
           END),
           CASE WHEN count(*) FILTER (WHERE l.kind = 1) <> cardinality(p_events)
                THEN 'an event has no instant' END)
      INTO stale, falling, latest, wrong
      FROM linked l;
    IF wrong IS NOT NULL THEN
        RAISE EXCEPTION 'the call does not follow from its heads: %', wrong
            USING ERRCODE = 'HT003';
    END IF;

    SELECT e.position + 1, e.at INTO first_position, last_at FROM events e
     WHERE e.league = p_league ORDER BY e.position DESC LIMIT 1;
    first_position := coalesce(first_position, 0);
    IF latest > greatest(clock_timestamp(), last_at) + interval '1 second' THEN
        RAISE EXCEPTION 'an event is dated more than a second ahead' USING ERRCODE = 'HT001';
    END IF;

    IF stale IS NOT NULL OR duplicates <> '{}' THEN
        stale := coalesce(stale, '{}');
        -- What builds on an append that is not made is not made either.
        FOR mention IN
            SELECT h.append, array_agg(h.stream) AS streams,
                   array_agg(h.stream) FILTER (WHERE h.written) AS written
              FROM unnest(p_heads) h GROUP BY h.append ORDER BY h.append
        LOOP
            IF mention.append = ANY (duplicates) THEN
                stale := stale || mention.written;
            ELSIF mention.streams && stale THEN
                failed := failed || mention.append;
                stale := stale || mention.written;
            END IF;
        END LOOP;
        skipped := failed || duplicates;
    END IF;
    IF NOT coalesce(falling, '{}') <@ skipped THEN
        RAISE EXCEPTION 'time falls within a stream' USING ERRCODE = 'HT002';
    END IF;

    INSERT INTO events (
        league, position, stream, stream_version, event_id, type, schema_version,
        at, data, sealed, metadata, hash)
    SELECT p_league, first_position + row_number() OVER (ORDER BY n.append, n.number) - 1,
           n.stream, n.stream_version, n.event_id, n.type, n.schema_version,
           n.at, n.data::json, n.sealed, n.metadata::json, n.hash
      FROM unnest(p_events) WITH ORDINALITY AS n(
               append, stream, stream_version, event_id, type, schema_version,
               at, data, sealed, metadata, hash, number)
     WHERE NOT n.append = ANY (skipped);
END
$$
"""

EPOCH = """
CREATE OR REPLACE FUNCTION raise_epoch(p_league uuid, p_operator text, p_reason text)
RETURNS integer
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    raised integer;
    kept bigint;
BEGIN
    -- Behind the appends of this league, so that the size is the one it begins with.
    PERFORM take_append_turn(p_league);
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
"""

# PostgreSQL lets everybody connect to a new database, the broker's login included.
ADMITTED = """
DO $$
DECLARE
    here text := current_database();
BEGIN
    IF pg_has_role(current_user, (SELECT datdba FROM pg_database WHERE datname = here), 'USAGE')
    THEN
        EXECUTE format('REVOKE ALL ON DATABASE %I FROM PUBLIC, holotable_broker', here);
        EXECUTE format('GRANT CONNECT ON DATABASE %I TO holotable_migrate, holotable_api, '
            'holotable_worker, holotable_project, holotable_audit', here);
        EXECUTE format('GRANT TEMPORARY ON DATABASE %I TO holotable_worker, holotable_project, '
            'holotable_audit', here);
    ELSE
        RAISE WARNING 'the database % is not holotable_owner''s: run holotable prepare, '
            'which closes it to logins that do not need it', here;
    END IF;
END
$$
"""


def upgrade() -> None:
    for statement in (*TURNS, APPEND, EPOCH, ADMITTED):
        op.execute(statement)


def downgrade() -> None:
    raise NotImplementedError("the log is not left without its checks by a migration")
