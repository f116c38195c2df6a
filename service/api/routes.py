"""Every route there is."""

from litestar.handlers import HTTPRouteHandler

from service.api import (
    accounts,
    audits,
    bans,
    calendars,
    corrections,
    directing,
    evidence,
    feeds,
    fixtures,
    floors,
    hands,
    health,
    invitations,
    leagues,
    members,
    presence,
    rebuys,
    records,
    registrations,
    rulesets,
    seasons,
    tables,
    texts,
    tournaments,
    voiding,
)

ROUTES: tuple[HTTPRouteHandler, ...] = tuple(
    handler
    for module in (
        accounts,
        leagues,
        members,
        invitations,
        bans,
        seasons,
        fixtures,
        calendars,
        tournaments,
        directing,
        registrations,
        rebuys,
        tables,
        floors,
        presence,
        records,
        voiding,
        hands,
        texts,
        rulesets,
        feeds,
        audits,
        corrections,
        evidence,
        health,
    )
    for handler in vars(module).values()
    if isinstance(handler, HTTPRouteHandler)
)
