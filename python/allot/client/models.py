"""Dataclasses for requests and answers.

Amounts of money are exact :class:`decimal.Decimal`; times are aware :class:`datetime.datetime`.
Members that a newer server adds are ignored.
"""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass, field
from datetime import datetime, timezone
from decimal import Decimal
from typing import (
    Any,
    Dict,
    List,
    Mapping,
    Optional,
    Sequence,
    Type,
    TypeVar,
    Union,
    get_type_hints,
)

from .errors import ProtocolError

Amount = Union[int, float, str, Decimal]
"""An amount of money; a float counts as it prints."""

Fields = Dict[str, Any]
"""Fields of an item that a worker sees: any JSON."""


@dataclass(frozen=True)
class Options:
    classes: List[str]
    price: Decimal
    policy: str
    ties: str
    seed: int
    lease: str
    labels_per_item: Optional[int]
    labels_per_worker: Optional[int]
    gold_rate: float
    agreement_sample: Optional[str]
    people_sample: Optional[int]
    prior: str
    worker_prior: str
    stop: List[str]
    coins: Optional[int]
    refit: Any
    refit_by: Optional[str]
    ordered: bool
    features: List[str]


@dataclass(frozen=True)
class Page:
    """What workers see beside an item. ``instructions`` are Markdown; ``fields`` maps each field to
    text, image, audio, html or hidden. ``classes`` have the members class, name and example, in
    the order shown; with ``shuffle`` each worker and item has an order of its own."""

    question: str
    instructions: str
    fields: Dict[str, str]
    classes: List[Dict[str, str]]
    shuffle: bool
    currency: Optional[str]


@dataclass(frozen=True)
class CampaignEntry:
    id: str
    name: str
    owner: str
    created: datetime
    twin_of: Optional[str]
    currency: Optional[str]
    archived: bool


@dataclass(frozen=True)
class Campaign:
    id: str
    name: str
    owner: str
    created: datetime
    twin_of: Optional[str]
    currency: Optional[str]
    archived: bool
    page: Page
    phase: str
    reason: Optional[str]
    budget: Decimal
    spent: Decimal
    reserved: Decimal
    left: Decimal
    items: int
    gold: int
    workers: int
    leases: int
    labels: int
    events: int
    options: Options


@dataclass(frozen=True)
class CalibratedAccuracy:
    """Expected accuracy of the answers, and a range that holds it with probability 0.9."""

    accuracy: float
    low: float
    high: float


@dataclass(frozen=True)
class AnswerSummary:
    """``count`` items have an answer, ``unlabelled`` ones have no label yet; gold items do not count.
    Unless ``verified``, the expected accuracy is estimated by the model, not verified."""

    count: int
    unlabelled: int
    expected_accuracy: Optional[float]
    truths: int
    accuracy: Optional[float]
    verified: bool


@dataclass(frozen=True)
class Status:
    """Progress of a campaign. ``expected_accuracy`` and ``accuracy`` cover all items, with a guess
    where there is no label; those of ``answers`` cover the items that have an answer."""

    phase: str
    reason: Optional[str]
    archived: bool
    started: datetime
    last_event: datetime
    budget: Decimal
    spent: Decimal
    reserved: Decimal
    left: Decimal
    items: int
    gold: int
    workers: int
    leases: int
    labels: int
    gold_labels: int
    imported: int
    excluded: int
    labels_a_day: Dict[str, int]
    settled: Dict[str, int]
    answers: AnswerSummary
    expected_accuracy: float
    calibrated: Optional[CalibratedAccuracy]
    known_answers: int
    bound: Optional[float]
    reviewed: int
    truths: int
    accuracy: Optional[float]
    events: int


@dataclass(frozen=True)
class Point:
    """Expected accuracy of all items after a number of labels, with a guess where there is none."""

    labels: int
    event: int
    time: datetime
    spent: Decimal
    expected_accuracy: float
    calibrated: Optional[CalibratedAccuracy]
    known_answers: int
    bound: Optional[float]
    accuracy: Optional[float]


@dataclass(frozen=True)
class NewItem:
    """An item to add. ``gold`` is a known answer that workers are tested on; ``truth`` is your own
    answer, used only to measure."""

    id: str
    fields: Mapping[str, Any] = field(default_factory=dict)
    price: Optional[Amount] = None
    gold: Optional[str] = None
    features: Optional[Sequence[float]] = None
    truth: Optional[str] = None


