"""JSON whose shape its reader alone knows."""

from typing import Any

Document = dict[str, Any]
"""
An object of JSON, decoded.  Where the shape is known, a struct is read instead: what stays are
answers shown to somebody as they came, terms that are only passed on, and events as written.
"""
