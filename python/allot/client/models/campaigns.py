"""A campaign, its options and how it stands."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, Dict, List, Optional


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
class SampleProgress:
    """People have labelled ``labelled`` of the ``items`` of their sample."""

    items: int
    labelled: int


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
    people_sample: Optional[SampleProgress]
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
