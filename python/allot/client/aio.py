"""The client for asyncio.

Every method of :class:`~allot.client.Client` but ``live_events`` is here under its name, with the
same arguments, to be awaited; those that return iterators return asynchronous ones. A pool of threads
makes the requests, so retries and idempotency are those of the client. A call that is cancelled may
still reach the server; with a ``key`` it can be repeated.
"""

from __future__ import annotations

import asyncio
import functools
import inspect
import itertools
from concurrent.futures import ThreadPoolExecutor
from typing import Any, AsyncIterator, Callable, Optional

from .client import Client

# Rows that are read by one trip to a thread.
_PIECE = 500
_OWN = {"close", "live_events"}


class AsyncClient:
    """A running ``allot serve``, with one token, for asyncio.

    ::

        async with AsyncClient("http://127.0.0.1:8080", token) as allot:
            answers = [answer async for answer in allot.answers(campaign)]

    :param connections: most requests at the same time
    :param options: those of :class:`~allot.client.Client`
    """

    def __init__(self, url: str, token: Optional[str] = None, *, connections: int = 16, **options: Any) -> None:
        self._client = Client(url, token, **options)
        self._closed = False
        self._threads = ThreadPoolExecutor(connections, thread_name_prefix="allot")

    async def __aenter__(self) -> "AsyncClient":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Waits for requests under way, then closes all connections. The client cannot be used again."""
        self._closed = True
        await asyncio.get_running_loop().run_in_executor(None, self._threads.shutdown)
        self._client.close()

    async def _call(self, work: Callable[[], Any]) -> Any:
        if self._closed:
            raise ValueError("the client is closed; expected a new AsyncClient")
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)


def _awaited(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    async def call(self: AsyncClient, *arguments: Any, **options: Any) -> Any:
        return await self._call(functools.partial(method, self._client, *arguments, **options))

    return call


def _iterated(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    async def rows(self: AsyncClient, *arguments: Any, **options: Any) -> AsyncIterator[Any]:
        source = iter(method(self._client, *arguments, **options))
        while True:
            piece = await self._call(lambda: list(itertools.islice(source, _PIECE)))
            for row in piece:
                yield row
            if len(piece) < _PIECE:
                return

    return rows


for _name, _method in inspect.getmembers(Client, inspect.isfunction):
    if not _name.startswith("_") and _name not in _OWN:
        _returns = str(inspect.signature(_method).return_annotation)
        setattr(AsyncClient, _name, (_iterated if _returns.startswith("Iterator") else _awaited)(_method))
