"""Results of a client as tables of pandas."""

from __future__ import annotations

import dataclasses
from typing import Any, Iterable


def to_pandas(rows: Iterable[Any]) -> Any:
    """A DataFrame of the dataclasses that a client returns, one row each: ``to_pandas(client.answers(campaign))``.

    Dictionaries become columns with the name of the member before them: ``probabilities_yes``.

    >>> from allot.client import NewLabel
    >>> to_pandas([NewLabel("r1", "yes", "ann")]).to_dict("records")
    [{'item': 'r1', 'label': 'yes', 'worker': 'ann', 'confidence': None}]
    """
    import pandas

    flat = []
    for one in rows:
        row = {}
        for field in dataclasses.fields(one):
            value = getattr(one, field.name)
            if isinstance(value, dict):
                row.update({f"{field.name}_{name}": member for name, member in value.items()})
            else:
                row[field.name.rstrip("_")] = value
        flat.append(row)
    return pandas.DataFrame(flat)
