"""Policies and aggregators written in Python, for :func:`allot.replay` and :func:`allot.simulate`.

A policy is a function of a :class:`PolicyState`. It returns the number of the item to ask, a pair
``(item, worker)``, or an array with one value per item: the open item with the largest is asked.

An aggregator is an object with ``fit_predict_proba`` or ``fit_predict``, as allot and crowd-kit have
them, or a function of a DataFrame (task, worker, label) that returns an answer per task. It sees the
tasks, workers and labels of the data (numbers in a simulation) and must answer every task that it
sees. Tasks without a label get the commonest class.

>>> from allot import replay
>>> def first_label(labels):
...     return labels.groupby("task").label.first()
>>> labels = [(t, w, "yes" if t % 3 else "no") for t in range(12) for w in "abcd"]
>>> replay(labels, policies="uniform", budget="50%", runs=2, final=first_label).rows[0]["budget"]
24
"""

from __future__ import annotations

from typing import Any, Callable, List, NoReturn, Optional, Sequence, Set, Tuple, Union

import numpy as np

from . import _engine
from ._tables import LabelTable, is_missing, pd, text_of

PolicyState = _engine.PolicyState
Policy = Union[str, Callable[[Any], Any]]


def read_policies(policies: Union[None, Policy, Sequence[Policy]], plugins: Any) -> Optional[List[str]]:
    """The names of the policies. Functions go to the plugins, under their own names."""
    if policies is None:
        return None
    names, functions = [], []
    single = isinstance(policies, str) or callable(policies)
    if not single and not hasattr(policies, "__iter__"):
        raise TypeError(f"policies {policies!r} is of type {type(policies).__name__}; expected names and functions")
    for one in [policies] if single else policies:
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


def read_final(final: Any, plugins: Any, labels: Optional[LabelTable] = None) -> Optional[str]:
    """The name of the method that answers from the collected labels. ``labels`` is the data; a
    simulation has numbers."""
    if final is None or isinstance(final, str):
        return final
    if not any(hasattr(final, verb) for verb in ("fit_predict_proba", "fit_predict", "__call__")):
        raise TypeError(
            f"final {final!r} is of type {type(final).__name__}; expected the name of a method, an aggregator with "
            "fit_predict, or a function"
        )
    name = getattr(final, "__name__", type(final).__name__)

    def answer(items: Any, workers: Any, given: Any, count: int, classes: int, seed: int) -> Tuple[Any, Any]:
        tasks = Values(range(count) if labels is None else labels.tasks)
        people = Values(range(int(workers.max(initial=0)) + 1) if labels is None else labels.workers)
        return Answers(name, tasks, Values(range(classes) if labels is None else labels.classes)).of(
            final, items, people.take(workers), given
        )

    plugins.methods = [(name, answer)]
    return name


class Values:
    """Values by number, and back. A value is also found by its text."""

    def __init__(self, values: Any) -> None:
        self.values = values if pd is None else pd.Index(values)
        self.list = list(self.values)
        self._numbers = {value: number for number, value in enumerate(self.list)}
        self._texts = {text_of(value): number for number, value in enumerate(self.list)}

    def take(self, numbers: Any) -> Any:
        if pd is not None:
            return self.values.take(numbers.astype(np.int64))
        return [self.list[number] for number in numbers]

    def number(self, value: Any) -> Optional[int]:
        try:
            found = self._numbers.get(value)
        except TypeError:  # a list, say
            return None
        return self._texts.get(text_of(value)) if found is None and not is_missing(value) else found


class Answers:
    """Answers of an aggregator in Python, as numbers of the engine. Refuses what is not an answer."""

    def __init__(self, name: str, tasks: Values, classes: Values) -> None:
        self.name, self.tasks, self.classes = name, tasks, classes

    def of(self, final: Any, items: Any, workers: Any, labels: Any) -> Tuple[Any, Optional[List[float]]]:
        """Answers, and probabilities if there are any, from the labels of the engine."""
        columns = {"task": self.tasks.take(items), "worker": workers, "label": self.classes.take(labels)}
        data: Any = columns if pd is None else pd.DataFrame(columns)
        # Items without a label get the commonest class.
        shares = np.bincount(labels, minlength=len(self.classes.list)) / max(1, len(labels))
        asked = set(np.unique(items).tolist())
        if hasattr(final, "fit_predict_proba"):
            found = final.fit_predict_proba(data)
            if found is not None:
                return self._probabilities(found, asked, shares)
        found = final.fit_predict(data) if hasattr(final, "fit_predict") else final(data)
        answers = np.full(len(self.tasks.list), int(shares.argmax()), dtype=np.int64)
        for task, answer in self._pairs(found, asked):
            number = self.classes.number(answer)
            if number is None:
                self._refuse(f"answered task {self.tasks.list[task]!r} with {answer!r}; expected a label of the data")
            answers[task] = number
        return answers.tolist(), None

    def _refuse(self, what: str) -> NoReturn:
        raise ValueError(f"aggregator '{self.name}' {what}")

    def _pairs(self, found: Any, asked: Set[int]) -> List[Tuple[int, Any]]:
        """The number of each task, and what was answered. Every task with a label must be there."""
        if not hasattr(found, "items") or (pd is not None and isinstance(found, pd.DataFrame)):
            self._refuse(f"returned a {type(found).__name__}; expected a Series by task, or a dictionary")
        pairs = []
        for task, answer in found.items():
            number = self.tasks.number(task)
            if number is None:
                self._refuse(f"answered task {task!r}; expected a task of the data")
            pairs.append((number, answer))
        missing = asked - {number for number, _ in pairs}
        if missing:
            first = self.tasks.list[min(missing)]
            self._refuse(f"did not answer task {first!r}; expected an answer to every task with a label")
        return pairs

    def _probabilities(self, found: Any, asked: Set[int], shares: Any) -> Tuple[Any, List[float]]:
        if pd is not None and isinstance(found, pd.DataFrame):
            found = dict(zip(found.index, found.to_dict("records")))
        probabilities = np.tile(shares, (len(self.tasks.list), 1))
        for task, row in self._pairs(found, asked):
            if not hasattr(row, "items"):
                self._refuse(f"stated {row!r} for task {self.tasks.list[task]!r}; expected one probability per class")
            probabilities[task] = 0.0
            for label, probability in row.items():
                number = self.classes.number(label)
                if number is None:
                    self._refuse(f"has a column {label!r}; expected labels of the data")
                if not isinstance(probability, (int, float, np.number)) or not 0 <= probability <= 1 + 1e-6:
                    self._refuse(
                        f"stated the probability {probability!r} for task {self.tasks.list[task]!r}; expected 0 to 1"
                    )
                probabilities[task, number] = probability
        return probabilities.argmax(axis=1).tolist(), probabilities.ravel().tolist()
