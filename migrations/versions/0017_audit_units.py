"""
Create the units of an audit, so that it runs in parallel and survives a kill.

``audit_plan`` holds the scope of the audit. A unit waits, is armed as a job (whose lease is the
unit's), or is done. ``runs`` counts its starts. The auditor's login may read jobs, to find
overdue ones.

``fairness_run`` keeps every p-value of the generator's nightly statistics with the fresh master
behind it, so anybody may repeat the draws.
"""

from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None

_STATEMENTS = (
    """
    CREATE TABLE audit_plan (
        report text CONSTRAINT pk_audit_plan PRIMARY KEY
            CONSTRAINT fk_audit_plan_report REFERENCES audit_report (id),
        plan json NOT NULL
    )
    """,
    """
    CREATE TABLE audit_unit (
        report text NOT NULL
            CONSTRAINT fk_audit_unit_report REFERENCES audit_plan (report),
        number integer NOT NULL CONSTRAINT ck_audit_unit_number CHECK (number >= 0),
        key text NOT NULL,
        state text NOT NULL DEFAULT 'waiting'
            CONSTRAINT ck_audit_unit_state CHECK (state IN ('waiting', 'armed', 'done')),
        runs integer NOT NULL DEFAULT 0 CONSTRAINT ck_audit_unit_runs CHECK (runs >= 0),
        weight bigint NOT NULL CONSTRAINT ck_audit_unit_weight CHECK (weight >= 0),
        progress bigint NOT NULL DEFAULT 0,
        part json,
        done_at timestamptz,
        CONSTRAINT pk_audit_unit PRIMARY KEY (report, number),
        CONSTRAINT uq_audit_unit_key UNIQUE (report, key),
        CONSTRAINT ck_audit_unit_part CHECK ((state = 'done') = (part IS NOT NULL))
    )
    """,
    """
    CREATE TABLE fairness_run (
        night date CONSTRAINT pk_fairness_run PRIMARY KEY,
        master bytea NOT NULL CONSTRAINT ck_fairness_run_master CHECK (length(master) = 32),
        p_values json NOT NULL,
        measured_at timestamptz NOT NULL DEFAULT clock_timestamp()
    )
    """,
    """
    CREATE TRIGGER fairness_run_is_append_only BEFORE UPDATE OR DELETE OR TRUNCATE
    ON fairness_run FOR EACH STATEMENT EXECUTE FUNCTION refuse_to_rewrite()
    """,
    "ALTER TABLE fairness_run ENABLE ALWAYS TRIGGER fairness_run_is_append_only",
    "GRANT SELECT, INSERT ON fairness_run TO holotable_worker",
    "GRANT SELECT ON fairness_run TO holotable_api, holotable_audit",
    "GRANT SELECT, INSERT ON audit_plan TO holotable_worker",
    "GRANT SELECT, INSERT, UPDATE ON audit_unit TO holotable_worker",
    "GRANT SELECT ON job TO holotable_audit",
)


def upgrade() -> None:
    for statement in _STATEMENTS:
        op.execute(statement)


def downgrade() -> None:
    op.execute("REVOKE SELECT ON job FROM holotable_audit")
    op.execute("DROP TABLE fairness_run")
    op.execute("DROP TABLE audit_unit")
    op.execute("DROP TABLE audit_plan")
