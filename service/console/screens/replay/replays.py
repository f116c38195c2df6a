"""The hand replayer, with the proof of the hand."""

import asyncio

import msgspec
from litestar import Response
from msgspec import structs

from engine.kit.audiences import AUDITOR
from engine.table.read.replay import Replay
from service.api.http.reading.paging import Page as Listed
from service.api.proof.claiming import DisputeWanted
from service.api.proof.dispute_shapes import DisputeChanged
from service.api.proof.evidence import SignerKey
from service.api.public.tournaments import PublicTournament
from service.api.table.replays import HandOpeningWanted, ReplayShown
from service.console import links
from service.console.asking import Ask, seen_by
from service.console.calling import Problem
from service.console.declaring import form, page
from service.console.forms import Given, command
from service.console.numbers import whole
from service.console.pages import Done, Page
from service.console.screens.replay.shown import Entered, Evening, ReplayScreen, replay_screen

_AUDITS = frozenset({"owner", "referee", "auditor"})
"""The roles that may open a hand. The API decides; this only hides a useless button."""


class _Hand(msgspec.Struct):
    """The members of a hand that the proof's page reads."""

    number: int
    tournament: str


@page("/hands/{hand:str}", open=True, hidden=True)
async def replay(ask: Ask, hand: str) -> Page:
    """Show one step of a hand, and the list of all steps. Strangers see public evenings only."""
    return Page("replay/replay.html", await seen_by(ask, _as_member, _as_stranger, hand))


async def _as_member(ask: Ask, hand: str) -> ReplayScreen:
    found, seen_as, sealed = await _read(ask, hand)
    me, evening = await asyncio.gather(
        ask.me(),
        ask.api.get(f"/v1/tournaments/{found.tournament}", Evening),
    )
    role = me.role_in(evening.league)
    audits = role in _AUDITS and found.over and evening.my is None
    return replay_screen(ask, found, _step(ask), seen_as, evening, audits=audits, sealed=sealed)


async def _as_stranger(ask: Ask, hand: str) -> ReplayScreen:
    found = await ask.api.get(f"/v1/public/hands/{hand}/replay", Replay)
    shown = await ask.api.get(f"/v1/public/tournaments/{found.tournament}", PublicTournament)
    names = {each.entrant: each.name for each in shown.entrants if each.name}
    replay = ReplayShown(**structs.asdict(found), names=names)
    evening = Evening(
        league=shown.league,
        name=shown.name,
        entrants=tuple(Entered(id=each.entrant, player=each.player) for each in shown.entrants),
        ruleset=shown.ruleset,
        league_name=shown.league_name,
    )
    return replay_screen(ask, replay, _step(ask), "", evening, audits=False, sealed=False)


def _step(ask: Ask) -> int:
    """Return the number of the step that the address or a refused form names."""
    failed = "" if ask.failure is None else str(ask.failure.value("step"))
    step = whole(ask.query("step") or failed)
    return 1 if step is None else step


async def _read(ask: Ask, hand: str) -> tuple[ReplayShown, str, bool]:
    """
    Return the replay, its perspective, and whether the hand must be opened first.

    Without an opening the hand is shown as the reader may see it.
    """
    seen_as, path = ask.query("as"), f"/v1/hands/{hand}/replay"
    try:
        return await ask.api.get(path, ReplayShown, **{"as": seen_as or None}), seen_as, False
    except Problem as problem:
        if problem.code != "opening_needed":
            raise
    return await ask.api.get(path, ReplayShown), "", True


@form("/hands/{hand:str}/open", of=replay)
async def open_hand(ask: Ask, given: Given, hand: str) -> Done | Page:
    """Open every card of the hand for an hour. The log keeps the reader's name and reason."""
    step = given.text("step", "1")
    to = f"{links.hand(hand)}?step={step}&as={AUDITOR}"
    return await command(
        ask, given, "POST", f"/v1/hands/{hand}/openings", given.into(HandOpeningWanted),
        said=ask.gettext("Every card is open to you for an hour."), to=to,
    )  # fmt: skip


class ProofScreen(msgspec.Struct, kw_only=True):
    """The page on which a browser checks a hand."""

    id: str
    number: int
    tournament: str
    evening: str
    keys: str
    """The public keys that the server publishes, one in a line."""


@page("/hands/{hand:str}/proof")
async def proof(ask: Ask, hand: str) -> Page:
    """Show the checks that the browser will make. The page holds no card."""
    shown, keys = await asyncio.gather(
        ask.api.get(f"/v1/hands/{hand}", _Hand), ask.api.get("/v1/signers", Listed[SignerKey])
    )
    evening = await ask.api.get(f"/v1/tournaments/{shown.tournament}", Evening)
    published = [each.verifier_key for each in keys.items if each.revoked_at is None]
    screen = ProofScreen(
        id=hand,
        number=shown.number,
        tournament=shown.tournament,
        evening=evening.name,
        keys="\n".join(published),
    )
    return Page("replay/proof.html", screen)


@page("/hands/{hand:str}/bundle", hidden=True)
async def bundle(ask: Ask, hand: str) -> Response[bytes]:
    """Download the hand's bundle, as the reader may see it."""
    text = await ask.api.text(f"/v1/hands/{hand}/bundle")
    headers = {"Content-Disposition": f'attachment; filename="{hand}.bundle"'}
    return Response(text.encode(), media_type="application/x-ndjson", headers=headers)


@form("/hands/{hand:str}/dispute", of=replay)
async def dispute(ask: Ask, given: Given, hand: str) -> Done:
    """Claim that a step of the hand was against the rules."""
    wanted = given.into(DisputeWanted, kind="step", hand=hand)
    made = await ask.api.send("POST", "/v1/disputes", wanted, DisputeChanged, key=given.key)
    return Done(
        links.dispute(made.id), ask.gettext("Your claim is filed, and the evidence attached.")
    )