@dataclass(frozen=True)
class Added:
    added: int
    known: int


@dataclass(frozen=True)
class Item:
    """An item in a list. ``answer`` and ``probability`` are None if it has no label yet."""

    item: str
    state: str
    labels: int
    at_hand: int
    settled: Optional[str]
    gold: Optional[str]
    truth: Optional[str]
    answer: Optional[str]
    probability: Optional[float]
    text: str


@dataclass(frozen=True)
class Assignment:
    """An item leased to a worker until it expires. ``classes`` is the order to show, if shuffled."""

    item: str
    fields: Fields
    price: Decimal
    expires: datetime
    classes: Optional[List[str]] = None


@dataclass(frozen=True)
class Shortfall:
    """Reason why there are fewer items than requested."""

    code: str
    detail: str


@dataclass(frozen=True)
class Assignments:
    assignments: List[Assignment]
    shortfall: Optional[Shortfall]
    #: Only for participants of a recruiting link.
    session: Optional[Dict[str, Any]] = None


@dataclass(frozen=True)
class WhomNext:
    worker: Optional[str]
    assignments: List[Assignment]
    shortfall: Optional[Shortfall]


@dataclass(frozen=True)
class NewLabel:
    item: str
    label: str
    worker: Optional[str] = None
    confidence: Optional[float] = None


@dataclass(frozen=True)
class Outcome:
    """Outcome of one label: recorded, already, revised or refused, with code and detail."""

    item: str
    outcome: str
    code: Optional[str]
    detail: Optional[str]
    #: In a qualification with feedback: whether the label is right, and the known answer.
    right: Optional[bool] = None
    answer: Optional[str] = None


@dataclass(frozen=True)
class Labelled:
    labels: List[Outcome]
    next: Optional[Assignments]


@dataclass(frozen=True)
class Imported:
    """Labels that were imported, by outcome. ``problems`` says why some were refused."""

    recorded: int
    already: int
    refused: int
    problems: List[str]


@dataclass(frozen=True)
class HandedBack:
    item: str
    next: Optional[Assignments]


@dataclass(frozen=True)
class Answer:
    """An item and its answer. ``status`` is labelled, reviewed or "no label yet": then there is no
    answer, and ``probabilities`` are a guess from prior and features."""

    item: str
    answer: Optional[str]
    probability: Optional[float]
    calibrated: Optional[float]
    labels: int
    entropy: float
    disagreement: Optional[float]
    settled: Optional[str]
    reviewer: Optional[str]
    reason: Optional[str]
    status: str
    expected_rank: Optional[float]
    probabilities: Dict[str, float]


@dataclass(frozen=True)
class AuditShare:
    """The share of one class among the items that an audit judges."""

    class_: str
    found: int
    estimate: Optional[float]
    lower: Optional[float]
    low: Optional[float]
    high: Optional[float]


@dataclass(frozen=True)
class AuditStratum:
    """Answers stated at a probability between ``from_`` and ``to``."""

    from_: float
    to: float
    answers: int
    checked: int
    right: int
    estimate: Optional[float]
    lower: Optional[float]
    low: Optional[float]
    high: Optional[float]


@dataclass(frozen=True)
class Audit:
    """What the checks of an audit prove: with ``confidence``, at least ``lower`` of all ``answers``
    are right."""

    number: int
    started: datetime
    kind: str
    checks: Optional[int]
    target: Optional[float]
    confidence: float
    answers: int
    drawn: int
    checked: int
    right: int
    waiting: int
    missing: int
    next: Optional[str]
    contradiction: bool
    estimate: Optional[float]
    lower: Optional[float]
    low: Optional[float]
    high: Optional[float]
    certified: Optional[bool]
    checks_to_prove: Optional[int]
    shares: List[AuditShare]
    strata: List[AuditStratum]


@dataclass(frozen=True)
class SaidLabel:
    worker: str
    label: str


@dataclass(frozen=True)
class ReviewItem:
    """A labelled item that a reviewer could decide next. For checks of an audit (``why`` is
    ``audit``) a reviewer gets ``None`` for all that labels tell."""

    item: str
    fields: Dict[str, Any]
    answer: Optional[str]
    probability: Optional[float]
    probabilities: Optional[Dict[str, float]]
    labels: Optional[List[SaidLabel]]
    disagreement: Optional[float]
    skips: Optional[int]
    why: str


