"""Tokens, webhooks, and whose token this is."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import List, Optional

from .campaigns import Page


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
    account: bool = False


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
