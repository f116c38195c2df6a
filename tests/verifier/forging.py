"""Rewrite a bundle so that everything in it agrees again, down to the forger's signature."""

from service.sandbox.generating import forging
from service.sandbox.generating.forging import Line, digest, encode, finish, root
from service.transparency.note import SigningKey
from tests.verifier.loading import verifier

__all__ = ["KEY", "NAME", "PUBLIC", "Forgery", "Line", "digest", "encode", "finish", "root"]

NAME = "forger.example"
KEY = SigningKey(NAME, bytes(range(32)))
PUBLIC = verifier.read_key(KEY.verifier_key())


class Forgery(forging.Forgery):
    """A bundle that the forger changes and signs."""

    def __init__(self, raw: bytes) -> None:
        super().__init__(raw, KEY)
