"""Exceptions of the client. All derive from :class:`AllotError`."""

from __future__ import annotations

from typing import Dict, Type

from ..refusal import Refused as AnyRefused


class AllotError(Exception):
    """Base of all exceptions that the client raises."""


class ProtocolError(AllotError):
    """The answer is malformed: it is not from an allot server, or from another version."""


class Unavailable(AllotError):
    """The server could not be reached, or its answer was lost, in all attempts.

    The last attempt may still have taken effect. Send the request again with the same ``key`` to
    find out; it does not count twice.
    """


class Refused(AllotError, AnyRefused):
    """The server refused the request. It is an :class:`allot.Refused` too, and so a ``ValueError``.

    ``code`` is stable across versions, ``detail`` is a sentence for people, and ``status`` is the HTTP
    status.
    """

    def __init__(self, status: int, code: str, detail: str) -> None:
        super().__init__(f"{code} ({status}): {detail}")
        self.status = status
        self.code = code
        self.detail = detail


class BadRequest(Refused):
    """400, 413, 415, 422: the request is malformed or too large, or its key was used before."""


class Unauthorized(Refused):
    """401: the token is missing, unknown or revoked."""


class Forbidden(Refused):
    """403: not with this token, or not now: paused, closed, or the item is not leased."""


class NotFound(Refused):
    """404: the thing or the route does not exist, or belongs to somebody else."""


class Conflict(Refused):
    """409: it contradicts what is recorded, or the budget does not cover it."""


class TooManyRequests(Refused):
    """429, after all attempts."""


KINDS: Dict[int, Type[Refused]] = {
    400: BadRequest,
    401: Unauthorized,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
    413: BadRequest,
    415: BadRequest,
    422: BadRequest,
    429: TooManyRequests,
}
