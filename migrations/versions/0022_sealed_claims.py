"""
Seal confidential claims, so that a dump alone shows neither words nor people.

``told`` is the box; see ``service.people.sealed_rows``. This migration does not have the key.
The API has it and seals older rows when it starts.
"""

from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None

STATEMENTS = (
    """
    ALTER TABLE confidential_claim
        ADD COLUMN told bytea,
        ALTER COLUMN claimant DROP NOT NULL,
        ALTER COLUMN subject DROP NOT NULL,
        ALTER COLUMN rules DROP NOT NULL,
        ADD CONSTRAINT ck_confidential_claim_told
            CHECK (num_nonnulls(told, claimant) = 1
                   AND (told IS NULL OR num_nonnulls(about, subject, rules, claim, answer) = 0))
    """,
    "DROP INDEX ix_confidential_claim_claimant, ix_confidential_claim_about",
    """
    GRANT UPDATE (told, claimant, about, subject, rules)
       ON confidential_claim TO holotable_api
    """,
)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.execute(statement)


def downgrade() -> None:
    raise NotImplementedError("sealed claims are not made readable again")
