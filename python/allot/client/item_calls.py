"""Calls that add and list items."""

from __future__ import annotations

import json
import os
import uuid
from typing import Any, BinaryIO, Iterable, Iterator, List, Mapping, Optional, Type, Union

from .calls import Calls, Path, amount_text, without_none
from .connection import rewound
from .models import Added, Item, NewItem, read

# Limits of one request that adds items; the server accepts 1000 items and 1 MB.
MOST_ITEMS = 1000
MOST_BYTES = 900_000
KINDS_OF_FILES = {
    "csv": "text/csv",
    "jsonl": "application/x-ndjson",
    "ndjson": "application/x-ndjson",
}


class ItemCalls(Calls):
    """Items."""

    def add_items(
        self,
        campaign: str,
        items: Iterable[Union[NewItem, Mapping[str, Any]]],
        *,
        key: Optional[str] = None,
    ) -> Added:
        """Adds items in requests of up to 1000. Each request adds all of its items or none. With a
        ``key``, the call can be repeated with the same items."""
        key = key or uuid.uuid4().hex
        added = known = batches = 0
        for batch in self._batches(items):
            answer = self._post_bytes(
                self._of(campaign, "items"),
                b'{"items": [' + b", ".join(batch) + b"]}",
                {"Idempotency-Key": f"{key}/{batches}"},
            ).json()
            batches += 1
            part = read(Added, answer)
            added, known = added + part.added, known + part.known
        return Added(added, known)

    def upload_items(
        self,
        campaign: str,
        source: Union[Path, BinaryIO],
        *,
        kind: Optional[str] = None,
        skip_known: bool = False,
        id: Optional[str] = None,
        price: Optional[str] = None,
        gold: Optional[str] = None,
        truth: Optional[str] = None,
        key: Optional[str] = None,
    ) -> Added:
        """Adds the items of a CSV or JSON lines file of any size, read piece by piece.

        :param source: a path, or a file opened in binary mode; if it cannot be rewound, it is sent once
        :param kind: ``csv`` or ``jsonl``; taken from the name of the file if not given
        :param id, price, gold, truth: names of the columns that hold them
        """
        if isinstance(source, (str, os.PathLike)):
            with open(source, "rb") as opened:
                return self.upload_items(
                    campaign,
                    opened,
                    kind=kind or os.path.splitext(os.fspath(source))[1][1:],
                    skip_known=skip_known,
                    id=id,
                    price=price,
                    gold=gold,
                    truth=truth,
                    key=key,
                )
        content = KINDS_OF_FILES.get(kind or "")
        if content is None:
            raise ValueError(f"kind is {kind!r}; expected csv or jsonl")
        body, again = rewound(source)
        query = without_none(
            skip_known="true" if skip_known else None, id=id, price=price, gold=gold, truth=truth
        )
        reply = self._connection.request(
            "POST",
            self._with_query(self._of(campaign, "items/upload"), query),
            body,
            {"Content-Type": content, "Idempotency-Key": key or uuid.uuid4().hex},
            repeatable=again,
        )
        return read(Added, reply.json())

    def items(self, campaign: str) -> Iterator[Item]:
        """Yields items in the order in which they were added."""
        return self._pages(self._of(campaign, "items"), "items", Item)

    @staticmethod
    def _batches(items: Iterable[Union[NewItem, Mapping[str, Any]]]) -> Iterator[List[bytes]]:
        batch: List[bytes] = []
        size = 0
        for given in items:
            item = given if isinstance(given, NewItem) else NewItem(**given)
            text = json.dumps(
                without_none(
                    id=item.id,
                    fields=dict(item.fields),
                    price=None if item.price is None else amount_text(item.price),
                    gold=item.gold,
                    truth=item.truth,
                    features=None if item.features is None else list(item.features),
                )
            ).encode()
            if batch and (len(batch) == MOST_ITEMS or size + len(text) > MOST_BYTES):
                yield batch
                batch, size = [], 0
            batch.append(text)
            size += len(text) + 2
        if batch:
            yield batch
