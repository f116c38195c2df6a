-- Look-ups are LATERAL with LIMIT 1, never joins: a test reads their plans.  They are planned
-- once per connection, perhaps on an empty log, and must never become sequential scans.
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
    closed text;
    relocation text;
BEGIN
    failed := '{}';
    -- The row that is locked anyway says whether the league takes commands.
    SELECT t.closed, t.relocation INTO closed, relocation
      FROM append_turn t WHERE t.league = p_league FOR UPDATE;
    IF NOT FOUND THEN
        PERFORM take_append_turn(p_league);
        SELECT t.closed, t.relocation INTO closed, relocation
          FROM append_turn t WHERE t.league = p_league FOR UPDATE;
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
                       '\x00686f6c6f7461626c652f31'::bytea || uuid_send(p_league)
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
    IF latest > greatest(clock_timestamp(), last_at) + interval '1 second' AND latest > service_time() + interval '1 second' THEN
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
    IF closed IS NOT NULL AND EXISTS (
        SELECT FROM unnest(p_events) n
         WHERE NOT n.append = ANY (skipped)
           -- Between two cells, not even a proof may be added: it would be in one copy only.
           AND (relocation IS NOT NULL OR n.type NOT IN ('audit_reported', 'positions_voided'))
    ) THEN
        RAISE EXCEPTION 'the league takes no commands' USING ERRCODE = 'HT004',
            DETAIL = closed || coalesce((SELECT ':' || m.retry_seconds FROM maintenance m), '');
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
