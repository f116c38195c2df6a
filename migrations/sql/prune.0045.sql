CREATE FUNCTION prune(what text, before timestamptz, batch integer) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
    DECLARE
        least_kept interval;
        deleted integer;
    BEGIN
        least_kept := CASE what
            WHEN 'job' THEN interval '7 days'
            WHEN 'outage' THEN interval '90 days'
            WHEN 'audit_unit' THEN interval '1 day'
            WHEN 'refused_command' THEN interval '90 days'
            WHEN 'token' THEN interval '1 day'
        END;
        IF least_kept IS NULL THEN
            RAISE EXCEPTION 'rows of % are never pruned', what USING ERRCODE = 'restrict_violation';
        ELSIF before > service_time() - least_kept THEN
            RAISE EXCEPTION 'rows of % are kept for % at least', what, least_kept
                USING ERRCODE = 'restrict_violation';
        END IF;
        IF what = 'job' THEN
            -- A dead job waits for a person. A job that is done may come again, with a new row.
            DELETE FROM job WHERE job_id IN (
                SELECT job_id FROM job
                 WHERE state = 'done' AND due_at < before AND created_at < before
                 LIMIT batch FOR UPDATE SKIP LOCKED);
        ELSIF what = 'outage' THEN
            DELETE FROM outage WHERE ctid IN (
                SELECT ctid FROM outage WHERE until_at < before ORDER BY until_at LIMIT batch);
        ELSIF what = 'audit_unit' THEN
            -- An audit goes on until its report is there. Its last unit takes the plan along.
            DELETE FROM audit_unit WHERE (report, number) IN (
                SELECT u.report, u.number FROM audit_unit u JOIN audit_report r ON r.id = u.report
                 WHERE r.finished_at < before LIMIT batch);
            GET DIAGNOSTICS deleted = ROW_COUNT;
            DELETE FROM audit_plan p USING audit_report r
             WHERE r.id = p.report AND r.finished_at < before
               AND NOT EXISTS (SELECT FROM audit_unit u WHERE u.report = p.report);
            RETURN deleted;
        ELSIF what = 'refused_command' THEN
            PERFORM set_config('holotable.pruning', 'on', true);
            DELETE FROM refused_command WHERE id IN (
                SELECT id FROM refused_command WHERE received_at < before ORDER BY id LIMIT batch);
            GET DIAGNOSTICS deleted = ROW_COUNT;
            PERFORM set_config('holotable.pruning', '', true);
            RETURN deleted;
        ELSE
            -- What a token made ends with it, so it is pruned first.
            DELETE FROM calendar_key k USING token t
             WHERE t.id = k.token AND least(t.expires_at, t.revoked_at) < before;
            DELETE FROM token WHERE id IN (
                SELECT id FROM token t
                 WHERE least(t.expires_at, t.revoked_at) < before
                   AND NOT EXISTS (SELECT FROM token c WHERE c.parent = t.id)
                 LIMIT batch);
        END IF;
        GET DIAGNOSTICS deleted = ROW_COUNT;
        RETURN deleted;
    END
$$
