"""
Let the API delete tokens: whoever is erased leaves no name of a token behind either.
"""

from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("GRANT DELETE ON token TO holotable_api")


def downgrade() -> None:
    op.execute("REVOKE DELETE ON token FROM holotable_api")
