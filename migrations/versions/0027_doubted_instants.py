"""
Let the append function take instants of the time that the service goes by.

While the database's clock is in doubt because it was set back, all processes count on from
where they were.  Events hold those instants, and must not be dated before them.  The bound
was the clock's and the last event's alone; a login that may append could pass it anyway, by
a second at a time.
"""

from alembic import op

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None

CHANGE = """
DO $$
DECLARE
    known text := pg_get_functiondef('append_events'::regproc);
    bound text := 'latest > greatest(clock_timestamp(), last_at) + interval ''1 second''';
BEGIN
    IF position(bound IN known) = 0 THEN
        RAISE EXCEPTION 'append_events is not the function that this migration changes';
    END IF;
    EXECUTE replace(known, bound, bound || ' AND latest > service_time() + interval ''1 second''');
END
$$
"""


def upgrade() -> None:
    op.execute(CHANGE)


def downgrade() -> None:
    raise NotImplementedError("an append that was accepted is not refused by a migration")
