"""Policies compared on recorded labels (:func:`replay`) or simulated ones (:func:`simulate`).

Options mean what they mean on the command line: ``refit_by`` is ``--refit-by`` of ``allot replay``.
Results do not depend on the number of threads. Ctrl-C ends a comparison.
"""

from __future__ import annotations

import json
from typing import Any, Dict, Mapping, Optional, Sequence, Union

from . import _engine
from ._tables import CsvText, Table, number_text, option_texts, read_table, truth_text
from .figures import Report
from .plugins import Policy, read_final, read_policies


class Comparison(Report):
    """One row per policy and budget: ``policy``, ``budget``, ``labels_per_item``, ``accuracy`` (or
    ``agreement`` without a truth), ``stderr``, ``expected_accuracy``, ``seconds``, ``worst``,
    ``bound``. ``print`` shows the table of the command line, ``plot()`` a figure, and a notebook the
    figure by itself."""


Budgets = Union[None, str, int, float, Sequence[Union[str, int]]]


def _budget(budget: Budgets) -> Optional[str]:
    return None if budget is None else number_text(list(budget) if not isinstance(budget, (str, int, float)) else budget)


def _comparison(found: Any, more: Sequence[str] = ()) -> Comparison:
    text, table, svg, notes = found
    settings = json.loads(text)
    return Comparison(settings, settings.pop("rows"), table, svg, [*notes, *more])


def policies() -> Dict[str, str]:
    """Returns the policies by name, each with one line about it.

    >>> "kg-eig" in policies()
    True
    """
    return dict(_engine.policies())


def replay(
    labels: Table,
    truth: Any = None,
    *,
    policies: Union[None, Policy, Sequence[Policy]] = None,
    budget: Budgets = None,
    runs: int = 20,
    seed: int = 1,
    threads: Optional[int] = None,
    workers: str = "differ",
    mode: Optional[str] = None,
    prior: Optional[str] = None,
    worker_prior: Optional[str] = None,
    coins: Optional[int] = None,
    refit: Union[None, int, str] = None,
    refit_by: Optional[str] = None,
    ordered: bool = False,
    final: Any = None,
    ties: Optional[str] = None,
    price: Union[None, float, str, Mapping[Any, Any]] = None,
    groups: Optional[Mapping[Any, Any]] = None,
    stop: Union[None, str, Sequence[str]] = None,
    duplicates: str = "error",
    classes: Optional[Sequence[Any]] = None,
) -> Comparison:
    """Compares policies on recorded labels, as if they had bought them one by one.

    Without a ``truth`` the comparison reports agreement with the answers from all labels.

    :param labels: a table (task, worker, label), or the path of a file
    :param truth: a Series by task, a dictionary, a table (task, truth), or the path of a file: CSV,
        JSON, or an export with golden answers or ground truth, such as that of ``labels``
    :param policies: names as in ``allot policies``, and functions of a state (:mod:`allot.plugins`)
    :param budget: labels to buy: ``500``, ``"4x"`` per item, ``"40%"`` of all, a list or a range
    :param final: method that turns the collected labels into answers: a name, an aggregator of
        allot or crowd-kit, or a function (:mod:`allot.plugins`)
    :param price: price of a label, or one per worker; budgets are then money
    :param groups: workers who err together, such as language models: ``{worker: group}``

    >>> labels = [(t, w, int(t % 3 == 0)) for t in range(12) for w in "abcd"]
    >>> truth = {t: int(t % 3 == 0) for t in range(12)}
    >>> found = replay(labels, truth, policies=["uniform", "kg-eig"], budget="50%", runs=2)
    >>> [(row["policy"], row["budget"]) for row in found.rows]
    [('uniform', 24), ('kg-eig', 24)]
    """
    table = read_table(labels, duplicates=duplicates, classes=classes)
    plugins = _engine.Plugins()
    options = option_texts(
        policy=read_policies(policies, plugins),
        budget=_budget(budget),
        runs=runs,
        seed=seed,
        threads=threads,
        workers=workers,
        mode=mode,
        prior=prior,
        worker_prior=worker_prior,
        coins=coins,
        refit=refit,
        refit_by=refit_by,
        ordered=ordered,
        final=read_final(final, plugins, table),
        ties=ties,
        price=None if isinstance(price, Mapping) else price,
        stop=None if stop is None else [number_text(stop)],
    )
    prices = None
    if isinstance(price, Mapping):
        prices = CsvText(("worker", "price"), price.items()).text
    who = None if groups is None else CsvText(("worker", "group"), groups.items()).text
    if truth is None:
        return _comparison(_engine.replay(table.engine, None, prices, who, options, plugins), table.own_notes)
    truths = truth_text(truth)
    with truths.rows_in_errors("truth"):
        return _comparison(_engine.replay(table.engine, truths.text, prices, who, options, plugins), table.own_notes)


def simulate(
    items: Optional[int] = None,
    *,
    policies: Union[None, Policy, Sequence[Policy]] = None,
    budget: Budgets = None,
    truth: Union[None, str, Sequence[float]] = None,
    classes: Optional[int] = None,
    runs: int = 20,
    seed: int = 1,
    threads: Optional[int] = None,
    workers: Union[None, int, str] = None,
    worker_truth: Union[None, str, Sequence[float]] = None,
    mode: Optional[str] = None,
    prior: Optional[str] = None,
    worker_prior: Optional[str] = None,
    coins: Optional[int] = None,
    refit: Union[None, int, str] = None,
    refit_by: Optional[str] = None,
    ordered: bool = False,
    final: Any = None,
    ties: Optional[str] = None,
    price: Union[None, float, str] = None,
    groups: Optional[str] = None,
    confidence: Optional[str] = None,
    stop: Union[None, str, Sequence[str]] = None,
) -> Comparison:
    """Compares policies on simulated labels, as ``allot simulate`` does.

    :param items: number of items; 50, or as many as ``truth`` lists
    :param truth: distribution of the true soft labels, or the soft labels
    :param workers: number of workers who differ, or types such as ``"llm=3*beta(9,1)@0.001"``; all
        are alike if not given
    :param groups: ``"ignored"`` if beliefs must not know which types err together (``~`` in
        ``workers``)
    :param confidence: how sure workers say they are of each label: ``"informative"``, ``"noise"`` or
        ``"inverted"``

    >>> found = simulate(20, policies=["uniform", "opt-kg"], budget="2x", runs=5)
    >>> [row["policy"] for row in found.rows]
    ['uniform', 'opt-kg']

    A policy in Python asks the least certain item:

    >>> def least_certain(state):
    ...     return -state.probabilities.max(axis=1)
    >>> simulate(20, policies=[least_certain], budget="2x", runs=2).rows[0]["policy"]
    'least_certain'
    """
    plugins = _engine.Plugins()
    options = option_texts(
        items=items,
        policy=read_policies(policies, plugins),
        budget=_budget(budget),
        truth=truth,
        classes=classes,
        runs=runs,
        seed=seed,
        threads=threads,
        workers=workers,
        worker_truth=worker_truth,
        mode=mode,
        prior=prior,
        worker_prior=worker_prior,
        coins=coins,
        refit=refit,
        refit_by=refit_by,
        ordered=ordered,
        final=read_final(final, plugins),
        ties=ties,
        price=price,
        groups=groups,
        confidence=confidence,
        stop=None if stop is None else [number_text(stop)],
    )
    return _comparison(_engine.simulate(options, plugins))
