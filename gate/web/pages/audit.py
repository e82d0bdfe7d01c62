"""The log of who changed what, for editors."""

from dataclasses import asdict, dataclass
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import Response

from gate.domain.people import EventFilter
from gate.domain.stored_suite import Page
from gate.web.access import Here, Role, needs
from gate.web.rendering import page

router = APIRouter()
SIZE = 50
_MOST = 2**53


@dataclass(frozen=True, slots=True)
class Asked:
    """Which events somebody looks for; empty ones ask for nothing."""

    who: Annotated[str, Query(max_length=200)] = ""
    what: Annotated[str, Query(max_length=200)] = ""
    about: Annotated[str, Query(max_length=200)] = ""

    @property
    def kept(self) -> dict[str, str]:
        """What the next page has to ask for, too."""
        return {name: value for name, value in asdict(self).items() if value}


@router.get("/audit")
@needs(Role.EDITOR)
def audit(
    request: Request,
    site: Here,
    asked: Annotated[Asked, Depends()],
    after: Annotated[int, Query(ge=0, le=_MOST)] = 0,
) -> Response:
    """Who did what and when, the newest first."""
    found = site.audit.events(EventFilter(asked.who.strip(), asked.what, asked.about.strip()), Page(SIZE + 1, after))
    following = found[SIZE - 1].id if len(found) > SIZE else 0
    return page(
        request,
        "audit.html.j2",
        asked=asked,
        kept=asked.kept,
        after=after,
        following=following,
        events=found[:SIZE],
        kinds=site.audit.kinds(),
    )
