"""Webhooks and deliveries, as bodies and answers hold them."""

from datetime import datetime
from typing import Annotated

import msgspec
from msgspec import Meta

from engine.values import identifier
from service.base.outside import URL_MAX
from service.webhooks import deliveries
from service.webhooks.kinds import Name
from service.webhooks.subscriptions import Form, Webhook

_Url = Annotated[str, Meta(min_length=1, max_length=URL_MAX)]
_Named = Annotated[str, Meta(min_length=1, max_length=80)]
_Kinds = Annotated[tuple[Name, ...], Meta(min_length=1, max_length=100)]


class WebhookWanted(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """A new webhook."""

    name: _Named
    """A name for the people who manage the league's webhooks."""

    url: _Url
    """The address that messages are sent to, with https. It must be public."""

    kinds: _Kinds
    """The kinds of messages to send."""

    form: Form = "v1"
    """
    The form of messages. `v1` and `v1a` are Standard Webhooks: signed with a shared secret, or
    with a key pair (Ed25519). `discord` is the form of a channel of Discord, and is not signed.
    """


class WebhookChange(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """The members of a webhook that can change. All are given."""

    name: _Named
    """A name for the people who manage the league's webhooks."""

    kinds: _Kinds
    """The kinds of messages to send."""

    enabled: bool
    """
    False to send nothing. A webhook that is enabled again gets only messages about later events.
    """

    url: _Url | None = None
    """Another address, or null to keep the present one."""


class Rotation(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """The change to another secret."""

    overlap_hours: Annotated[int, Meta(ge=0, le=168)] = 24
    """The hours for which messages also carry a signature with the old secret."""


class WebhookShown(msgspec.Struct, kw_only=True):
    """A webhook, without its secret."""

    id: str
    """The webhook, `whk_…`."""

    league: str
    name: str
    """The name that was given to it."""

    url: str | None
    """
    The address that messages are sent to. Of Discord's address only the host is shown. Null if the
    stored address is damaged: set it again.
    """

    kinds: tuple[Name, ...]
    """The kinds of messages that are sent."""

    form: Form
    """The form of messages."""

    public_key: str | None
    """The key that verifies signatures of the form `v1a`, `whpk_…`. Null for the other forms."""

    created_by: str
    """The player who made the webhook, `plr_…`."""

    created_at: datetime
    """The instant at which it was made."""

    enabled: bool
    """False if nothing is sent."""

    failing_since: datetime | None
    """The first failed attempt since the last success, or null. After five days it is disabled."""

    disabled_at: datetime | None
    """The instant at which it was disabled, or null."""

    disabled_why: str | None
    """The reason why it was disabled, or null."""


class WebhookMade(WebhookShown, kw_only=True):
    """A webhook with its secret, which is shown only once."""

    secret: str | None
    """
    The secret that verifies signatures of the form `v1`, `whsec_…`. Null for the other forms, and
    in the answer to a retry, which carries `Idempotent-Replayed: true`.
    """


class DeliveryListed(msgspec.Struct, kw_only=True):
    """A message to one webhook."""

    id: str
    """The delivery, `dlv_…`. Every attempt sends it in the header `webhook-id`."""

    webhook: str
    """The webhook, `whk_…`."""

    kind: str
    """The kind of the message."""

    state: deliveries.State
    """`waiting` for an attempt, `delivered`, or `failed` after the last attempt."""

    attempts: int
    """The number of attempts since the message was made or sent again."""

    next_at: datetime | None
    """The instant of the next attempt, or null if there will be none."""

    created_at: datetime
    """The instant at which the message was made."""


class AttemptShown(msgspec.Struct, kw_only=True):
    """One attempt to deliver a message."""

    at: datetime
    """The instant of the attempt."""

    milliseconds: int
    """The time from the look-up of the name to the end of the answer."""

    status: int | None
    """The status of the answer, or null if there was none. The answer's body is never shown."""

    error: str | None
    """The reason why the attempt failed, or null if it succeeded."""


class DeliveryShown(DeliveryListed, kw_only=True):
    """A message to one webhook, with its attempts."""

    body: str
    """The body of the message, as it is signed. Discord gets the same facts in its own form."""

    log: tuple[AttemptShown, ...]
    """All attempts, the first one first."""


def shown(webhook: Webhook) -> WebhookShown:
    """Return a webhook as its owner sees it."""
    return WebhookShown(
        id=identifier("whk", webhook.id),
        league=identifier("lge", webhook.league),
        name=webhook.name,
        url=webhook.shown_url,
        kinds=webhook.kinds,
        form=webhook.form,
        public_key=webhook.public_key,
        created_by=identifier("plr", webhook.created_by),
        created_at=webhook.created_at,
        enabled=webhook.disabled_at is None,
        failing_since=webhook.failing_since,
        disabled_at=webhook.disabled_at,
        disabled_why=webhook.disabled_why,
    )


def listed_delivery(delivery: deliveries.Delivery) -> DeliveryListed:
    """Return a delivery as a list shows it."""
    return DeliveryListed(
        id=identifier("dlv", delivery.id),
        webhook=identifier("whk", delivery.webhook),
        kind=delivery.kind,
        state=delivery.state,
        attempts=delivery.attempts,
        next_at=delivery.next_at,
        created_at=delivery.created_at,
    )
