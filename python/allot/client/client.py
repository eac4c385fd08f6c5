"""Every route of ``allot serve`` as a method."""

from __future__ import annotations

import json
import os
import ssl
import urllib.parse
import uuid
from decimal import Decimal
from typing import (
    Any,
    BinaryIO,
    Callable,
    Dict,
    Iterable,
    Iterator,
    List,
    Mapping,
    Optional,
    Sequence,
    Type,
    TypeVar,
    Union,
)

from .connection import LOST, PIECE, Connection, Reply, rewound
from .errors import Conflict, Forbidden, Refused, Unavailable
from .models import (
    Added,
    Agreement,
    Amount,
    Answer,
    Assignments,
    Audit,
    Campaign,
    CampaignEntry,
    Delivery,
    Event,
    Explanation,
    Group,
    HandedBack,
    Imported,
    Item,
    Labelled,
    Me,
    ModelRun,
    Models,
    NewItem,
    NewLabel,
    NewSecret,
    NewToken,
    NewWebhook,
    Number,
    Outcome,
    Point,
    read,
    RecruitingLink,
    ReviewItem,
    Session,
    Status,
    Token,
    Verdict,
    Webhook,
    WhomNext,
    Worker,
)

Model = TypeVar("Model")
Path = Union[str, "os.PathLike[str]"]

# Limits of one request that adds items; the server accepts 1000 items and 1 MB.
MOST_ITEMS = 1000
MOST_BYTES = 900_000
# Labels of one request that imports some.
_IMPORTED_AT_ONCE = 1000
KINDS_OF_FILES = {
    "csv": "text/csv",
    "jsonl": "application/x-ndjson",
    "ndjson": "application/x-ndjson",
}


def _text(value: Amount) -> str:
    """Writes an amount without an exponent: 0.00005, not 5e-05."""
    return value if isinstance(value, str) else format(Decimal(str(value)), "f")


def _without_none(**members: Any) -> Dict[str, Any]:
    return {name: value for name, value in members.items() if value is not None}


def _quoted(part: str) -> str:
    return urllib.parse.quote(part, safe="")


