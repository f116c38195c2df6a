"""Comparing the texts that events refer to with the digests in the log."""

from typing import NamedTuple
from uuid import UUID

import asyncpg
import msgspec

from engine.values import number_of
from service.audit.bytes.chain import Placed
from service.audit.report import Findings
from service.audit.said import NO_FAULT, Said, said
from service.base.drivers import Driver
from service.people.text_refs import refs_in, types_with_texts
from service.people.texts import matches, text_id

_READ = """
    SELECT t.id, t.league, t.author, t.subject, t.salt, t.body,
           t.taken_down OR t.author = ANY (erased.people) OR t.subject = ANY (erased.people)
               AS lawful
      FROM text t
      LEFT JOIN LATERAL (SELECT erased_among(ARRAY[t.author, t.subject]) AS people) erased
        ON t.body IS NULL
     WHERE t.id = ANY ($1)
"""


_ABOUT_NOBODY = frozenset(
    {"announcement_posted", "dispute_opened", "dispute_ruled", "dispute_appealed"}
)
"""Events whose texts are about a hand, an evening or everybody, so they go with no other person."""


class _Named(NamedTuple):
    """A reference to a text, and the event that makes it."""

    text: UUID
    digest: str
    position: int
    stream: str
    type: str
    author: UUID | None
    """The author, if the text was written for the append of this event. Else None: not compared."""


class _Append(msgspec.Struct):
    """The metadata of an append: who sent which command."""

    command_id: UUID
    actor: str


class TextsAudit:
    """
    Follows the log, and compares the texts that its events refer to.

    A text may be empty if its author or the person it is about was erased, or if an operator has
    taken it down.
    """

    def __init__(self, findings: Findings) -> None:
        self._findings = findings
        self._named: list[_Named] = []

    def follow(self, recorded: Placed) -> None:
        """Note the references of the next event."""
        if recorded.type not in types_with_texts():
            return
        try:
            for each in refs_in(msgspec.json.decode(recorded.data or b"")):
                text = number_of(each.text)
                place = (recorded.position, recorded.stream, recorded.type)
                author = _author(text, recorded.metadata)
                self._named.append(_Named(text, each.digest, *place, author))
        except (msgspec.MsgspecError, ValueError, RecursionError):
            what = said("its references to texts cannot be read")
            self._findings.hold("texts", False, recorded.position, recorded.stream, what)

    async def compare(self, driver: Driver, league: UUID) -> None:
        """Compare all texts noted since the last call."""
        wanted = list({each.text for each in self._named})
        rows = {row["id"]: row for row in await driver.fetch(_READ, wanted)} if wanted else {}
        for each in self._named:
            what = _fault(each, rows.get(each.text), league)
            self._findings.hold("texts", what is None, each.position, each.stream, what or NO_FAULT)
        self._named = []


def _author(text: UUID, metadata: bytes) -> UUID | None:
    """Return the author of a text if its identifier follows from the command of an append."""
    append = msgspec.json.decode(metadata, type=_Append)
    return number_of(append.actor) if text == text_id(append.command_id) else None


def _fault(named: _Named, row: asyncpg.Record | None, league: UUID) -> Said | None:
    """Return the fault of a text, or None if it holds."""
    words = f"txt_{named.text.hex}"
    if row is None:
        return said("its words %(words)s are missing", words=words)
    if row["league"] != league:
        return said("its words %(words)s belong to another league", words=words)
    if named.author not in (None, row["author"]):
        return said("its words %(words)s are filed under another author", words=words)
    if named.type in _ABOUT_NOBODY and row["subject"] is not None:
        return said("its words %(words)s are filed under a person they are not about", words=words)
    if row["body"] is None:
        return (
            None
            if row["lawful"]
            else said(
                "its words %(words)s are gone, and neither an erasure nor an operator took them",
                words=words,
            )
        )
    if not matches(row["salt"], row["body"], named.digest):
        return said("its words %(words)s are not those that were written", words=words)
    return None
