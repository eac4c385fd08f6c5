"""Tables of Python (pandas, numpy, lists, files) as labels of the engine, and back.

A column is split into its different values and one number per row, so the engine reads each value
once. Values are compared by their text, as in a file: ``1`` and ``"1"`` are the same class. So is
``1.0``, because pandas turns whole numbers into floats where one is missing.
"""

from __future__ import annotations

import csv
import gzip
import io
import math
import os
import re
import warnings
from bisect import bisect_right
from contextlib import contextmanager
from typing import Any, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from . import _engine

try:
    import pandas as pd
except ImportError:  # results are then plain lists and dictionaries
    pd = None

COLUMNS = (("task", "item"), ("worker", "annotator", "performer"), ("label", "answer"))
TRUTH_COLUMNS = (("task", "item"), ("truth", "true_label", "label", "gold"))
# Anything with columns or rows, or the path of a file.
Table = Union[Iterable[Any], "os.PathLike[str]"]
Path = Union[str, "os.PathLike[str]"]


def is_path(data: Any) -> bool:
    return isinstance(data, (str, os.PathLike))


def existing(path: Path) -> str:
    """The path as text. Raises the OSError of Python if it cannot be read."""
    if not is_path(path):
        raise TypeError(f"path {path!r} is of type {type(path).__name__}; expected the name of a file")
    with open(path, "rb"):
        return os.fspath(path)


def is_missing(value: Any) -> bool:
    if value is None:
        return True
    if isinstance(value, (float, np.floating)):
        return math.isnan(value)
    return pd is not None and (value is pd.NA or value is pd.NaT)


def text_of(value: Any) -> str:
    """The text by which a value is known: what a file would have."""
    if isinstance(value, str):
        if not value.isascii():
            try:
                value.encode()
            except UnicodeEncodeError:
                raise ValueError(f"text {value!r} has half a character; expected whole ones") from None
        return value
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value))
    if isinstance(value, (float, np.floating)):
        number = float(value)
        return str(int(number)) if number.is_integer() and abs(number) < 2**53 else repr(number)
    if isinstance(value, bytes):
        return value.decode()
    return str(value)


def name_of(value: Any, what: str) -> str:
    """The text of a value that must be there, such as the name of a worker."""
    if is_missing(value):
        raise ValueError(f"{what} {value!r} is missing; expected a value")
    return text_of(value)


def class_names(classes: Any) -> List[str]:
    """The texts of a list of classes."""
    if isinstance(classes, (str, bytes)):
        raise TypeError("classes is a text; expected a list, such as ['no', 'yes']")
    try:
        values = list(classes)
    except TypeError:
        raise TypeError(f"classes is of type {type(classes).__name__}; expected a list, such as ['no', 'yes']") from None
    return [name_of(one, "class") for one in values]


class Axis:
    """The different values of a column, found again by their text."""

    def __init__(self, values: Any, texts: Sequence[str]) -> None:
        self.values = values
        self._place: Dict[str, int] = {}
        for place, text in enumerate(texts):
            self._place.setdefault(text, place)

    def of(self, texts: Sequence[str]) -> Any:
        """The values with these texts: an index of pandas, or a list."""
        if self.values is None:
            return list(texts) if pd is None else pd.Index(list(texts), dtype=object)
        places = [self._place[text] for text in texts]
        if pd is not None:
            return self.values.take(places)
        return [self.values[place] for place in places]


def split(values: Any) -> Tuple[Any, List[str], Any]:
    """Different values, their texts, and the number of the value in each row (-1 if missing)."""
    if pd is not None:
        series = values if isinstance(values, pd.Series) else _series(_plain(values))
        if isinstance(series.dtype, pd.CategoricalDtype):
            series = series.astype(series.cat.categories.dtype)
        with warnings.catch_warnings():  # about what later versions of pandas will do
            warnings.simplefilter("ignore", FutureWarning)
            numbers, unique = pd.factorize(series)
        unique = unique if isinstance(unique, pd.Index) else pd.Index(unique)
        return unique, [text_of(value) for value in unique.tolist()], numbers
    places: Dict[Any, int] = {}
    rows = [-1 if is_missing(v) else places.setdefault(v, len(places)) for v in _plain(values)]
    return list(places), [text_of(value) for value in places], np.array(rows, dtype=np.int64)


