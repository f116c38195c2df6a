"""
Folders beside the code that the program reads: migrations, and the SQL of the roles.

In a checkout they lie at its top. A wheel holds copies inside ``service`` (``setup.py``).
"""

from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
"""The folder that holds ``service`` and ``engine``: the checkout, or ``site-packages``."""

_INSIDE: Final = ROOT / "service" / "shipped"
_IS_WHEEL: Final = _INSIDE.is_dir()

MIGRATIONS: Final = (_INSIDE if _IS_WHEEL else ROOT) / "migrations"
_POSTGRES: Final = _INSIDE / "postgres" if _IS_WHEEL else ROOT / "deploy" / "postgres"
ROLES_SQL: Final = _POSTGRES / "roles.sql"
RIGHTS: Final = _POSTGRES / "rights.txt"
"""The rights that each login has, and no others."""
