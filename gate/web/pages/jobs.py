"""The list of jobs, and the form that begins a check or a comparison."""

from dataclasses import dataclass

from fastapi import APIRouter, Request
from starlette.responses import Response

from gate.bootstrap.trying import Choices
from gate.errors import GateError
from gate.web import addresses
from gate.web.access import Asking, Here, Role, needs, noted
from gate.web.forms import Form, Sent
from gate.web.jobs.asking import Costs, Mistakes, costs, here, offered, refs, told_by
from gate.web.jobs.order import RUN_CALLS, Order
from gate.web.rendering import page, seen_next
from gate.web.site import Site

router = APIRouter()
MOST_CALLS = 100_000
MOST_USD = 10_000.0


@dataclass(frozen=True, slots=True)
class Wish:
    """The form, as typed.

    Args:
        kind: `check` or `diff`.
        suites: names; none for all.
        base: ref that is compared with.
        everything: compare suites that the change does not touch, too.
        calls, usd: limits.
    """

    kind: str = "diff"
    suites: tuple[str, ...] = ()
    base: str = ""
    everything: bool = False
    calls: str = str(RUN_CALLS)
    usd: str = ""

    def order(self, by: str) -> Order:
        """As a job.

        Raises:
            GateError: a limit is no number, or nothing is named to compare with.
        """
        if self.kind not in ("check", "diff"):
            raise GateError("There is no such job.", "Choose a check or a comparison.")
        if self.kind == "diff" and not self.base.strip():
            raise GateError("There is nothing to compare with.", "Name a branch, a tag or a commit.")
        calls = self.calls.strip().replace(",", "")
        if not (calls.isascii() and calls.isdecimal() and len(calls) < 10 and 0 < int(calls) <= MOST_CALLS):
            raise GateError("The limit of calls is no number.", f"Write one from 1 to {MOST_CALLS:,}.")
        return Order(
            "check" if self.kind == "check" else "diff",
            self.suites,
            base=self.base.strip() if self.kind == "diff" else "",
            everything=self.everything and self.kind == "diff",
            max_calls=int(calls),
            max_usd=_dollars(self.usd),
            by=by,
        )


def _dollars(text: str) -> float | None:
    if not text.strip():
        return None
    try:
        found = float(text.strip().removeprefix("$"))
    except ValueError:
        found = -1.0
    if not 0 < found <= MOST_USD:
        raise GateError("The limit of dollars is no number.", "Write one such as 2.50, or leave it empty.")
    return found


@router.get("/jobs")
@needs(Role.EDITOR)
def jobs(request: Request, site: Here) -> Response:
    """Every job that this server knows."""
    found = [] if site.jobs is None else [(job, site.jobs.place(job)) for job in site.jobs.all()]
    return page(request, "jobs.html.j2", jobs=found, here=here(site.jobs))


@router.get("/jobs/new")
@needs(Role.EDITOR)
def new(request: Request, site: Here) -> Response:
    """The empty form."""
    return _form(request, site, None)


@router.post("/jobs/new")
@needs(Role.EDITOR)
def begin(request: Request, site: Here, person: Asking, sent: Form) -> Response:
    """Begin what was chosen, or only reckon what it would take."""
    wish = _wish(sent)
    if site.jobs is None:
        return _form(request, site, wish)
    try:
        order = wish.order(person.name)
        if sent.one("do") != "start":
            return _form(request, site, wish, reckoned=costs(site.jobs, order))
        known = {one.name for one in offered(site.jobs).suites}
        if gone := [name for name in order.suites if name not in known]:
            raise GateError(f"gate.yaml has no suite {gone[0]} any more.", "Choose again.")
        begun = site.jobs.begin(order)
    except GateError as error:
        return _form(request, site, wish, told_by(error))
    noted(request, "job-begun", order.about)
    return seen_next(addresses.job(begun.id))


def _wish(sent: Sent) -> Wish:
    named = {name: sent.one(name) for name in ("kind", "base", "calls", "usd")}
    return Wish(suites=sent.every("suite"), everything=bool(sent.one("everything")), **named)


def _form(
    request: Request, site: Site, wish: Wish | None, mistakes: Mistakes = (), reckoned: Costs | None = None
) -> Response:
    known: Choices | None = None
    names: tuple[str, ...] = ()
    if site.jobs is not None and here(site.jobs):
        names = refs(site.jobs)
        try:
            known = offered(site.jobs)
        except GateError as error:
            mistakes = mistakes or told_by(error)
    first = Wish(base=names[0] if names else "", kind="diff" if names else "check")
    shown = {"wish": wish or first, "known": known, "refs": names, "costs": reckoned, "mistakes": mistakes}
    return page(request, "job_new.html.j2", 422 if mistakes and wish else 200, here=here(site.jobs), **shown)
