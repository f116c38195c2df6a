"""Every line of the log has one form, and names the request that it belongs to."""

import errno
import io
import json
import logging
from collections.abc import Iterator
from uuid import UUID

import pytest
import structlog

from service.base.telemetry import Lines, configure, request_id, working_for
from tests.support.databases import TestDatabase

REQUEST = "0b0e9ee0-6a3b-4d6f-9a5e-0d3b8c0c9b11"


@pytest.fixture
def stream() -> Iterator[io.StringIO]:
    """Yield a log, and restore the tests' own configuration afterwards."""
    root, handlers = logging.getLogger(), logging.getLogger().handlers[:]
    before, level = structlog.get_config(), logging.getLogger("service").level
    yield io.StringIO()
    root.handlers[:] = handlers
    logging.getLogger("service").setLevel(level)
    structlog.configure(**before)
    structlog.contextvars.clear_contextvars()


def test_lines_of_ours_and_of_libraries_name_the_request(
    database: TestDatabase, stream: io.StringIO
) -> None:
    configure(database.settings(log_format="json"), "worker", stream)
    with working_for(REQUEST):
        structlog.get_logger().warning("ours", league="lge_1")
        logging.getLogger("asyncio").warning("theirs")
    structlog.get_logger().warning("of no request")
    ours, theirs, other = map(json.loads, stream.getvalue().splitlines())
    assert ours["request_id"] == theirs["request_id"] == REQUEST
    assert ours["process"] == theirs["process"] == "worker"
    assert "request_id" not in other


def test_a_second_configuration_replaces_the_first(
    database: TestDatabase, stream: io.StringIO
) -> None:
    configure(database.settings(log_format="json"), "cli", io.StringIO())
    configure(database.settings(log_format="json"), "api", stream)
    logging.getLogger("celery.worker").error("broken pipe")
    (line,) = stream.getvalue().splitlines()
    assert json.loads(line)["process"] == "api"


class FullDisk(io.StringIO):
    full = True

    def flush(self) -> None:
        if self.full:
            raise OSError(errno.ENOSPC, "No space left on device")

    def write(self, text: str) -> int:
        self.flush()
        return super().write(text)


@pytest.mark.usefixtures("stream")
def test_a_log_on_a_full_disk_loses_lines_and_stops_no_work(database: TestDatabase) -> None:
    """Jobs failed because a line of theirs could not be written, and were dead after ten times."""
    disk = FullDisk()
    lines = configure(database.settings(log_format="json", log_level="info"), "api", disk)
    assert isinstance(lines, Lines)
    structlog.get_logger().warning("ours")
    logging.getLogger("asyncio").warning("theirs")
    lines.write([(0.0, {"event": "request"})])
    disk.full = False
    structlog.get_logger().warning("written")
    structlog.get_logger().warning("and this")
    found = [json.loads(line) for line in disk.getvalue().splitlines()]
    assert [line["event"] for line in found] == [
        "written",
        "lines of the log before this one were lost",
        "and this",
    ]
    assert found[1]["error"] == "[Errno 28] No space left on device"
    assert (found[1]["process"], found[1]["level"]) == ("api", "error")


@pytest.mark.parametrize("form", ["json", "text"])
def test_the_access_log_has_the_form_of_all_other_lines(
    database: TestDatabase, stream: io.StringIO, form: str
) -> None:
    lines = configure(database.settings(log_format=form, log_level="info"), "api", stream)
    assert isinstance(lines, Lines)
    lines.write([(0.0, {"event": "request", "status": 200, "request_id": REQUEST})])
    structlog.get_logger().info("request", status=200, request_id=REQUEST)
    access, other = stream.getvalue().splitlines()
    if form == "json":
        ours, theirs = json.loads(access), json.loads(other)
        assert ours.pop("timestamp") == "1970-01-01T00:00:00Z"
        theirs.pop("timestamp")
        assert ours == theirs
    else:
        assert access.split()[1:] == other.split()[1:]


@pytest.mark.parametrize("changes", [{"log_level": "warning"}, {"access_log": False}])
def test_the_access_log_can_be_left_out(
    database: TestDatabase, stream: io.StringIO, changes: dict[str, object]
) -> None:
    settings = database.settings(**({"log_level": "info"} | changes))
    assert configure(settings, "api", stream) is None


@pytest.mark.parametrize(
    ("given", "taken"),
    [
        (REQUEST, REQUEST),
        (REQUEST.upper(), REQUEST),
        (UUID(REQUEST).hex, REQUEST),
        ("", None),
        ("x" * 36, None),
        ("{" + REQUEST[:34] + "}", None),
        (REQUEST + "\n", None),
        ("0" * 5000, None),
        (None, None),
    ],
)
def test_an_identifier_from_outside_is_a_uuid_or_nothing(
    given: str | None, taken: str | None
) -> None:
    assert request_id(given) == taken
