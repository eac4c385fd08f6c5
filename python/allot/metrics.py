"""How far workers agree with each other."""

from __future__ import annotations

import json
from typing import Any, Dict, List, Optional

from . import _engine
from ._tables import Table, option_texts, pd, read_table
from .figures import Report


class Agreement(Report):
    """One row per coefficient, with ``value``, ``low`` and ``high``."""

    def __getitem__(self, coefficient: str) -> Dict[str, Any]:
        for row in self.rows:
            if row["coefficient"] == coefficient:
                return row
        known = ", ".join(row["coefficient"] for row in self.rows)
        raise KeyError(f"coefficient '{coefficient}' is unknown; expected {known}")


def agreement(
    labels: Table,
    *,
    ordered: bool = False,
    confidence: Optional[float] = None,
    resamples: Optional[int] = None,
    least_shared: Optional[int] = None,
    seed: int = 1,
    duplicates: str = "error",
) -> Agreement:
    """Measures the agreement of workers by the coefficients that people publish.

    :param ordered: whether classes have an order; adds the ordinal coefficients
    :param resamples: resamples of the intervals; 0 for none
    :param least_shared: pairs of workers with fewer shared tasks are left out of Cohen's kappa

    >>> labels = [(t, w, t % 2) for t in range(6) for w in "abc"]
    >>> agreement(labels, resamples=0)["krippendorff_alpha"]["value"]
    1
    """
    if not isinstance(ordered, bool):
        raise TypeError(f"ordered {ordered!r} is not a truth value; expected True or False")
    table = read_table(labels, duplicates=duplicates)
    options = option_texts(confidence=confidence, resamples=resamples, least_shared=least_shared)
    text, shown = _engine.agreement(table.engine, ordered, seed, options)
    settings = json.loads(text)
    return Agreement(settings, settings.pop(_rows_key(settings)), shown, notes=table.notes)


def _rows_key(settings: Dict[str, Any]) -> str:
    return next(name for name in ("rows", "coefficients") if name in settings)


def alpha_krippendorff(answers: Table) -> float:
    """Krippendorff's alpha of nominal labels, as crowd-kit has it.

    >>> alpha_krippendorff([("t1", "a", 1), ("t1", "b", 1), ("t2", "a", 0), ("t2", "b", 0)])
    1.0
    """
    row = agreement(answers, resamples=0)["krippendorff_alpha"]
    if row["value"] is None:
        raise ValueError(f"Krippendorff's alpha has no value: {row['reason']}")
    return float(row["value"])


def pair_kappas(labels: Table, *, least_shared: int = 1, duplicates: str = "error") -> Any:
    """Cohen's kappa of every pair of workers who share enough tasks: worker, other_worker,
    shared_tasks, kappa (NaN if undefined)."""
    table = read_table(labels, duplicates=duplicates)
    first, second, shared, kappa = _engine.pair_kappas(table.engine, least_shared)
    workers = table.workers
    columns: Dict[str, Any] = {
        "worker": [workers[n] for n in first],
        "other_worker": [workers[n] for n in second],
        "shared_tasks": shared,
        "kappa": kappa,
    }
    if pd is not None:
        return pd.DataFrame(columns)
    rows: List[Dict[str, Any]] = [dict(zip(columns, row)) for row in zip(*columns.values())]
    return rows
