"""Requests about accounts, tokens and players without an account."""

from service.api.examples import ids
from service.base.documents import Document

REQUESTS: dict[str, Document] = {
    "open_account": {"login": "somebody", "password": "correct horse"},
    "make_token": {
        "login": "somebody",
        "password": "correct horse",
        "name": "my bot",
        "scopes": ["leagues:read", "tables:play"],
        "expires_in_days": 30,
    },
    "change_password": {"password": "correct horse", "new_password": "another horse"},
    "reset_password": {"code": "the code of the owner", "password": "another horse"},
    "set_my_email": {"email": "han@falcon.example", "password": "correct horse"},
    "verify_my_email": {"code": "the code in the mail"},
    "choose_my_notifications": {
        "language": "de",
        "zone": "Europe/Berlin",
        "quiet_hours": {"begin": "22:00", "end": "07:30"},
        "kinds": {"result": {"mail": True, "push": False}},
    },
    "add_push_subscription": {
        "endpoint": "https://push.example/send/8f3c1e",
        "expirationTime": None,
        "keys": {
            "p256dh": "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6"
            "SRpkNtoIAiw4",
            "auth": "BTBZMqHH6r4Tts7J_aSIgg",
        },
    },
    "request_password_reset": {"account": "han@falcon.example"},
    "erase_me": {"player": ids.PLAYER, "password": "correct horse"},
    "enter_player": {"name": "Han Solo"},
    "claim_player": {
        "code": "the code of the director",
        "login": "han",
        "password": "correct horse",
    },
    "join_player": {"code": "the code of the director"},
    "merge_players": {"into": ids.PLAYER, "reason": "Entered twice"},
}

LISTS = {
    "import_members": "name,email,role,external_id\nHan Solo,han@falcon.example,player,7\n",
    "import_past_season": "tournament,date,name,place,points\nOpening,2024-03-31,Han Solo,1,9\n",
}
"""Bodies that are no JSON."""
