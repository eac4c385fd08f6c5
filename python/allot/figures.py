"""Figures as SVG, which notebooks show by themselves."""

from __future__ import annotations

import os
from typing import Any, Dict, List, Sequence, Union


class Figure:
    """A figure. ``svg`` is its text.

    >>> Figure("<svg/>").svg
    '<svg/>'
    """

    def __init__(self, svg: str) -> None:
        self.svg = svg

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes the figure to a file, whose name ends in ``.svg``."""
        if not os.fspath(path).endswith(".svg"):
            raise ValueError(f"path '{path}' is not an SVG file; expected a name that ends in .svg")
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.svg)

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"<Figure: {len(self.svg)} bytes of SVG>"


class Report:
    """Rows, the table that the command line prints, and a figure."""

    def __init__(
        self, settings: Dict[str, Any], rows: List[Dict[str, Any]], text: str, svg: str = "", notes: Sequence[str] = ()
    ) -> None:
        self.settings = settings
        self.rows = rows
        self.notes = list(notes)
        self._text, self._svg = text, svg

    def to_pandas(self) -> Any:
        """Returns the rows as a DataFrame."""
        import pandas

        return pandas.DataFrame(self.rows)

    def plot(self) -> Figure:
        """Returns the figure."""
        return Figure(self._svg)

    def _repr_svg_(self) -> str:
        return self._svg

    def __str__(self) -> str:
        return self._text.rstrip("\n")

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {len(self.rows)} rows>"
