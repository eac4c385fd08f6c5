"""Forecasts before the first label: :func:`plan` and :func:`exact`."""

from __future__ import annotations

import json
from typing import Any, Dict, List, Optional, Sequence, Union

from . import _engine
from ._tables import Table, number_text, option_texts, read_table
from .figures import Report


class Plan(Report):
    """One row per policy and budget or target, with the expected accuracy. ``bound`` is what no
    policy exceeds."""


class Exact(Report):
    """One row per policy: its exact expected accuracy. ``next`` lists the best items to ask, counted
    from 0, and ``choices`` the accuracy if each item is asked."""

    next: List[int]
    choices: List[Dict[str, Any]]


def plan(
    items: Optional[int] = None,
    *,
    budget: Union[None, int, str, Sequence[Union[int, str]]] = None,
    target: Union[None, float, Sequence[float]] = None,
    prior: Optional[str] = None,
    pilot: Optional[Table] = None,
    price: Union[None, float, str] = None,
    workers: Optional[str] = None,
    duplicates: str = "error",
) -> Plan:
    """Forecasts the accuracy that a budget buys, or the budget for an accuracy.

    :param budget: labels, such as ``50000`` or ``"5x"`` per item, or a list
    :param target: accuracy to reach, such as ``0.95``, or a list
    :param pilot: labels of two classes to learn the prior from
    :param workers: workers by type; budgets are then money

    >>> found = plan(10_000, target=0.95, price=0.05)
    >>> [row["policy"] for row in found.rows]
    ['least-labelled', 'opt-kg', 'label-price', 'bound']
    """
    options = option_texts(
        items=items,
        budget=None if budget is None else number_text(budget),
        target=target,
        prior=prior,
        price=price,
        workers=workers,
    )
    labels = None if pilot is None else read_table(pilot, duplicates=duplicates).engine
    text, table, svg = _engine.plan(labels, options)
    settings = json.loads(text)
    return Plan(settings, settings.pop("rows"), table, svg, [] if labels is None else labels.notes)


def exact(
    items: Optional[int] = None,
    *,
    budget: Union[int, str],
    state: Optional[Sequence[Any]] = None,
    prior: Optional[str] = None,
    policies: Union[None, str, Sequence[str]] = None,
    ties: Optional[str] = None,
) -> Exact:
    """Computes the best possible accuracy for a few items, and that of policies.

    :param state: positive and negative labels that each item has, such as ``[(2, 0), (1, 1)]``

    >>> found = exact(4, budget=9, policies="opt-kg")
    >>> [(row["policy"], round(row["expected_accuracy"], 6)) for row in found.rows]
    [('dp', 0.799769), ('opt-kg', 0.799682)]
    """
    names = [policies] if isinstance(policies, str) else policies
    options = option_texts(
        items=items,
        budget=budget,
        state=None if state is None else ",".join(f"{positive}:{negative}" for positive, negative in state),
        prior=prior,
        policy=None if names is None else list(names),
        ties=ties,
    )
    settings = json.loads(_engine.exact(options, "json"))
    found = Exact(settings, settings.pop("rows"), _engine.exact(options, "table"))
    found.next = [number - 1 for number in settings.pop("next")]
    found.choices = settings.pop("choices")
    return found
