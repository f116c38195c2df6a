"""A message of the house in a real browser: the worker shows it, and pressing it opens its page."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser.chromium import WHOLE, WHY, chromium
from tests.browser.house import House
from tests.browser.sweeping import PHONE

pytestmark = pytest.mark.slow

SHOWN = """async () => {
  const worker = await navigator.serviceWorker.ready;
  return (await worker.getNotifications()).map(({title, body, tag, data}) =>
    ({title, body, tag, path: data.path}));
}"""
PRESSED = """async () => {
  // A browser without a screen may take a notification away after it was read once.
  let found = [];
  for (let tries = 0; !found.length && tries < 600; tries += 1) {
    await new Promise((again) => setTimeout(again, 50));
    found = await self.registration.getNotifications();
  }
  const [notification] = found;
  const shown = found.map(({title, body, tag, data}) => ({title, body, tag, path: data.path}));
  // Only a person's press may open a window, and no browser without a screen has one.
  const opened = [];
  self.clients.openWindow = async (address) => { opened.push(address); return null; };
  const pressed = new NotificationEvent("notificationclick", { notification });
  const waits = [];
  pressed.waitUntil = (promise) => waits.push(promise);
  self.dispatchEvent(pressed);
  await Promise.all(waits);
  return [shown, opened];
}"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """The whole Chromium, because its shell shows no notifications."""
    if WHOLE is None:
        pytest.skip(WHY)
    expect.set_options(timeout=20_000)  # the machine may be busy
    with chromium(WHOLE) as found:
        yield found


def delivered(context: BrowserContext, page: Page, origin: str, message: dict[str, str]) -> None:
    """Hand a message to the page's worker, as the push service does."""
    browser = context.new_cdp_session(page)
    known: list[dict[str, Any]] = []
    browser.on(
        "ServiceWorker.workerRegistrationUpdated",
        lambda told: known.extend(told["registrations"]),
    )
    browser.send("ServiceWorker.enable")
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    named = next(each["registrationId"] for each in known if not each["isDeleted"])
    payload = {"origin": origin, "registrationId": named, "data": json.dumps(message)}
    browser.send("ServiceWorker.deliverPushMessage", payload)


def test_a_message_is_shown_and_a_press_opens_its_page(house: House) -> None:
    owner, league = house.league("Cloud City")
    evening = house.evening(owner, league)
    seen = house.open(owner, PHONE)
    seen.context.grant_permissions(["notifications"], origin=house.url)
    page = seen.context.new_page()
    page.goto("/account/notices")
    page.evaluate("navigator.serviceWorker.register('/service-worker.js').then(() => true)")
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    path = f"/tournaments/{evening}"
    message = {"title": "Thursday: your seat", "body": "Seat 3 at table 1.", "path": path}

    delivered(seen.context, page, house.url, message | {"tag": "seat", "kind": "seat_drawn"})

    [worker] = seen.context.service_workers
    shown, opened = worker.evaluate(PRESSED)
    assert shown == [
        {"title": message["title"], "body": message["body"], "tag": "seat", "path": path}
    ]
    assert opened == [house.url + path]
    page.goto(opened[0])
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    assert page.evaluate(SHOWN) == []
