"""Items, assignments, labels and answers."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any, Dict, List, Mapping, Optional, Sequence

from .values import Amount, Fields


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
