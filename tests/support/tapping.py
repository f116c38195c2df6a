"""Copies of every message that goes through a broker of Celery's, and what the broker keeps."""

import base64
import json
from collections import defaultdict
from typing import Protocol

import psycopg
from kombu import Connection
from psycopg import sql

from tests.deploy.parts import Rabbit

_TAP = """
    CREATE TABLE tapped (queue text, row json);
    CREATE FUNCTION tap() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        INSERT INTO tapped VALUES (TG_TABLE_NAME, to_json(NEW));
        RETURN NULL;
    END $$
"""
_ON = "CREATE TRIGGER tap AFTER INSERT OR UPDATE ON pgmq.{} FOR EACH ROW EXECUTE FUNCTION tap()"
_QUEUES = "SELECT queue_name FROM pgmq.meta"
_TRACE, _TAPPED = "amq.rabbitmq.trace", "tapped"


class Tap(Protocol):
    """A listener at a broker, from its start on."""

    def heard(self) -> dict[str, bytes]:
        """Return all messages in the clear, by ``message QUEUE``, and all that the broker keeps."""


class TapOfTables:
    """
    A listener at PGMQ.

    Args:
        url: The broker's database with the login of its owner. Its queues exist.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        with psycopg.connect(url) as connection:
            connection.execute(_TAP)
            for queue in self._queues(connection):
                for kind in "qa":
                    relation = sql.Identifier(f"{kind}_{queue}")
                    connection.execute(sql.SQL(_ON).format(relation))

    def heard(self) -> dict[str, bytes]:
        found: dict[str, list[bytes]] = defaultdict(list)
        with psycopg.connect(self._url) as connection:
            for relation, row in connection.execute("SELECT queue, row FROM tapped").fetchall():
                message = row["message"]
                body = base64.b64decode(message["body"])
                found[f"message {relation[2:]}"] += [json.dumps(row).encode(), body]
            for queue in self._queues(connection):
                for kind in "qa":
                    asked = sql.SQL("SELECT * FROM pgmq.{}")
                    rows = connection.execute(asked.format(sql.Identifier(f"{kind}_{queue}")))
                    found[f"relation {kind}_{queue}"].append(str(rows.fetchall()).encode())
        return {door: b"\n".join(its) for door, its in found.items()}

    def _queues(self, connection: psycopg.Connection) -> list[str]:
        return [queue for (queue,) in connection.execute(_QUEUES).fetchall()]


class TapOfRabbit:
    """A listener at RabbitMQ: its firehose hands out a copy of whatever is published."""

    def __init__(self, rabbit: Rabbit) -> None:
        self._rabbit = rabbit
        rabbit.control("trace_on")
        with Connection(rabbit.url) as connection:
            channel = connection.default_channel
            channel.queue_declare(_TAPPED, durable=True, auto_delete=False)
            channel.queue_bind(_TAPPED, _TRACE, "publish.#")

    def heard(self) -> dict[str, bytes]:
        found: dict[str, list[bytes]] = defaultdict(list)
        with Connection(self._rabbit.url) as connection:
            channel = connection.default_channel
            while (message := channel.basic_get(_TAPPED, no_ack=True)) is not None:
                told = message.properties["application_headers"]
                (queue,) = told["routing_keys"]
                body = message.body
                plain = body if isinstance(body, bytes) else body.encode()
                found[f"message {queue}"] += [repr(told).encode(), plain]
        files = (each for each in self._rabbit.folder.rglob("*") if each.is_file())
        kept = {f"file {each.name}": each.read_bytes() for each in files}
        return kept | {door: b"\n".join(its) for door, its in found.items()}
