"""
Addresses of PostgreSQL. They are parsed here and nowhere else.

libpq's own parser reads an address. Each driver gets the parts that it read, so that ``sslmode``,
``sslrootcert``, a socket's folder and several hosts mean the same to all of them.
"""

from typing import Final
from urllib.parse import quote, urlencode

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from service.base.settings import SettingsInvalid

_PARAMETERS: Final = (
    "application_name", "dbname", "host", "options", "passfile", "password", "port", "sslcert",
    "sslcrl", "sslkey", "sslmode", "sslnegotiation", "sslpassword", "sslrootcert",
    "ssl_max_protocol_version", "ssl_min_protocol_version", "target_session_attrs", "user",
)  # fmt: skip
"""The parameters that libpq and asyncpg both know. Any other would reach only some processes."""

_IN_PLACE: Final = ("dbname", "host", "password", "port", "user")
"""The parameters that have their own place in an address. All others follow the ``?``."""


class AddressInvalid(SettingsInvalid):
    """An address cannot be used. The message names parameters and never values."""


def parts(url: str) -> dict[str, str]:
    """
    Return the parameters of *url* by their libpq names: ``host``, ``dbname``, ``sslmode``, …

    Raises:
      AddressInvalid: If libpq cannot read it, or if not every driver knows a parameter.
    """
    try:
        found = {name: str(it) for name, it in conninfo_to_dict(url).items() if it is not None}
    except psycopg.Error:
        raise AddressInvalid(  # libpq's own message would show the password
            "the address of the database cannot be read: its form is "
            "postgresql://login:password@host:port/database?sslmode=…, percent-encoded"
        ) from None
    if unknown := sorted(found.keys() - set(_PARAMETERS)):
        raise AddressInvalid(
            f"the address of the database has {', '.join(unknown)}, which not every driver of "
            "Holotable knows: remove it"
        )
    if found.get("sslrootcert") == "system":
        raise AddressInvalid(
            "sslrootcert=system is not known to every driver of Holotable: name the file, "
            "on Debian /etc/ssl/certs/ca-certificates.crt"
        )
    return found


def conninfo(url: str) -> str:
    """Return *url* as libpq's list of ``name=value``."""
    return make_conninfo("", **parts(url))


def asyncpg_dsn(url: str) -> str:
    """Return *url* in a form that asyncpg reads as libpq reads *url*."""
    found = parts(url)
    found["database"] = found.pop("dbname", "")
    return "postgresql://?" + urlencode({name: it for name, it in found.items() if it})


def with_database(url: str, name: str) -> str:
    """Return the address of another database on the same server, with the same login."""
    return _url(parts(url) | {"dbname": name})


def with_login(url: str, login: str, password: str) -> str:
    """Return *url* with another login."""
    return _url(parts(url) | {"user": login, "password": password})


def with_role(url: str, role: str) -> str:
    """Return *url* with *role* in force for everything that the login does there."""
    found = parts(url)
    return _url(found | {"options": f"{found.get('options', '')} -c role={role}".strip()})


def _url(found: dict[str, str]) -> str:
    """Return the address with the parameters *found*."""
    login = quote(found.get("user", ""), safe="")
    if "password" in found:
        login += ":" + quote(found["password"], safe="")
    told = {name: it for name, it in found.items() if name not in _IN_PLACE}
    host, port = found.get("host", ""), found.get("port", "")
    if "/" in host or "," in host:  # a socket's folder, or several hosts
        told |= {name: found[name] for name in ("host", "port") if name in found}
        place = ""
    else:
        place = (f"[{host}]" if ":" in host else host) + (f":{port}" if port else "")
    query = f"?{urlencode(told, quote_via=quote, safe='/,')}" if told else ""
    name = quote(found.get("dbname", ""), safe="")
    return f"postgresql://{login}{'@' if login else ''}{place}/{name}{query}"
