"""A badge that says how a run ended: data for an endpoint badge of shields.io, and a picture of our own."""

import json
from dataclasses import dataclass
from functools import cache
from importlib import resources
from math import fsum

from jinja2 import Environment, StrictUndefined, Template

from gate.domain.checked import CaseState
from gate.domain.record import RunRecord
from gate.domain.verdict import Verdict
from gate.report.alone.checks import count_of
from gate.report.numbers import delta, interval

LABEL = "prompt gate"
_COLOURS = {
    Verdict.SHIP: ("brightgreen", "#2a7f11"),
    Verdict.PASS: ("green", "#4a7a12"),
    Verdict.HOLD: ("yellow", "#8a6500"),
    Verdict.BLOCK: ("red", "#b3261e"),
    Verdict.INCONCLUSIVE: ("orange", "#a84e0c"),
    Verdict.SKIPPED: ("lightgrey", "#5f6368"),
}
"""The name that shields.io gives it, and our own, on which white text has a contrast of 4.5 or more."""
_ASIDE = _COLOURS[Verdict.HOLD]
_WIDE, _NARROW = "mwMWQGOD@%", "iljtf.,:;'|!()[] -I1"
_WIDTHS = (9.5, 4.2, 7.0)
"""Pixels of wide, narrow and other letters of a sans serif at 11 pixels; the picture is stretched to them."""
_PAD = 6


@dataclass(frozen=True, slots=True)
class Badge:
    """What the picture shows.

    Args:
        label, message: its two halves.
        colour: of the right half.
        left, right: their width in pixels.
    """

    label: str
    message: str
    colour: str
    left: int
    right: int


def endpoint(run: RunRecord) -> str:
    """The JSON that `img.shields.io/endpoint` asks a file for.

    Args:
        run: finished.
    """
    data = {
        "schemaVersion": 1,
        "label": LABEL,
        "message": message(run),
        "color": _colours(run)[0],
        "isError": bool(run.exit_code),
    }
    return json.dumps(data, ensure_ascii=False) + "\n"


def picture(run: RunRecord) -> str:
    """An SVG that loads nothing and has a title for those who do not see it.

    Args:
        run: finished.
    """
    said = message(run)
    left, right = _width(LABEL), _width(said)
    return _template().render(badge=Badge(LABEL, said, _colours(run)[1], left, right)) + "\n"


def message(run: RunRecord) -> str:
    """The verdict, and the figure that it is about; no name from outside, since any page may show it."""
    if run.waived_code:
        return f"{run.verdict.value}, set aside"
    if run.kind == "check":
        counts = [count_of(run, state) for state in CaseState]
        return f"{run.verdict.value} {count_of(run, CaseState.PASSED)}/{sum(counts)}"
    if run.kind == "baseline" and run.verdict is Verdict.PASS:
        return "recorded"
    if len(run.suites) == 1 and run.verdict in (Verdict.SHIP, Verdict.BLOCK):
        overall = run.suites[0].quality.overall
        if overall.mean is not None and (overall.lower or overall.upper):
            return f"{run.verdict.value} {delta(overall.mean)} {interval(overall.lower, overall.upper)}"
    return run.verdict.value


def _colours(run: RunRecord) -> tuple[str, str]:
    return _ASIDE if run.waived_code else _COLOURS[run.verdict]


@cache
def _template() -> Template:
    source = resources.files("gate.report.outputs").joinpath("templates", "badge.svg.j2").read_text(encoding="utf-8")
    return Environment(undefined=StrictUndefined, autoescape=True).from_string(source)


def _width(text: str) -> int:
    wide, narrow, other = _WIDTHS
    # Not `sum`, which rounds otherwise from Python 3.12 on.
    letters = fsum(wide if char in _WIDE else narrow if char in _NARROW else other for char in text)
    return round(letters) + 2 * _PAD
