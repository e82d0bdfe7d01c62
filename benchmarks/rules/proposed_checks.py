"""Checks of rules as a model may propose them: how many right ones code accepts, and how many wrong ones it refuses.

No model is called: the right check of a wording is that of its expected scorers, and wrong ones are made from it:
another number, bound, unit, language, kind or word.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from rich.table import Table

from benchmarks.rules.rule_wordings import FIRST_AUTHOR, Wording, read_wordings
from gate.config.specification import CheckKind, RuleCheck
from gate.stats.intervals import Rate, wilson
from gate.testgen.rules.checks import CHECK_KINDS, LANGUAGES, UNITS, refusal_reason


@dataclass(frozen=True, slots=True)
class Proposal:
    """A check for a wording, and whether code accepts it.

    Args:
        what: `right`, or what was changed.
    """

    wording: Wording
    what: str
    accepted: bool


def proposed() -> list[Proposal]:
    """The right check of each wording that has one, and the wrong ones made from it."""
    proposals = []
    for wording in read_wordings(FIRST_AUTHOR):
        check = _right_check(wording)
        if check is None or not wording["keeps"] or not wording["breaks"]:
            continue
        tried = [("right", check), *_wrong_checks(check)]
        for what, made in tried:
            whole = replace(made, keeps=wording["keeps"][0], breaks=wording["breaks"][0])
            proposals.append(Proposal(wording, what, not refusal_reason(whole, wording["text"])))
    return proposals


def _right_check(wording: Wording) -> RuleCheck | None:
    if not wording["expect"] or len(wording["expect"]) != 1:
        return None
    expected = wording["expect"][0]
    kind, options = expected["kind"], dict(expected.get("options") or {})
    if kind in UNITS:
        low, high = options.get("min"), options.get("max")
        bound = "exact" if low == high else "max" if low is None else "min"
        if low is not None and high is not None and low != high:
            return None
        return RuleCheck(_kind(f"{bound}_{kind}"), (str(high if low is None else low),))
    if kind == "language":
        name = next((name for name, code in LANGUAGES.items() if code == options.get("is")), None)
        return None if name is None else RuleCheck("language", (name,))
    if kind == "forbidden_words":
        words = options["words"]
        return RuleCheck("not_contains", tuple(map(str, words))) if isinstance(words, list) else None
    if kind in ("starts_with", "ends_with"):
        return RuleCheck(_kind(kind), (str(options["value"]),))
    return RuleCheck("json") if kind == "json" and options.get("fence", True) else None


def _kind(name: str) -> CheckKind:
    return next(kind for kind in CHECK_KINDS if kind == name)


def _wrong_checks(check: RuleCheck) -> Iterator[tuple[str, RuleCheck]]:
    bound, _, unit = check.kind.partition("_")
    if bound in ("max", "min", "exact"):
        number = int(check.value[0])
        yield "another number", replace(check, value=(str(number + 1),))
        yield "ten times the number", replace(check, value=(str(10 * number),))
        other = {"max": "min", "min": "max", "exact": "min"}[bound]
        yield "another bound", RuleCheck(_kind(f"{other}_{unit}"), check.value)
        other = "sentences" if unit == "words" else "words"
        yield "another unit", RuleCheck(_kind(f"{bound}_{other}"), check.value)
    elif check.kind == "language":
        yield "another language", RuleCheck("language", ("french" if check.value[0] != "french" else "german",))
    elif check.kind == "json":
        yield "another kind", RuleCheck("number")
    else:
        yield "another word", replace(check, value=("something",))
        yield "another kind", replace(check, kind="contains" if check.kind == "not_contains" else "not_contains")


def proposals_table(proposals: Sequence[Proposal]) -> Table:
    """How many were accepted, by what was proposed."""
    table = Table(title="Proposed checks that code accepts", title_justify="left")
    table.add_column("proposed")
    for name in ("checks", "accepted", "share"):
        table.add_column(name, justify="right")
    for what in dict.fromkeys(one.what for one in proposals):
        _add_row(table, what, [one for one in proposals if one.what == what])
    table.add_section()
    _add_row(table, "all wrong ones", [one for one in proposals if one.what != "right"])
    return table


def _add_row(table: Table, name: str, proposals: Sequence[Proposal]) -> None:
    accepted = sum(one.accepted for one in proposals)
    table.add_row(name, str(len(proposals)), str(accepted), rate_words(wilson(accepted, len(proposals))))


def rate_words(rate: Rate) -> str:
    """A rate with its interval."""
    return "-" if rate.rate is None else f"{rate.rate:.3f} [{rate.lower:.3f}, {rate.upper:.3f}]"
