"""What a server says about its own rate limit, in the headers of a reply."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

_LONGEST = 64
_UNITS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}
_PART = re.compile(r"(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h)", re.ASCII)
_NAME = re.compile(r"x-ratelimit-remaining-(.+)|anthropic-ratelimit-(.+)-remaining")


@dataclass(frozen=True, slots=True)
class Headroom:
    """What is left of a rate limit, as the server claims it.

    Args:
        used_up: nothing is left of some kind (requests, tokens).
        reset_s: seconds until what is used up comes back; 0 where nothing is.
    """

    used_up: bool = False
    reset_s: float = 0.0


def headroom(headers: Mapping[str, str], now: float) -> Headroom | None:
    """Read `x-ratelimit-remaining-KIND` with `x-ratelimit-reset-KIND` (OpenAI and many others; a reset is a duration
    such as `6m0s` or `20ms`), and `anthropic-ratelimit-KIND-remaining` with `-reset` (a date of RFC 3339).

    Args:
        headers: response headers; every value may be missing or hostile.
        now: seconds since the epoch, where the reply has no `date`.

    Returns:
        None when nothing usable is said. A kind that is used up without a usable reset is left out.
    """
    # One pass: a reply has some thirty headers, and few of them are about this.
    claims = {name.lower(): value for name, value in headers.items() if "ratelimit" in name.lower()}
    left = False
    resets: list[float] = []
    for name, value in claims.items():
        named = _NAME.fullmatch(name)
        if named is None or (remaining := _number(value)) is None:
            continue
        if remaining > 0:
            left = True
            continue
        reset = f"x-ratelimit-reset-{named[1]}" if named[1] else f"anthropic-ratelimit-{named[2]}-reset"
        wait = _wait(claims.get(reset, ""), headers, now)
        if wait is not None:
            resets.append(wait)
    if resets:
        return Headroom(True, max(resets))
    return Headroom() if left else None


def server_time(headers: Mapping[str, str], now: float) -> float:
    """The server's clock, in seconds since the epoch: a date of the server is compared with this, since ours may be
    wrong.

    Args:
        headers: response headers.
        now: what our clock says, where the server's says nothing.
    """
    value = headers.get("date", "")
    try:
        date = parsedate_to_datetime(value[:_LONGEST])
        return (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp()
    except (ValueError, TypeError, OverflowError):
        return now


def _wait(text: str, headers: Mapping[str, str], now: float) -> float | None:
    text = text.strip()
    if len(text) > _LONGEST:
        return None
    seconds = _number(text)
    if seconds is None:
        seconds = _duration(text)
    if seconds is not None:
        return seconds
    try:
        date = datetime.fromisoformat(text)
        moment = (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None
    return max(0.0, moment - server_time(headers, now))


def _duration(text: str) -> float | None:
    """Seconds of a duration as Go writes it."""
    parts = _PART.findall(text)
    if not parts or "".join(f"{number}{unit}" for number, unit in parts) != text:
        return None
    return sum(float(number) * _UNITS[unit] for number, unit in parts)


def _number(text: str) -> float | None:
    try:
        number = float(text[:_LONGEST])
    except ValueError:
        return None
    return number if math.isfinite(number) and number >= 0.0 else None
