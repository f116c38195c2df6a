"""
Create the relations of evidence: stored subtrees, signed heads, the signers' public keys.

Nodes and heads never change; their relations refuse changes as the log does. A key is revoked
by a row of its own, so nobody can undo a revocation.
"""

from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

STATEMENTS = (
    """
    CREATE TABLE tree_node (
        league uuid NOT NULL,
        level smallint NOT NULL
            CONSTRAINT ck_tree_node_level CHECK (level > 0 AND level % 8 = 0),
        index bigint NOT NULL CONSTRAINT ck_tree_node_index CHECK (index >= 0),
        hash bytea NOT NULL CONSTRAINT ck_tree_node_hash CHECK (length(hash) = 32),
        CONSTRAINT pk_tree_node PRIMARY KEY (league, level, index)
    )
    """,
    """
    CREATE TABLE checkpoint (
        league uuid NOT NULL,
        epoch integer NOT NULL,
        size bigint NOT NULL CONSTRAINT ck_checkpoint_size CHECK (size > 0),
        root bytea NOT NULL CONSTRAINT ck_checkpoint_root CHECK (length(root) = 32),
        note text NOT NULL,
        signed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        CONSTRAINT pk_checkpoint PRIMARY KEY (league, epoch, size)
    )
    """,
    """
    CREATE TABLE signer_key (
        verifier_key text NOT NULL,
        event text NOT NULL
            CONSTRAINT ck_signer_key_event CHECK (event IN ('published', 'revoked')),
        at timestamptz NOT NULL DEFAULT clock_timestamp(),
        reason text,
        CONSTRAINT pk_signer_key PRIMARY KEY (verifier_key, event)
    )
    """,
)


GUARD = """
CREATE TRIGGER {0}_is_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON {0}
FOR EACH STATEMENT EXECUTE FUNCTION refuse_to_rewrite()
"""


def upgrade() -> None:
    for statement in STATEMENTS:
        op.execute(statement)
    for relation in ("tree_node", "checkpoint", "signer_key"):
        op.execute(GUARD.format(relation))
        op.execute(f"ALTER TABLE {relation} ENABLE ALWAYS TRIGGER {relation}_is_append_only")
        op.execute(f"GRANT SELECT, INSERT ON {relation} TO holotable_worker")
        op.execute(f"GRANT SELECT ON {relation} TO holotable_api, holotable_audit")


def downgrade() -> None:
    raise NotImplementedError("signed heads are never removed by a migration")
