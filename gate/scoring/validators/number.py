"""Validators of numbers in an answer, and of its time and price."""

import re
from collections.abc import Iterator, Mapping
from itertools import islice

from gate.record.transcript import Dollars, Unpriced, Unscored
from gate.scoring.interface import (
    LOOKED_AT,
    Finding,
    OptionCheck,
    OptionComplaint,
    Options,
    Subject,
    Validator,
    as_text,
    finding,
    number_of,
    quote,
)
from gate.values import about_dollars, exact_dollars

DIGITS = 40
"""Characters of one number; a longer one is not a number."""
NUMBERS = 10_000
"""Numbers of one answer that are read."""

_GROUPS = "'’\u00a0\u202f\u2009٬"
_CURRENCIES = "$€£¥₹"
_TOKEN = re.compile(
    rf"(?:(?<![\w.)\]−-])(?P<minus>[-−])[{_CURRENCIES}]?|[{_CURRENCIES}](?P<after>[-−]))?"
    rf"(?<![\w.])(?P<number>(?:[.,٫](?=\d))?\d(?:[\d.,٫{_GROUPS}]*\d)?(?:[eE][-+−]?\d{{1,3}}(?!\w))?)"
)


def number(options: Options, subject: Subject) -> Finding:
    """A number of the answer is the value, give or take `tolerance` or `percent`."""
    want = wanted_number(options)
    if want is None:
        return 0.0, "the expected value is not a number"
    found = numbers(subject.text, comma=options.get("decimal") == "comma")
    if not found:
        return 0.0, f"contains no number, expected {want:.15g}"
    which = options.get("which", "any")
    if which == "only" and len(found) > 1:
        return 0.0, f"contains {len(found):,} numbers, expected only {want:.15g}"
    looked_at = {"first": found[:1], "last": found[-1:]}.get(str(which), found)
    margin = _margin(options, want)
    nearest = min(looked_at, key=lambda value: abs(value - want))
    about = f"{want:.15g}" + (f" ± {margin:.6g}" if margin > _slack(want) else "")
    fits = abs(nearest - want) <= margin
    closest = "" if len(looked_at) == 1 else "the closest number is "
    return finding(fits, f"contains {nearest:.15g}, expected {about}", f"{closest}{nearest:.15g}, not {about}")


def wanted_number(options: Options) -> float | None:
    """The expected value; None where the case gives no number."""
    value = options.get("value")
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, (int, float)):
        return float(value) if abs(value) <= 1e300 else None
    text = as_text(value).strip()
    found = numbers(text, comma=options.get("decimal") == "comma")
    return found[0] if len(found) == 1 else None


def numbers(text: str, *, comma: bool = False) -> list[float]:
    """The numbers at the beginning of a text, in order, without digits inside words.

    Args:
        text: `-1,234.5 kg` gives -1234.5, `5 to 10` gives 5 and 10.
        comma: the comma is the decimal sign, and the point separates thousands.
    """
    text = text[:LOOKED_AT]
    found: list[float] = []
    for match in islice(_TOKEN.finditer(text), NUMBERS):
        values = _values(match["number"], comma)
        if values and (match["minus"] or match["after"]):
            values[0] = -values[0]
        found += values
    return found


def _values(token: str, comma: bool) -> list[float]:
    """One number; several where signs between digits do not make one, such as `1,5` in English; none for `1.2.3`."""
    if len(token) > DIGITS:
        return []
    decimal, group = (",", ".") if comma else (".", ",")
    plain = token.replace("٫", decimal).replace("٬", group).replace("−", "-")
    for sign in _GROUPS:
        plain = plain.replace(sign, group)
    one = rf"\d{{1,3}}(?:{re.escape(group)}\d{{3}})+|\d+"
    if re.fullmatch(rf"(?:{one})?(?:{re.escape(decimal)}\d+)?(?:[eE][-+]?\d+)?", plain):
        value = float(plain.replace(group, "").replace(decimal, "."))
        return [value] if abs(value) <= 1e300 else []
    apart = plain.split(group)
    if comma or not all(re.fullmatch(r"\d+(?:\.\d+)?", part) for part in apart):
        return []
    return [float(part) for part in apart] if len(apart) > 1 else []


def _margin(options: Options, want: float) -> float:
    percent = number_of(options, "percent")
    margin = abs(want) * percent / 100 if percent is not None else number_of(options, "tolerance") or 0.0
    return margin + _slack(want)


def _slack(want: float) -> float:
    """The rounding error of binary fractions."""
    return 1e-9 * abs(want) if want else 1e-12


def latency(options: Options, subject: Subject) -> Finding:
    """The request for the answer took at most `max_s` seconds; a reused answer keeps its original time."""
    most = number_of(options, "max_s") or 0.0
    if subject.latency_s is None:
        return Unscored("the time that the answer took is unknown"), f"at most {most:g} s"
    took = f"took {subject.latency_s:.3g} s"
    return finding(subject.latency_s <= most, f"{took}, at most {most:g} s", f"{took}, more than {most:g} s")


def cost(options: Options, subject: Subject) -> Finding:
    """The answer cost at most `max_usd` dollars; one without a price, such as a local model's, is not scored."""
    most = number_of(options, "max_usd") or 0.0
    limit = exact_dollars(most)
    if not isinstance(subject.cost, Dollars):
        has = "has no price" if subject.cost == Unpriced("n/a") else "has an unknown price"
        return Unscored(f"the answer {has}"), f"at most {limit}"
    price = f"cost {about_dollars(subject.cost.amount)}"
    return finding(subject.cost.amount <= most, f"{price}, at most {limit}", f"{price}, more than {limit}")


def _number(options: Options) -> Iterator[OptionComplaint]:
    if wanted_number(options) is None:
        hint = "write a number such as 42 or 3.5 (decimal: comma reads 3,5)"
        yield f"its value {quote(as_text(options.get('value')))} is not a number", hint


VALIDATORS: Mapping[str, Validator] = {"number": number, "latency": latency, "cost": cost}
CHECKS: Mapping[str, OptionCheck] = {"number": _number}
