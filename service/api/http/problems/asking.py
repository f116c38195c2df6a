"""
Announcements as clients send them. A template or the league may supply missing members.
"""

from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType

from engine.league.state import Created
from service.announcing.defaults import Content, completed
from service.announcing.presets import PresetName
from service.announcing.terms import TournamentWanted
from service.api.http.problems.faults import faults_of, refused

Template = Annotated[str, Meta(description="A template of the league, `tpl_…`, to complete.")]
TermsName = Annotated[
    PresetName,
    Meta(description="A preset of terms. Members given beside it override the preset's."),
]

TournamentAsked: type[msgspec.Struct] = msgspec.defstruct(
    "TournamentAsked",
    [
        ("template", Template | UnsetType, UNSET),
        ("terms", TermsName | None | UnsetType, UNSET),
        *(
            (each.name, each.type | None | UnsetType, UNSET)
            for each in msgspec.structs.fields(TournamentWanted)
        ),
    ],
    namespace={
        "TEXTS_OF": TournamentWanted,
        "__doc__": (
            "The terms of a tournament. Missing members are taken from the template, then from the "
            "house rules. Null removes a value that these would set. `terms` names a preset of "
            "`GET /v1/terms-presets`. Members given together with it override the preset."
        ),
    },
    module=__name__,
    kw_only=True,
    forbid_unknown_fields=True,
)
"""All members of :class:`TournamentWanted` as optional, with ``template`` and ``terms``."""


def filled(league: Created, asked: Content) -> TournamentWanted:
    """
    Return the complete terms for *asked*, completed from the template, the preset and *league*.

    Raises:
        TemplateUnknown: If the league does not have the template.
        BadRequest: If a member is still missing, or members contradict each other.
    """
    whole = completed(league, asked)
    try:
        return msgspec.convert(whole, TournamentWanted, strict=True)
    except msgspec.ValidationError as error:
        raise refused(faults_of(whole, TournamentWanted)) from error
