"""Calls that create, change and steer campaigns."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Iterator, List, Mapping, Optional, Sequence

from .calls import Calls, amount_text, without_none
from .errors import Conflict, Forbidden
from .models import Amount, Campaign, CampaignEntry, Group, ModelRun, Models, read


class CampaignCalls(Calls):
    """Campaigns and their workers."""

    def campaigns(self) -> Iterator[CampaignEntry]:
        """Yields all campaigns that the token may see."""
        return self._pages("/api/v1/campaigns", "campaigns", CampaignEntry)

    def create_campaign(
        self,
        name: str,
        classes: Sequence[str],
        budget: Amount,
        *,
        key: Optional[str] = None,
        **options: Any,
    ) -> CampaignEntry:
        """Creates a campaign. ``options`` are those of ``allot campaign create`` with ``_`` for
        ``-``, such as ``labels_per_item=5, lease="10m"``."""
        members = without_none(
            name=name,
            classes=list(classes),
            budget=amount_text(budget),
            **{option: self._option(value) for option, value in options.items()},
        )
        return read(CampaignEntry, self._post("/api/v1/campaigns", members, key=key, keyed=True))

    def campaign(self, campaign: str) -> Campaign:
        """Returns a campaign with its options."""
        return read(Campaign, self._get(self._of(campaign)))

    def change_campaign(
        self,
        campaign: str,
        *,
        name: Optional[str] = None,
        budget: Optional[Amount] = None,
        owner: Optional[str] = None,
        page: Optional[Mapping[str, Any]] = None,
    ) -> Campaign:
        """Changes what is given. ``owner`` is the id of a token; only an admin can change it.
        ``page`` holds the members of ``question``, ``instructions`` and ``fields`` to change."""
        amount = None if budget is None else amount_text(budget)
        members = without_none(name=name, budget=amount, owner=owner, page=page)
        return read(Campaign, self._send("PATCH", self._of(campaign), members))

    def twin(
        self,
        campaign: str,
        policy: str,
        *,
        name: Optional[str] = None,
        budget: Optional[Amount] = None,
        key: Optional[str] = None,
    ) -> CampaignEntry:
        """Creates a copy of the campaign with another policy and nothing spent."""
        members = without_none(
            policy=policy, name=name, budget=None if budget is None else amount_text(budget)
        )
        path = self._of(campaign, "twin")
        return read(CampaignEntry, self._post(path, members, key=key, keyed=True))

    def pause(self, campaign: str) -> Campaign:
        """Stops handing out items until ``resume``. Labels are still accepted."""
        return read(Campaign, self._post(self._of(campaign, "pause"), {}))

    def resume(self, campaign: str) -> Campaign:
        """Leases items again."""
        return read(Campaign, self._post(self._of(campaign, "resume"), {}))

    def close_campaign(self, campaign: str, reason: str = "done") -> Campaign:
        """Closes the campaign for good. Closing it again for the same reason does nothing."""
        try:
            return read(Campaign, self._post(self._of(campaign, "close"), {"reason": reason}))
        except Forbidden:
            now = self.campaign(campaign)
            if now.phase == "closed" and now.reason == reason:
                return now
            raise

    def archive_campaign(self, campaign: str) -> Campaign:
        """Ends all leases and hands out nothing until :meth:`unarchive_campaign`."""
        return read(Campaign, self._post(self._of(campaign, "archive"), {}))

    def unarchive_campaign(self, campaign: str) -> Campaign:
        """Takes the campaign out of the archive."""
        return read(Campaign, self._post(self._of(campaign, "unarchive"), {}))

    def delete_campaign(self, campaign: str) -> None:
        """Deletes an archived campaign for good, with its ledger, links, tokens and webhooks."""
        self._connection.request("DELETE", self._of(campaign))

    def set_price(self, campaign: str, worker: str, price: Amount) -> None:
        """Sets the price of a worker's labels from now on. An unknown worker joins."""
        members = {"worker": worker, "price": amount_text(price)}
        self._send("PUT", self._of(campaign, "prices"), members)

    def set_group(self, campaign: str, worker: str, group: Optional[str]) -> None:
        """Says that a worker errs together with others of the group; None for a worker alone. An
        unknown worker joins."""
        self._send("PUT", self._of(campaign, "groups"), without_none(worker=worker, group=group))

    def set_version(
        self, campaign: str, worker: str, *, follows: Optional[str] = None, version: Optional[str] = None
    ) -> None:
        """Says which worker was the version before, so that this one starts from what is believed
        of it, and how the version is called. None leaves either as it is; "" follows nobody. An
        unknown worker joins."""
        members = without_none(worker=worker, follows=follows, version=version)
        self._send("PUT", self._of(campaign, "versions"), members)

    def groups(self, campaign: str) -> List[Group]:
        """Returns the groups of workers, with the correlation of their errors."""
        found = self._get(self._of(campaign, "groups"))
        return [read(Group, one) for one in found["groups"]]

    def models(self, campaign: str) -> Models:
        """Returns the language models that the server offers, and the last run in the campaign."""
        return read(Models, self._get(self._of(campaign, "models")))

    def start_models(
        self,
        campaign: str,
        models: Sequence[str],
        prompt: Optional[str] = None,
        *,
        cost_cap: Optional[Amount] = None,
    ) -> ModelRun:
        """Lets offered models of one endpoint label the campaign. Without a prompt, they get the
        one that the server proposes. Returns the same run if it goes on already."""
        asked = prompt if prompt is not None else self.models(campaign).prompt
        cap = None if cost_cap is None else amount_text(cost_cap)
        members = without_none(models=list(models), prompt=asked, cost_cap=cap)
        try:
            return read(ModelRun, self._post(self._of(campaign, "models/start"), members))
        except Conflict:
            # The answer to an earlier attempt may have been lost.
            run = self.models(campaign).run
            same = run is not None and (run.models, run.prompt) == (list(models), asked)
            if run is not None and same and run.state == "running":
                return run
            raise

    def stop_models(self, campaign: str) -> ModelRun:
        """Stops the models, if they run; items that they have leased are given back."""
        try:
            return read(ModelRun, self._post(self._of(campaign, "models/stop"), {}))
        except Conflict:
            run = self.models(campaign).run
            if run is not None and run.state != "running":
                return run
            raise

    def set_standing(self, campaign: str, worker: str, standing: str, reason: str = "") -> None:
        """Sets a standing: ``active``, ``blocked`` (no items), ``excluded`` (labels do not count)."""
        members = {"worker": worker, "standing": standing, "reason": reason}
        self._send("PUT", self._of(campaign, "standing"), members)

    def settle(self, campaign: str, item: str, reason: Optional[str] = None) -> None:
        """Stops asking about the item."""
        self._post(self._of(campaign, "settle"), without_none(item=item, reason=reason))

    @staticmethod
    def _option(value: Any) -> Any:
        if value is None or isinstance(value, (str, int)):
            return value
        if isinstance(value, (float, Decimal)):
            return amount_text(value)
        if isinstance(value, Mapping):
            return dict(value)
        return list(value) if isinstance(value, (list, tuple)) else str(value)
