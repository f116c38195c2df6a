"""The settings of the processes that follow the log."""

from service.base.pooling import refuse_shared_sessions
from service.base.settings import Settings
from service.cli.common import settings


def process_settings() -> Settings:
    """Return the settings, or end the process if an address leads to a pooler of sessions."""
    found = settings()
    refuse_shared_sessions(found.database_url)
    if found.broker_url is not None and found.broker_url.startswith("postgres"):
        refuse_shared_sessions(found.broker_url)
    return found
