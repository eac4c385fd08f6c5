"""What can go wrong, as exceptions. All are an :class:`AllotError`."""

from __future__ import annotations

from typing import Dict, Type


class AllotError(Exception):
    """Whatever the client raises by itself."""


class ProtocolError(AllotError):
    """The answer makes no sense: no allot server wrote it, or one of another version."""


class Unavailable(AllotError):
    """The server could not be reached, or was not heard to the end, in all attempts.

    Of a request that may be repeated it is open whether the last attempt was heard; sending it
    again with the same ``key`` finds out without counting twice.
    """


class Refused(AllotError):
    """The server said no.

    ``code`` stays the same from version to version, ``detail`` is a sentence for people, ``status``
    is HTTP's.
    """

    def __init__(self, status: int, code: str, detail: str) -> None:
        super().__init__(f"{code} ({status}): {detail}")
        self.status = status
        self.code = code
        self.detail = detail


class BadRequest(Refused):
    """400, 413, 415, 422: the request makes no sense, is too large, or its key was another's."""


class Unauthorized(Refused):
    """401: there is no token, or it is unknown or revoked."""


class Forbidden(Refused):
    """403: not with this token, or not now: paused, closed, not at hand."""


class NotFound(Refused):
    """404."""


class Conflict(Refused):
    """409: it contradicts what is there, or there is no money for it (``budget_exhausted``)."""


class TooManyRequests(Refused):
    """429, and still so after all attempts."""


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
