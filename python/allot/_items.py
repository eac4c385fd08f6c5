"""Items of a campaign, from any shape of Python to columns of the engine."""

from __future__ import annotations

import json
import math
from decimal import Decimal
from typing import Any, Dict, Iterator, List, Mapping, Sequence, Tuple, Union

from . import _engine
from ._tables import is_missing, pd, text_of

Amount = Union[int, float, str, Decimal]
_MOST_MONEY = 9_000_000_000


def money_text(amount: Amount) -> str:
    """An amount as the engine reads it."""
    if isinstance(amount, str):
        return amount
    if not isinstance(amount, (int, float, Decimal)) and not hasattr(amount, "__float__"):
        raise TypeError(f"amount {amount!r} is of type {type(amount).__name__}; expected a number or a text")
    if amount > _MOST_MONEY:
        raise ValueError(f"amount {amount} is too large; expected at most {_MOST_MONEY}")
    # Amounts have nine decimals: 0.1 + 0.2 is 0.3.
    return format(Decimal(str(round(amount, 9) if isinstance(amount, float) else amount)), "f")


class Items:
    """Items of any shape as columns of the engine, and their values by text."""

    def __init__(self, items: Any, features: Sequence[str]) -> None:
        self.values: Dict[str, Any] = {}
        self.engine = _engine.Items()
        rows = list(self._rows(items))
        ids, fields = [], []
        special: Dict[str, List[Any]] = {"price": [], "gold": [], "truth": []}
        numbers: List[List[float]] = []
        for number, (value, members) in enumerate(rows):
            if is_missing(value):
                raise ValueError(f"items: row {number}: the item is missing; expected an id")
            text = text_of(value)
            self.values.setdefault(text, value)
            ids.append(text)
            rest = {name: member for name, member in members.items() if not is_missing(member)}
            for name, column in special.items():
                column.append(None if name not in rest else self._special(name, rest.pop(name)))
            if features:
                numbers.append([self._number(number, name, rest.pop(name, None)) for name in features])
            fields.append(json.dumps(rest, default=_plain) if rest else "")
        self.count = len(ids)
        self.engine.ids = ids
        self.engine.fields = fields if any(fields) else []
        self.engine.prices = special["price"] if any(special["price"]) else []
        self.engine.gold = special["gold"] if any(special["gold"]) else []
        self.engine.truth = special["truth"] if any(special["truth"]) else []
        self.engine.features = numbers
        self._prices, self._gold = special["price"], special["gold"]

    @staticmethod
    def _special(name: str, value: Any) -> str:
        return money_text(value) if name == "price" else text_of(value)

    @staticmethod
    def _number(row: int, name: str, value: Any) -> float:
        try:
            number = float(value)
            if not math.isfinite(number):
                raise ValueError
            return number
        except (TypeError, ValueError):
            raise ValueError(
                f"items: row {row}: column '{name}' is {value!r}; expected a finite number, as it is a feature"
            ) from None

    @staticmethod
    def _rows(items: Any) -> Iterator[Tuple[Any, Dict[str, Any]]]:
        if isinstance(items, str):
            raise TypeError("items is a text; expected a list of ids, a DataFrame, or a dictionary")
        if pd is not None and isinstance(items, pd.DataFrame):
            items = items.to_dict("records")
        if isinstance(items, Mapping):
            for value, members in items.items():
                yield value, dict(members) if isinstance(members, Mapping) else {"text": members}
            return
        for number, one in enumerate(items):
            if not isinstance(one, Mapping):
                yield one, {}
                continue
            members = dict(one)
            name = next((name for name in ("id", "task", "item") if name in members), None)
            if name is None:
                raise ValueError(f"items: row {number} has no 'id', 'task' or 'item'; expected one of these columns")
            yield members.pop(name), members

    def times_each(self, times: int, price: Amount) -> str:
        """The cost of so many labels of every item that is not gold."""
        own = [Decimal(one) if one else Decimal(str(price)) for one in self._prices]
        return format(sum((one for one, gold in zip(own, self._gold) if gold is None), Decimal()) * times, "f")


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else str(value)
