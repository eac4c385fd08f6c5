"""Labels into answers, with the verbs and attributes of crowd-kit.

>>> labels = [("t1", "ann", "yes"), ("t1", "bob", "yes"), ("t1", "eve", "no"), ("t2", "ann", "no"), ("t2", "bob", "no")]
>>> MajorityVote().fit_predict(labels).to_dict()
{'t1': 'yes', 't2': 'no'}
"""

from __future__ import annotations

import re
from typing import Any, Dict, List, Optional, Sequence, TypeVar

import numpy as np

from . import _engine
from ._tables import LabelTable, Table, frame, is_missing, pd, read_table, series, text_of

Self = TypeVar("Self", bound="Aggregator")
Vote = TypeVar("Vote", bound="MajorityVote")
Featured = TypeVar("Featured", bound="_WithFeatures")


class Aggregator:
    """What all aggregators share.

    ``fit`` takes a DataFrame with the columns ``task``, ``worker`` and ``label``, a dictionary of
    columns, an array, rows, or the path of a file in any format that ``allot.formats()`` lists.
    Missing labels are left out. ``notes_`` says how many, and that a fit contradicts itself.

    :param duplicates: if a worker labels a task again: ``error``, keep the ``first`` or ``last``
        label, that of the ``majority``, or ``all``
    :param classes: classes in their order; they exist even if no label has them
    """

    _method = ""
    labels_: Any
    probas_: Any
    skills_: Any
    notes_: List[str]

    def __init__(self, *, duplicates: str = "error", classes: Optional[Sequence[Any]] = None) -> None:
        self.duplicates = duplicates
        self.classes = classes

    def get_params(self, deep: bool = True) -> Dict[str, Any]:
        """Returns the settings, as estimators of scikit-learn do."""
        return {name: value for name, value in vars(self).items() if not name.endswith("_")}

    def set_params(self: Self, **params: Any) -> Self:
        """Changes settings."""
        for name, value in params.items():
            if name not in self.get_params():
                raise ValueError(f"unknown setting '{name}'; expected one of {', '.join(self.get_params())}")
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        settings = ", ".join(f"{name}={value!r}" for name, value in self.get_params().items())
        return f"{type(self).__name__}({settings})"

    def fit(self: Self, data: Table) -> Self:
        """Fits the model to the labels."""
        labels = read_table(data, duplicates=self.duplicates, classes=self.classes)
        self._keep(labels, _engine.aggregate(labels.engine, self._method, self._options(labels)), labels.tasks)
        return self

    def fit_predict(self, data: Table) -> Any:
        """Fits the model and returns ``labels_``."""
        return self.fit(data).labels_

    def fit_predict_proba(self, data: Table) -> Any:
        """Fits the model and returns ``probas_``."""
        return self.fit(data).probas_

    def _options(self, labels: LabelTable) -> Any:
        return _engine.MethodOptions()

    def _keep(self, labels: LabelTable, found: Dict[str, Any], tasks: Any) -> None:
        classes, workers = labels.classes, labels.workers
        answers = found["answers"]
        values = classes.take(answers) if pd is not None else [classes[n] for n in answers]
        self.labels_ = series(values, tasks, "agg_label", "task")
        probabilities = found["probabilities"]
        self.probas_ = None if probabilities is None else frame(probabilities, tasks, classes)
        self.skills_ = series(found["reliability"], workers, "skill", "worker")
        self.notes_ = [*labels.notes, *found.get("notes", [])]
        self._keep_tables(found, workers, classes)
        if found.get("contradicts_itself"):
            self.notes_.append(
                f"{type(self).__name__} contradicts itself: it expects more than .9 of its answers to be right, yet takes "
                "hardly more labels for right than chance; do not trust it"
            )

    def _sort_tasks(self) -> None:
        """Sorts the tasks, where crowd-kit does so."""
        if pd is None:
            return
        try:
            self.labels_ = self.labels_.sort_index()
        except TypeError:  # tasks of different types have no order
            return
        if self.probas_ is not None:
            self.probas_ = self.probas_.loc[self.labels_.index]

    def _keep_tables(self, found: Dict[str, Any], workers: Any, classes: Any) -> None:
        """Keeps what only some methods have."""

    def _keep_errors(self, found: Dict[str, Any], workers: Any, classes: Any) -> None:
        """``errors_``: rows by worker and given label, columns by true label."""
        tables = np.swapaxes(found["confusion"], 1, 2).reshape(len(workers) * len(classes), len(classes))
        if pd is None:
            pairs = [(worker, label) for worker in workers for label in classes]
            self.errors_: Any = {pair: dict(zip(classes, row)) for pair, row in zip(pairs, tables.tolist())}
        else:
            index = pd.MultiIndex.from_product([workers, classes], names=["worker", "label"])
            self.errors_ = pd.DataFrame(tables, index=index, columns=classes)

    def _keep_fit(self, found: Dict[str, Any]) -> None:
        iterations, converged, likelihood, objective = found["fit"]
        self.n_iter_: int = iterations
        self.converged_: bool = converged
        self.log_likelihood_: Optional[float] = likelihood
        self.loss_history_: List[float] = objective

    def _keep_priors(self, found: Dict[str, Any], classes: Any) -> None:
        self.priors_: Any = series(found["probabilities"].mean(axis=0), classes, "prior", "label")


