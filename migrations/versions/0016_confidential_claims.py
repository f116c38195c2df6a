"""
Create confidential claims, and the read model of openings.

A confidential claim is an ordinary row. Until a referee opens a dispute, neither the log's
counts nor any feed shows it.
"""

from alembic import op

revision = "0016"
down_revision = "0014"
branch_labels = None
depends_on = None

STATEMENTS = (
    """
    CREATE TABLE confidential_claim (
        id uuid CONSTRAINT pk_confidential_claim PRIMARY KEY,
        league uuid NOT NULL,
        claimant uuid NOT NULL,
        about uuid,
        subject json NOT NULL,
        rules text[] NOT NULL,
        claim text
            CONSTRAINT ck_confidential_claim_claim CHECK (length(claim) BETWEEN 1 AND 2000),
        state text NOT NULL CONSTRAINT ck_confidential_claim_state
            CHECK (state IN ('filed', 'opened', 'dismissed')),
        filed_at timestamptz NOT NULL,
        handled_by uuid,
        handled_at timestamptz,
        answer text
            CONSTRAINT ck_confidential_claim_answer CHECK (length(answer) BETWEEN 1 AND 2000),
        dispute text,
        CONSTRAINT ck_confidential_claim_handled
            CHECK (num_nonnulls(handled_by, handled_at) = CASE state WHEN 'filed' THEN 0 ELSE 2 END
                   AND (dispute IS NOT NULL) = (state = 'opened'))
    )
    """,
    "CREATE INDEX ix_confidential_claim_league ON confidential_claim (league, filed_at, id)",
    "CREATE INDEX ix_confidential_claim_claimant ON confidential_claim (claimant)",
    "CREATE INDEX ix_confidential_claim_about ON confidential_claim (about)",
    """
    GRANT SELECT, INSERT, UPDATE (state, handled_by, handled_at, answer, dispute, claim)
       ON confidential_claim TO holotable_api
    """,
    """
    CREATE TABLE reads.opening (
        league text NOT NULL,
        position bigint NOT NULL,
        at timestamptz NOT NULL,
        by text NOT NULL,
        what text NOT NULL,
        subject text NOT NULL,
        "right" text NOT NULL,
        dispute text,
        until timestamptz NOT NULL,
        PRIMARY KEY (league, position)
    )
    """,
    "GRANT SELECT, INSERT, UPDATE, DELETE ON reads.opening TO holotable_project",
    "GRANT SELECT ON reads.opening TO holotable_api, holotable_worker, holotable_audit",
)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.execute(statement)


def downgrade() -> None:
    op.execute("DROP TABLE confidential_claim, reads.opening")
