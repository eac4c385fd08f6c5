"""A campaign: ask which label to buy next, tell what it was.

>>> campaign = Campaign(["r1", "r2", "r3"], classes=["no", "yes"], budget=6)
>>> while ask := campaign.ask("ann"):
...     outcome = campaign.tell(ask, "yes" if ask.item == "r2" else "no")
>>> campaign.answers().set_index("task").agg_label.to_dict()
{'r1': 'no', 'r2': 'yes', 'r3': 'no'}
"""

from __future__ import annotations

import json
import operator
import os
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Union, overload

from . import _engine
from ._items import Amount, Items, money_text
from ._tables import (
    Path,
    Table,
    class_names,
    existing,
    is_missing,
    name_of,
    number_text,
    option_texts,
    pd,
    read_table,
    table,
    text_of,
)
from .refusal import Refused as Refused

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
# A label that was not given; None skips an item.
_NOT_GIVEN: Any = object()


class Ask:
    """An item leased to a worker."""

    __slots__ = ("item", "worker", "reason", "_fields", "_price", "_expires")

    def __init__(self, item: Any, worker: str, fields: str, price: str, expires: int, reason: str) -> None:
        self.item = item
        self.worker = worker
        self.reason = reason
        self._fields, self._price, self._expires = fields, price, expires

    @property
    def fields(self) -> Dict[str, Any]:
        """What the worker sees of the item."""
        return json.loads(self._fields) if self._fields else {}

    @property
    def price(self) -> Decimal:
        """Amount paid for the label."""
        return Decimal(self._price)

    @property
    def expires(self) -> datetime:
        """End of the lease."""
        return _EPOCH + timedelta(microseconds=self._expires)

    def __repr__(self) -> str:
        return f"Ask(item={self.item!r}, worker={self.worker!r})"


class Status:
    """Money, counts, and how good the answers are; see ``vars(status)``."""

    def __init__(self, members: Mapping[str, Any]) -> None:
        self.__dict__.update(members)
        for name in ("budget", "spent", "reserved", "left"):
            self.__dict__[name] = Decimal(members[name])

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"status has no '{name}'; expected one of {', '.join(self.__dict__)}")

    def __repr__(self) -> str:
        return f"Status({', '.join(f'{name}={value!r}' for name, value in vars(self).items())})"


class CampaignAudit(Status):
    """What the checks of the latest audit prove; see ``vars(audit)``."""

    def __init__(self, members: Mapping[str, Any]) -> None:
        self.__dict__.update(members)


def group_list(groups: Mapping[Any, Optional[str]]) -> List[Tuple[str, str]]:
    """Workers and their groups as the engine takes them."""
    if not hasattr(groups, "items"):
        raise TypeError(f"groups is of type {type(groups).__name__}; expected a dictionary {{worker: group}}")
    return [
        (name_of(worker, "worker"), "" if group is None else name_of(group, "group")) for worker, group in groups.items()
    ]


