"""
Create the texts of people beside the log: reasons, claims, answers.

An event holds a text's id and ``H(salt ‖ text)``. Emptying a row with its salt erases the text
and loses no proof. Nothing else about a row can change.
"""

from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

STATEMENTS = (
    """
    CREATE TABLE text (
        id uuid CONSTRAINT pk_text PRIMARY KEY,
        league uuid NOT NULL,
        author uuid NOT NULL,
        subject uuid,
        audience text NOT NULL CONSTRAINT ck_text_audience CHECK (audience IN ('members', 'staff')),
        digest bytea NOT NULL CONSTRAINT ck_text_digest CHECK (length(digest) = 32),
        salt bytea CONSTRAINT ck_text_salt CHECK (length(salt) = 32),
        body text CONSTRAINT ck_text_body CHECK (length(body) BETWEEN 1 AND 2000),
        written_at timestamptz NOT NULL,
        erased_at timestamptz,
        CONSTRAINT ck_text_erased
            CHECK (num_nonnulls(salt, body) = CASE WHEN erased_at IS NULL THEN 2 ELSE 0 END)
    )
    """,
    "CREATE INDEX ix_text_author ON text (author)",
    "CREATE INDEX ix_text_subject ON text (subject)",
    "GRANT SELECT, INSERT, UPDATE (salt, body, erased_at) ON text TO holotable_api",
)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.execute(statement)


def downgrade() -> None:
    op.execute("DROP TABLE text")
