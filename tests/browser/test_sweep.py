"""Every declared screen, for a stranger, a member and an owner, on a phone and on a wall."""

from collections.abc import Iterator

import httpx
import pytest
from playwright.sync_api import Browser

from service.console.assets import assets
from service.console.sessions import PLAIN_COOKIE
from service.process.supervisor import Stack
from tests.browser.house import House
from tests.browser.scenery import Scenery, prepared
from tests.browser.sweeping import PHONE, SCRIPTS_MAX, Sweep, pages

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def scenery(stack: Stack, browser: Browser) -> Iterator[Scenery]:
    with httpx.Client(base_url=stack.url, timeout=30, trust_env=False) as http:
        keys = stack.settings("api").secret_keys
        yield prepared(House(stack.url, browser, http), *keys)


@pytest.mark.parametrize(
    "audience", ["stranger", pytest.param("member", marks=pytest.mark.long), "owner"]
)
def test_every_screen_is_reached_light_and_without_barriers(
    house: House, scenery: Scenery, audience: str
) -> None:
    person = {"stranger": None, "member": scenery.member, "owner": scenery.owner}[audience]
    cookies = {} if person is None else {PLAIN_COOKIE: person.session}
    with httpx.Client(base_url=house.url, cookies=cookies, trust_env=False, timeout=30) as http:
        sweep = Sweep(http, signed_in=person is not None, owner=audience == "owner")
        for screen in pages():
            sweep.read(screen, scenery.scenes)
    seen = house.open(person, PHONE)
    page = seen.context.new_page()
    for path in sweep.forms:
        sweep.look(page, path)
    # Words of German are the longest that the console has.
    german = house.open(person, PHONE, locale="de").context.new_page()
    for path in sweep.forms:
        sweep.fit(german, path, "phone, in German")
    heaviest = max(sweep.weights.items(), key=lambda each: each[1])
    print(f"{audience}: {len(sweep.forms)} pages; the heaviest {heaviest}")

    found = [*sweep.faults, *seen.complaints]
    assert not found, f"{len(found)} faults for a {audience}:\n" + "\n".join(found)


def test_all_scripts_together_are_small() -> None:
    sizes = {path: len(each.content) for path, each in assets().items() if path.endswith(".js")}

    assert sum(sizes.values()) < SCRIPTS_MAX, sizes
