"""Every route there is."""

from litestar.handlers import HTTPRouteHandler

from service.api import (
    accounts,
    audits,
    bans,
    bundles,
    calendars,
    corrections,
    directing,
    erasing,
    evidence,
    exports,
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
    templates,
    texts,
    tournaments,
    voiding,
)

ROUTES: tuple[HTTPRouteHandler, ...] = tuple(
    handler
    for module in (
        accounts,
        erasing,
        leagues,
        members,
        invitations,
        bans,
        templates,
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
        bundles,
        corrections,
        evidence,
        exports,
        health,
    )
    for handler in vars(module).values()
    if isinstance(handler, HTTPRouteHandler)
)
