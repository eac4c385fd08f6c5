"""Amounts and numbers, and how a reply becomes a dataclass."""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass
from datetime import datetime, timezone
from decimal import Decimal
from typing import Any, Dict, Optional, Type, TypeVar, Union, get_type_hints

from ..errors import ProtocolError
from .server import MyCampaign

Amount = Union[int, float, str, Decimal]
"""An amount of money; a float counts as it prints."""

Fields = Dict[str, Any]
"""Fields of an item that a worker sees: any JSON."""


@dataclass(frozen=True)
class Me:
    role: str
    label: str
    worker: Optional[str]
    reviewer: Optional[str]
    public_url: Optional[str]
    data_folder: Optional[str]
    campaign: Optional[MyCampaign]


class Number(float):
    """A float that keeps its digits, so that it can be read as exact money."""

    text: str

    def __new__(cls, text: str) -> Number:
        number = super().__new__(cls, text)
        number.text = text
        return number


Model = TypeVar("Model")

_TIME = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?Z")


def _time(text: str) -> datetime:
    match = _TIME.fullmatch(text)
    if not match:
        raise ValueError(f"{text!r} is not a time")
    time = datetime.strptime(match[1], "%Y-%m-%dT%H:%M:%S").replace(tzinfo=timezone.utc)
    return time.replace(microsecond=int((match[2] or "").ljust(6, "0")))


def _money(value: Any) -> Decimal:
    return Decimal(value.text if isinstance(value, Number) else value)


def _value(kind: Any, value: Any) -> Any:
    """Converts ``value`` to the annotated type ``kind``."""
    origin, arguments = getattr(kind, "__origin__", None), getattr(kind, "__args__", ())
    if kind is Any:
        return value
    if origin is Union:
        return None if value is None else _value(arguments[0], value)
    if origin is list:
        return [_value(arguments[0], element) for element in value]
    if origin is dict:
        return {name: _value(arguments[1], element) for name, element in value.items()}
    if kind is datetime:
        return _time(value)
    if kind is Decimal:
        return _money(value)
    if kind is float:
        return float(value)
    if dataclasses.is_dataclass(kind):
        return read(kind, value)  # type: ignore[arg-type]
    if not isinstance(value, kind):
        raise ValueError(f"{value!r} is not of type {kind.__name__}")
    return value


_hints: Dict[Any, Dict[str, Any]] = {}


def read(kind: Type[Model], data: Any) -> Model:
    """Makes a dataclass of the object that the server sent."""
    if kind not in _hints:
        _hints[kind] = get_type_hints(kind)
    try:
        return kind(**{name: _value(hint, data.get(name.rstrip("_"))) for name, hint in _hints[kind].items()})
    except (AttributeError, ArithmeticError, TypeError, ValueError) as wrong:
        raise ProtocolError(f"the answer is not a valid {kind.__name__}: {wrong}") from wrong
