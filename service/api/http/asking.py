"""Announcements as they are asked for: anything may be left out that a layer below says."""

import msgspec
from msgspec import UNSET, UnsetType

from engine.league.state import Created
from service.announcing.defaults import Content, completed
from service.announcing.presets import PresetName
from service.announcing.terms import TournamentWanted
from service.api.http.bodies import invalid

TournamentAsked: type[msgspec.Struct] = msgspec.defstruct(
    "TournamentAsked",
    [
        ("template", str | UnsetType, UNSET),
        ("terms", PresetName | None | UnsetType, UNSET),
        *(
            (each.name, each.type | None | UnsetType, UNSET)
            for each in msgspec.structs.fields(TournamentWanted)
        ),
    ],
    namespace={
        "__doc__": (
            "The terms.  What is left out is taken from the template, then from the house rules; "
            "null takes away what they say.  `terms` names a preset of `GET /v1/terms-presets`: "
            "whatever is said beside it goes before it."
        )
    },
    module=__name__,
    kw_only=True,
    forbid_unknown_fields=True,
)
"""The members of :class:`TournamentWanted`, all optional, ``template`` and ``terms``."""


def filled(league: Created, asked: Content) -> TournamentWanted:
    """
    Return the whole terms that *asked* stands for in *league*.

    Raises:
        TemplateUnknown: If it names a template that the league does not have.
        BadRequest: If something is still missing, or does not fit together.
    """
    try:
        return msgspec.convert(completed(league, asked), TournamentWanted, strict=True)
    except msgspec.ValidationError as error:
        raise invalid(str(error)) from error