def _series(values: Any) -> Any:
    return pd.Series(values) if len(values) else pd.Series(values, dtype=object)


def _plain(values: Any) -> Any:
    if isinstance(values, np.ndarray):
        if values.ndim != 1:
            raise ValueError(f"a column has {values.ndim} dimensions; expected one")
        return values if values.dtype != object or pd is not None else values.tolist()
    return list(values)


def columns_of(data: Any, names: Sequence[Sequence[str]], what: str) -> List[Any]:
    """The columns of a table: a DataFrame, a dictionary of columns, an array, or rows."""
    if pd is not None and isinstance(data, pd.DataFrame) or isinstance(data, Mapping):
        return _named(data, list(data.keys()), names, what)
    if isinstance(data, np.ndarray) and data.dtype.names:
        return _named(data, list(data.dtype.names), names, what)
    if isinstance(data, np.ndarray):
        if data.ndim != 2 or data.shape[1] != len(names):
            shape = " x ".join(map(str, data.shape))
            raise ValueError(f"{what} is an array of {shape}; expected {len(names)} columns: {_list(names)}")
        return [data[:, n] for n in range(len(names))]
    try:
        rows = list(data)
    except TypeError:
        raise TypeError(
            f"{what} is of type {type(data).__name__}; expected a DataFrame, a dictionary of columns, an "
            f"array, rows ({_list(names)}) or the path of a file"
        ) from None
    if rows and isinstance(rows[0], Mapping):
        return [[_member(row, n, alias, what) for n, row in enumerate(rows)] for alias in names]
    for number, row in enumerate(rows):
        if isinstance(row, str) or not hasattr(row, "__len__") or len(row) != len(names):
            raise ValueError(f"{what}: row {number} is {row!r}; expected {len(names)} values: {_list(names)}")
    return [[row[n] for row in rows] for n in range(len(names))]


def _list(names: Sequence[Sequence[str]]) -> str:
    return ", ".join(alias[0] for alias in names)


def _named(data: Any, present: List[Any], names: Sequence[Sequence[str]], what: str) -> List[Any]:
    found = []
    for alias in names:
        column = next((name for name in alias if name in present), None)
        if column is None:
            raise ValueError(
                f"{what} has no column '{alias[0]}', only {', '.join(repr(str(n)) for n in present)}; "
                f"expected the columns {_list(names)}"
            )
        values = data[column]
        if pd is not None and isinstance(values, pd.DataFrame):
            raise ValueError(f"{what} has several columns '{column}'; expected one")
        found.append(values)
    if len({len(values) for values in found}) > 1:
        raise ValueError(f"{what} has columns of different lengths; expected one value per row")
    return found


def _member(row: Mapping[str, Any], number: int, alias: Sequence[str], what: str) -> Any:
    for name in alias:
        if name in row:
            return row[name]
    raise ValueError(f"{what}: row {number} has no '{alias[0]}'; expected it in every row")


def column_of(data: Any, name: str, what: str) -> Any:
    """One column of a table whose columns have names."""
    is_array = isinstance(data, np.ndarray) and bool(data.dtype.names)
    if not is_array and not isinstance(data, Mapping) and not (pd is not None and isinstance(data, pd.DataFrame)):
        raise ValueError(f"{what} has no names of columns; expected a table with a column '{name}'")
    names = list(data.dtype.names) if is_array else list(data.keys())
    return _named(data, names, [(name,)], what)[0]


