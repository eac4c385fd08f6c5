"""Files of labels, in any format that allot reads."""

from __future__ import annotations

from typing import Any, Dict, Optional, Sequence

from . import _engine
from ._tables import Path, pd, read_table


def formats() -> Dict[str, str]:
    """Returns the formats of labels by name, each with one line about it.

    >>> "label-studio" in formats()
    True
    """
    return dict(_engine.formats())


def read_labels(
    path: Path,
    *,
    format: Optional[str] = None,
    item_column: Optional[str] = None,
    worker_column: Optional[str] = None,
    label_column: Optional[str] = None,
    keep_rejected: bool = False,
    duplicates: str = "error",
    classes: Optional[Sequence[Any]] = None,
) -> Any:
    r"""Reads a file of labels as a DataFrame with the columns task, worker and label.

    :param format: a name of :func:`formats`; recognised by the content if not given
    :param keep_rejected: use the labels of rejected assignments too

    Values are texts, as the file has them. ``attrs["notes"]`` of the DataFrame says how many labels
    were left out, and why.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "labels.csv"
    >>> _ = path.write_text("question,person,label\nq1,ann,yes\nq1,bob,NA\nq2,bob,no\n")
    >>> found = read_labels(path, worker_column="person")
    >>> found.values.tolist()
    [['q1', 'ann', 'yes'], ['q2', 'bob', 'no']]
    >>> found.attrs["notes"][0].split(": ", 1)[1]
    'left out 1 label: 1 missing (empty, NA, nan)'
    """
    if format is not None and format not in formats():
        raise ValueError(f"unknown format '{format}'; expected one of {', '.join(formats())}")
    found = read_table(
        path,
        duplicates=duplicates,
        classes=classes,
        item_column=item_column,
        worker_column=worker_column,
        label_column=label_column,
        keep_rejected=keep_rejected or None,
        **{"from": format},
    )
    items, workers, labels = found.engine.numbers
    columns = {"task": (found.tasks, items), "worker": (found.workers, workers), "label": (found.classes, labels)}
    if pd is None:
        return {name: [values[n] for n in numbers] for name, (values, numbers) in columns.items()}
    table = pd.DataFrame({name: values.take(numbers) for name, (values, numbers) in columns.items()})
    table.attrs["notes"] = found.notes
    return table
