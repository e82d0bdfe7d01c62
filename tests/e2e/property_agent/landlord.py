"""A scripted model for the example's cases: it calls the tools where the prompt says so, and guesses where not."""

import json
import re

from tests.support.agent_wire import Calls, Talk, Used
from tests.support.model_server import Behaviour

FOUND = "Here is what I found"
GUESS = "I believe that all is well with your places."
WHICH = "Which of your places do you mean?"
WHEN = "For which month?"
FORGOT = "I do not know what we spoke of before."

_PLACES = re.compile("Beach House|Mountain Cabin|City Apartment|Sky Villa")
_MONTHS = {"September": "2026-09", "October": "2026-10", "November": "2026-11", "December": "2026-12"}
_THIS_MONTH = "2026-11"


def talk(talk: Talk) -> str | Calls:
    """What the agent does next."""
    if "Use the tools" not in talk.system:
        return GUESS
    asked = talk.said[-1]
    if len(talk.said) > 1 and not re.search("listing|place|book|full|earn|cost|occupancy", asked):
        # An answer to what was asked back.
        asked = f"{talk.said[-2]} {asked}"
    steps = _plan(asked, talk.before)
    if isinstance(steps, str):
        return steps
    done = 0
    for step in steps:
        if len(talk.used) < done + len(step):
            return step
        done += len(step)
    return f"{FOUND}: {' '.join(use.result for use in talk.used)}"


def _plan(asked: str, before: tuple[Used, ...]) -> list[Calls] | str:
    """Steps, each of calls that are made at once; or what is said without any."""
    place = _PLACES.search(asked)
    of = {"listing": place[0]} if place else {}
    months = [month for name, month in _MONTHS.items() if name in asked]
    if "first one" in asked:
        known = [use for use in before if use.name == "get_listings"]
        if not known:
            return FORGOT
        of = {"listing": json.loads(known[-1].result)[0]["name"]}
    if "Look up my listings" in asked:
        return [[("get_listings", {})], [("get_bookings", {"listing": "City Apartment", "month": months[0]})]]
    if "earn" in asked:
        return [[("get_revenue", {**of, "month": month}) for month in months]] if months else WHEN
    if "full" in asked or "occupancy" in asked:
        if "it this month" in asked and not of:
            return WHICH
        return [[("get_occupancy", {**of, "month": month}) for month in months or [_THIS_MONTH]]]
    if "booking" in asked:
        return [[("get_bookings", {**of, "month": months[0]} if months else of)]]
    if of:
        return [[("get_listing_details", of)]]
    return [[("get_listings", {})]]


def judgement(system: str, user: str) -> str:
    """What the judge, the finder of questions and the player of the landlord reply."""
    if '"asks"' in system:
        asks = WHICH in user.split("# The assistant")[-1]
        return json.dumps({"asks": asks, "answer": "The Mountain Cabin." if asks else ""})
    if '"done"' in system:
        done = WHEN not in user.split("# The assistant")[-1]
        return json.dumps({"done": done, "message": "" if done else "In October."})
    good = FOUND in user.split("# Answer")[-1]
    return json.dumps({"reason": "It was looked up." if good else "It is a guess.", "score": 0.9 if good else 0.2})


BEHAVIOUR = Behaviour(talk=talk, judgement=judgement)
