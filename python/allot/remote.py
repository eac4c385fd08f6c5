"""A campaign of a server with the verbs of :class:`allot.Campaign`.

A notebook moves to a server by another constructor: ``connect(url, token, id)`` for ``Campaign(...)``.
Refusals are :class:`allot.Refused` there too.
"""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import replace
from typing import Any, Iterable, List, Mapping, Optional, Union, overload

from .client import Client
from .client.models import Assignment, Audit, Explanation, NewItem, NewLabel, Status
from .refusal import Refused
from .rows import to_pandas

# A label that was not given; None skips an item.
_NOT_GIVEN: Any = object()


class RemoteAsk:
    """An item leased to a worker."""

    def __init__(self, worker: Optional[str], assignment: Assignment) -> None:
        self.worker = worker
        self.item = assignment.item
        self.fields = assignment.fields
        self.price = assignment.price
        self.expires = assignment.expires

    def __repr__(self) -> str:
        return f"RemoteAsk(item={self.item!r}, worker={self.worker!r})"


class RemoteCampaign:
    """A campaign of a server. ``client`` has the routes that are not here."""

    def __init__(self, client: Client, campaign: str) -> None:
        self.client = client
        self.id = campaign
        self.shortfall = ""

    def __enter__(self) -> "RemoteCampaign":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections. The campaign itself goes on: see :meth:`end`."""
        self.client.close()

    @property
    def classes(self) -> List[str]:
        """The classes of a label."""
        return list(self.client.campaign(self.id).options.classes)

    def ask(self, worker: Optional[str] = None) -> Optional[RemoteAsk]:
        """Leases the best item for the worker; without a worker, the server also chooses whom to ask.
        With a worker's token, use :meth:`ask_many`. None if there is nothing to ask."""
        if worker is None:
            found = self.client.whom_next(self.id)
            self.shortfall = found.shortfall.detail if found.shortfall else ""
            return RemoteAsk(found.worker, found.assignments[0]) if found.assignments else None
        asks = self.ask_many(worker, 1)
        return asks[0] if asks else None

    def ask_many(self, worker: Optional[str], count: int) -> List[RemoteAsk]:
        """Leases up to ``count`` items to the worker."""
        found = self.client.ask(self.id, worker=worker, count=count)
        self.shortfall = found.shortfall.detail if found.shortfall else ""
        return [RemoteAsk(worker, one) for one in found.assignments]

    @overload
    def tell(
        self,
        what: Union[RemoteAsk, str],
        label: Union[None, str, Mapping[str, float]],
        *,
        worker: Optional[str] = None,
        revise: bool = False,
        confidence: Optional[float] = None,
    ) -> str: ...
    @overload
    def tell(self, what: Iterable[Any], *, confidence: Optional[str] = None) -> int: ...

    def tell(
        self,
        what: Any,
        label: Any = _NOT_GIVEN,
        *,
        worker: Optional[str] = None,
        revise: bool = False,
        confidence: Any = None,
    ) -> Union[str, int]:
        """Records a label; None skips the item. Returns recorded, already, revised or skipped.
        ``confidence`` says how sure the worker is, from 0 to 1; a label can also be a dictionary from
        class to probability.

        ``tell(table)`` imports labels that are known already (task, worker, label), and returns the
        number of labels that are new. It needs the compiled module. The server takes each label on
        its own: if it refuses some, the others are recorded, and :class:`allot.Refused` names the
        first.
        """
        if isinstance(what, RemoteAsk):
            item, worker = what.item, what.worker if worker is None else worker
        elif label is _NOT_GIVEN and not isinstance(what, str):
            return self._import(what, confidence)
        else:
            item = what
        if label is _NOT_GIVEN:
            raise TypeError("label is missing; expected tell(ask, label), or tell(ask, None) to skip the item")
        if label is None:
            self.client.skip(self.id, item, worker=worker)
            return "skipped"
        told = self.client.label(self.id, item, label, worker=worker, revise=revise, confidence=confidence)
        return told.labels[0].outcome

    def abstain(self, ask: RemoteAsk, *, note: str = "", paid: bool = False) -> None:
        """Says that the worker does not know; see :meth:`allot.Campaign.abstain`."""
        self.client.skip(self.id, ask.item, worker=ask.worker, reason="unsure", note=note or None, paid=paid)

    def release(self, ask: RemoteAsk) -> None:
        """Gives the item back; the worker can get it again."""
        self.client.release(self.id, ask.item, worker=ask.worker)

    def add_items(self, items: Iterable[Union[NewItem, Mapping[str, Any], str]]) -> None:
        """Adds items: ids, or items of the client."""
        self.client.add_items(self.id, [NewItem(one) if isinstance(one, str) else one for one in items])

    def answers(self) -> Any:
        """Returns one row per item: task, agg_label, confidence, then the rest."""
        found = to_pandas(self.client.answers(self.id))
        return found.rename(columns={"item": "task", "answer": "agg_label", "probability": "confidence"})

    def workers(self) -> Any:
        """Returns one row per worker."""
        return to_pandas(self.client.workers(self.id))

    def labels(self) -> Any:
        """Returns one row per label: task, worker, label, and when and how it came."""
        import pandas

        rows = self._exported("labels")
        return pandas.DataFrame(rows, columns=list(rows[0]) if rows else ["item", "worker", "label"]).rename(
            columns={"item": "task"}
        )

    def events(self) -> Any:
        """Returns every event of the ledger."""
        return to_pandas(self.client.events(self.id))

    def agreement(self, **options: Any) -> Any:
        """Measures the agreement of the workers, as :func:`allot.agreement` does. It needs the
        compiled module."""
        from .metrics import agreement

        return agreement(self.labels(), **options)

    def status(self) -> Status:
        """Returns money, counts, and how good the answers are."""
        return self.client.status(self.id)

    def explain(self, what: Union[RemoteAsk, str], worker: Optional[str] = None) -> Explanation:
        """Returns what is believed about an item."""
        if isinstance(what, RemoteAsk):
            return self.client.explain(self.id, what.item, worker=what.worker)
        return self.client.explain(self.id, what, worker=worker)

    def pause(self) -> None:
        """Stops leasing items until :meth:`resume`."""
        self.client.pause(self.id)

    def resume(self) -> None:
        """Leases items again."""
        self.client.resume(self.id)

    def end(self, reason: str = "done") -> None:
        """Ends the campaign for good."""
        self.client.close_campaign(self.id, reason)

    def set_budget(self, budget: Any) -> None:
        """Changes the budget."""
        self.client.change_campaign(self.id, budget=budget)

    def set_prices(self, prices: Mapping[str, Any]) -> None:
        """Sets the prices of workers' future labels."""
        for worker, price in prices.items():
            self.client.set_price(self.id, worker, price)

    def set_groups(self, groups: Mapping[str, Optional[str]]) -> None:
        """Says which workers err together: ``{worker: group}``, None for a worker alone."""
        for worker, group in groups.items():
            self.client.set_group(self.id, worker, group)

    def set_follows(self, follows: Mapping[str, Optional[str]]) -> None:
        """Says which workers are new versions of others: ``{new: old}``, None for nobody."""
        for worker, before in follows.items():
            self.client.set_version(self.id, worker, follows=before or "")

    def groups(self) -> Any:
        """Returns one row per group of workers who err together."""
        return to_pandas(self.client.groups(self.id))

    def kinds(self) -> Any:
        """Compares kinds of workers; see :meth:`allot.Campaign.kinds`."""
        import pandas

        return pandas.DataFrame(self._exported("kinds"))

    def review(self, verdicts: Mapping[str, str], reviewer: str, reason: Optional[str] = None) -> None:
        """Decides items: ``{item: class}``."""
        for outcome in self.client.review(self.id, verdicts, reviewer=reviewer, reason=reason):
            if outcome.outcome == "refused":
                raise Refused(outcome.detail)

    def undo_review(self, item: str, reviewer: str) -> None:
        """Takes a verdict back."""
        self.client.undo_review(self.id, item, reviewer=reviewer)

    def start_audit(self, **plan: Any) -> Audit:
        """Freezes the answers and draws those to check."""
        return self.client.start_audit(self.id, **plan)

    def audit(self) -> Optional[Audit]:
        """Returns what the checks of the latest audit prove."""
        return self.client.audit(self.id)

    def audit_draws(self, count: int = 1000) -> List[str]:
        """Returns items of the latest audit that wait for a verdict."""
        return [row.item for row in self.client.review_queue(self.id, limit=count) if row.why == "audit"]

    def _exported(self, what: str) -> List[Any]:
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, what)
            self.client.export(self.id, what, path, format="jsonl")
            with open(path, encoding="utf-8") as file:
                return [json.loads(line) for line in file]

    def _import(self, data: Iterable[Any], confidence: Optional[str]) -> int:
        from ._tables import is_missing, read_table

        table = read_table(data, confidence=confidence)
        names = table.engine.items, table.engine.workers, table.engine.classes
        rows = [NewLabel(names[0][i], names[2][c], names[1][j]) for i, j, c in zip(*table.engine.numbers)]
        if table.engine.confidences is not None:
            sure = [None if is_missing(one) else float(one) for one in table.engine.confidences]
            rows = [replace(row, confidence=one) for row, one in zip(rows, sure)]
        found = self.client.import_labels(self.id, rows)
        if found.refused:
            refused = Refused(f"{found.refused} of {len(rows)} labels refused: {found.problems[0]}")
            refused.code = "conflict"
            raise refused
        return found.recorded


def connect(url: str, token: str, campaign: str, **options: Any) -> RemoteCampaign:
    """Returns a campaign of a running ``allot serve``; ``options`` are those of :class:`allot.Client`.

    ::

        with allot.connect("http://127.0.0.1:8080", token, "reviews") as campaign:
            while ask := campaign.ask("ann"):
                campaign.tell(ask, label_of(ask.fields))
    """
    return RemoteCampaign(Client(url, token, **options), campaign)
