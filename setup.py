"""The packages of the wheel. Everything else about it stands in pyproject.toml (ADR 0044)."""

from setuptools import find_namespace_packages, setup

SHIPPED = {
    "service.shipped.migrations": "migrations",
    "service.shipped.postgres": "deploy/postgres",
}
"""Folders beside the code that the program reads. In the wheel they lie inside ``service``."""

setup(
    packages=[
        *find_namespace_packages(include=["engine", "engine.*", "service", "service.*"]),
        *SHIPPED,
        "service.shipped.migrations.sql",
        "service.shipped.migrations.versions",
    ],
    package_dir=SHIPPED,
)
