"""
Checking signed heads as a client: the newest head, and that it continues the last one seen.

The check uses the public API only. It trusts the public keys it was given, and nothing
that the server says about itself.
"""

import contextlib
from pathlib import Path

import httpx
from rich.console import Console

from engine.values import number_of
from service.base.client import Refused, answered, client
from service.base.errors import CheckpointRefused
from service.transparency.note import Checkpoint, open_note, parse_checkpoint
from service.transparency.signer import league_and_epoch
from service.transparency.tree import consistent

_out = Console(soft_wrap=True, highlight=False)
_err = Console(stderr=True, soft_wrap=True, highlight=False)


class HeadNotFound(Exception):
    """No head is signed yet."""


def opened(note: str, keys: list[str]) -> Checkpoint:
    """
    Return the checkpoint in *note* if one of *keys* signed it.

    Raises:
        CheckpointRefused: If no key signed the note.
    """
    *others, last = keys
    for key in others:
        with contextlib.suppress(CheckpointRefused):  # another key may have signed it
            return parse_checkpoint(open_note(note, key))
    return parse_checkpoint(open_note(note, last))


def check(
    api: httpx.Client, league: str, keys: list[str], seen: str | None
) -> tuple[Checkpoint, str]:
    """
    Check the newest head of a league, and return it with its note.

    Args:
        api: A client with the base address and a token that may read the league.
        keys: At least one public key, from another source than this server.
        seen: The note that was checked last, if any.

    Raises:
        CheckpointRefused: If the signature or the origin is wrong, or the head does not
            continue *seen*.
        HeadNotFound: If no head is signed yet.
        Refused: If the server refuses to show a head.
    """
    heads = answered(api.get(f"/v1/leagues/{league}/checkpoints?limit=1"))["items"]
    if not heads:
        raise HeadNotFound("no head of this league is signed yet")
    text: str = heads[0]["note"]
    head = opened(text, keys)
    if league_and_epoch(head.origin)[0] != str(number_of(league)):
        raise CheckpointRefused(f"this is a head of {head.origin}")
    if seen is not None:
        _continues(api, league, opened(seen, keys), head)
    return head, text


def _continues(api: httpx.Client, league: str, old: Checkpoint, new: Checkpoint) -> None:
    if new.origin != old.origin:
        raise CheckpointRefused(
            f"the log began again: you have seen {old.origin}, this is {new.origin}"
        )
    if new.size < old.size:
        raise CheckpointRefused(f"you have seen {old.size} events, the server shows {new.size}")
    path = f"/v1/leagues/{league}/proofs/consistency?old={old.size}&new={new.size}"
    try:
        proof = [bytes.fromhex(each) for each in answered(api.get(path))["path"]]
    except (LookupError, TypeError, ValueError) as error:
        raise CheckpointRefused("the server's proof is malformed") from error
    if not consistent(old.size, old.root, new.size, new.root, proof):
        raise CheckpointRefused(
            f"the {new.size} events do not continue the {old.size} you have seen"
        )


def verify_head(url: str, league: str, key_file: Path, token_file: Path, seen_file: Path) -> int:
    """
    Check the newest head, print what was found and remember the head in *seen_file*.

    Returns:
        0 if everything holds, 1 if not, and 2 if *key_file* holds no key. *seen_file* changes
        only if everything holds.
    """
    keys = key_file.read_text(encoding="ascii").split()
    if not keys:
        _err.print(f"{key_file} holds no public key\n  next: get it from the house or a player")
        return 2
    seen = seen_file.read_text(encoding="utf-8") if seen_file.exists() else None
    try:
        with client(url, token_file) as api:
            head, note = check(api, league, keys, seen)
    except (CheckpointRefused, HeadNotFound, Refused) as error:
        _err.print(f"does not hold: {error}", markup=False)
        _err.print(f"  next: keep {seen_file} as evidence, and ask the league's owner")
        return 1
    draft = seen_file.with_name(f"{seen_file.name}.new")
    draft.write_text(note, encoding="utf-8")
    draft.replace(seen_file)
    before = "" if seen is None else f", continues the {opened(seen, keys).size} seen before"
    _out.print(f"holds: {head.size} events, root {head.root.hex()}{before}")
    return 0
