"""Client addresses are taken only from named proxies."""

from ipaddress import ip_network
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.api.http.wire.proxies import UNKNOWN, Proxies
from service.base.settings import SettingsInvalid, read

TRUSTED = Proxies([ip_network("10.0.0.0/8"), ip_network("fd00::/8")])
PEER, CLIENT = "10.0.0.1", "203.0.113.7"


def scope(peer: str | None, *headers: tuple[str, str]) -> dict[str, Any]:
    """Return the ASGI scope of a request."""
    lines = [(name.encode(), value.encode()) for name, value in headers]
    return {"client": None if peer is None else (peer, 1), "headers": lines}


def listed(*values: str) -> list[tuple[str, str]]:
    return [("x-forwarded-for", value) for value in values]


def forwarded(*values: str) -> list[tuple[str, str]]:
    return [("forwarded", value) for value in values]


@pytest.mark.parametrize(
    ("headers", "found"),
    [
        ([], PEER),
        (listed(CLIENT), CLIENT),
        (listed(f"1.1.1.1, {CLIENT}"), CLIENT),
        (listed("1.1.1.1", CLIENT), CLIENT),
        (listed(f"1.1.1.1, {CLIENT}, 10.9.9.9"), CLIENT),
        (listed("10.9.9.9, 10.8.8.8"), "10.9.9.9"),
        (listed(f"{CLIENT}:4711"), CLIENT),
        (listed("[2001:DB8::1]:4711"), "2001:db8::1"),
        (listed("2001:db8:0:0::1"), "2001:db8::1"),
        (listed(f"::ffff:{CLIENT}"), CLIENT),
        (listed("junk"), PEER),
        (listed(f"{CLIENT}, junk"), PEER),
        (listed(f"{CLIENT}, junk, 10.9.9.9"), "10.9.9.9"),
        (listed(""), PEER),
        (forwarded(f"for={CLIENT}"), CLIENT),
        (forwarded(f"for=1.1.1.1, For={CLIENT};proto=https;by=10.0.0.1"), CLIENT),
        (forwarded('for="[2001:db8::1]:4711"'), "2001:db8::1"),
        (forwarded("for=1.1.1.1", f"for={CLIENT}"), CLIENT),
        (forwarded("for=_hidden"), PEER),
        (forwarded(f"for={CLIENT}, proto=http"), PEER),
        (forwarded(f'for=1.1.1.1;x=", for={CLIENT}'), PEER),
        (forwarded(f'x=", for=1.1.1.1;y=", for="{CLIENT}:1"'), CLIENT),
        (forwarded(f'for={CLIENT};x=", for=1.1.1.1;y="'), CLIENT),
        (forwarded(f"for=1.1.1.1;for={CLIENT}"), PEER),
        (listed(CLIENT) + forwarded("for=1.1.1.1"), PEER),
        (listed(CLIENT) + forwarded(f"for={CLIENT}"), CLIENT),
    ],
)
def test_a_trusted_proxy_says_where_its_client_is(
    headers: list[tuple[str, str]], found: str
) -> None:
    assert TRUSTED.client_address(scope(PEER, *headers)) == found


@pytest.mark.parametrize("proxies", [Proxies(), TRUSTED])
def test_a_client_says_nothing_about_its_own_address(proxies: Proxies) -> None:
    lies = [*listed("1.1.1.1"), *forwarded("for=1.1.1.1")]
    assert proxies.client_address(scope(CLIENT, *lies)) == CLIENT
    assert proxies.client_address(scope(None, *lies)) == UNKNOWN


@given(lie=st.text(st.characters(codec="latin-1", exclude_characters="\r\n\0"), max_size=60))
def test_nothing_a_client_writes_before_its_proxy_moves_its_address(lie: str) -> None:
    """
    A proxy appends to the header. If the client's part breaks the list, the proxy's address counts.
    """
    for headers in (
        listed(f"{lie}, {CLIENT}"),
        forwarded(f"{lie}, for={CLIENT}"),
        forwarded(f'{lie}, for="{CLIENT}:80";proto=http'),
        [*forwarded(lie), *listed(f"{lie},{CLIENT}")],
    ):
        lines = [(name.encode(), value.encode("latin-1")) for name, value in headers]
        found = TRUSTED.client_address({"client": (PEER, 1), "headers": lines})
        assert found in (CLIENT, PEER)


def test_trusted_proxies_are_addresses_and_networks() -> None:
    given = {"HOLOTABLE_DATABASE_URL": "postgres://x", "HOLOTABLE_SECRET_KEY": "5a" * 32}
    found = read(given | {"HOLOTABLE_TRUSTED_PROXIES": "127.0.0.1, 10.0.0.0/8,::1"})
    assert [str(each) for each in found.proxies()] == ["127.0.0.1/32", "10.0.0.0/8", "::1/128"]
    for wrong in ("localhost", "10.0.0.1/8", "10.0.0.0/8 fd00::/8"):
        with pytest.raises(SettingsInvalid) as refused:
            read(given | {"HOLOTABLE_TRUSTED_PROXIES": wrong})
        assert wrong not in str(refused.value)