@dataclass(frozen=True)
class Verdict:
    """A reviewer's decision. ``believed`` and ``stated`` are the answer before it and its
    probability then, if the item had a label."""

    item: str
    answer: str
    reviewer: str
    reason: str
    time: datetime
    believed: Optional[str]
    stated: Optional[float]


@dataclass(frozen=True)
class RecruitingLink:
    """One address for all participants of a platform. Paste the server's address and ``study_path``
    into the platform."""

    id: str
    created: datetime
    page: str
    study_path: str
    signing_key: str
    terms: Dict[str, Any]
    participants: int
    sessions: Dict[str, int]
    labels: int
    owed: Optional[Decimal]


@dataclass(frozen=True)
class Session:
    """One visit of a participant. ``outcome`` is open, done, screened-out, no-work or
    incomplete. ``owed`` is None if labels have no price in money."""

    link: str
    worker: str
    id: str
    session: str
    outcome: str
    joined: datetime
    seconds: int
    labels: int
    skipped: int
    qualification: int
    known: int
    known_right: int
    owed: Optional[Decimal]
    parameters: Dict[str, str]


@dataclass(frozen=True)
class Worker:
    worker: str
    labels: int
    at_hand: int
    skips: int
    abstained: int
    reliability: float
    low: float
    high: float
    agreement: Optional[float]
    gold: int
    gold_right: int
    reviewed: int
    reviewed_right: int
    price: Decimal
    spent: Decimal
    standing: str
    standing_reason: Optional[str]
    answer_agreement: Optional[float]
    seconds: Optional[float]
    pay_per_hour: Optional[Decimal]
    too_fast: bool
    seen: Optional[datetime]
    group: Optional[str] = None
    version: Optional[str] = None
    follows: Optional[str] = None


@dataclass(frozen=True)
class Group:
    """Workers who err together, and how far. Nobody can see the errors of a group of which no item
    is ``checked`` from outside."""

    group: str
    members: int
    items: int
    checked: int
    error_correlation: Optional[float]
    low: Optional[float]
    high: Optional[float]
    effective_votes: Optional[float]


@dataclass(frozen=True)
class ModelOffer:
    """A language model that the server can ask, and the price of its labels."""

    model: str
    endpoint: str
    price: Decimal


@dataclass(frozen=True)
class ModelWorker:
    """What a model did in the campaign, in all runs."""

    model: str
    labels: int
    abstained: int
    spent: Decimal


@dataclass(frozen=True)
class ModelRun:
    """A run of language models: ``state`` is running, stopping, stopped, finished or failed."""

    state: str
    models: List[str]
    prompt: str
    cost_cap: Optional[Decimal]
    cost: Decimal
    failed: int
    trouble: Optional[str]
    reason: Optional[str]
    started: datetime
    ended: Optional[datetime]
    workers: List[ModelWorker]


@dataclass(frozen=True)
class Models:
    """Language models that the server offers, a prompt to start from, and the last run."""

    models: List[ModelOffer]
    prompt: str
    run: Optional[ModelRun]


@dataclass(frozen=True)
class Coefficient:
    """A measure of agreement; ``reason`` says why ``value`` or the interval is missing."""

    coefficient: str
    title: str
    value: Optional[float]
    low: Optional[float]
    high: Optional[float]
    reason: Optional[str]


@dataclass(frozen=True)
class Agreement:
    """Agreement of the workers. ``sampled`` and ``complete`` count items of the agreement sample;
    without one they are None, and ``adaptive`` labels make agreement too low."""

    sampled: Optional[int]
    complete: Optional[int]
    labels: int
    items: int
    fewest_labels: int
    most_labels: int
    adaptive: bool
    confidence: float
    resamples: int
    coefficients: List[Coefficient]


@dataclass(frozen=True)
class Share:
    """Relation of a worker to an item: leased, lapsed, released, skipped or labelled."""

    worker: str
    bond: str
    label: Optional[str]


@dataclass(frozen=True)
class Outlook:
    """Chance of a label, and the probabilities of the classes after it."""

    chance: float
    then: Dict[str, float]


@dataclass(frozen=True)
class Explanation:
    item: str
    fields: Fields
    probabilities: Dict[str, float]
    workers: List[Share]
    at_hand: int
    settled: Optional[str]
    gold: Optional[str]
    value: Optional[float]
    outlook: Dict[str, Outlook]