class LabelTable:
    """Labels of the engine, with the values behind its texts."""

    def __init__(self, engine: Any, tasks: Axis, workers: Axis, classes: Axis, notes: Sequence[str] = ()) -> None:
        self.engine = engine
        self._tasks, self._workers, self._classes = tasks, workers, classes
        self.own_notes = list(notes)
        self._rows: Any = None

    def with_row(self, message: str) -> str:
        """The sentence about "label 2", the third that counts, with the number of its row."""
        found = re.match(r"label (\d+): ", message)
        if not found or self._rows is None:
            return message
        return f"row {self._rows[int(found[1])]}: {message[found.end():]}"

    @property
    def notes(self) -> List[str]:
        """What to know about the labels: how many were left out, and why."""
        return [*self.engine.notes, *self.own_notes]

    @property
    def tasks(self) -> Any:
        return self._tasks.of(self.engine.items)

    @property
    def workers(self) -> Any:
        return self._workers.of(self.engine.workers)

    @property
    def classes(self) -> Any:
        return self._classes.of(self.engine.classes)


def read_table(
    data: Any,
    *,
    duplicates: str = "error",
    classes: Optional[Sequence[Any]] = None,
    confidence: Optional[str] = None,
    **reading: Any,
) -> LabelTable:
    """Labels of any table or file. ``confidence`` names a column that says how sure workers are;
    ``reading`` says how a file is read."""
    if not isinstance(duplicates, str):
        raise TypeError(f"duplicates {duplicates!r} is not a text; expected error, first, last, majority or all")
    options: Dict[str, Any] = {"duplicates": duplicates}
    if classes is not None:
        options["classes"] = class_names(classes)
    if is_path(data):
        if confidence is not None:
            options["confidence_column"] = confidence
        options.update({name: value for name, value in reading.items() if value is not None})
        with _file_errors(has_columns=bool(reading)):
            engine = _engine.Labels.from_file(existing(data), options)
        return LabelTable(engine, *(Axis(None, ()) for _ in range(3)))
    useless = [name for name, value in reading.items() if value]
    if useless:
        raise ValueError(f"{useless[0]} is for files; expected the path of one")
    parts = [_split(alias[0], column) for alias, column in zip(COLUMNS, columns_of(data, COLUMNS, "labels"))]
    for alias, (_, _, numbers) in zip(COLUMNS[:2], parts):
        empty = np.flatnonzero(numbers < 0)
        if len(empty):
            raise ValueError(f"row {empty[0]}: the {alias[0]} is missing; expected a value in column '{alias[0]}'")
    notes = [note for alias, (values, texts, _) in zip(COLUMNS, parts) for note in _merged(alias[0], values, texts)]
    if confidence is not None:
        parts.append(_split(confidence, column_of(data, confidence, "labels")))
    try:
        engine = _engine.Labels.from_columns([(texts, numbers) for _, texts, numbers in parts], options)
    except ValueError as error:
        if not notes:
            raise
        raise ValueError(f"{error} ({'; '.join(notes)})") from None
    axes = [Axis(values, texts) for values, texts, _ in parts[:3]]
    if classes is not None:
        axes[2] = _with_classes(axes[2], parts[2][1], classes)
    found = LabelTable(engine, *axes, notes)
    found._rows = _counting_rows(parts[2][1], parts[2][2], options.get("classes", ()))
    return found


def _counting_rows(texts: Sequence[str], numbers: Any, classes: Sequence[str]) -> Any:
    """Numbers of the rows whose label is not missing."""
    counts = np.array([not _engine.is_missing_text(text) or text in classes for text in texts] + [False], dtype=bool)
    return np.flatnonzero(counts[numbers])


@contextmanager
def _file_errors(has_columns: bool) -> Iterator[None]:
    """Errors about columns name the function that takes the names of columns."""
    try:
        yield
    except ValueError as error:
        if has_columns:
            raise
        message = re.sub(r"\b((?:item|worker|label)_column|keep_rejected)\b", r"read_labels(\1=...)", str(error))
        raise ValueError(message) from None


def _merged(name: str, values: Any, texts: Sequence[str]) -> List[str]:
    """A note about different values of a column with the same text."""
    if len(set(texts)) == len(texts):
        return []
    first: Dict[str, Any] = {}
    for value, text in zip(values, texts):
        if first.setdefault(text, value) is not value:
            break
    return [f"column '{name}': {first[text]!r} and {value!r} are the same {name}, as values are compared by their text"]


