"""Calls about people with accounts, reviewers, participants and audits."""

from __future__ import annotations

from typing import Any, Iterator, List, Mapping, Optional

from .calls import Calls, quoted, without_none
from .errors import Refused
from .models import Audit, Outcome, Person, read, RecruitingLink, ReviewItem, Session, Verdict


class PeopleCalls(Calls):
    """People with accounts, reviews, recruiting and audits."""

    def people(self, campaign: str) -> Iterator[Person]:
        """Yields the people who label or review the campaign with their accounts."""
        return self._pages(self._of(campaign, "people"), "people", Person)

    def add_person(self, campaign: str, address: str, role: str = "worker") -> Person:
        """Lets a person label (``worker``) or review (``reviewer``) the campaign with their account,
        or changes the role."""
        path = self._of(campaign, f"people/{quoted(address)}")
        return read(Person, self._send("PUT", path, {"role": role}))

    def remove_person(self, campaign: str, address: str) -> None:
        """Ends the access of a person with an account; labels and verdicts stay."""
        self._connection.request("DELETE", self._of(campaign, f"people/{quoted(address)}"))

    def review_queue(
        self, campaign: str, *, by: str = "uncertain", limit: int = 100
    ) -> List[ReviewItem]:
        """Returns labelled items to look at next: ``by`` uncertain, disputed or skipped."""
        query = {"by": by, "limit": str(limit)}
        rows = self._get(self._of(campaign, "review"), query)["items"]
        return [read(ReviewItem, row) for row in rows]

    def review(
        self,
        campaign: str,
        verdicts: Mapping[str, str],
        *,
        reviewer: Optional[str] = None,
        reason: Optional[str] = None,
        key: Optional[str] = None,
    ) -> List[Outcome]:
        """Decides items: ``{"item": "class"}``. Each verdict is recorded or refused on its own. A
        reviewer's token needs no ``reviewer``."""
        rows = [without_none(item=i, answer=a, reason=reason) for i, a in verdicts.items()]
        answer = self._post(
            self._of(campaign, "verdicts"),
            without_none(verdicts=rows, reviewer=reviewer),
            key=key,
            keyed=True,
        )
        return [read(Outcome, row) for row in answer["verdicts"]]

    def undo_review(
        self, campaign: str, item: str, *, reviewer: Optional[str] = None, key: Optional[str] = None
    ) -> None:
        """Takes the verdict on the item back."""
        members = without_none(item=item, reviewer=reviewer)
        self._post(self._of(campaign, "verdicts/undo"), members, key=key, keyed=True)

    def verdicts(self, campaign: str) -> Iterator[Verdict]:
        """Yields all verdicts, with what the labels said before each."""
        return self._pages(self._of(campaign, "verdicts"), "verdicts", Verdict)

    def recruit(self, campaign: str, platform: str, **terms: Any) -> RecruitingLink:
        """Creates a recruiting link for a platform: prolific, connect, sona, mturk or panel. Terms
        are those of the route, such as ``labels`` or ``qualification``. Not repeated, like
        ``make_token``."""
        members = {"platform": platform, **terms}
        answer = self._post(self._of(campaign, "recruiting"), members, repeatable=False)
        return read(RecruitingLink, answer)

    def recruiting(self, campaign: str) -> List[RecruitingLink]:
        """Returns all recruiting links, with what came of them."""
        return [read(RecruitingLink, one) for one in self._get(self._of(campaign, "recruiting"))["links"]]

    def change_recruiting(self, campaign: str, link: str, **terms: Any) -> RecruitingLink:
        """Changes terms of a recruiting link; ``open=False`` takes no new participants."""
        route = self._of(campaign, f"recruiting/{quoted(link)}")
        return read(RecruitingLink, self._send("PATCH", route, terms))

    def sessions(self, campaign: str) -> Iterator[Session]:
        """Yields the sessions of participants, the latest first."""
        return self._pages(self._of(campaign, "sessions"), "sessions", Session)

    def start_audit(
        self,
        campaign: str,
        *,
        checks: Optional[int] = None,
        until: Optional[float] = None,
        confidence: Optional[float] = None,
        replace: bool = False,
        key: Optional[str] = None,
    ) -> Audit:
        """Freezes the answers and draws those to check: ``checks`` of them, or one by one ``until``
        that accuracy is proven. Reviewers find the draws first in ``review_queue``. Refused while
        an earlier audit has verdicts and is not finished, unless it may ``replace`` that one."""
        members = without_none(
            checks=checks, until=until, confidence=confidence, replace=replace or None
        )
        answer = self._post(self._of(campaign, "audits"), members, key=key, keyed=True)
        return read(Audit, answer["audit"])

    def audit(self, campaign: str) -> Optional[Audit]:
        """Returns what the checks of the latest audit prove, if there is one."""
        found = self._get(self._of(campaign, "audit"))["audit"]
        return read(Audit, found) if found else None