class Client:
    """A running ``allot serve``, with one token.

    ::

        with Client("http://127.0.0.1:8080", token) as allot:
            campaign = allot.create_campaign("Reviews", ["no", "yes"], budget=500).id
            allot.add_items(campaign, [NewItem("r1", {"text": "A joy to use."})])

    Any number of threads can share a client: each thread has its own connection, which stays open.
    Do not share a client across ``fork``.

    The client sends an ``Idempotency-Key`` with every POST that accepts one: ``key`` if you give it,
    otherwise a random one per call. It repeats such a request when the answer was lost, and a label
    never counts twice. Give your own ``key`` to repeat a call after a restart of your program.

    :param timeout: seconds to wait for a connection or for the next bytes of an answer
    :param attempts: largest number of times a request is sent
    :param longest_pause: largest number of seconds between two attempts
    :param context: TLS context for https, for example with your own certificate authority
    """

    def __init__(
        self,
        url: str,
        token: Optional[str] = None,
        *,
        timeout: float = 60.0,
        attempts: int = 8,
        longest_pause: float = 30.0,
        context: Optional[ssl.SSLContext] = None,
    ) -> None:
        self._connection = Connection(url, token, timeout, attempts, longest_pause, context)

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes all connections. The client stays usable and opens them again."""
        self._connection.close()

    # The server.

    def healthy(self) -> bool:
        """True if the server answers and takes requests."""
        try:
            self._get("/readyz")
            return True
        except (Refused, Unavailable):
            return False

    def me(self) -> Me:
        """Returns whose token this is; for a worker also the campaign and its classes."""
        return read(Me, self._get("/api/v1/me"))

    def metrics(self) -> str:
        """Returns metrics in the text format of Prometheus. Needs an admin token."""
        return self._connection.request("GET", "/metrics").body.decode()

    def openapi(self) -> Dict[str, Any]:
        """Returns the OpenAPI description of all routes."""
        described: Dict[str, Any] = self._get("/openapi.json")
        return described

    # Tokens and links.

    def tokens(self) -> Iterator[Token]:
        """Yields all tokens."""
        return self._pages("/api/v1/tokens", "tokens", Token)

    def make_token(
        self,
        role: str,
        *,
        label: Optional[str] = None,
        campaign: Optional[str] = None,
        worker: Optional[str] = None,
    ) -> NewToken:
        """Creates a token for an admin, a requester, or a worker of a campaign. The call is not
        repeated if its answer is lost; a token may then exist that nobody saw. Revoke it."""
        members = _without_none(role=role, label=label, campaign=campaign, worker=worker)
        return read(NewToken, self._post("/api/v1/tokens", members, repeatable=False))

    def make_link(
        self,
        campaign: str,
        worker: Optional[str] = None,
        *,
        reviewer: Optional[str] = None,
        label: Optional[str] = None,
    ) -> NewToken:
        """Creates a link for one worker or reviewer of a campaign. Not repeated, like
        ``make_token``."""
        members = _without_none(worker=worker, reviewer=reviewer, label=label)
        return read(NewToken, self._post(self._of(campaign, "links"), members, repeatable=False))

    def revoke_token(self, token: str) -> None:
        """Revokes the token with this id."""
        self._connection.request("DELETE", f"/api/v1/tokens/{_quoted(token)}")

    # Campaigns.

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
        members = _without_none(
            name=name,
            classes=list(classes),
            budget=_text(budget),
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
        amount = None if budget is None else _text(budget)
        members = _without_none(name=name, budget=amount, owner=owner, page=page)
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
        members = _without_none(
            policy=policy, name=name, budget=None if budget is None else _text(budget)
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
        members = {"worker": worker, "price": _text(price)}
        self._send("PUT", self._of(campaign, "prices"), members)

    def set_group(self, campaign: str, worker: str, group: Optional[str]) -> None:
        """Says that a worker errs together with others of the group; None for a worker alone. An
        unknown worker joins."""
        self._send("PUT", self._of(campaign, "groups"), _without_none(worker=worker, group=group))

    def set_version(
        self, campaign: str, worker: str, *, follows: Optional[str] = None, version: Optional[str] = None
    ) -> None:
        """Says which worker was the version before, so that this one starts from what is believed
        of it, and how the version is called. None leaves either as it is; "" follows nobody. An
        unknown worker joins."""
        members = _without_none(worker=worker, follows=follows, version=version)
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
        cap = None if cost_cap is None else _text(cost_cap)
        members = _without_none(models=list(models), prompt=asked, cost_cap=cap)
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
        self._post(self._of(campaign, "settle"), _without_none(item=item, reason=reason))

    # Reviews.

    def review_queue(
        self, campaign: str, *, by: str = "uncertain", limit: int = 100
    ) -> List[ReviewItem]:
        """Returns labelled items to look at next: ``by`` uncertain, disputed or skipped."""
        query = {"by": by, "limit": str(limit)}
        rows = self._get(self._of(campaign, "review"), query)["items"]
        return [read(ReviewItem, row) for row in rows]

    def review(
        self,
        campaign: str,
        verdicts: Mapping[str, str],
        *,
        reviewer: Optional[str] = None,
        reason: Optional[str] = None,
        key: Optional[str] = None,
    ) -> List[Outcome]:
        """Decides items: ``{"item": "class"}``. Each verdict is recorded or refused on its own. A
        reviewer's token needs no ``reviewer``."""
        rows = [_without_none(item=i, answer=a, reason=reason) for i, a in verdicts.items()]
        answer = self._post(
            self._of(campaign, "verdicts"),
            _without_none(verdicts=rows, reviewer=reviewer),
            key=key,
            keyed=True,
        )
        return [read(Outcome, row) for row in answer["verdicts"]]

    def undo_review(
        self, campaign: str, item: str, *, reviewer: Optional[str] = None, key: Optional[str] = None
    ) -> None:
        """Takes the verdict on the item back."""
        members = _without_none(item=item, reviewer=reviewer)
        self._post(self._of(campaign, "verdicts/undo"), members, key=key, keyed=True)

    def verdicts(self, campaign: str) -> Iterator[Verdict]:
        """Yields all verdicts, with what the labels said before each."""
        return self._pages(self._of(campaign, "verdicts"), "verdicts", Verdict)

    # Recruiting.

    def recruit(self, campaign: str, platform: str, **terms: Any) -> RecruitingLink:
        """Creates a recruiting link for a platform: prolific, connect, sona, mturk or panel. Terms
        are those of the route, such as ``labels`` or ``qualification``. Not repeated, like
        ``make_token``."""
        members = {"platform": platform, **terms}
        answer = self._post(self._of(campaign, "recruiting"), members, repeatable=False)
        return read(RecruitingLink, answer)

    def recruiting(self, campaign: str) -> List[RecruitingLink]:
        """Returns all recruiting links, with what came of them."""
        return [read(RecruitingLink, one) for one in self._get(self._of(campaign, "recruiting"))["links"]]

    def change_recruiting(self, campaign: str, link: str, **terms: Any) -> RecruitingLink:
        """Changes terms of a recruiting link; ``open=False`` takes no new participants."""
        route = self._of(campaign, f"recruiting/{_quoted(link)}")
        return read(RecruitingLink, self._send("PATCH", route, terms))

    def sessions(self, campaign: str) -> Iterator[Session]:
        """Yields the sessions of participants, the latest first."""
        return self._pages(self._of(campaign, "sessions"), "sessions", Session)

    # Audits.

    def start_audit(
        self,
        campaign: str,
        *,
        checks: Optional[int] = None,
        until: Optional[float] = None,
        confidence: Optional[float] = None,
        replace: bool = False,
        key: Optional[str] = None,
    ) -> Audit:
        """Freezes the answers and draws those to check: ``checks`` of them, or one by one ``until``
        that accuracy is proven. Reviewers find the draws first in ``review_queue``. Refused while
        an earlier audit has verdicts and is not finished, unless it may ``replace`` that one."""
        members = _without_none(
            checks=checks, until=until, confidence=confidence, replace=replace or None
        )
        answer = self._post(self._of(campaign, "audits"), members, key=key, keyed=True)
        return read(Audit, answer["audit"])

    def audit(self, campaign: str) -> Optional[Audit]:
        """Returns what the checks of the latest audit prove, if there is one."""
        found = self._get(self._of(campaign, "audit"))["audit"]
        return read(Audit, found) if found else None

    # Items.

    def add_items(
        self,
        campaign: str,
        items: Iterable[Union[NewItem, Mapping[str, Any]]],
        *,
        key: Optional[str] = None,
    ) -> Added:
        """Adds items in requests of up to 1000. Each request adds all of its items or none. With a
        ``key``, the call can be repeated with the same items."""
        key = key or uuid.uuid4().hex
        added = known = batches = 0
        for batch in self._batches(items):
            answer = self._post_bytes(
                self._of(campaign, "items"),
                b'{"items": [' + b", ".join(batch) + b"]}",
                {"Idempotency-Key": f"{key}/{batches}"},
            ).json()
            batches += 1
            part = read(Added, answer)
            added, known = added + part.added, known + part.known
        return Added(added, known)

    def upload_items(
        self,
        campaign: str,
        source: Union[Path, BinaryIO],
        *,
        kind: Optional[str] = None,
        skip_known: bool = False,
        id: Optional[str] = None,
        price: Optional[str] = None,
        gold: Optional[str] = None,
        truth: Optional[str] = None,
        key: Optional[str] = None,
    ) -> Added:
        """Adds the items of a CSV or JSON lines file of any size, read piece by piece.

        :param source: a path, or a file opened in binary mode; if it cannot be rewound, it is sent once
        :param kind: ``csv`` or ``jsonl``; taken from the name of the file if not given
        :param id, price, gold, truth: names of the columns that hold them
        """
        if isinstance(source, (str, os.PathLike)):
            with open(source, "rb") as opened:
                return self.upload_items(
                    campaign,
                    opened,
                    kind=kind or os.path.splitext(os.fspath(source))[1][1:],
                    skip_known=skip_known,
                    id=id,
                    price=price,
                    gold=gold,
                    truth=truth,
                    key=key,
                )
        content = KINDS_OF_FILES.get(kind or "")
        if content is None:
            raise ValueError(f"kind is {kind!r}; expected csv or jsonl")
        body, again = rewound(source)
        query = _without_none(
            skip_known="true" if skip_known else None, id=id, price=price, gold=gold, truth=truth
        )
        reply = self._connection.request(
            "POST",
            self._with_query(self._of(campaign, "items/upload"), query),
            body,
            {"Content-Type": content, "Idempotency-Key": key or uuid.uuid4().hex},
            repeatable=again,
        )
        return read(Added, reply.json())

    def items(self, campaign: str) -> Iterator[Item]:
        """Yields items in the order in which they were added."""
        return self._pages(self._of(campaign, "items"), "items", Item)

    # Work. With a requester's token, name the ``worker``; a worker's token needs none.

    def ask(
        self,
        campaign: str,
        count: int = 1,
        *,
        worker: Optional[str] = None,
        key: Optional[str] = None,
    ) -> Assignments:
        """Asks for items for a worker. Getting none is not an error: ``shortfall`` says why."""
        members = _without_none(count=count, worker=worker)
        path = self._of(campaign, "assignments")
        return read(Assignments, self._post(path, members, key=key, keyed=True))

    def at_hand(self, campaign: str, *, worker: Optional[str] = None) -> Assignments:
        """Returns the open assignments of a worker."""
        query = _without_none(worker=worker)
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
        members = _without_none(
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
            _without_none(item=label.item, label=label.label, worker=label.worker, confidence=label.confidence)
            for label in labels
        ]
        members = _without_none(
            labels=rows, worker=worker, next=next or None, revise=True if revise else None
        )
        path = self._of(campaign, "labels")
        return read(Labelled, self._post(path, members, key=key, keyed=True))

    def import_labels(self, campaign: str, labels: Iterable[NewLabel]) -> Imported:
        """Imports labels that were given elsewhere: free, and without a lease. Each needs its worker,
        and is accepted or refused on its own. More than 1000 are sent in several requests."""
        rows = [
            {"item": one.item, "worker": one.worker, "label": one.label, **_without_none(confidence=one.confidence)}
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
        members = _without_none(
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
        members = _without_none(item=item, worker=worker, next=next or None)
        path = self._of(campaign, "release")
        return read(HandedBack, self._post(path, members, key=key, keyed=True))

    # Webhooks.

    def webhooks(self, campaign: str) -> List[Webhook]:
        """Lists the webhooks of a campaign."""
        rows = self._get(self._of(campaign, "webhooks"))["webhooks"]
        return [read(Webhook, row) for row in rows]

    def make_webhook(
        self, campaign: str, url: str, events: Sequence[str], *, description: Optional[str] = None
    ) -> NewWebhook:
        """Creates a webhook for events from now on. The call is not repeated if its answer is lost; a
        webhook may then exist whose secret nobody saw. Delete it."""
        members = _without_none(url=url, events=list(events), description=description)
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
        members = _without_none(
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

    # Reports.

    def answers(self, campaign: str) -> Iterator[Answer]:
        """Yields all items with their answers after a final refit. An item without a label has none.
        Each page shows the moment it was fetched."""
        return self._pages(self._of(campaign, "answers"), "answers", Answer)

    def workers(self, campaign: str) -> Iterator[Worker]:
        """Yields all workers, with reliability and counts."""
        return self._pages(self._of(campaign, "workers"), "workers", Worker)

    def agreement(self, campaign: str, *, resamples: Optional[int] = None) -> Agreement:
        """Returns how far workers agree, on the agreement sample if the campaign has one."""
        query = {} if resamples is None else {"resamples": str(resamples)}
        return read(Agreement, self._get(self._of(campaign, "agreement"), query))

    def status(self, campaign: str) -> Status:
        """Returns money, counts, and how good the answers are."""
        return read(Status, self._get(self._of(campaign, "status")))

    def curve(self, campaign: str) -> List[Point]:
        """Returns the expected accuracy as labels came in, up to now."""
        points = self._get(self._of(campaign, "curve"))["points"]
        return [read(Point, point) for point in points]

    def explain(self, campaign: str, item: str, *, worker: Optional[str] = None) -> Explanation:
        """Returns what is known about an item, and what a label of the worker would do."""
        query = _without_none(item=item, worker=worker)
        return read(Explanation, self._get(self._of(campaign, "explain"), query))

    def events(self, campaign: str, after: int = 0) -> Iterator[Event]:
        """Yields the events after number ``after``, up to now. Pass the ``sequence`` of the last one
        as ``after`` to the next call."""
        while True:
            query = {"after": str(after), "limit": "1000"}
            rows = self._get(self._of(campaign, "events"), query)["events"]
            if not rows:
                return
            for row in rows:
                event = read(Event, row)
                after = event.sequence
                yield event

    def live_events(self, campaign: str, after: int = 0) -> Iterator[Event]:
        """Yields the events after number ``after`` and then new ones as they happen. It never ends:
        leave the loop or close the iterator. It reconnects by itself and misses nothing. It raises
        if the token is revoked or the server stays unreachable."""
        path = self._with_query(self._of(campaign, "events/live"), {"after": str(after)})
        failed = 0
        while True:
            wire = self._connection.open()
            try:
                fields = {"Accept": "text/event-stream", "Last-Event-ID": str(after)}
                response = self._connection.send(wire, "GET", path, None, fields)
                if response.status != 200:
                    refusal = Reply(response.status, response.headers, response.read()).refusal()
                    if response.status not in (429, 503):
                        raise refusal
                    raise ConnectionError(str(refusal))
                for line in response:
                    failed = 0
                    if line.startswith(b"data: "):
                        event = read(Event, json.loads(line[6:], parse_float=Number))
                        after = event.sequence
                        yield event
            except LOST as lost:
                failed += 1
                self._connection.failed(failed, f"GET {path}", lost)
            finally:
                wire.close()
            self._connection.pause(max(failed, 1))

    def export(self, campaign: str, what: str, path: Path, *, format: str = "csv") -> int:
        """Writes labels, answers, probabilities, workers or events to a file as csv, jsonl or
        crowd-kit. Returns the size in bytes. The file appears when it is complete."""
        source = self._with_query(self._of(campaign, f"export/{_quoted(what)}"), {"format": format})
        part = f"{os.fspath(path)}.part"
        failed = 0
        while True:
            wire = self._connection.open()
            try:
                size = self._fetch(wire, source, part)
                os.replace(part, path)
                return size
            except LOST as lost:
                if isinstance(lost, OSError) and lost.filename is not None:
                    raise
                failed += 1
                self._connection.failed(failed, f"GET {source}", lost)
            finally:
                wire.close()
                if os.path.exists(part):
                    os.remove(part)
            self._connection.pause(failed)

    # Helpers.

    def _fetch(self, wire: Any, source: str, part: str) -> int:
        response = self._connection.send(wire, "GET", source, None, {})
        if response.status != 200:
            refusal = Reply(response.status, response.headers, response.read()).refusal()
            if response.status not in (429, 503):
                raise refusal
            raise ConnectionError(str(refusal))
        size = 0
        with open(part, "wb") as file:
            while piece := response.read(PIECE):
                file.write(piece)
                size += len(piece)
        return size

    @staticmethod
    def _option(value: Any) -> Any:
        if value is None or isinstance(value, (str, int)):
            return value
        if isinstance(value, (float, Decimal)):
            return _text(value)
        if isinstance(value, Mapping):
            return dict(value)
        return list(value) if isinstance(value, (list, tuple)) else str(value)

    @staticmethod
    def _of(campaign: str, what: str = "") -> str:
        return f"/api/v1/campaigns/{_quoted(campaign)}" + (f"/{what}" if what else "")

    def _hook(self, campaign: str, webhook: str, what: str = "") -> str:
        return self._of(campaign, f"webhooks/{_quoted(webhook)}{what}")

    @staticmethod
    def _with_query(path: str, query: Mapping[str, str]) -> str:
        return f"{path}?{urllib.parse.urlencode(query)}" if query else path

    @staticmethod
    def _batches(items: Iterable[Union[NewItem, Mapping[str, Any]]]) -> Iterator[List[bytes]]:
        batch: List[bytes] = []
        size = 0
        for given in items:
            item = given if isinstance(given, NewItem) else NewItem(**given)
            text = json.dumps(
                _without_none(
                    id=item.id,
                    fields=dict(item.fields),
                    price=None if item.price is None else _text(item.price),
                    gold=item.gold,
                    truth=item.truth,
                    features=None if item.features is None else list(item.features),
                )
            ).encode()
            if batch and (len(batch) == MOST_ITEMS or size + len(text) > MOST_BYTES):
                yield batch
                batch, size = [], 0
            batch.append(text)
            size += len(text) + 2
        if batch:
            yield batch

    def _get(self, path: str, query: Mapping[str, str] = {}) -> Any:
        return self._connection.request("GET", self._with_query(path, query)).json()

    def _post(
        self,
        path: str,
        members: Mapping[str, Any],
        *,
        key: Optional[str] = None,
        keyed: bool = False,
        repeatable: bool = True,
    ) -> Any:
        fields = {"Idempotency-Key": key or uuid.uuid4().hex} if keyed else {}
        return self._post_bytes(path, json.dumps(members).encode(), fields, repeatable).json()

    def _post_bytes(
        self, path: str, body: bytes, fields: Mapping[str, str], repeatable: bool = True
    ) -> Reply:
        return self._send_bytes("POST", path, body, fields, repeatable)

    def _send(self, method: str, path: str, members: Mapping[str, Any]) -> Any:
        return self._send_bytes(method, path, json.dumps(members).encode(), {}, True).json()

    def _send_bytes(
        self, method: str, path: str, body: bytes, fields: Mapping[str, str], repeatable: bool
    ) -> Reply:
        whole: Callable[[], bytes] = lambda: body
        head = {"Content-Type": "application/json", **fields}
        return self._connection.request(method, path, whole, head, repeatable)

    def _pages(self, path: str, name: str, kind: Type[Model]) -> Iterator[Model]:
        query = {"limit": "1000"}
        while True:
            page = self._get(path, query)
            for row in page[name]:
                yield read(kind, row)
            if not page["next"]:
                return
            query["cursor"] = page["next"]
