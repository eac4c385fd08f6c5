"""Audits, reviews, participants and workers, language models among them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, Dict, List, Optional


@dataclass(frozen=True)
class Person:
    """A person who labels or reviews a campaign with their account; ``token`` is the id to revoke."""

    address: str
    role: str
    token: str
    page: str
    created: datetime


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
    skipped: int
    spent: Decimal


@dataclass(frozen=True)
class ItemRemark:
    """Why a model abstained from an item or skipped it."""

    model: str
    item: str
    why: str


@dataclass(frozen=True)
class ModelRun:
    """A run of language models: ``state`` is running, stopping, stopped, finished or failed.

    ``waits`` says what a running run waits for, such as a campaign that is paused.
    """

    state: str
    waits: Optional[str]
    models: List[str]
    prompt: str
    cost_cap: Optional[Decimal]
    cost: Decimal
    failed: int
    trouble: Optional[str]
    oldest_request_seconds: int
    remarks: List[ItemRemark]
    reason: Optional[str]
    started: datetime
    ended: Optional[datetime]
    workers: List[ModelWorker]


@dataclass(frozen=True)
class Models:
    """Language models that the server offers, a prompt to start from, and the last run."""

    models: List[ModelOffer]
    prompt: str
    counts_labels: bool
    run: Optional[ModelRun]
