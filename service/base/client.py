"""A client of the API for the terminal: a token from a file, JSON answers, and errors."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import httpx

from service.base.documents import Document

_SECONDS: Final = 60.0


class Refused(Exception):
    """The API refused the request."""

    def __init__(self, status: int, problem: Document) -> None:
        """Keep the *problem* that came with *status*."""
        super().__init__(f"{problem.get('code', status)}: {problem.get('detail', '')}")
        self.problem = problem


@contextmanager
def client(url: str, token_file: Path) -> Iterator[httpx.Client]:
    """
    Yield a client of the API at *url*, with the token in *token_file*.

    Raises:
      ConnectionError: If the API is away.
    """
    headers = {"Authorization": f"Bearer {token_file.read_text(encoding='utf-8').strip()}"}
    try:
        with httpx.Client(base_url=url, headers=headers, timeout=_SECONDS) as api:
            yield api
    except httpx.TransportError as error:
        raise ConnectionError(f"the API at {url} gave no answer: {error}") from error


def answered(response: httpx.Response) -> Document:
    """
    Return the decoded answer of the API.

    Raises:
      Refused: If the API refused the request.
      ConnectionError: If the API cannot answer at present, or another server answered.
    """
    try:
        found: Document = response.json()
    except ValueError as error:
        raise ConnectionError(f"the server at {response.url} is not a Holotable API") from error
    if response.status_code >= httpx.codes.INTERNAL_SERVER_ERROR:
        raise ConnectionError(f"the API answered {response.status_code}: {found.get('detail')}")
    if response.is_error:
        raise Refused(response.status_code, found)
    return found
