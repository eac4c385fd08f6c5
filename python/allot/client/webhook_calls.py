"""Calls about webhooks."""

from __future__ import annotations

from typing import List, Optional, Sequence

from .calls import Calls, quoted, without_none
from .models import Delivery, NewSecret, NewWebhook, read, Webhook


class WebhookCalls(Calls):
    """Webhooks."""

    def webhooks(self, campaign: str) -> List[Webhook]:
        """Lists the webhooks of a campaign."""
        rows = self._get(self._of(campaign, "webhooks"))["webhooks"]
        return [read(Webhook, row) for row in rows]

    def make_webhook(
        self, campaign: str, url: str, events: Sequence[str], *, description: Optional[str] = None
    ) -> NewWebhook:
        """Creates a webhook for events from now on. The call is not repeated if its answer is lost; a
        webhook may then exist whose secret nobody saw. Delete it."""
        members = without_none(url=url, events=list(events), description=description)
        made = self._post(self._of(campaign, "webhooks"), members, repeatable=False)
        return read(NewWebhook, made)

    def change_webhook(
        self,
        campaign: str,
        webhook: str,
        *,
        url: Optional[str] = None,
        events: Optional[Sequence[str]] = None,
        description: Optional[str] = None,
        active: Optional[bool] = None,
    ) -> Webhook:
        """Changes what is given. ``active`` switches it off or on; it continues where it stopped."""
        members = without_none(
            url=url,
            events=None if events is None else list(events),
            description=description,
            active=active,
        )
        return read(Webhook, self._send("PATCH", self._hook(campaign, webhook), members))

    def delete_webhook(self, campaign: str, webhook: str) -> None:
        """Deletes a webhook."""
        self._connection.request("DELETE", self._hook(campaign, webhook))

    def rotate_secret(self, campaign: str, webhook: str) -> NewSecret:
        """Creates a new secret. For a day, messages are signed with the old and the new one. The call
        is not repeated if its answer is lost; call it again then, and the lost secret expires."""
        path = self._hook(campaign, webhook, "/secret")
        return read(NewSecret, self._post(path, {}, repeatable=False))

    def deliveries(self, campaign: str, webhook: str, limit: int = 100) -> List[Delivery]:
        """Lists recent messages and their outcomes, newest first."""
        query = {"limit": str(limit)}
        rows = self._get(self._hook(campaign, webhook, "/deliveries"), query)["deliveries"]
        return [read(Delivery, row) for row in rows]

    def test_webhook(self, campaign: str, webhook: str) -> str:
        """Sends a test message and returns its id."""
        path = self._hook(campaign, webhook, "/test")
        sent: str = self._post(path, {}, repeatable=False)["id"]
        return sent

    def _hook(self, campaign: str, webhook: str, what: str = "") -> str:
        return self._of(campaign, f"webhooks/{quoted(webhook)}{what}")
