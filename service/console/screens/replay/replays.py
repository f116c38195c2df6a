"""The hand replayer, with the proof of the hand."""

from litestar import Response

from service.api.http.paging import Page as Listed
from service.api.proof.claiming import DisputeWanted
from service.api.proof.dispute_shapes import DisputeChanged
from service.api.proof.evidence import SignerKey
from service.api.table.replays import ReplayShown
from service.console import links
from service.console.asking import Ask
from service.console.declaring import form, page
from service.console.forms import Given
from service.console.pages import Done, Page
from service.console.screens.replay.shown import replay_screen


@page("/hands/{hand:str}", hidden=True)
async def replay(ask: Ask, hand: str) -> Page:
    """Show one step of a hand, and the list of all."""
    seen_as = ask.query("as")
    found = await ask.api.get(f"/v1/hands/{hand}/replay", ReplayShown, **{"as": seen_as or None})
    keys = await ask.api.get("/v1/signers", Listed[SignerKey])
    published = [each.verifier_key for each in keys.items if each.revoked_at is None]
    wanted = ask.query("step")
    number = int(wanted) if wanted.isascii() and wanted.isdigit() else 1
    screen = replay_screen(ask, found, number, seen_as, published)
    return Page("replay/replay.html", screen)


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