class MajorityVote(Aggregator):
    """The answer that most workers gave. Every label counts the same, or as much as its worker's skill.

    :param on_missing_skill: if a worker has no skill: ``error``, ``ignore`` their labels, or use
        ``default_skill`` (``value``)

    >>> vote = MajorityVote().fit([("t1", "ann", 1), ("t1", "bob", 1), ("t1", "eve", 0)])
    >>> vote.labels_["t1"], round(vote.probas_.loc["t1", 1], 3)
    (1, 0.667)
    >>> MajorityVote().fit_predict([("t1", "ann", 1), ("t1", "bob", 0)], skills={"ann": 0.4, "bob": 0.6})["t1"]
    0
    """

    _method = "majority"

    def __init__(
        self,
        on_missing_skill: str = "error",
        default_skill: Optional[float] = None,
        *,
        duplicates: str = "error",
        classes: Optional[Sequence[Any]] = None,
    ) -> None:
        super().__init__(duplicates=duplicates, classes=classes)
        self.on_missing_skill = on_missing_skill
        self.default_skill = default_skill

    def fit(self: Vote, data: Table, skills: Any = None) -> Vote:
        """Counts the votes. ``skills`` is a Series by worker, or a dictionary."""
        labels = read_table(data, duplicates=self.duplicates, classes=self.classes)
        if skills is None:
            found = _engine.aggregate(labels.engine, self._method, self._options(labels))
        else:
            found = self._weighted(labels, {text_of(worker): skill for worker, skill in dict(skills).items()})
        self._keep(labels, found, labels.tasks)
        self._sort_tasks()
        return self

    def fit_predict(self, data: Table, skills: Any = None) -> Any:
        """Counts the votes and returns ``labels_``."""
        return self.fit(data, skills).labels_

    def fit_predict_proba(self, data: Table, skills: Any = None) -> Any:
        """Counts the votes and returns ``probas_``: the share of the votes per class."""
        return self.fit(data, skills).probas_

    def _weighted(self, labels: LabelTable, skills: Dict[str, Any]) -> Dict[str, Any]:
        items, workers, classes = labels.engine.numbers
        weights = np.array([self._skill(worker, skills) for worker in labels.engine.workers], dtype=float)
        scores = np.zeros((len(labels.engine.items), len(labels.engine.classes)))
        np.add.at(scores, (items, classes), weights[workers])
        sums = scores.sum(axis=1)
        if (sums <= 0).any():
            task = labels.engine.items[int(np.argmax(sums <= 0))]
            raise ValueError(f"task '{task}' has no label by a worker with a skill; expected skills above 0")
        answers = scores.argmax(axis=1)
        right = np.bincount(workers, answers[items] == classes, len(weights))
        return {
            "answers": answers,
            "probabilities": scores / sums[:, None],
            "reliability": right / np.bincount(workers, minlength=len(weights)),
        }

    def _skill(self, worker: str, skills: Dict[str, Any]) -> float:
        skill = skills.get(worker)
        if not is_missing(skill):
            if isinstance(skill, (str, bytes)) or not hasattr(skill, "__float__") or not 0 <= float(skill) < np.inf:
                raise ValueError(f"the skill of worker '{worker}' is {skill!r}; expected a number from 0 on")
            return float(skill)
        if self.on_missing_skill == "ignore":
            return 0.0
        if self.on_missing_skill == "value" and self.default_skill is not None:
            return float(self.default_skill)
        if self.on_missing_skill not in ("error", "value"):
            raise ValueError(f"on_missing_skill '{self.on_missing_skill}' is unknown; expected error, ignore or value")
        raise ValueError(f"worker '{worker}' has no skill; expected one per worker, or on_missing_skill and default_skill")


