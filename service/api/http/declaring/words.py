"""Texts for members that mean the same in every body and answer."""

from collections.abc import Mapping
from types import MappingProxyType

WORDS: Mapping[str, str] = MappingProxyType(
    {
        "dispute": "The dispute, `dsp_…`.",
        "entrant": "The entrant, `ent_…`: one entry of a player in a tournament.",
        "hand": "The hand, `hnd_…`.",
        "id": "The identifier of this object.",
        "items": "The items of this page, in the order of the list.",
        "league": "The league, `lge_…`.",
        "next_cursor": "The `cursor` of the next page, or null on the last page.",
        "player": "The player, `plr_…`.",
        "position": "The position of the change in the league's log, to send as `min_position`. "
        "Null if nothing changed.",
        "season": "The season, `ssn_…`.",
        "seat": "The number of the seat at its table, from 1.",
        "table": "The table, `tbl_…`.",
        "tournament": "The tournament, `trn_…`.",
    }
)
"""
The texts of members by name. A text below a member itself replaces the word's.

A word that means something else in one place is not in this list, or has a text of its own there.
"""
