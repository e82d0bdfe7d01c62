"""What pages write into the log of what was done."""

from fastapi import Request

from gate.domain.people import Actor, Event
from gate.web.access import person_of
from gate.web.site import site_of


def noted(request: Request, what: str, about: str = "") -> None:
    """Remember what somebody did with this request.

    Args:
        request: that did it.
        what: its kind: words with hyphens, the thing first, as `case-edited`.
        about: what it was done to, for readers.
    """
    site_of(request).audit.add(Event(what, about), actor(request))


def actor(request: Request) -> Actor:
    """Who asks, from where and when."""
    where = request.client.host if request.client is not None else ""
    return Actor(person_of(request).name, where[:100], site_of(request).now())