class _WithFeatures(Aggregator):
    """What aggregators share that can use features of tasks."""

    _needs_features = False
    feature_variance: Optional[float]
    standardise: bool
    intercept: bool

    def fit(self: Featured, data: Table, features: Any = None) -> Featured:
        """Fits the model. ``features`` is a DataFrame of numbers indexed by task, or a dictionary
        from task to numbers."""
        if features is None:
            if self._needs_features:
                raise ValueError("features are missing; expected a DataFrame indexed by task, or a dictionary")
            return super().fit(data)
        labels = read_table(data, duplicates=self.duplicates, classes=self.classes)
        names, rows = _feature_rows(features)
        known = set(labels.engine.items)
        absent = [text for text in labels.engine.items if text not in rows]
        if absent:
            raise ValueError(f"features: task '{absent[0]}' has no row; expected one per task with a label")
        more = [text for text in rows if text not in known]
        values = np.array([rows[text][1] for text in [*labels.engine.items, *more]], dtype=float)
        given = _engine.Features(names, more, values.reshape(-1, len(names)), self.standardise, self.intercept)
        options = self._options(labels)
        if self.feature_variance is not None:
            options.variance = text_of(self.feature_variance)
        found = _engine.aggregate(labels.engine, self._method, options, given)
        tasks = list(labels.tasks) + [rows[text][0] for text in more]
        self._keep(labels, found, tasks if pd is None else pd.Index(tasks))
        return self

    def fit_predict(self, data: Table, features: Any = None) -> Any:
        """Fits the model and returns ``labels_``."""
        return self.fit(data, features).labels_

    def fit_predict_proba(self, data: Table, features: Any = None) -> Any:
        """Fits the model and returns ``probas_``."""
        return self.fit(data, features).probas_


