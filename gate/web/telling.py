"""What went wrong, as a page or for a program: strangers are not told where the store is."""

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response

from gate.errors import CannotEvaluate, GateError
from gate.web import addresses
from gate.web.access import Moved, Refused
from gate.web.api.mounting import told
from gate.web.api.problems import ApiError
from gate.web.rendering import page, seen_next
from gate.web.site import site_of
from gate.web.watching import failed, request_id

API = "/api/"
EXPECTED = (ApiError, Moved, Refused, HTTPException, RequestValidationError, GateError)
"""Whatever else is raised is a fault of the program."""
_TITLES = {
    401: "Log in first",
    403: "That is not allowed",
    404: "There is no such page",
    405: "There is no such page",
    413: "That is too much at once",
    503: "The store does not answer",
}


async def tell(request: Request, error: Exception) -> Response:
    """The answer to a request that met an error that is expected."""
    if isinstance(error, Moved):
        return seen_next(error.address)
    if isinstance(error, CannotEvaluate):
        request.state.trouble = error.message
        if site_of(request).login is not None:
            # What is wrong with the store is for the log: anybody can ask for a page.
            error = CannotEvaluate("The store does not answer right now.", "Try again in a moment.")
    if request.url.path.startswith(API) or isinstance(error, ApiError):
        return told(error).answer(request_id(request.scope))
    if isinstance(error, Refused) and error.first and request.method in ("GET", "HEAD"):
        return RedirectResponse(addresses.after(error.first, request.url.path, request.url.query), 303)
    status, message, hint = _explained(error)
    shown = {"message": message, "hint": hint, "logged_out": status == 401, "request_id": request_id(request.scope)}
    shown["resent"] = request.method == "POST" and status in (401, 503)
    return page(request, "error.html.j2", status, title=_TITLES.get(status, "That did not work"), **shown)


async def tell_fault(request: Request, error: Exception) -> Response:
    """The answer to a request that met a fault of the program; whoever watches is told by the exception itself."""
    return failed(request.scope)


def _explained(error: Exception) -> tuple[int, str, str]:
    match error:
        case Refused(status=401):
            return 401, "You are not logged in, or no longer.", "Log in in another tab, then reload this page."
        case Refused():
            return error.status, error.message, ""
        case HTTPException(status_code=404 | 405):
            return error.status_code, "Nothing is here any more, or it never was.", "Go back, and reload the list."
        case HTTPException():
            return error.status_code, str(error.detail), ""
        case RequestValidationError():
            return 422, "The request is not what this address takes.", ""
        case CannotEvaluate():
            return 503, error.message, error.hint
        case GateError():
            return 422, error.message, error.hint
    raise error
