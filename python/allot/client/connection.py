"""Requests over kept-alive connections, repeated where that is safe.

Each thread has its own connection, opened when it is first needed and used until the server closes
it. The client repeats a request, with growing pauses,

* if it could not connect: nothing was sent;
* after 429 and 503, not before ``Retry-After``: the server says that nothing happened;
* if the answer was lost, but only where repeating changes nothing: requests that read, that set a
  value, or that carry an Idempotency-Key.
"""

from __future__ import annotations

import email.utils
import http.client
import io
import json
import random
import socket
import ssl
import threading
import time
import urllib.parse
from typing import Any, BinaryIO, Callable, Dict, List, Mapping, Optional, Tuple, Union

from .errors import KINDS, ProtocolError, Refused, Unavailable
from .models import Number

Body = Union[bytes, BinaryIO, None]
# Exceptions of a broken connection.
LOST = (OSError, http.client.HTTPException)
# Bytes of a file that are sent or held at once.
PIECE = 64 << 10
# Seconds after which the server may have closed an idle connection.
RESTED = 20.0


class Reply:
    """A complete answer."""

    def __init__(self, status: int, fields: Mapping[str, str], body: bytes) -> None:
        self.status = status
        self.fields = fields
        self.body = body

    def json(self) -> Any:
        try:
            return json.loads(self.body, parse_float=Number)
        except ValueError as wrong:
            raise ProtocolError(f"the answer is not JSON: {wrong}") from wrong

    def refusal(self) -> Refused:
        """Returns the exception for an answer of status 400 or more."""
        try:
            problem = json.loads(self.body)
            code, detail = str(problem["code"]), str(problem["detail"])
        except (ValueError, TypeError, KeyError):
            code, detail = "unknown", self.body[:200].decode("utf-8", "replace")
        return KINDS.get(self.status, Refused)(self.status, code, detail)

    def pause(self) -> float:
        """Returns the seconds that Retry-After asks for."""
        text = self.fields.get("Retry-After")
        if not text:
            return 0
        try:
            return max(0.0, float(text))
        except ValueError:
            pass
        try:
            return max(0.0, email.utils.parsedate_to_datetime(text).timestamp() - time.time())
        except (TypeError, ValueError):
            return 0


class Connection:
    """Connections to one server, one per thread. Any number of threads can use it."""

    def __init__(
        self,
        url: str,
        token: Optional[str],
        timeout: float,
        attempts: int,
        longest_pause: float,
        context: Optional[ssl.SSLContext],
    ) -> None:
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"url {url!r} is not valid; expected one such as http://127.0.0.1:8080")
        if attempts < 1:
            raise ValueError(f"attempts {attempts} is too small; expected at least 1")
        self._tls = parts.scheme == "https"
        self._host, self._port = parts.hostname, parts.port
        self._base = parts.path.rstrip("/")
        self._token = token
        self._timeout = timeout
        self._attempts = attempts
        self._longest_pause = longest_pause
        self._context = context
        self._mine = threading.local()
        self._lock = threading.Lock()
        self._all: List[http.client.HTTPConnection] = []

    def close(self) -> None:
        """Closes the connections of all threads. The next request opens one again."""
        with self._lock:
            connections, self._all = self._all, []
        for connection in connections:
            connection.close()

    def open(self, timeout: Optional[float] = None) -> http.client.HTTPConnection:
        """Returns a new connection that belongs to the caller and is not connected yet."""
        limit = self._timeout if timeout is None else timeout
        if self._tls:
            return http.client.HTTPSConnection(
                self._host, self._port, timeout=limit, context=self._context, blocksize=PIECE
            )
        return http.client.HTTPConnection(
            self._host, self._port, timeout=limit, blocksize=PIECE
        )

    def _of_thread(self) -> http.client.HTTPConnection:
        kept: Optional[http.client.HTTPConnection] = getattr(self._mine, "connection", None)
        if kept is None:
            kept = self.open()
            self._mine.connection = kept
        with self._lock:
            if kept not in self._all:
                self._all.append(kept)
        return kept

    def send(
        self,
        wire: http.client.HTTPConnection,
        method: str,
        path: str,
        body: Body,
        fields: Mapping[str, str],
    ) -> http.client.HTTPResponse:
        """Sends a request and returns the head of the answer, also if the server refuses mid-body."""
        head: Dict[str, str] = {"Accept": "application/json, */*", **fields}
        if self._token is not None:
            head["Authorization"] = f"Bearer {self._token}"
        try:
            wire.request(method, self._base + path, body=body, headers=head)
        except (BrokenPipeError, ConnectionResetError):
            return wire.getresponse()
        return wire.getresponse()

    def _once(self, method: str, path: str, body: Body, fields: Mapping[str, str]) -> Reply:
        wire = self._of_thread()
        done = False
        try:
            response = self.send(wire, method, path, body, fields)
            reply = Reply(response.status, response.headers, response.read())
            self._mine.used = time.monotonic()
            done = True
            return reply
        finally:
            if not done:
                wire.close()

    def _connect(self, fresh: bool) -> None:
        """Connects if there is no connection; with ``fresh``, also if it was idle for long."""
        wire = self._of_thread()
        if fresh and time.monotonic() - getattr(self._mine, "used", 0.0) > RESTED:
            wire.close()
        if wire.sock is None:
            wire.connect()
            wire.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def request(
        self,
        method: str,
        path: str,
        body: Callable[[], Body] = lambda: None,
        fields: Mapping[str, str] = {},
        repeatable: bool = True,
    ) -> Reply:
        """Returns the answer, or raises if it is a refusal. Calls ``body`` for every attempt."""
        for attempt in range(1, self._attempts + 1):
            sent = False
            wait = 0.0
            try:
                self._connect(fresh=not repeatable)
                sent = True
                reply = self._once(method, path, body(), fields)
                if reply.status < 400:
                    return reply
                refusal = reply.refusal()
                said_so = reply.status in (429, 503) and (repeatable or refusal.code != "unknown")
                if not said_so or attempt == self._attempts:
                    raise refusal
                wait = reply.pause()
            except LOST as lost:
                if sent and not repeatable:
                    raise Unavailable(
                        f"{method} {path} was sent, but its answer was lost ({lost!r}); it may or "
                        "may not have taken effect"
                    ) from lost
                self.failed(attempt, f"{method} {path}", lost)
            self.pause(attempt, wait)
        raise AssertionError("the last attempt returns or raises")

    def failed(self, times: int, what: str, lost: Exception) -> None:
        """Raises once the number of failures in a row reaches the number of attempts."""
        if times >= self._attempts or isinstance(lost, ssl.SSLCertVerificationError):
            raise Unavailable(f"{what}: failed {times} times, the last by {lost!r}") from lost

    def pause(self, attempt: int, least: float = 0.0) -> None:
        """Sleeps before the next attempt: 0.1 s, 0.2 s, ..., each shortened by up to half at random."""
        usual = 0.1 * 2 ** min(attempt - 1, 20) * random.uniform(0.5, 1)
        time.sleep(min(max(usual, least), self._longest_pause))


def rewound(source: BinaryIO) -> Tuple[Callable[[], Body], bool]:
    """Returns a body that restarts at the present position, and whether the file can rewind."""
    try:
        start = source.tell() if source.seekable() else None
    except (AttributeError, OSError, io.UnsupportedOperation):
        start = None

    def body() -> Body:
        if start is not None:
            source.seek(start)
        return source

    return body, start is not None