@dataclass(frozen=True)
class Event:
    sequence: int
    time: datetime
    event: str
    item: Optional[str]
    worker: Optional[str]
    label: Optional[str]
    price: Optional[Decimal]
    expires: Optional[datetime]
    detail: Optional[str]
    items: Optional[int]


@dataclass(frozen=True)
class Token:
    id: str
    role: str
    campaign: Optional[str]
    worker: Optional[str]
    reviewer: Optional[str]
    label: str
    created: datetime
    revoked: Optional[datetime]


@dataclass(frozen=True)
class NewToken:
    """A new token. ``secret`` is the token itself, shown once and hidden in ``repr``."""

    token: Token
    secret: str = field(repr=False)
    link: Optional[str] = field(repr=False)


@dataclass(frozen=True)
class Webhook:
    id: str
    url: str
    events: List[str]
    description: str
    active: bool
    off_reason: Optional[str]
    failing_since: Optional[datetime]
    old_secret_until: Optional[datetime]
    created: datetime
    cursor: int


@dataclass(frozen=True)
class NewWebhook:
    """A new webhook. ``secret`` signs its messages; it is shown once and hidden in ``repr``."""

    webhook: Webhook
    secret: str = field(repr=False)


@dataclass(frozen=True)
class NewSecret:
    """A new secret; the old one stays valid until ``old_secret_until``."""

    secret: str = field(repr=False)
    old_secret_until: datetime


@dataclass(frozen=True)
class Delivery:
    id: str
    type: str
    state: str
    created: datetime
    attempts: int
    last_attempt: Optional[datetime]
    next_attempt: Optional[datetime]
    status: Optional[int]
    trouble: Optional[str]


@dataclass(frozen=True)
class MyCampaign:
    id: str
    name: str
    phase: str
    classes: List[str]
    page: Page
    labels: int
    earned: Decimal
    at_hand: int


@dataclass(frozen=True)
class Me:
    role: str
    label: str
    worker: Optional[str]
    reviewer: Optional[str]
    public_url: Optional[str]
    data_folder: Optional[str]
    campaign: Optional[MyCampaign]


class Number(float):
    """A float that keeps its digits, so that it can be read as exact money."""

    text: str

    def __new__(cls, text: str) -> Number:
        number = super().__new__(cls, text)
        number.text = text
        return number


Model = TypeVar("Model")

_TIME = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?Z")


def _time(text: str) -> datetime:
    match = _TIME.fullmatch(text)
    if not match:
        raise ValueError(f"{text!r} is not a time")
    time = datetime.strptime(match[1], "%Y-%m-%dT%H:%M:%S").replace(tzinfo=timezone.utc)
    return time.replace(microsecond=int((match[2] or "").ljust(6, "0")))


def _money(value: Any) -> Decimal:
    return Decimal(value.text if isinstance(value, Number) else value)


def _value(kind: Any, value: Any) -> Any:
    """Converts ``value`` to the annotated type ``kind``."""
    origin, arguments = getattr(kind, "__origin__", None), getattr(kind, "__args__", ())
    if kind is Any:
        return value
    if origin is Union:
        return None if value is None else _value(arguments[0], value)
    if origin is list:
        return [_value(arguments[0], element) for element in value]
    if origin is dict:
        return {name: _value(arguments[1], element) for name, element in value.items()}
    if kind is datetime:
        return _time(value)
    if kind is Decimal:
        return _money(value)
    if kind is float:
        return float(value)
    if dataclasses.is_dataclass(kind):
        return read(kind, value)  # type: ignore[arg-type]
    if not isinstance(value, kind):
        raise ValueError(f"{value!r} is not of type {kind.__name__}")
    return value


_hints: Dict[Any, Dict[str, Any]] = {}


def read(kind: Type[Model], data: Any) -> Model:
    """Makes a dataclass of the object that the server sent."""
    if kind not in _hints:
        _hints[kind] = get_type_hints(kind)
    try:
        return kind(**{name: _value(hint, data.get(name.rstrip("_"))) for name, hint in _hints[kind].items()})
    except (AttributeError, ArithmeticError, TypeError, ValueError) as wrong:
        raise ProtocolError(f"the answer is not a valid {kind.__name__}: {wrong}") from wrong
