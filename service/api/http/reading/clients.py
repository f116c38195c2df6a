"""The client of a request: its address, and the language it prefers."""

from typing import Annotated

from service.api.http.declaring.by import By
from service.api.http.shell import Asked, client_address
from service.base.languages import Language, language_of


async def _address(request: Asked) -> str:
    """Return the client's address."""
    return client_address(request)


async def _language(request: Asked) -> Language:
    """Return the language that the client prefers, of those that mails have."""
    return language_of(request.headers.get("accept-language"))


Address = Annotated[str, By(_address)]
"""Annotation of a handler's parameter: the client's address."""

MailLanguage = Annotated[Language, By(_language)]
"""Annotation of a handler's parameter: the language of mails to the client."""
