"""The API's fixtures."""

from tests.service.api.conftest import serving

__all__ = ["serving"]
