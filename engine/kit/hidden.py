"""The placeholder for hidden values in the state of a dry run."""

from typing import Any, NoReturn

from engine.errors import EngineError


class HiddenNeeded(EngineError):
    """The decision depends on a withheld value, such as a card, a seed or a draw to come."""

    def __init__(self) -> None:
        super().__init__("this depends on a hidden value")


class Withheld:
    """
    The placeholder of a hidden value.

    It can be passed from one state to the next, or into an event. Every attempt to read it
    raises :class:`HiddenNeeded`, so no rule can depend on it.
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return "Withheld()"

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)
        raise HiddenNeeded

    def _read(self, *_: object) -> Any:
        raise HiddenNeeded

    __bool__ = __bytes__ = __contains__ = __eq__ = __format__ = __ge__ = __getitem__ = _read
    __gt__ = __hash__ = __index__ = __int__ = __iter__ = __le__ = __len__ = __lt__ = _read
    __ne__ = __str__ = _read


def unsealed(secret: str) -> bytes:
    """
    Return the bytes of a secret in hexadecimal.

    Raises:
        HiddenNeeded: If the secret is withheld.
    """
    if isinstance(secret, Withheld):
        raise HiddenNeeded
    return bytes.fromhex(secret)
