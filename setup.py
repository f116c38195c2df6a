"""The packages of the wheel. Everything else about it stands in pyproject.toml (ADR 0044)."""

import shutil

from setuptools import find_namespace_packages, setup
from setuptools.command.build import build

SHIPPED = {
    "service.shipped.migrations": "migrations",
    "service.shipped.postgres": "deploy/postgres",
}
"""Folders beside the code that the program reads. In the wheel they lie inside ``service``."""


class CleanBuild(build):
    """Build from nothing: a wheel of this checkout holds no file of the version before."""

    def run(self) -> None:
        """Remove what an earlier build left, and build."""
        shutil.rmtree(self.build_lib, ignore_errors=True)
        super().run()


setup(
    cmdclass={"build": CleanBuild},
    packages=[
        *find_namespace_packages(include=["engine", "engine.*", "service", "service.*"]),
        *SHIPPED,
        "service.shipped.migrations.sql",
        "service.shipped.migrations.versions",
    ],
    package_dir=SHIPPED,
)
