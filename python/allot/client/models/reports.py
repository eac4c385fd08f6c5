"""Agreement, explanations and events."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Dict, List, Optional

from .values import Fields


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