class Campaign:
    """Items, classes, a budget and a policy that decides which label to buy next.

    Without a ``path`` the campaign lives in memory. With one it is a file that ``allot campaign``
    and ``allot serve`` read too; every call is on disk when it returns. Threads can share a
    campaign. A child process must open the file itself.

    :param items: ids, a DataFrame (``id``, ``task`` or ``item``; ``price``, ``gold`` and ``truth`` if
        there are such columns; the rest is what workers see), or a dictionary from id to fields
    :param budget: an amount of money, or ``"10x"`` for ten labels per item; a label costs 1 unless
        there is a ``price``
    :param groups: workers who err together, such as language models: ``{worker: group}``
    :param features: columns of numbers that inform about the class

    Other arguments are those of ``allot campaign create``.

    >>> campaign = Campaign(["r1", "r2"], classes=["no", "yes"], budget=4)
    >>> ask = campaign.ask("ann")
    >>> campaign.tell(ask, "yes")
    'recorded'
    >>> campaign.status().labels
    1
    """

    def __init__(
        self,
        items: Any,
        classes: Sequence[Any],
        budget: Amount,
        *,
        path: Optional[Path] = None,
        name: Optional[str] = None,
        policy: Optional[str] = None,
        price: Optional[Amount] = None,
        worker_prices: Optional[Mapping[str, Amount]] = None,
        groups: Optional[Mapping[Any, Optional[str]]] = None,
        seed: Optional[int] = None,
        ties: Optional[str] = None,
        lease: Optional[str] = None,
        labels_per_item: Optional[int] = None,
        labels_per_worker: Optional[int] = None,
        gold_rate: Optional[float] = None,
        agreement_sample: Optional[str] = None,
        people_sample: Optional[int] = None,
        stop: Union[None, str, Sequence[str]] = None,
        prior: Optional[str] = None,
        worker_prior: Optional[str] = None,
        coins: Optional[int] = None,
        refit: Union[None, int, str] = None,
        refit_by: Optional[str] = None,
        ordered: bool = False,
        features: Sequence[str] = (),
    ) -> None:
        names = class_names(classes)
        given = Items(items, features)
        options = option_texts(
            policy=policy,
            price=None if price is None else money_text(price),
            seed=seed,
            ties=ties,
            lease=lease,
            labels_per_item=labels_per_item,
            labels_per_worker=labels_per_worker,
            gold_rate=gold_rate,
            agreement_sample=agreement_sample,
            people_sample=people_sample,
            stop=None if stop is None else [number_text(stop)],
            prior=prior,
            worker_prior=worker_prior,
            coins=coins,
            refit=refit,
            refit_by=refit_by,
            ordered=ordered,
        )
        options["classes"] = names
        if features:
            options["features"] = [text_of(one) for one in features]
        amount = money_text(budget)
        if amount.endswith("x") and amount[:-1].isdigit():
            amount = given.times_each(int(amount[:-1]), 1 if price is None else price)
        prices = [(name_of(worker, "worker"), money_text(one)) for worker, one in (worker_prices or {}).items()]
        place = None if path is None else os.fspath(path)
        if name is None:
            name = "campaign" if place is None else os.path.splitext(os.path.basename(place))[0] or "main"
        self._set(_engine.Campaign.create(place, name, amount, options, given.engine, prices, group_list(groups or {})))
        self._values.update(given.values)
        self._classes = dict(zip(names, classes))
        self._features = list(features)

    @classmethod
    def open(cls, path: Path, name: Optional[str] = None, *, read_only: bool = False) -> "Campaign":
        """Opens a campaign of a file; ``name`` is needed if the file has several."""
        campaign = cls.__new__(cls)
        campaign._set(_engine.Campaign.open(existing(path), name, read_only))
        return campaign

    def _set(self, engine: Any) -> None:
        self._engine = engine
        self._values: Dict[str, Any] = {}
        self._classes: Dict[str, Any] = {}
        self._features: List[str] = []
        self.shortfall = ""

    def __enter__(self) -> "Campaign":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the file. The campaign itself goes on: see :meth:`end`."""
        self._engine.close()

    @property
    def name(self) -> str:
        """Name of the campaign in its file."""
        return str(self._engine.name)

    @property
    def classes(self) -> List[Any]:
        """The classes, as they were given."""
        return [self._class(text) for text in self._engine.classes]

    # Work.

    def ask(self, worker: Optional[Any] = None) -> Optional[Ask]:
        """Leases the best item for the worker, who joins if unknown. Without a worker, the campaign
        also chooses whom to ask, among those who have joined.

        Returns None if there is nothing to ask; ``shortfall`` says why.
        """
        if worker is None:
            pair = self._engine.whom_next()
            if pair is None:
                self.shortfall = "no worker who has joined can be asked; expected ask(worker) first, or worker_prices"
                return None
            worker = pair[0]
        asks = self.ask_many(worker, 1)
        return asks[0] if asks else None

    def ask_many(self, worker: Any, count: int) -> List[Ask]:
        """Leases up to ``count`` items to the worker."""
        name, count = name_of(worker, "worker"), operator.index(count)
        if not 0 < count < 2**32:
            raise ValueError(f"{count} items asked for; expected 1 to {2**32 - 1}")
        leased, self.shortfall = self._engine.next(name, count)
        values = self._values
        return [Ask(values.get(one[0], one[0]), name, *one[1:]) for one in leased]

    @overload
    def tell(
        self,
        what: Ask,
        label: Any,
        *,
        worker: Optional[Any] = None,
        revise: bool = False,
        confidence: Optional[float] = None,
    ) -> str: ...
    @overload
    def tell(
        self, what: Any, label: Any, *, worker: Any, revise: bool = False, confidence: Optional[float] = None
    ) -> str: ...
    @overload
    def tell(self, what: Table, *, confidence: Optional[str] = None) -> int: ...

    def tell(
        self,
        what: Any,
        label: Any = _NOT_GIVEN,
        *,
        worker: Optional[Any] = None,
        revise: bool = False,
        confidence: Any = None,
    ) -> Union[str, int]:
        """Records what a label was.

        ``tell(ask, label)`` answers a question; a label of None skips it. ``tell(item, label,
        worker=...)`` does the same for an item that the worker has leased. ``confidence`` says how
        sure the worker is, from 0 to 1. A label can also be a dictionary from class to probability: it
        stands for the most probable class with that confidence.

        ``tell(table)`` takes labels that are known already (task, worker, label): they cost nothing
        and need no lease, and all of them are recorded or none. ``confidence`` then names a column.
        Returns recorded, already, revised or skipped; for a table, the number of labels that are new.

        >>> campaign = Campaign(["r1", "r2"], classes=["no", "yes"], budget=4)
        >>> campaign.tell(campaign.ask("model"), {"no": 0.2, "yes": 0.8})
        'recorded'
        >>> campaign.tell(campaign.ask("model"), "no", confidence=0.9)
        'recorded'
        >>> sorted(campaign.labels()["confidence"])
        [0.8, 0.9]
        """
        if isinstance(what, Ask):
            item, worker = what.item, what.worker if worker is None else worker
        elif worker is None and label is _NOT_GIVEN:
            return self._import(what, confidence)
        else:
            item = what
        if worker is None:
            raise TypeError("worker is missing; expected tell(ask, label) or tell(item, label, worker=...)")
        if label is _NOT_GIVEN:
            raise TypeError("label is missing; expected tell(ask, label), or tell(ask, None) to skip the item")
        if label is None:
            self._engine.skip(name_of(item, "item"), name_of(worker, "worker"), "", "", False)
            return "skipped"
        if isinstance(label, Mapping):
            if confidence is not None:
                raise TypeError("confidence is given beside probabilities; expected one of them")
            label, confidence = self._engine.most_probable([(text_of(one), float(p)) for one, p in label.items()])
        if is_missing(label):
            raise ValueError(f"label {label!r} is missing; expected a class, or None to skip the item")
        names = name_of(item, "item"), name_of(worker, "worker"), text_of(label)
        return str(self._engine.record(*names, revise, None if confidence is None else float(confidence)))

    def abstain(self, ask: Ask, *, note: str = "", paid: bool = False) -> None:
        """Says that the worker does not know. The worker does not get the item again, and no belief
        changes. With ``paid`` it costs the price of a label, as the call of a language model does."""
        self._engine.skip(text_of(ask.item), text_of(ask.worker), "unsure", note, paid)

    def _import(self, data: Table, confidence: Optional[str]) -> int:
        labels = read_table(data, confidence=confidence)
        try:
            return int(self._engine.import_labels(labels.engine))
        except ValueError as error:
            error.args = (labels.with_row(str(error)),)
            raise

    def release(self, ask: Ask) -> None:
        """Gives the item back; the worker can get it again."""
        self._engine.release(text_of(ask.item), text_of(ask.worker))

    def add_items(self, items: Any) -> None:
        """Adds items, all of them or none."""
        more = Items(items, self._features)
        self._engine.add_items(more.engine)
        self._values.update(more.values)

    # Control.

    def pause(self) -> None:
        """Stops leasing items until :meth:`resume`. Labels are still taken."""
        self._engine.pause()

    def resume(self) -> None:
        """Leases items again."""
        self._engine.resume()

    def end(self, reason: str = "done") -> None:
        """Ends the campaign for good."""
        self._engine.end(reason)

    def set_budget(self, budget: Amount) -> None:
        """Changes the budget."""
        self._engine.set_budget(money_text(budget))

    def set_prices(self, prices: Mapping[Any, Amount]) -> None:
        """Sets the prices of workers' future labels. Unknown workers join."""
        self._engine.set_prices([(name_of(worker, "worker"), money_text(one)) for worker, one in prices.items()])

    def set_groups(self, groups: Mapping[Any, Optional[str]]) -> None:
        """Says which workers err together: ``{worker: group}``, None for a worker alone. Unknown
        workers join. Beliefs follow it from now on."""
        self._engine.set_groups(group_list(groups))

    def set_follows(self, follows: Mapping[Any, Optional[str]]) -> None:
        """Says which workers are new versions of others: ``{new: old}``, None for nobody. A new
        version starts from what is believed of the old one, weakened, and joins its group. It must
        have no labels yet; unknown workers join."""
        self._engine.set_follows(group_list(follows))

    # Reports.

    def answers(self) -> Any:
        """Returns one row per item: task, agg_label, confidence, then all columns of the command
        line. An item without a label has no answer."""
        rows = self._rows("answers")
        for row in rows:
            item, answer = row.pop("item"), row.pop("answer")
            row.update(task=self._values.get(item, item), agg_label=self._class(answer))
            row["confidence"] = row.pop("probability")
        first = ["task", "agg_label", "confidence"]
        names = first + [name for name in (rows[0] if rows else {}) if name not in first]
        found = table([{name: row[name] for name in names} for row in rows], names if pd is not None else None)
        if pd is not None and any(row["agg_label"] is None for row in rows):
            # Otherwise pandas would turn whole numbers into floats.
            found["agg_label"] = pd.Series([row["agg_label"] for row in rows], dtype=object)
        return found

    def workers(self) -> Any:
        """Returns one row per worker, with reliability and counts."""
        return table(self._rows("workers"))

    def groups(self) -> Any:
        """Returns one row per group of workers who err together: members, items, items checked from
        outside, the correlation of errors with its interval, and effective votes."""
        return table(self._engine.groups())

    def kinds(self) -> Any:
        """Compares kinds of workers, one row per group and one for all workers outside groups: labels,
        pay, accuracy where the class is known, agreement with the others, cost of a right label."""
        return table(self._rows("kinds"))

    def labels(self) -> Any:
        """Returns one row per label: task, worker, label, and when and how it came."""
        rows = self._rows("labels")
        for row in rows:
            row["task"] = self._values.get(row["item"], row.pop("item"))
            row["label"] = self._class(row["label"])
        names = ["task", "worker", "label"]
        names += [name for name in (rows[0] if rows else {}) if name not in names]
        return table([{name: row[name] for name in names} for row in rows], names if pd is not None else None)

    def events(self) -> Any:
        """Returns every event of the ledger."""
        return table(self._rows("events"))

    def status(self) -> Status:
        """Returns money, counts, and how good the answers are."""
        return Status(self._engine.status())

    def explain(self, what: Any, worker: Optional[Any] = None) -> Dict[str, Any]:
        """Returns what is believed about an item; with a worker (or an :class:`Ask`), also the value
        of asking, and what each label would change."""
        if isinstance(what, Ask):
            what, worker = what.item, what.worker
        found: Dict[str, Any] = self._engine.explain(
            name_of(what, "item"), "" if worker is None else name_of(worker, "worker")
        )
        found["item"] = self._values.get(found["item"], found["item"])
        found["gold"] = self._class(found["gold"])
        found["probabilities"] = self._by_class(found["probabilities"])
        found["labels"] = {name: self._class(label) for name, label in found["labels"].items()}
        found["outlook"] = {
            label: (chance, self._by_class(after)) for label, (chance, after) in self._by_class(found["outlook"]).items()
        }
        return found

    def verify(self) -> List[str]:
        """Makes every decision of the ledger again; returns what differs, nothing if all is well."""
        return list(self._engine.verify()[2])

    # Reviews and audits.

    def review(self, verdicts: Mapping[Any, Any], reviewer: str, reason: str = "") -> None:
        """Decides items: ``{item: class}``, all of them or none."""
        if not hasattr(verdicts, "items"):
            raise TypeError(f"verdicts is of type {type(verdicts).__name__}; expected a dictionary {{item: class}}")
        pairs = [(name_of(item, "item"), name_of(answer, "class")) for item, answer in verdicts.items()]
        self._engine.review(name_of(reviewer, "reviewer"), pairs, text_of(reason))

    def undo_review(self, item: Any, reviewer: str) -> None:
        """Takes a verdict back."""
        self._engine.undo_review(name_of(item, "item"), name_of(reviewer, "reviewer"))

    def start_audit(
        self,
        *,
        checks: Optional[int] = None,
        until: Optional[float] = None,
        confidence: float = 0.95,
        replace: bool = False,
    ) -> CampaignAudit:
        """Freezes the answers and draws those to check: ``checks`` of them, or one by one ``until``
        that accuracy is proven. :meth:`review` gives the verdicts."""
        return CampaignAudit(self._engine.start_audit(checks, until, confidence, replace))

    def audit(self) -> Optional[CampaignAudit]:
        """Returns what the checks of the latest audit prove."""
        found = self._engine.audit()
        return None if found is None else CampaignAudit(found)

    def audit_draws(self, count: int = 1000) -> List[Any]:
        """Returns items of the latest audit that wait for a verdict."""
        return [self._values.get(text, text) for text in self._engine.audit_draws(count)]

    def agreement(self, **options: Any) -> Any:
        """Measures the agreement of the workers, as :func:`allot.agreement` does."""
        from .metrics import agreement

        return agreement(self.labels(), **options)

    def _rows(self, kind: str) -> List[Dict[str, Any]]:
        return [json.loads(line) for line in self._engine.rows(kind).splitlines()]

    def _class(self, text: Optional[str]) -> Any:
        return None if text is None else self._classes.get(text, text)

    def _by_class(self, members: Mapping[str, Any]) -> Dict[Any, Any]:
        return {self._class(text): value for text, value in members.items()}
