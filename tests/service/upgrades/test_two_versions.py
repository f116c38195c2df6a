"""
Two versions of the program at once on one database, while people play.

The older version is this code. The newer one is this code with a migration more, in a copy of the
folder, which adds columns to busy relations. A third version takes something away. So this shows
the range of versions, the locks of a migration under play, two processes of different versions at
one table, and what each says. It cannot show what a real later version does differently.
"""

import asyncio
import re
import shutil
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from service.audit.run.league import audit_league
from service.base import migrations, revisions
from service.base.database import async_engine
from service.base.schema_range import SchemaRange, of_code
from service.log.keys import Keys
from service.process.app import build
from tests.service.api.conftest import Api, Person
from tests.service.api.proof.test_evidence import project
from tests.service.api.table.test_commands import answer_to, turn
from tests.support.databases import SECRET_KEY, TestDatabase

pytestmark = pytest.mark.anyio

ADDING = '''"""Add."""
from alembic import op
revision = "9001"
down_revision = "{head}"
def upgrade():
    op.execute("ALTER TABLE account ADD COLUMN pronouns text")
    op.execute("ALTER TABLE append_turn ADD COLUMN seen integer NOT NULL DEFAULT 0")
'''
RENAMING = """from alembic import op
revision = "9001"
down_revision = "{head}"
def upgrade():
    op.execute("ALTER TABLE account RENAME COLUMN name TO called")
    op.execute("UPDATE schema_support SET oldest = '9001'")
"""
TAKING = '''"""Take away."""
from alembic import op
revision = "9002"
down_revision = "9001"
def upgrade():
    op.execute("ALTER TABLE account DROP COLUMN pronouns")
    op.execute("UPDATE schema_support SET oldest = '9001'")
'''


@asynccontextmanager
async def process(database: TestDatabase) -> AsyncIterator[Api]:
    """Serve the API with the migrations that the code knows now."""
    app = build(database.settings("holotable_api"))
    async with app.lifespan():
        transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://test") as http:
            yield Api(http, app)


@pytest.fixture
def newer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], None]:
    """Lets the code know a migration more: its name and its text."""

    def know(name: str, text: str) -> None:
        folder = tmp_path / name
        head = of_code().head
        shutil.copytree(revisions.FOLDER, folder)
        (folder / f"versions/{name}.py").write_text(text.replace("{head}", head))
        monkeypatch.setattr(revisions, "FOLDER", folder)

    return know


async def migrate(database: TestDatabase) -> None:
    """Migrate to the head that the code knows now."""
    await asyncio.to_thread(migrations.migrate, database.url("holotable_migrate"))


CASES = {
    (None, None): False,
    ("2", None): False,
    ("3", "1"): True,
    ("4", "2"): True,
    ("4", "3"): True,
    ("4", "4"): False,
    ("4", None): False,
}
"""Whether a code with head 3 runs on a schema, by the schema's version and its oldest code."""


async def audited(database: TestDatabase, league: str) -> Any:
    """Audit a league, read models included."""
    await project(database)
    engine = async_engine(database.url("holotable_audit"), 2)
    try:
        async with engine.connect() as connection:
            return await audit_league(connection, Keys(SECRET_KEY), league)
    finally:
        await engine.dispose()


async def ready(api: Api) -> tuple[int, str]:
    answer = await api.http.get("/readyz")
    return answer.status_code, answer.json().get("detail", "")


async def play(people: list[Person], table: str, actions: int) -> None:
    """Act so many times in turn. Each action must be accepted."""
    for _ in range(actions):
        person, view = await turn(people, table)
        answer = await person.post(f"/v1/tables/{table}/actions", answer_to(view))
        assert answer.status_code == 200, answer.text


async def test_two_versions_play_at_one_table_until_the_older_one_is_left_behind(
    database: TestDatabase, newer: Callable[[str, str], None]
) -> None:
    async with process(database) as old:
        owner, league, _, people, table = await old.playing(hands_max=200)
        newer("9001_adding", ADDING)
        async with process(database) as new:
            code, said = await ready(new)
            assert code == 503 and "9001" in said and "holotable migrate" in said
            # Play goes on while the schema grows under it.
            await asyncio.gather(play(people, table, 20), migrate(database))
            assert [await ready(each) for each in (old, new)] == [(200, ""), (200, "")]
            people[1].http = new.http
            await play(people, table, 20)
            newer("9002_taking", TAKING)
            await asyncio.gather(play(people, table, 20), migrate(database))
            code, said = await ready(old)
            assert code == 503 and "9002" in said and "newer version" in said
            assert await ready(new) == (200, "")
            shown = await new.http.get(f"/v1/leagues/{league}", headers=owner.headers)
            assert shown.status_code == 200, shown.text
    report = await audited(database, league)
    assert report.passed, report.findings


async def test_what_a_schema_lacks_is_no_defect_of_the_process(
    database: TestDatabase, newer: Callable[[str, str], None]
) -> None:
    async with process(database) as old:
        owner, league = await old.league()
        newer("9001_renaming", RENAMING)
        await migrate(database)
        old.app.shell.called.clear()
        answer = await owner.get(f"/v1/leagues/{league}/members")
        assert (answer.status_code, answer.json()["code"]) == (503, "schema_unsupported")
        assert (await ready(old))[0] == 503


def test_a_code_runs_from_its_head_to_the_schema_that_takes_away_what_it_needs() -> None:
    code = SchemaRange(("1", "2", "3"))
    faults = [code.fit(*each).fault is None for each in CASES]
    assert faults == list(CASES.values())


def test_a_migration_that_takes_away_says_so() -> None:
    """Every migration after `schema_support` that may break an older version raises its row."""
    taking = re.compile(r"DROP (TABLE|COLUMN|FUNCTION)|RENAME|ALTER COLUMN \w+ (TYPE|SET NOT NULL)")
    for path in sorted((revisions.FOLDER / "versions").glob("*.py")):
        if path.name[:4] <= "0044":
            continue
        text = path.read_text(encoding="utf-8").partition("def downgrade")[0]
        assert not taking.search(text) or "UPDATE schema_support" in text, path.name
