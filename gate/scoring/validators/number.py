"""Validators of numbers in an answer, and of its time and price."""

import unicodedata
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import islice

import regex

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

_CASED = r"\p{Lu}\p{Ll}\p{Lt}"
"""Letters of scripts with upper and lower case. Han, Hangul, Thai and others stand directly beside a number."""
_BLANKS = "\u00a0\u202f\u2009"
_GROUPS = f"'’٬{_BLANKS}"
_MINUS = "-−－–"
_RUN = regex.compile(
    rf"(?:[.,٫](?=\d))?(?:[1-9]\d{{0,2}}(?: \d{{3}})+(?!\d)(?:[.,]\d+)*|\d+(?:[.,٫{_GROUPS}]\d+)*)"
    rf"(?:[eE][-+−]?\d{{1,3}}(?![{_CASED}\d_]))?"
)
"""Digits with all that may stand between those of one number.

Libraries do not find these: price-parser reads one price of a text, without its sign, also from digits inside words.
"""
_WIDE = regex.compile("[０-９]+(?:[，．][０-９]+)*")
_CODES = (
    "USD|EUR|GBP|JPY|CNY|RMB|INR|CHF|CAD|AUD|NZD|HKD|SGD|TWD|NTD|KRW|THB|VND|IDR|MYR|BRL|MXN|ARS|CLP|SEK|NOK|DKK|ISK|"
    "PLN|CZK|HUF|RON|BGN|RUB|UAH|ILS|AED|SAR|QAR|EGP|ZAR|NGN|KES|PKR|BDT|LKR|RM"
)
"""Without codes with which other words begin, such as TOP10 and COP26."""
_ABBREVIATIONS = "Rs|Rp|Fr|kr|Kč|Ft|zł|лв|руб|TL|Ksh|Dhs"
_CURRENCY = rf"(?:\p{{Sc}}|(?<![{_CASED}\d_])(?:{_CODES}|(?:{_ABBREVIATIONS})\.?))"
_CURRENCY_BEFORE = regex.compile(rf"(?<!\d\s?){_CURRENCY}[ {_BLANKS}]?(?P<minus>[{_MINUS}])?$")
_CURRENCY_AFTER = regex.compile(rf"[ {_BLANKS}]?(?:\p{{Sc}}|(?:{_CODES}|(?:{_ABBREVIATIONS})\.?)(?![{_CASED}]))")
_ABBREVIATED = regex.compile(rf"(?<![{_CASED}\d_])(?:{_ABBREVIATIONS})$")
_PART_OF_WORD = regex.compile(rf"[{_CASED}_.]$")
_SPACELESS = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}ー"
_NEGATIVE = regex.compile(rf"(?<![\p{{L}}\p{{M}}\d_.)\]{_MINUS}]|\d\s?\p{{Sc}})[{_MINUS}]$")
_NEGATIVE_IN_SENTENCE = regex.compile(rf"(?<=[{_SPACELESS}])(?<!\d[^到至])[{_MINUS}]$")
"""In these scripts a minus may follow a letter, but is a dash after a unit: `温度是-42度`, `3时-5时`."""
_HEAD = 12
"""Characters before a number that tell what it is."""


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
    text = _WIDE.sub(lambda wide: unicodedata.normalize("NFKC", wide[0]), text[:LOOKED_AT])
    found: list[float] = []
    for run in islice(_RUN.finditer(text), NUMBERS):
        token, head = run[0], text[max(0, run.start() - _HEAD) : run.start()]
        if token[0] == "." and _ABBREVIATED.search(head):
            token, head = token[1:], f"{head}."
        currency = _CURRENCY_BEFORE.search(head)
        if currency is None and _PART_OF_WORD.search(head):
            token = token.partition(" ")[2]
        minus = bool(currency and currency["minus"]) or _is_negative(head[: currency.start()] if currency else head)
        priced = currency is not None or _CURRENCY_AFTER.match(text, run.end()) is not None
        values = _values(token, comma=comma, priced=priced)
        if values and minus:
            values[0] = -values[0]
        found += values
    return found


def _is_negative(head: str) -> bool:
    """Does a text before a number end with a minus?"""
    return _NEGATIVE.search(head) is not None or _NEGATIVE_IN_SENTENCE.search(head) is not None


def _values(token: str, *, comma: bool, priced: bool) -> list[float]:
    """One number; several where signs between digits do not make one, such as `1,5` in English; none for `1.2.3`.

    Args:
        priced: a currency stands beside it, so that it is one number.
    """
    if " " in token and not (comma or priced or regex.search(r"[.,]\d{1,2}$", token)):
        return [value for part in token.split(" ") for value in _values(part, comma=comma, priced=False)]
    if not token or len(token) > DIGITS:
        return []
    decimal, group = (",", ".") if comma else (".", ",")
    plain = regex.sub(rf"[{_GROUPS} ]", "_", token.replace("٫", decimal).replace("−", "-"))
    if one := _number_forms(comma, priced).fullmatch(plain):
        whole = regex.sub(r"\D", "", one["whole"])
        value = float(f"{whole or 0}.{one['fraction'] or 0}{one['exponent'] or ''}")
        return [value] if abs(value) <= 1e300 else []
    apart = regex.split(f"[_{group}]", plain)
    if comma or not all(regex.fullmatch(r"\d+(?:\.\d+)?", part) for part in apart):
        return []
    return [float(part) for part in apart] if len(apart) > 1 else []


@cache
def _number_forms(comma: bool, priced: bool) -> "regex.Pattern[str]":  # noqa: FBT001 a cache takes no names
    """The forms of one number, with `_` for blanks and apostrophes between thousands."""
    decimal, group = (",", r"\.") if comma else (r"\.", ",")
    first = r"[1-9]\d{0,2}"
    forms = (
        rf"(?P<whole>\d*)(?:{decimal}(?P<fraction>\d+))?",
        rf"(?P<whole>{first}(?:{group}\d{{3}})+|[1-9]\d?(?:{group}\d\d)+{group}\d{{3}})(?:{decimal}(?P<fraction>\d+))?",
        rf"(?P<whole>{first}(?:_\d{{3}})+)(?:[.,](?P<fraction>\d+))?",
        # Where both signs stand in a number, the last one is the decimal sign.
        rf"(?P<whole>{first}(?:{decimal}\d{{3}})+){group}(?P<fraction>\d+)",
        # A price has no list of numbers in it: 5,99 € is one.
        *([rf"(?P<whole>\d+){group}(?P<fraction>\d\d?)"] if priced else []),
    )
    return regex.compile(rf"(?:{'|'.join(forms)})(?P<exponent>[eE][-+]?\d+)?")


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
