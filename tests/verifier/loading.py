"""`api-spec/verifier/verify.py` as a module, the bundles next to these tests, and the vectors."""

import gzip
import importlib.util
import json
import sys
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).parents[2]
BUNDLES = Path(__file__).parent / "bundles"
PROGRAM = ROOT / "api-spec" / "verifier" / "verify.py"


def _load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("bundle_verifier", PROGRAM)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


verifier: Any = _load()
KEYS = [verifier.read_key(line) for line in (BUNDLES / "keys.txt").read_text().splitlines()]


@cache
def bundle(name: str) -> bytes:
    plain = BUNDLES / f"{name}.bundle"
    return (
        plain.read_bytes()
        if plain.exists()
        else gzip.decompress(plain.with_suffix(".bundle.gz").read_bytes())
    )


def vectors(name: str) -> Any:
    return json.loads((ROOT / "api-spec" / "vectors" / f"{name}.json").read_text())
