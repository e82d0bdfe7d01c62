"""One job: how far it is, as it goes, and what came of it."""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Path, Request
from starlette.exceptions import HTTPException
from starlette.responses import Response, StreamingResponse

from gate.flows.record_conversations import transcript_record
from gate.report.cases.sidebyside import case_view
from gate.report.parts.sidebyside import SideBySide
from gate.web import addresses
from gate.web.access import Here, Role, needs, noted
from gate.web.forms import Form
from gate.web.jobs.remedies import remedy
from gate.web.jobs.state import Failure, Job, Stored, Tried
from gate.web.rendering import fragment, page, seen_next
from gate.web.site import Site

router = APIRouter()
Id = Annotated[str, Path(pattern="^[0-9a-f]{1,32}$")]
EVERY_S = 0.25
AT_MOST_S = 50.0
"""Seconds that one stream lasts; a browser then asks again, and is asked again who it is."""


@dataclass(frozen=True, slots=True)
class Result:
    """What came of a case that was tried.

    Args:
        case: with its answers.
        state: `passed`, `failed` or `unscored`.
        remedies: against what kept answers or scores from coming, each once.
    """

    case: SideBySide
    state: str
    remedies: tuple[str, ...]


@router.get("/jobs/{id}")
@needs(Role.EDITOR)
def job(request: Request, site: Here, id: Id) -> Response:
    """How far it is, or what came of it."""
    found = None if site.jobs is None else site.jobs.find(id)
    if found is None:
        return page(request, "job_gone.html.j2", 404)
    outcome = found.outcome
    return page(
        request,
        "job.html.j2",
        **_shown(site, found),
        result=_result(outcome) if isinstance(outcome, Tried) else None,
        failure=outcome if isinstance(outcome, Failure) else None,
        stored=outcome if isinstance(outcome, Stored) else None,
    )


@router.get("/jobs/{id}/events")
@needs(Role.EDITOR)
async def events(request: Request, site: Here, id: Id) -> Response:
    """How far it is, told whenever that changes (server-sent events)."""
    _found(site, id)
    return StreamingResponse(_events(request, site, id), media_type="text/event-stream")


@router.post("/jobs/{id}/cancel")
@needs(Role.EDITOR)
def cancel(request: Request, site: Here, sent: Form, id: Id) -> Response:
    """End it, whoever began it; what was answered stays known."""
    found = _found(site, id)
    if site.jobs is not None and not found.over:
        site.jobs.cancel(id)
        noted(request, "job-cancelled", f"{found.order.about}, begun by {found.order.by}")
    return seen_next(addresses.job(id))


def _found(site: Site, id: str) -> Job:
    found = None if site.jobs is None else site.jobs.find(id)
    if found is None:
        raise HTTPException(404)
    return found


async def _events(request: Request, site: Site, id: str) -> AsyncIterator[str]:
    loop = asyncio.get_running_loop()
    until, last = loop.time() + AT_MOST_S, None
    yield "retry: 1000\n\n"
    while loop.time() < until and site.jobs is not None:
        found = site.jobs.find(id)
        if found is None or found.over:
            yield "event: over\ndata: {}\n\n"
            return
        now = found.changes, site.jobs.place(found), int((site.now() - found.queued).total_seconds())
        if now != last:
            last = now
            data = {"html": fragment("job_state.html.j2", **_shown(site, found)), "said": _sentence(site, found)}
            yield f"data: {json.dumps(data)}\n\n"
        await asyncio.sleep(EVERY_S)


def _shown(site: Site, found: Job) -> dict[str, Any]:
    place = 0 if site.jobs is None else site.jobs.place(found)
    return {"job": found, "place": place, "now": site.now(), "said": _sentence(site, found)}


def _sentence(site: Site, found: Job) -> str:
    """What a screen reader is told."""
    if found.phase == "waiting" and site.jobs is not None:
        place = site.jobs.place(found)
        return "Waiting: it is the next one." if place == 1 else f"Waiting: {place - 1} are before it."
    words = {"ending": "Cancelling", "done": "Finished", "failed": "It did not work", "cancelled": "Cancelled"}
    return words.get(found.phase, "Running")


def _result(tried: Tried) -> Result | None:
    kept = next((case for suite in tried.record.new for case in suite.cases), None)
    if kept is None:
        return None
    samples = [one for one in tried.samples if one.case_id == kept.id]
    transcripts = {place: transcript_record(sample) for place, sample in enumerate(samples)}
    view = case_view(kept, samples, transcripts)
    given = [one.candidate for one in view.pairs if one.candidate is not None]
    reasons = [text for one in given for text in (one.failure, *(score.reason for score in one.scores)) if text]
    state = kept.check.state if kept.check is not None else ""
    return Result(view, state, tuple(dict.fromkeys(filter(None, map(remedy, reasons)))))
