"""Policies and aggregators written in Python, for :func:`allot.replay` and :func:`allot.simulate`.

A policy is a function of a :class:`PolicyState`. It returns the number of the item to ask, a pair
``(item, worker)``, or an array with one value per item: the open item with the largest is asked.

An aggregator is an object with ``fit_predict_proba`` or ``fit_predict``, as allot and crowd-kit have
them, or a function of a DataFrame (task, worker, label) that returns an answer per task.
"""

from __future__ import annotations

from typing import Any, Callable, List, Optional, Sequence, Tuple, Union

import numpy as np

from . import _engine
from ._tables import pd

PolicyState = _engine.PolicyState
Policy = Union[str, Callable[[Any], Any]]


def read_policies(policies: Union[None, Policy, Sequence[Policy]], plugins: Any) -> Optional[List[str]]:
    """The names of the policies. Functions go to the plugins, under their own names."""
    if policies is None:
        return None
    names, functions = [], []
    for one in [policies] if isinstance(policies, str) or callable(policies) else policies:
        if isinstance(one, str):
            names.append(one)
            continue
        if not callable(one):
            raise TypeError(f"policy {one!r} is of type {type(one).__name__}; expected a name or a function")
        name = _name(one)
        if name in names:
            raise ValueError(f"policy '{name}' is named twice; expected different names")
        names.append(name)
        functions.append((name, one if hasattr(one, "__get__") else one.__call__))
    plugins.policies = functions
    return names


def _name(function: Any) -> str:
    name = getattr(function, "name", None) or getattr(function, "__name__", type(function).__name__)
    if "," in name or ":" in name or not name.isprintable():
        raise ValueError(f"policy '{name}' has a name that cannot be used; expected letters, digits and '_'")
    return str(name)


def read_final(final: Any, plugins: Any) -> Optional[str]:
    """The name of the method that answers from the collected labels."""
    if final is None or isinstance(final, str):
        return final
    name = getattr(final, "__name__", type(final).__name__)

    def answer(items: Any, workers: Any, labels: Any, count: int, classes: int, seed: int) -> Tuple[Any, Any]:
        return _answers(final, name, items, workers, labels, count, classes)

    plugins.methods = [(name, answer)]
    return name


def _answers(
    final: Any, name: str, items: Any, workers: Any, labels: Any, count: int, classes: int
) -> Tuple[Any, Optional[List[float]]]:
    columns = {"task": items.astype(np.int64), "worker": workers.astype(np.int64), "label": labels.astype(np.int64)}
    data: Any = columns if pd is None else pd.DataFrame(columns)
    # Items without a label get the commonest class.
    shares = np.bincount(columns["label"], minlength=classes) / max(1, len(labels))
    if hasattr(final, "fit_predict_proba"):
        found = final.fit_predict_proba(data)
        if found is not None:
            return _from_probabilities(found, shares, count, classes)
    found = final.fit_predict(data) if hasattr(final, "fit_predict") else final(data)
    answers = np.full(count, int(shares.argmax()), dtype=np.uint32)
    for task, answer in dict(found).items():
        if not (0 <= int(task) < count and 0 <= int(answer) < classes):
            raise ValueError(f"aggregator '{name}' answered task {task!r} with {answer!r}; expected a label of the data")
        answers[int(task)] = int(answer)
    return answers.tolist(), None


def _from_probabilities(found: Any, shares: Any, count: int, classes: int) -> Tuple[Any, List[float]]:
    probabilities = np.tile(shares, (count, 1))
    if pd is not None and isinstance(found, pd.DataFrame):
        found = found.reindex(columns=range(classes), fill_value=0.0)
        probabilities[found.index.to_numpy(dtype=int)] = found.to_numpy(dtype=float)
    else:
        for task, row in found.items():
            probabilities[int(task)] = [row.get(label, 0.0) for label in range(classes)]
    if not np.isfinite(probabilities).all():
        raise ValueError("the aggregator stated a probability that is not a number; expected 0 to 1")
    return probabilities.argmax(axis=1).tolist(), probabilities.ravel().tolist()
