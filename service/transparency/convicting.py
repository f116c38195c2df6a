"""
Checking a receipt as a client: whether its events are in the signed tree.

The check uses the public API only. A receipt that does not hold becomes evidence that
anyone with the signer's public key can check.
"""

import contextlib
import json
from pathlib import Path
from typing import Final
from uuid import UUID

import httpx
from rich.console import Console

from engine.values import identifier
from service.base.client import Refused, answered, client
from service.base.documents import Document
from service.base.errors import CheckpointRefused
from service.transparency.note import Checkpoint, open_note
from service.transparency.receipt import CommandReceipt, PromisedEvent, parse_receipt
from service.transparency.tree import root_by_inclusion
from service.transparency.verifying import HeadNotFound, check

HOLDS: Final = 0
BROKEN: Final = 1
NOT_COVERED: Final = 3
"""No signed head is large enough yet. This is not evidence of anything."""

_out = Console(soft_wrap=True, highlight=False)
_err = Console(stderr=True, soft_wrap=True, highlight=False)


def opened_receipt(note: str, keys: list[str]) -> CommandReceipt:
    """
    Return the receipt in *note* if one of *keys* signed it.

    Raises:
        CheckpointRefused: If no key signed the note, or the note is not a receipt.
    """
    *others, last = keys
    for key in others:
        with contextlib.suppress(CheckpointRefused):  # another key may have signed it
            return parse_receipt(open_note(note, key))
    return parse_receipt(open_note(note, last))


def contradiction(promised: PromisedEvent, head: Checkpoint, proof: Document | None) -> str | None:
    """
    Return the way in which a signed tree contradicts a promise, or None if the promise is kept.

    Args:
        proof: The answer of ``GET …/proofs/inclusion`` for the event's position and this
            head, or None if the server returns no proof.
    """
    if proof is None:
        return "the server shows no proof for this position"
    try:
        leaf = bytes.fromhex(proof["leaf"])
        path = [bytes.fromhex(each) for each in proof["path"]]
        root = root_by_inclusion(leaf, promised.position, head.size, path)
    except (LookupError, TypeError, ValueError):
        return "the server's proof is malformed or has the wrong length"
    if root != head.root:
        return "the server's proof does not lead to the signed root"
    return None if leaf == promised.hash else "another event stands there in the signed tree"


def examine(api: httpx.Client, note: str, keys: list[str]) -> tuple[int, Document]:
    """
    Return a status with its evidence: receipt, head, and the first promise that is not kept.

    Raises:
        CheckpointRefused: If the receipt or the head is not signed by one of *keys*.
        HeadNotFound: If no head is signed yet.
        Refused: If the server refuses to show a head.
    """
    receipt = opened_receipt(note, keys)
    league = identifier("lge", UUID(receipt.league))
    head, signed = check(api, league, keys, None)
    shown: Document = {"receipt": note, "head": signed}
    begun_anew = int(head.origin.rpartition("/")[2]) > receipt.epoch
    for promised in receipt.events:
        shown["event"] = {"position": promised.position, "hash": promised.hash.hex()}
        if promised.position >= head.size:
            if begun_anew:
                return BROKEN, shown | {"fault": "the log began again without it"}
            return NOT_COVERED, shown
        proof = None
        path = f"proofs/inclusion?index={promised.position}&size={head.size}"
        with contextlib.suppress(Refused):  # the missing proof is itself the finding
            proof = answered(api.get(f"/v1/leagues/{league}/{path}"))
        fault = contradiction(promised, head, proof)
        if fault is not None:
            return BROKEN, shown | {"proof": proof, "fault": fault}
    return HOLDS, shown


def verify_receipt(url: str, receipt_file: Path, key_file: Path, token_file: Path) -> int:
    """
    Check a receipt against the newest head, and print what was found.

    If a promise is broken, the evidence is written beside the receipt.

    Returns:
        0 if every event of the receipt is in the signed tree, 1 if not, 2 if the receipt cannot
        be checked, and 3 if no signed head covers the events yet.
    """
    keys = key_file.read_text(encoding="ascii").split()
    if not keys:
        _err.print(f"{key_file} holds no public key\n  next: get it from the house or a player")
        return 2
    note = receipt_file.read_text(encoding="utf-8")
    try:
        with client(url, token_file) as api:
            status, shown = examine(api, note, keys)
    except (CheckpointRefused, HeadNotFound, Refused) as error:
        _err.print(f"cannot be checked: {error}", markup=False)
        return 2
    if status == HOLDS:
        _out.print("holds: every event of the receipt is in the signed tree")
    elif status == NOT_COVERED:
        _out.print("not covered: no signed head includes these events yet\n  next: try again later")
    else:
        evidence = receipt_file.with_name(f"{receipt_file.name}.evidence")
        evidence.write_text(json.dumps(shown, indent=1) + "\n", encoding="utf-8")
        position = shown["event"]["position"]
        _err.print(f"does not hold: position {position}: {shown['fault']}", markup=False)
        _err.print(f"  next: keep {evidence}; the house signed its receipt and head", markup=False)
    return status
