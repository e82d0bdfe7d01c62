"""The form of a case as it comes from a browser, and its buttons that need no script."""

import json
import re
from dataclasses import replace
from typing import get_args

from gate.web.caseform import CaseForm, Kind, RoundForm
from gate.web.forms import Sent

_REMOVE = re.compile(r"remove-(round|slice)-([0-9]{1,4})")
_RAISE = re.compile(r"raise-round-([0-9]{1,4})")
_TEXTS = ("name", "description", "prompt", "tools", "criteria", "threshold", "expected", "rest")
_OF_ROUND = ("prompt", "tools", "criteria", "threshold")


def case_form(sent: Sent) -> CaseForm:
    """What was typed.

    Args:
        sent: by the page of a case.
    """
    kind = sent.one("kind")
    kinds: tuple[Kind, ...] = get_args(Kind)
    return CaseForm(
        **{name: sent.one(name) for name in _TEXTS},
        rounds=_rounds(sent),
        revival=bool(sent.one("revival")),
        slices=tuple(_slices(sent)),
        kind=next((one for one in kinds if one == kind), "agent"),
        keys=_keys(sent.one("keys")),
    )


def after(form: CaseForm, button: str) -> CaseForm | None:
    """The form after a button that adds, moves or removes a part of it; None for any other button.

    Args:
        form: as typed.
        button: value of `do`.
    """
    if button == "add-round":
        rounds = form.rounds or (RoundForm(form.prompt),)
        return replace(form, prompt="", rounds=(*rounds, RoundForm()))
    if button == "add-slice":
        return replace(form, slices=(*form.slices, ("", "")))
    if raised := _RAISE.fullmatch(button):
        return replace(form, rounds=_raised(form.rounds, int(raised[1])))
    removed = _REMOVE.fullmatch(button)
    if removed is None:
        return None
    number = int(removed[2])
    if removed[1] == "slice":
        return replace(form, slices=tuple(pair for at, pair in enumerate(form.slices, 1) if at != number))
    left = tuple(one for at, one in enumerate(form.rounds, 1) if at != number)
    if form.rounds and not left:
        return replace(form, prompt=form.rounds[0].prompt, rounds=())
    return replace(form, rounds=left)


def _raised(rounds: tuple[RoundForm, ...], number: int) -> tuple[RoundForm, ...]:
    """With one round before the one that it came after; what has none before it stays."""
    if not 1 < number <= len(rounds):
        return rounds
    return (*rounds[: number - 2], rounds[number - 1], rounds[number - 2], *rounds[number:])


def _rounds(sent: Sent) -> tuple[RoundForm, ...]:
    found: list[RoundForm] = []
    while any(f"rounds.{len(found) + 1}.{name}" in sent.fields for name in _OF_ROUND):
        number = len(found) + 1
        found.append(RoundForm(**{name: sent.one(f"rounds.{number}.{name}") for name in _OF_ROUND}))
    return tuple(found)


def _slices(sent: Sent) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    while f"slices.{len(found) + 1}.dimension" in sent.fields:
        number = len(found) + 1
        found.append((sent.one(f"slices.{number}.dimension"), sent.one(f"slices.{number}.value")))
    return found


def _keys(text: str) -> tuple[str, ...]:
    """The hidden list of keys; what is none gives none."""
    try:
        found = json.loads(text or "[]")
    except (ValueError, RecursionError):
        return ()
    return tuple(key for key in found if isinstance(key, str)) if isinstance(found, list) else ()
