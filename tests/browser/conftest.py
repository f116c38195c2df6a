"""Chromium and a running stack for tests of pages. They are skipped if there is no Chromium."""

from collections.abc import Iterator

import httpx
import pytest
from playwright.sync_api import Browser, expect

from service.process.supervisor import Stack
from tests.browser.chromium import PROGRAM, WHY, chromium
from tests.browser.house import House

OPTIONS = {
    "tick_milliseconds": 50,
    "sweep_seconds": 1,
    "sign_seconds": 2,
    "worker_processes": 1,
    "log_level": "warning",
    "password_memory_kib": 8,
    "address_accounts": 100_000,
}


# This serves one file only: while Playwright runs, no test of this process can open a loop.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if PROGRAM is None:
        pytest.skip(WHY)
    expect.set_options(timeout=20_000)  # the machine may be busy
    with chromium() as found:
        yield found


# A stack that ran until the end of the session would cost a fifth of a processor.
@pytest.fixture(scope="package")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """One stack for every test of this folder in a worker. Each test founds a league of its own."""
    if PROGRAM is None:
        pytest.skip(WHY)
    directory = tmp_path_factory.mktemp("b") / "d"
    with Stack(directory, keep=False, durable=False, options=OPTIONS) as running:
        yield running


@pytest.fixture
def house(stack: Stack, browser: Browser) -> Iterator[House]:
    """Lend the stack to a test. No page of the test may have broken the policy of pages."""
    with httpx.Client(base_url=stack.url, timeout=30, trust_env=False) as http:
        lent = House(stack.url, browser, http)
        yield lent
        assert lent.close() == []