class Pooled(_WithFeatures):
    """allot's own method and default: a confusion table per worker, and tables share what the crowd
    has in common.

    ``errors_`` has the tables. With few labels per worker it stays close to the votes, where
    Dawid-Skene can turn round. ``features`` of tasks are used if the labels show that they tell
    classes apart; tasks that only they have are answered too.

    :param ordered: whether the classes have an order, as grades do
    :param shares: shares of the classes, if you know them: a dictionary such as ``{"no": 95, "yes": 5}``
    :param feature_variance: prior variance of the weight of every feature; learned if not given
    :param standardise: scale features to mean 0 and standard deviation 1
    :param intercept: add a feature that is 1 for every task

    >>> labels = [(t, w, t % 2) for t in range(8) for w in ("ann", "bob", "cyd")]
    >>> Pooled().fit(labels).skills_.round(2).to_dict()
    {'ann': 0.95, 'bob': 0.95, 'cyd': 0.95}
    >>> Pooled(shares={0: 1, 1: 3}).fit(labels + [(8, "dan", 0), (8, "eve", 1)]).labels_[8]
    1
    """

    _method = "pooled"

    def __init__(
        self,
        ordered: bool = False,
        shares: Optional[Dict[Any, float]] = None,
        feature_variance: Optional[float] = None,
        standardise: bool = True,
        intercept: bool = True,
        *,
        duplicates: str = "error",
        classes: Optional[Sequence[Any]] = None,
    ) -> None:
        super().__init__(duplicates=duplicates, classes=classes)
        self.ordered = ordered
        self.shares = shares
        self.feature_variance = feature_variance
        self.standardise = standardise
        self.intercept = intercept

    def _options(self, labels: LabelTable) -> Any:
        if not isinstance(self.ordered, (bool, np.bool_)):
            raise TypeError(f"ordered {self.ordered!r} is not a truth value; expected True or False")
        options = _engine.MethodOptions()
        options.ordered = self.ordered
        if self.shares is not None:
            options.shares = self._read_shares(list(labels.classes))
        return options

    def _read_shares(self, classes: List[Any]) -> List[float]:
        if not isinstance(self.shares, dict) or not all(isinstance(one, (int, float)) for one in self.shares.values()):
            raise TypeError(f"shares {self.shares!r} are no dictionary of numbers; expected one such as {{'no': 95, 'yes': 5}}")
        given = self.shares
        for name in [*classes, *given]:
            if name not in given or name not in classes or not 0 < given[name] < np.inf:
                raise ValueError(
                    f"shares: class {name!r} has {given.get(name, 'no share')}; expected a number above 0 for each of "
                    f"{', '.join(repr(one) for one in classes)}"
                )
        return [given[name] / sum(given.values()) for name in classes]

    def _keep_tables(self, found: Dict[str, Any], workers: Any, classes: Any) -> None:
        if found["confusion"] is not None:
            self._keep_errors(found, workers, classes)
        self._keep_priors(found, classes)


class Posterior(Aggregator):
    """The posterior of the paper, if all workers are alike.

    :param prior: belief about every task before its first label, such as ``beta:2,1``

    >>> round(Posterior().fit([("t1", "ann", "yes")]  + [("t2", "ann", "no")]).probas_.loc["t1", "yes"], 3)
    0.75
    """

    _method = "posterior"

    def __init__(
        self, prior: str = "uniform", *, duplicates: str = "error", classes: Optional[Sequence[Any]] = None
    ) -> None:
        super().__init__(duplicates=duplicates, classes=classes)
        self.prior = prior

    def _options(self, labels: LabelTable) -> Any:
        options = _engine.MethodOptions()
        options.prior = text_of(self.prior)
        return options


class _Em(Aggregator):
    def __init__(
        self,
        n_iter: int = 500,
        tol: float = 1e-7,
        *,
        duplicates: str = "error",
        classes: Optional[Sequence[Any]] = None,
    ) -> None:
        super().__init__(duplicates=duplicates, classes=classes)
        self.n_iter = n_iter
        self.tol = tol

    def _options(self, labels: LabelTable) -> Any:
        options = _engine.MethodOptions()
        options.iterations = text_of(self.n_iter)
        options.tolerance = text_of(self.tol)
        return options

    def _keep_tables(self, found: Dict[str, Any], workers: Any, classes: Any) -> None:
        self._keep_fit(found)
        self._keep_priors(found, classes)
        if found["confusion"] is not None:
            self._keep_errors(found, workers, classes)


class DawidSkene(_Em):
    """A confusion table per worker, by expectation maximisation (Dawid and Skene, 1979).

    ``errors_`` has the tables, ``priors_`` the shares of the classes, ``loss_history_`` the
    objective after each iteration.

    :param n_iter: most iterations
    :param tol: stops when no probability moves by more

    >>> labels = [(t, w, t % 2) for t in range(8) for w in ("ann", "bob", "cyd")]
    >>> found = DawidSkene().fit(labels)
    >>> found.converged_, found.labels_.tolist()
    (True, [0, 1, 0, 1, 0, 1, 0, 1])
    """

    _method = "dawid-skene"


class OneCoinDawidSkene(_Em):
    """One reliability per worker, by expectation maximisation.

    :param n_iter: most iterations
    :param tol: stops when no probability moves by more

    >>> labels = [(t, w, t % 2) for t in range(8) for w in ("ann", "bob", "cyd")]
    >>> OneCoinDawidSkene().fit_predict(labels).tolist()
    [0, 1, 0, 1, 0, 1, 0, 1]
    """

    _method = "one-coin"


