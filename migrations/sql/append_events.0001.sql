-- Look-ups are LATERAL with LIMIT 1, never joins: a test reads their plans.  They are planned
-- once per connection, perhaps on an empty log, and must never become sequential scans.
CREATE FUNCTION append_events(
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
    ahead boolean;
    impossible boolean;
    backwards text;
    mention record;
BEGIN
    failed := '{}';
    PERFORM pg_advisory_xact_lock(hashtextextended('holotable/append/' || p_league::text, 0));

    epoch := coalesce((SELECT l.epoch FROM league_epoch l WHERE l.league = p_league), 0);
    IF epoch <> p_epoch THEN
        RETURN;
    END IF;

    SELECT bool_or(step.ahead), bool_or(step.falls OR step.leaps)
      INTO ahead, impossible
      FROM (
        SELECT n.at > clock_timestamp() + interval '1 second' AS ahead,
               n.at < lag(n.at) OVER same_stream AS falls,
               n.stream_version <> lag(n.stream_version) OVER same_stream + 1 AS leaps
          FROM unnest(p_events) n
        WINDOW same_stream AS (PARTITION BY n.stream ORDER BY n.stream_version)
      ) step;
    IF ahead THEN
        RAISE EXCEPTION 'an event is dated more than a second ahead' USING ERRCODE = 'HT001';
    END IF;
    IF impossible THEN
        RAISE EXCEPTION 'time falls, or versions leap, within a call' USING ERRCODE = 'HT002';
    END IF;

    SELECT array_agg(f.number::integer), array_agg(known.position)
      INTO duplicates, duplicate_positions
      FROM unnest(p_firsts) WITH ORDINALITY AS f(event_id, number)
     CROSS JOIN LATERAL (
        SELECT e.position FROM events e
         WHERE e.league = p_league AND e.event_id = f.event_id LIMIT 1
     ) known;
    duplicates := coalesce(duplicates, '{}');

    SELECT array_agg(h.stream) FILTER (
               WHERE coalesce(last.stream_version, 0) <> h.version
                  OR coalesce(last.hash, decode(repeat('00', 32), 'hex')) <> h.hash),
           min(h.stream) FILTER (
               WHERE last.stream_version = h.version AND h.first_at < last.at)
      INTO stale, backwards
      FROM unnest(p_heads) h
      LEFT JOIN LATERAL (
        SELECT e.stream_version, e.hash, e.at FROM events e
         WHERE e.league = p_league AND e.stream = h.stream
         ORDER BY e.stream_version DESC LIMIT 1
      ) last ON true
     WHERE h.checked;

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
    IF backwards IS NOT NULL AND EXISTS (
        SELECT 1 FROM unnest(p_heads) h
         WHERE h.stream = backwards AND h.written AND NOT h.append = ANY (skipped)
    ) THEN
        RAISE EXCEPTION 'time falls in stream %', backwards USING ERRCODE = 'HT002';
    END IF;

    first_position := coalesce((
        SELECT e.position + 1 FROM events e
         WHERE e.league = p_league ORDER BY e.position DESC LIMIT 1), 0);
    INSERT INTO events (
        league, position, stream, stream_version, event_id, type, schema_version,
        at, data, sealed, metadata, hash)
    SELECT p_league, first_position + row_number() OVER (ORDER BY n.number) - 1,
           n.stream, n.stream_version, n.event_id, n.type, n.schema_version,
           n.at, n.data::json, n.sealed, n.metadata::json, n.hash
      FROM unnest(p_events) WITH ORDINALITY AS n(
               append, stream, stream_version, event_id, type, schema_version,
               at, data, sealed, metadata, hash, number)
     WHERE NOT n.append = ANY (skipped);
END
$$
