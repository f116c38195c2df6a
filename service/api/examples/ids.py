"""The identifiers in examples. Tests send a request with the identifiers of a real league."""

TOURNAMENT = "trn_0f3c9a6be1d24b7f8a5c2e9d4b6f1a38"
PLAYER = "plr_5a1e7c94d0b34f28b6e3a7c1f0d58e92"
ENTRANT = "ent_9c47e2d85b0a4e61b3f8d6a29c1e7045"
TABLE = "tbl_2b8d6f14c9e74a03a7d1f5b80e6c93d4"
COMMAND = "7d3f0b92a85e4c16b1d9e47f2a6c80b5"

STRANGER = "ent_e60b1f7a3d984c25a4c9b8d07f3e5126"
"""An entrant of another tournament."""
