"""
Create the players that a league entered without an account.

Such a player is an account without a login. The row holds the data by which the league knows
the player, and the digest of the claim code that makes the account the player's own.
"""

from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

STATEMENTS = (
    """
    CREATE TABLE entered_player (
        account uuid CONSTRAINT pk_entered_player PRIMARY KEY
            CONSTRAINT fk_entered_player_account REFERENCES account (id),
        league uuid NOT NULL,
        identity text NOT NULL
            CONSTRAINT ck_entered_player_identity CHECK (length(identity) BETWEEN 3 AND 400),
        claim bytea CONSTRAINT ck_entered_player_claim CHECK (length(claim) = 32),
        claim_until timestamptz,
        entered_at timestamptz NOT NULL,
        CONSTRAINT uq_entered_player_identity UNIQUE (league, identity),
        CONSTRAINT ck_entered_player_until CHECK ((claim IS NULL) = (claim_until IS NULL))
    )
    """,
    "GRANT SELECT, INSERT, UPDATE (claim, claim_until), DELETE ON entered_player TO holotable_api",
)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.execute(statement)


def downgrade() -> None:
    op.execute("DROP TABLE entered_player")
