"""Proves how accurate finished answers are, from an expert's verdicts on some of them."""

from __future__ import annotations

import json
from typing import Any, Dict, List, Optional, Sequence

from . import _engine
from ._tables import CsvText, Table, columns_of, is_path, number_text, option_texts, pairs_of, pd, text_of
from .aggregation import Aggregator
from .figures import Report


class AuditReport(Report):
    """What the verdicts prove: ``estimate`` of the share of right answers, its bound ``lower``, and
    the interval from ``low`` to ``high``. ``rows`` has the same for strata and classes, ``settings``
    the rest of what the command line prints."""

    def __init__(self, settings: Dict[str, Any], rows: List[Dict[str, Any]], text: str) -> None:
        super().__init__(settings, rows, text)
        accuracy = rows[0]
        self.checked: int = accuracy["checked"]
        self.right: int = settings["right"]
        self.estimate: Optional[float] = accuracy["estimate"]
        self.lower: Optional[float] = accuracy["lower"]
        self.low: Optional[float] = accuracy["low"]
        self.high: Optional[float] = accuracy["high"]
        self.certified: Optional[bool] = settings["certified"]


class Audit:
    """Answers of which some are checked. The draws follow from answers and ``seed`` alone.

    :param answers: a fitted aggregator, a Series by task, a dictionary, or a table with the columns
        task, agg_label and (optional) confidence
    :param checks: number of answers to draw; 100, or all if there are fewer
    :param until: look after every check, and certify this accuracy as soon as it is proven

    >>> audit = Audit({f"t{n}": "yes" for n in range(50)}, checks=20)
    >>> len(audit.draws())
    20
    >>> report = audit.report({task: "yes" for task in audit.draws()})
    >>> report.checked, report.right, report.lower > 0.8
    (20, 20, True)
    """

    def __init__(
        self,
        answers: Any,
        *,
        checks: Optional[int] = None,
        until: Optional[float] = None,
        seed: int = 1,
        confidence: float = 0.95,
        classes: Optional[Sequence[Any]] = None,
    ) -> None:
        rows = _rows(answers)
        if not rows:
            raise ValueError("answers has no rows; expected one per task")
        self._tasks: List[Any] = [row[0] for row in rows if row[1] is not None]
        options = option_texts(
            checks=checks,
            until=until,
            seed=seed,
            confidence=confidence,
            classes=None if classes is None else [number_text(list(classes))],
        )
        text = CsvText(("item", "answer", "probability"), rows)
        with text.rows_in_errors("answers"):
            self._engine = _engine.Audit(text.text, options)

    def draws(self) -> List[Any]:
        """Returns the tasks to check, in order."""
        return [self._tasks[number] for number in self._engine.draws()]

    def report(self, verdicts: Any) -> AuditReport:
        """Returns what the verdicts prove: a Series by task, a dictionary or a table (task, truth)."""
        text = CsvText(("item", "truth"), pairs_of(verdicts, (("task", "item"), ("truth", "label")), "verdicts"))
        with text.rows_in_errors("verdicts"):
            found, table = self._engine.report(text.text)
        settings: Dict[str, Any] = json.loads(found)
        return AuditReport(settings, settings.pop("rows"), table)


def _rows(answers: Any) -> List[Any]:
    if isinstance(answers, Aggregator):
        return _fitted(answers)
    names = (("task", "item"), ("agg_label", "answer", "label"), ("confidence", "probability"))
    if pd is not None and isinstance(answers, pd.Series):
        return [(task, answer, None) for task, answer in answers.items()]
    if isinstance(answers, dict) and not any(name in answers for name in names[0]):
        return [(task, answer, None) for task, answer in answers.items()]
    if is_path(answers):
        raise TypeError("answers is a path; expected a table (pandas.read_csv reads one)")
    has_third = hasattr(answers, "keys") and any(name in answers.keys() for name in names[2])
    columns = columns_of(answers, names if has_third else names[:2], "answers")
    return [(*row, None) if len(row) == 2 else row for row in zip(*map(list, columns))]


def _fitted(aggregator: Aggregator) -> List[Any]:
    if not hasattr(aggregator, "labels_"):
        raise ValueError(f"{aggregator!r} is not fitted; expected fit(labels) first")
    answers, probabilities = dict(aggregator.labels_), aggregator.probas_
    if probabilities is None:
        return [(task, answer, None) for task, answer in answers.items()]
    if pd is None:
        return [(task, answer, max(probabilities[task].values())) for task, answer in answers.items()]
    stated = dict(probabilities.max(axis=1))
    return [(task, answer, text_of(min(1.0, stated[task]))) for task, answer in answers.items()]
