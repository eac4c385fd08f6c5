"""Calls that hand out items and record labels."""

from __future__ import annotations

from typing import Iterable, Mapping, Optional, Union

from .calls import Calls, without_none
from .models import Assignments, HandedBack, Imported, Labelled, NewLabel, read, WhomNext

# Labels of one request that imports some.
_IMPORTED_AT_ONCE = 1000


class WorkCalls(Calls):
    """Work. With a requester's token, name the ``worker``; a worker's token needs none."""

    def ask(
        self,
        campaign: str,
        count: int = 1,
        *,
        worker: Optional[str] = None,
        key: Optional[str] = None,
    ) -> Assignments:
        """Asks for items for a worker. Getting none is not an error: ``shortfall`` says why."""
        members = without_none(count=count, worker=worker)
        path = self._of(campaign, "assignments")
        return read(Assignments, self._post(path, members, key=key, keyed=True))

    def at_hand(self, campaign: str, *, worker: Optional[str] = None) -> Assignments:
        """Returns the open assignments of a worker."""
        query = without_none(worker=worker)
        return read(Assignments, self._get(self._of(campaign, "assignments"), query))

    def whom_next(self, campaign: str, *, key: Optional[str] = None) -> WhomNext:
        """Chooses the best of the known workers and leases an item to them."""
        return read(WhomNext, self._post(self._of(campaign, "whom-next"), {}, key=key, keyed=True))

    def label(
        self,
        campaign: str,
        item: str,
        label: Union[str, Mapping[str, float]],
        *,
        worker: Optional[str] = None,
        next: int = 0,
        revise: bool = False,
        confidence: Optional[float] = None,
        key: Optional[str] = None,
    ) -> Labelled:
        """Records a label and asks for ``next`` items in the same call. The label is on disk when
        this returns. ``confidence`` says how sure the worker is, from 0 to 1; a dictionary from class
        to probability takes the place of a label."""
        members = without_none(
            item=item,
            label=label if isinstance(label, str) else None,
            probabilities=None if isinstance(label, str) else dict(label),
            confidence=confidence,
            worker=worker,
            next=next or None,
            revise=True if revise else None,
        )
        path = self._of(campaign, "labels")
        return read(Labelled, self._post(path, members, key=key, keyed=True))

    def labels(
        self,
        campaign: str,
        labels: Iterable[NewLabel],
        *,
        worker: Optional[str] = None,
        next: int = 0,
        revise: bool = False,
        key: Optional[str] = None,
    ) -> Labelled:
        """Records up to 1000 labels. Each is accepted or refused on its own: see its outcome."""
        rows = [
            without_none(item=label.item, label=label.label, worker=label.worker, confidence=label.confidence)
            for label in labels
        ]
        members = without_none(
            labels=rows, worker=worker, next=next or None, revise=True if revise else None
        )
        path = self._of(campaign, "labels")
        return read(Labelled, self._post(path, members, key=key, keyed=True))

    def import_labels(self, campaign: str, labels: Iterable[NewLabel]) -> Imported:
        """Imports labels that were given elsewhere: free, and without a lease. Each needs its worker,
        and is accepted or refused on its own. More than 1000 are sent in several requests."""
        rows = [
            {"item": one.item, "worker": one.worker, "label": one.label, **without_none(confidence=one.confidence)}
            for one in labels
        ]
        total = Imported(0, 0, 0, [])
        for start in range(0, len(rows), _IMPORTED_AT_ONCE):
            members = {"labels": rows[start : start + _IMPORTED_AT_ONCE]}
            part = read(Imported, self._post(self._of(campaign, "labels/import"), members))
            total = Imported(
                total.recorded + part.recorded,
                total.already + part.already,
                total.refused + part.refused,
                [*total.problems, *part.problems],
            )
        return total

    def skip(
        self,
        campaign: str,
        item: str,
        *,
        worker: Optional[str] = None,
        next: int = 0,
        reason: Optional[str] = None,
        note: Optional[str] = None,
        paid: bool = False,
        key: Optional[str] = None,
    ) -> HandedBack:
        """Returns the item for good: the worker will not get it again. The reason ``unsure`` is an
        abstention; with ``paid`` it costs the price of a label."""
        members = without_none(
            item=item, worker=worker, next=next or None, reason=reason, note=note, paid=True if paid else None
        )
        path = self._of(campaign, "skip")
        return read(HandedBack, self._post(path, members, key=key, keyed=True))

    def release(
        self,
        campaign: str,
        item: str,
        *,
        worker: Optional[str] = None,
        next: int = 0,
        key: Optional[str] = None,
    ) -> HandedBack:
        """Returns the item. The worker can get it again."""
        members = without_none(item=item, worker=worker, next=next or None)
        path = self._of(campaign, "release")
        return read(HandedBack, self._post(path, members, key=key, keyed=True))
