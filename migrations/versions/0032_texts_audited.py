"""
Let audits compare words with their digests in the log.

They read words as they read sealed values, and learn of each account only if it was erased.
"""

from alembic import op

revision = "0032"
down_revision = "0031"
branch_labels = None
depends_on = None

_RIGHT = "SELECT (id, league, author, subject, salt, body) ON text"
_AUDITING = "holotable_audit, holotable_worker"


def upgrade() -> None:
    op.execute(
        """
        CREATE FUNCTION erased_among(p_people uuid[]) RETURNS uuid[]
        LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
            SELECT coalesce(array_agg(a.id), '{}') FROM account a
             WHERE a.id = ANY (p_people)
               AND a.login IS NULL AND a.name IS NULL AND a.password IS NULL
        $$
        """
    )
    op.execute("REVOKE ALL ON FUNCTION erased_among(uuid[]) FROM PUBLIC")
    op.execute(f"GRANT EXECUTE ON FUNCTION erased_among(uuid[]) TO {_AUDITING}")
    op.execute(f"GRANT {_RIGHT} TO {_AUDITING}")


def downgrade() -> None:
    op.execute(f"REVOKE {_RIGHT} FROM {_AUDITING}")
    op.execute("DROP FUNCTION erased_among(uuid[])")
