"""The exception of a campaign that refuses a request, in process or on a server."""

from __future__ import annotations


class Refused(ValueError):
    """A request that a campaign refuses. ``code`` is not_found, conflict, key_reused, forbidden or
    budget_exhausted; a server has more."""

    code: str = ""


Refused.__module__ = "allot"
