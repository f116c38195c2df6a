"""The keys and secrets beside a copy of the database, plain or sealed by a passphrase."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

import msgspec
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

from service.backups.manifest import KEYS, SEALED_KEYS, BackupRefused, Manifest
from service.base.secret_files import write_secret
from service.base.settings import Settings

OF_SETTINGS: Final = ("secret_key", "second_secret_key", "push_key", "smtp_url")
"""
Settings that no copy of the database can replace. The mail server's address may hold a
password.
"""

_IN_FOLDER: Final = {"secret_key": "key", "second_secret_key": "second-key"}
"""The files of the settings' keys in a folder of ``up``."""

_MARK: Final = b"holotable/backup/keys/1"
_SALT, _IV = 16, 12
_COST: Final = 1 << 17
"""OWASP's recommendation for scrypt, with blocks of 8 and no parallel work: 128 MiB, 0.3 s."""


class KeyRing(msgspec.Struct, frozen=True, kw_only=True):
    """The secrets of an installation."""

    settings: dict[str, str]
    """Settings by name."""

    files: dict[str, str]
    """Contents of files by name, such as the signer's key."""

    def for_up(self) -> "KeyRing":
        """Return the ring with the settings' keys as files, as a folder of ``up`` has them."""
        keys = {
            file: self.settings[name] for name, file in _IN_FOLDER.items() if name in self.settings
        }
        return KeyRing(settings=self.settings, files=keys | self.files)

    def __repr__(self) -> str:
        return f"KeyRing({sorted(self.settings)}, {sorted(self.files)})"


def together(
    settings: Settings, own: Mapping[str, Path], others: Iterable[Path]
) -> dict[str, Path]:
    """
    Return the files of an installation and the *others*, by their names in the backup.

    Raises:
        BackupRefused: If two secrets have one name. Only one of them would be copied.
    """
    files = dict(own)
    told = {name: getattr(settings, name) for name in OF_SETTINGS}
    for file in others:
        known = told.get(file.name)
        if file.name in files:
            known = files[file.name].read_text(encoding="utf-8")
        if known is not None and known.strip() != file.read_text(encoding="utf-8").strip():
            raise BackupRefused(
                f"{file} has the name of another secret of this backup",
                "copy it to a file of another name, and give that one",
            )
        files.setdefault(file.name, file)
    return files


def collect(settings: Settings, files: Mapping[str, Path]) -> KeyRing:
    """Return the keys in *settings* and the contents of *files*, by their names in the backup."""
    given = {name: getattr(settings, name) for name in OF_SETTINGS}
    return KeyRing(
        settings={name: value for name, value in given.items() if value is not None},
        files={name: file.read_text(encoding="utf-8") for name, file in files.items()},
    )


def write(ring: KeyRing, folder: Path, passphrase: str | None) -> str:
    """Write the keys into *folder* with mode 0600, and return the name of the file."""
    plain = msgspec.json.encode(ring)
    name, written = KEYS, plain
    if passphrase is not None:
        salt, iv = os.urandom(_SALT), os.urandom(_IV)
        name = SEALED_KEYS
        written = _MARK + salt + iv + cipher_of(passphrase, salt).encrypt(iv, plain, _MARK)
    write_secret(folder / name, written)
    return name


def read(folder: Path, manifest: Manifest, passphrase: str | None) -> KeyRing:
    """
    Return the keys of a backup. They are empty if it holds none.

    Raises:
        BackupRefused: If the passphrase is missing or wrong.
    """
    if manifest.keys == "none":
        return KeyRing(settings={}, files={})
    if manifest.keys == "plain":
        return msgspec.json.decode((folder / KEYS).read_bytes(), type=KeyRing)
    step = "give the file with the backup's passphrase: --passphrase-file"
    if passphrase is None:
        raise BackupRefused("a passphrase seals the keys of this backup", step)
    sealed = (folder / SEALED_KEYS).read_bytes().removeprefix(_MARK)
    salt, iv, rest = sealed[:_SALT], sealed[_SALT : _SALT + _IV], sealed[_SALT + _IV :]
    try:
        plain = cipher_of(passphrase, salt).decrypt(iv, rest, _MARK)
    except InvalidTag:
        raise BackupRefused("the passphrase does not open the keys of this backup", step) from None
    return msgspec.json.decode(plain, type=KeyRing)


def cipher_of(passphrase: str, salt: bytes) -> AESGCM:
    """Return the cipher of a passphrase. This takes 0.3 s, so that nobody can try many."""
    stretched = Scrypt(salt=salt, length=32, n=_COST, r=8, p=1).derive(passphrase.encode())
    return AESGCM(stretched)
