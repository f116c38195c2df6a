"""
Create accounts, tokens and the record of refused commands.

A person's row can be emptied without touching an event. A token is kept as SHA-256 of 178
random bits, which needs no slow hash. Passwords need one. ``refused_command`` proves or
disproves "I acted in time" and can only grow.
"""

from alembic import op

from service.base.migrations import load

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

_STATEMENTS = (
    """
    CREATE TABLE account (
        id uuid CONSTRAINT pk_account PRIMARY KEY,
        login text,
        name text,
        password text,
        created_at timestamptz NOT NULL,
        CONSTRAINT uq_account_login UNIQUE (login),
        CONSTRAINT ck_account_login CHECK (login = lower(login) AND length(login) BETWEEN 1 AND 64)
    )
    """,
    """
    CREATE TABLE token (
        id uuid CONSTRAINT pk_token PRIMARY KEY,
        account uuid NOT NULL CONSTRAINT fk_token_account REFERENCES account (id),
        hash bytea NOT NULL CONSTRAINT ck_token_hash CHECK (length(hash) = 32),
        name text NOT NULL,
        scopes text[] NOT NULL,
        created_at timestamptz NOT NULL,
        expires_at timestamptz NOT NULL,
        last_used_at timestamptz,
        revoked_at timestamptz,
        CONSTRAINT uq_token_hash UNIQUE (hash)
    )
    """,
    "CREATE INDEX ix_token_account ON token (account)",
    """
    CREATE TABLE idempotency (
        command uuid CONSTRAINT pk_idempotency PRIMARY KEY,
        digest bytea NOT NULL CONSTRAINT ck_idempotency_digest CHECK (length(digest) = 32),
        created_at timestamptz NOT NULL
    )
    """,
    """
    CREATE TABLE refused_command (
        id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT pk_refused_command PRIMARY KEY,
        received_at timestamptz NOT NULL,
        league uuid NOT NULL,
        account uuid NOT NULL,
        stream text NOT NULL,
        command uuid NOT NULL,
        code text NOT NULL
    )
    """,
    "CREATE INDEX ix_refused_command_stream ON refused_command (stream, id)",
    load("refuse_to_forget", revision),
    """
    CREATE TRIGGER refused_commands_are_append_only
    BEFORE UPDATE OR DELETE OR TRUNCATE ON refused_command
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_to_forget()
    """,
    # Flat routes name a table without its league. This index finds the league of a stream.
    "CREATE INDEX ix_events_first_of_stream ON events (stream) WHERE stream_version = 1",
    "GRANT SELECT, INSERT, UPDATE ON account, token TO holotable_api",
    "GRANT SELECT, INSERT ON idempotency TO holotable_api",
    "GRANT SELECT, INSERT ON refused_command TO holotable_api",
    "GRANT SELECT ON refused_command TO holotable_worker",
)

_RELATIONS = (
    "refused_command",
    "idempotency",
    "token",
    "account",
)


def upgrade() -> None:
    for statement in _STATEMENTS:
        op.execute(statement)


def downgrade() -> None:
    op.execute("DROP INDEX ix_events_first_of_stream")
    for relation in _RELATIONS:
        op.execute(f"DROP TABLE {relation}")
    op.execute("DROP FUNCTION refuse_to_forget()")
