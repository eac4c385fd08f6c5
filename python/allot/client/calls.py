"""What all calls share: one connection per thread, keys, pages of rows."""

from __future__ import annotations

import json
import os
import ssl
import urllib.parse
import uuid
from decimal import Decimal
from typing import Any, Callable, Dict, Iterator, Mapping, Optional, Type, TypeVar, Union

from .connection import Connection, Reply
from .models import Amount, read


Model = TypeVar("Model")
Self = TypeVar("Self", bound="Calls")
Path = Union[str, "os.PathLike[str]"]


def amount_text(value: Amount) -> str:
    """Writes an amount without an exponent: 0.00005, not 5e-05."""
    return value if isinstance(value, str) else format(Decimal(str(value)), "f")


def without_none(**members: Any) -> Dict[str, Any]:
    return {name: value for name, value in members.items() if value is not None}


def quoted(part: str) -> str:
    return urllib.parse.quote(part, safe="")


class Calls:
    """Requests to a server, and what they have in common."""

    def __init__(
        self,
        url: str,
        token: Optional[str] = None,
        *,
        timeout: float = 60.0,
        attempts: int = 8,
        longest_pause: float = 30.0,
        context: Optional[ssl.SSLContext] = None,
    ) -> None:
        self._connection = Connection(url, token, timeout, attempts, longest_pause, context)

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes all connections. The client stays usable and opens them again."""
        self._connection.close()

    @staticmethod
    def _of(campaign: str, what: str = "") -> str:
        return f"/api/v1/campaigns/{quoted(campaign)}" + (f"/{what}" if what else "")

    @staticmethod
    def _with_query(path: str, query: Mapping[str, str]) -> str:
        return f"{path}?{urllib.parse.urlencode(query)}" if query else path


    def _get(self, path: str, query: Mapping[str, str] = {}) -> Any:
        return self._connection.request("GET", self._with_query(path, query)).json()

    def _post(
        self,
        path: str,
        members: Mapping[str, Any],
        *,
        key: Optional[str] = None,
        keyed: bool = False,
        repeatable: bool = True,
    ) -> Any:
        fields = {"Idempotency-Key": key or uuid.uuid4().hex} if keyed else {}
        return self._post_bytes(path, json.dumps(members).encode(), fields, repeatable).json()

    def _post_bytes(
        self, path: str, body: bytes, fields: Mapping[str, str], repeatable: bool = True
    ) -> Reply:
        return self._send_bytes("POST", path, body, fields, repeatable)

    def _send(self, method: str, path: str, members: Mapping[str, Any]) -> Any:
        return self._send_bytes(method, path, json.dumps(members).encode(), {}, True).json()

    def _send_bytes(
        self, method: str, path: str, body: bytes, fields: Mapping[str, str], repeatable: bool
    ) -> Reply:
        whole: Callable[[], bytes] = lambda: body
        head = {"Content-Type": "application/json", **fields}
        return self._connection.request(method, path, whole, head, repeatable)

    def _pages(self, path: str, name: str, kind: Type[Model]) -> Iterator[Model]:
        query = {"limit": "1000"}
        while True:
            page = self._get(path, query)
            for row in page[name]:
                yield read(kind, row)
            if not page["next"]:
                return
            query["cursor"] = page["next"]
