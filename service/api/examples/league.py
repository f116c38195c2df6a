"""Requests about leagues, their members, their texts and their terms."""

from service.base.documents import Document

REQUESTS: dict[str, Document] = {
    "create_league": {"name": "Another"},
    "describe_league": {
        "name": "Cloud City",
        "description": "Sabacc on Thursdays. Everybody is welcome.",
        "place": "Cloud City, deck 9",
        "length_seconds": 14_400,
        "url": "https://cloud-city.example/sabacc",
    },
    "set_visibility": {"visibility": "public"},
    "invite": {"role": "player"},
    "change_role": {"role": "player"},
    "ban_player": {"reason": "marked cards"},
    "set_house_rules": {"body": {"decision_seconds": 20}},
    "save_template": {"name": "Weekly", "body": {"ruleset": "better"}},
    "change_template": {"name": "Monthly", "body": {"ruleset": "better"}},
    "set_dispute_windows": {"hand_hours": 24},
    "make_webhook": {
        "name": "Site",
        "url": "https://site.example/hook",
        "kinds": ["tournament.finished"],
    },
    "change_webhook": {"name": "Site", "kinds": ["hand.settled"], "enabled": True},
    "rotate_webhook_secret": {"overlap_hours": 24},
}
