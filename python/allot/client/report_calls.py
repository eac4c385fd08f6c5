"""Calls that read what a campaign knows."""

from __future__ import annotations

import json
import os
from typing import Any, Iterator, List, Optional

from .calls import Calls, Path, quoted, without_none
from .connection import LOST, PIECE, Reply
from .models import Agreement, Answer, Event, Explanation, Number, Point, read, Status, Worker


class ReportCalls(Calls):
    """Answers, reports, events and exports."""

    def answers(self, campaign: str) -> Iterator[Answer]:
        """Yields all items with their answers after a final refit. An item without a label has none.
        Each page shows the moment it was fetched."""
        return self._pages(self._of(campaign, "answers"), "answers", Answer)

    def workers(self, campaign: str) -> Iterator[Worker]:
        """Yields all workers, with reliability and counts."""
        return self._pages(self._of(campaign, "workers"), "workers", Worker)

    def agreement(self, campaign: str, *, resamples: Optional[int] = None) -> Agreement:
        """Returns how far workers agree, on the agreement sample if the campaign has one."""
        query = {} if resamples is None else {"resamples": str(resamples)}
        return read(Agreement, self._get(self._of(campaign, "agreement"), query))

    def status(self, campaign: str) -> Status:
        """Returns money, counts, and how good the answers are."""
        return read(Status, self._get(self._of(campaign, "status")))

    def curve(self, campaign: str) -> List[Point]:
        """Returns the expected accuracy as labels came in, up to now."""
        points = self._get(self._of(campaign, "curve"))["points"]
        return [read(Point, point) for point in points]

    def explain(self, campaign: str, item: str, *, worker: Optional[str] = None) -> Explanation:
        """Returns what is known about an item, and what a label of the worker would do."""
        query = without_none(item=item, worker=worker)
        return read(Explanation, self._get(self._of(campaign, "explain"), query))

    def events(self, campaign: str, after: int = 0) -> Iterator[Event]:
        """Yields the events after number ``after``, up to now. Pass the ``sequence`` of the last one
        as ``after`` to the next call."""
        while True:
            query = {"after": str(after), "limit": "1000"}
            rows = self._get(self._of(campaign, "events"), query)["events"]
            if not rows:
                return
            for row in rows:
                event = read(Event, row)
                after = event.sequence
                yield event

    def live_events(self, campaign: str, after: int = 0) -> Iterator[Event]:
        """Yields the events after number ``after`` and then new ones as they happen. It never ends:
        leave the loop or close the iterator. It reconnects by itself and misses nothing. It raises
        if the token is revoked or the server stays unreachable."""
        path = self._with_query(self._of(campaign, "events/live"), {"after": str(after)})
        failed = 0
        while True:
            wire = self._connection.open()
            try:
                fields = {"Accept": "text/event-stream", "Last-Event-ID": str(after)}
                response = self._connection.send(wire, "GET", path, None, fields)
                if response.status != 200:
                    refusal = Reply(response.status, response.headers, response.read()).refusal()
                    if response.status not in (429, 503):
                        raise refusal
                    raise ConnectionError(str(refusal))
                for line in response:
                    failed = 0
                    if line.startswith(b"data: "):
                        event = read(Event, json.loads(line[6:], parse_float=Number))
                        after = event.sequence
                        yield event
            except LOST as lost:
                failed += 1
                self._connection.failed(failed, f"GET {path}", lost)
            finally:
                wire.close()
            self._connection.pause(max(failed, 1))

    def export(self, campaign: str, what: str, path: Path, *, format: str = "csv") -> int:
        """Writes labels, answers, probabilities, workers or events to a file as csv, jsonl or
        crowd-kit. Returns the size in bytes. The file appears when it is complete."""
        source = self._with_query(self._of(campaign, f"export/{quoted(what)}"), {"format": format})
        part = f"{os.fspath(path)}.part"
        failed = 0
        while True:
            wire = self._connection.open()
            try:
                size = self._fetch(wire, source, part)
                os.replace(part, path)
                return size
            except LOST as lost:
                if isinstance(lost, OSError) and lost.filename is not None:
                    raise
                failed += 1
                self._connection.failed(failed, f"GET {source}", lost)
            finally:
                wire.close()
                if os.path.exists(part):
                    os.remove(part)
            self._connection.pause(failed)

    def _fetch(self, wire: Any, source: str, part: str) -> int:
        response = self._connection.send(wire, "GET", source, None, {})
        if response.status != 200:
            refusal = Reply(response.status, response.headers, response.read()).refusal()
            if response.status not in (429, 503):
                raise refusal
            raise ConnectionError(str(refusal))
        size = 0
        with open(part, "wb") as file:
            while piece := response.read(PIECE):
                file.write(piece)
                size += len(piece)
        return size