class KOS(Aggregator):
    """Message passing of Karger, Oh and Shah, for two classes. It has no probabilities.

    :param n_iter: number of rounds
    :param random_state: seed of the first messages

    >>> labels = [(t, w, t % 2) for t in range(8) for w in ("ann", "bob", "cyd")]
    >>> KOS().fit_predict(labels).tolist()
    [0, 1, 0, 1, 0, 1, 0, 1]
    """

    _method = "kos"

    def __init__(
        self,
        n_iter: int = 10,
        random_state: int = 1,
        *,
        duplicates: str = "error",
        classes: Optional[Sequence[Any]] = None,
    ) -> None:
        super().__init__(duplicates=duplicates, classes=classes)
        self.n_iter = n_iter
        self.random_state = random_state

    def fit(self: Self, data: Table) -> Self:
        """Passes the messages."""
        try:
            super().fit(data)
        except ValueError as error:
            what = re.match("method 'kos' (needs two classes, but the labels have .*); expected", str(error))
            if not what:
                raise
            raise ValueError(f"KOS {what[1]}; expected Pooled, DawidSkene, OneCoinDawidSkene or MajorityVote") from None
        self._sort_tasks()
        return self

    def _options(self, labels: LabelTable) -> Any:
        options = _engine.MethodOptions()
        options.iterations = text_of(self.n_iter)
        options.seed = text_of(self.random_state)
        return options


class Contextual(_Em, _WithFeatures):
    """Confusion tables, and a regression of the classes on features of the tasks.

    Tasks with few labels borrow from tasks like them. Tasks that only ``features`` has are answered
    too.

    :param feature_variance: prior variance of the weight of every feature; 1 / columns if not given
    :param standardise: scale features to mean 0 and standard deviation 1
    :param intercept: add a feature that is 1 for every task

    >>> labels = [(t, w, t % 2) for t in range(8) for w in ("ann", "bob", "cyd")]
    >>> length = {t: [float(t % 2) + t / 100] for t in range(10)}
    >>> Contextual().fit_predict(labels, length).tolist()
    [0, 1, 0, 1, 0, 1, 0, 1, 0, 1]
    """

    _method = "contextual"
    _needs_features = True

    def __init__(
        self,
        n_iter: int = 500,
        tol: float = 1e-7,
        feature_variance: Optional[float] = None,
        standardise: bool = True,
        intercept: bool = True,
        *,
        duplicates: str = "error",
        classes: Optional[Sequence[Any]] = None,
    ) -> None:
        super().__init__(n_iter, tol, duplicates=duplicates, classes=classes)
        self.feature_variance = feature_variance
        self.standardise = standardise
        self.intercept = intercept


def _feature_rows(features: Any) -> Any:
    """Names of the features, and by the text of a task the task and its numbers."""
    if pd is not None and isinstance(features, pd.DataFrame):
        names = [text_of(name) for name in features.columns]
        pairs = zip(features.index.tolist(), features.to_numpy(dtype=float).tolist())
    else:
        pairs = [(task, [float(x) for x in numbers]) for task, numbers in dict(features).items()]
        if not pairs:
            raise ValueError("features has no rows; expected one per task")
        names = [f"x{n}" for n in range(len(pairs[0][1]))]
    rows: Dict[str, Any] = {}
    for number, (task, numbers) in enumerate(pairs):
        if is_missing(task) or text_of(task) in rows:
            raise ValueError(f"features: row {number}: task '{task}' is missing or repeated; expected one row per task")
        if len(numbers) != len(names):
            raise ValueError(f"features: row {number} has {len(numbers)} numbers; expected {len(names)}")
        for name, value in zip(names, numbers):
            if not np.isfinite(value):
                raise ValueError(f"features: feature '{name}' of task {task!r} is {value}; expected a finite number")
        rows[text_of(task)] = (task, numbers)
    return names, rows
