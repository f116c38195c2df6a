"""JSON documents whose shape only the reader of a document knows."""

from typing import Any

Json = Any  # a recursive alias would make every reader narrow each step
"""A JSON value."""

Document = dict[str, Json]
"""
A decoded JSON object.

If the shape is known, a struct is decoded instead. Documents remain for answers that are shown as
they came, for terms that are only passed on, and for events as stored.
"""
