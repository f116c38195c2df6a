"""Faults in the glue of the service and in a view, with seeds that find them."""

from dataclasses import dataclass

from tests.faults.planting import Fault


@dataclass(frozen=True, slots=True, kw_only=True)
class Glue(Fault):
    """
    A fault that the simulation has to find.

    Args:
        seed: A seed that finds it.
        found: The message that the simulation then gives.
        quick: True if ``make test`` looks for it too.
    """

    seed: int
    found: str
    quick: bool = False
    package: str = "service"
    caught_by: str = "tests/simulation/test_simulation.py"


FAULTS = (
    Glue(
        name="acknowledged before the commit",
        file="log/writer.py",
        sound="""
            outcome, broken = await self._send(league, epoch, decided)
""",
        faulty="""
            ends = await self._store.ends([league.number])
            next_position = ends[league.number][0] + 1 if ends else 0
            for item, attempt in attempts:
                if attempt.refusal is None and attempt.events:
                    self._answers.kept(league, item, attempt, next_position, duplicate=False)
                next_position += len(attempt.events)
            outcome, broken = await self._send(league, epoch, decided)
""",
        seed=4,
        found="was acknowledged, and is not in the log",
    ),
    Glue(
        name="the idempotency key is not stored",
        file="log/batch.py",
        sound="        event_0 = event_id(order.command_id, 0)\n",
        faulty="        event_0 = event_id(order.command_id, self.former.now().microsecond)\n",
        seed=4,
        found="do not have its identifiers",
        quick=True,
    ),
    Glue(
        name="a projection that skips events after a crash",
        file="projections/applying/advancing.py",
        sound="""
    await changes.write(connection)
    await _move(connection, projection, league, before, after)
""",
        faulty="""
    await _move(connection, projection, league, before, after)
    await connection.commit()
    await changes.write(connection)
""",
        seed=30,
        found="the read models do not catch up",  # a row that a later event changes is missing
    ),
    Glue(
        name="a job that is acknowledged before it is done",
        file="tasks/child.py",
        sound="            again_at = await duty.do(runtime, args)\n",
        faulty="""            if job.task != "table.watch":
                await jobs.finish(runtime.pool, job_id, claim, again_at=None, refused=None)
            again_at = await duty.do(runtime, args)
""",
        seed=5,
        found="does not end",
    ),
    Glue(
        name="timers in memory, which a restart loses",
        file="tasks/child.py",
        sound="""
    await jobs.finish(runtime.pool, job_id, claim, again_at=again_at, refused=refused)
""",
        faulty="""
    await jobs.finish(runtime.pool, job_id, claim, again_at=None, refused=refused)
    if again_at is not None and job is not None:
        runtime.later(_again(runtime, job, again_at))


async def _again(runtime, job, at):
    while at is not None:
        await asyncio.sleep(max(0.0, (at - runtime.clock.now()).total_seconds()))
        try:
            at = await DUTIES[job.task].do(runtime, job.args)
        except CommandRejected:
            return
        except Exception:
            at = runtime.clock.now() + timedelta(seconds=1)
""",
        seed=5,
        found="does not end",
    ),
    Glue(
        name="a view shows the cards of the first seat",
        package="engine",
        file="table/read/view.py",
        sound="    mine = None if viewer is None else table.place_of(viewer)\n",
        faulty="    mine = None if viewer is None else table.places[0]\n",
        seed=4,
        found="shows a hidden value",
        quick=True,
    ),
)
