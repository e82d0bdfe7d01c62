"""What a program asks first: is this a Prompt Gate, and what may I do here?"""

from fastapi import APIRouter, Request
from starlette.responses import Response

from gate.web.api import models
from gate.web.api.answers import answered
from gate.web.api.callers import Caller, allows, scopes_of
from gate.web.guards import RUN_BYTES

router = APIRouter(tags=["about"])


@router.get("", response_model=models.About)
@allows(None)
def about(request: Request, caller: Caller) -> Response:
    """Say what this server is, and what the caller may do."""
    said = models.About(caller=caller.name, scopes=sorted(scopes_of(request)), run_bytes=RUN_BYTES)
    return answered(request, said)
