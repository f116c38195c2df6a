"""The mark of texts that are translated when they are shown, and not where they stand."""


def N_(text: str) -> str:  # noqa: N802 - the name that gettext's tools look for
    """Return *text* as it is. Catalogues hold it."""
    return text