def _split(name: str, column: Any) -> Tuple[Any, List[str], Any]:
    try:
        return split(column)
    except TypeError as error:
        raise ValueError(f"column '{name}' has values that cannot be compared: {error}; expected texts or numbers") from None


def _with_classes(axis: Axis, texts: List[str], classes: Sequence[Any]) -> Axis:
    more = [one for one in classes if text_of(one) not in texts]
    if pd is not None:
        return Axis(axis.values.append(pd.Index(more)) if more else axis.values, texts + list(map(text_of, more)))
    return Axis(list(axis.values) + more, texts + list(map(text_of, more)))


class CsvText:
    """A table as CSV, which remembers at which line each row begins."""

    def __init__(self, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(header)
        self._starts, line = [], 2
        for row in rows:
            self._starts.append(line)
            texts = ["" if is_missing(value) else text_of(value) for value in row]
            line += 1 + sum(text.count("\n") for text in texts)
            writer.writerow(texts)
        self.text = out.getvalue()

    @contextmanager
    def rows_in_errors(self, what: str) -> Iterator[None]:
        """Errors about a line of this table name its row instead."""
        try:
            yield
        except ValueError as error:
            message = str(error)
            if not message.startswith(f"{what}: line"):
                raise
            raise ValueError(re.sub(r"\bline (\d+)", self._row, message)) from None

    def _row(self, match: Any) -> str:
        return f"row {max(0, bisect_right(self._starts, int(match[1])) - 1)}"


def pairs_of(data: Any, names: Sequence[Sequence[str]], what: str) -> List[Tuple[Any, Any]]:
    """Pairs of a Series, a mapping, or a table of two columns."""
    if pd is not None and isinstance(data, pd.Series):
        return list(zip(data.index.tolist(), data.tolist()))
    if isinstance(data, Mapping) and not any(name in data for name in names[0]):
        return list(data.items())
    first, second = columns_of(data, names, what)
    return list(zip(list(first), list(second)))


class FileText:
    """The text of a file, whose errors name its lines."""

    def __init__(self, path: Path) -> None:
        with open(existing(path), "rb") as file:
            data = file.read()
        try:
            self.text = (gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data).decode("utf-8-sig")
        except (UnicodeDecodeError, EOFError, OSError) as error:
            raise ValueError(f"{os.path.basename(path)} is not a text in UTF-8: {error}; expected a table or JSON") from None

    @contextmanager
    def rows_in_errors(self, what: str) -> Iterator[None]:
        yield


def truth_text(truth: Any) -> Union[CsvText, FileText]:
    """Truths as text: a Series by task, a dictionary, a table, or a file in any format that has truths."""
    if is_path(truth):
        return FileText(truth)
    return CsvText(("item", "truth"), pairs_of(truth, TRUTH_COLUMNS, "truth"))


def number_text(value: Any) -> str:
    """A value of an option as text; lists are joined by commas."""
    if isinstance(value, (list, tuple)):
        return ",".join(map(number_text, value))
    return text_of(value)


def option_texts(**options: Any) -> Dict[str, Any]:
    """Options that are given, as the engine takes them. Booleans and lists stay as they are."""
    return {
        name: value if isinstance(value, (bool, list)) else number_text(value)
        for name, value in options.items()
        if value is not None and value is not False
    }


def series(values: Any, index: Any, name: str, index_name: str) -> Any:
    if pd is None:
        return dict(zip(index, values.tolist() if hasattr(values, "tolist") else values))
    return pd.Series(values, index=index.rename(index_name), name=name)


def frame(values: Any, index: Any, columns: Any) -> Any:
    """Probabilities of tasks (rows) by label (columns)."""
    if pd is None:
        return {task: dict(zip(columns, row)) for task, row in zip(index, values.tolist())}
    return pd.DataFrame(values, index=index.rename("task"), columns=columns.rename("label"))


def table(rows: List[Dict[str, Any]], columns: Optional[Sequence[str]] = None) -> Any:
    """Rows as a DataFrame, or as they are without pandas."""
    if pd is None:
        return rows
    return pd.DataFrame(rows, columns=columns)
