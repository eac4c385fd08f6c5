"""Calls about the server itself, its tokens and links."""

from __future__ import annotations

from typing import Any, Dict, Iterator, Optional

from .calls import Calls, quoted, without_none
from .errors import Refused, Unavailable
from .models import Me, NewToken, read, Token


class ServerCalls(Calls):
    """The server, its tokens and links."""

    def healthy(self) -> bool:
        """True if the server answers and takes requests."""
        try:
            self._get("/readyz")
            return True
        except (Refused, Unavailable):
            return False

    def me(self) -> Me:
        """Returns whose token this is; for a worker also the campaign and its classes."""
        return read(Me, self._get("/api/v1/me"))

    def metrics(self) -> str:
        """Returns metrics in the text format of Prometheus. Needs an admin token."""
        return self._connection.request("GET", "/metrics").body.decode()

    def openapi(self) -> Dict[str, Any]:
        """Returns the OpenAPI description of all routes."""
        described: Dict[str, Any] = self._get("/openapi.json")
        return described

    def tokens(self) -> Iterator[Token]:
        """Yields all tokens."""
        return self._pages("/api/v1/tokens", "tokens", Token)

    def make_token(
        self,
        role: str,
        *,
        label: Optional[str] = None,
        campaign: Optional[str] = None,
        worker: Optional[str] = None,
    ) -> NewToken:
        """Creates a token for an admin, a requester, or a worker of a campaign. The call is not
        repeated if its answer is lost; a token may then exist that nobody saw. Revoke it."""
        members = without_none(role=role, label=label, campaign=campaign, worker=worker)
        return read(NewToken, self._post("/api/v1/tokens", members, repeatable=False))

    def make_link(
        self,
        campaign: str,
        worker: Optional[str] = None,
        *,
        reviewer: Optional[str] = None,
        label: Optional[str] = None,
    ) -> NewToken:
        """Creates a link for one worker or reviewer of a campaign. Not repeated, like
        ``make_token``."""
        members = without_none(worker=worker, reviewer=reviewer, label=label)
        return read(NewToken, self._post(self._of(campaign, "links"), members, repeatable=False))

    def revoke_token(self, token: str) -> None:
        """Revokes the token with this id."""
        self._connection.request("DELETE", f"/api/v1/tokens/{quoted(token)}")
