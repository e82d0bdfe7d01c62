"""Checks of rules as a model may propose them: how many right ones code accepts, and how many wrong ones it refuses.

Without a model, the right check of a wording is that of its expected scorers, and wrong ones are made from it: another
number, bound, unit, language, kind or word. `model_outcomes` has a model propose a check for each wording of the second
author, as if it were a whole prompt.
"""

import asyncio
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rich.table import Table

from benchmarks.rules.rule_wordings import FIRST_AUTHOR, SECOND_AUTHOR, Outcome, Wording, outcome_of, read_wordings
from gate.calls.caller import Caller, CallPolicy
from gate.calls.providers.factory import Factory
from gate.config.models import ModelRef, Params
from gate.config.policy import Budget
from gate.config.specification import CheckKind, RuleCheck
from gate.environment.settings import Settings, keys_of
from gate.errors import CannotEvaluate
from gate.messages import Message
from gate.prompts.version import Prompt
from gate.stats.intervals import Rate, wilson
from gate.testgen.effort import LEVELS
from gate.testgen.prompt_under_test import subject_of
from gate.testgen.questions import Asker
from gate.testgen.rules.checks import CHECK_KINDS, LANGUAGES, UNITS, refusal_reason
from gate.testgen.rules.compiler import compile_rule
from gate.testgen.specification.extraction import find_rules

AT_ONCE = 2
"""Concurrent requests."""


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


def model_outcomes(model: ModelRef, each: int, max_usd: float) -> list[Outcome]:
    """What comes of the wordings of the second author if a model reads each as a prompt, drawn with a fixed seed."""
    wordings = read_wordings(SECOND_AUTHOR)
    drawn = random.Random(9).sample(wordings, min(each, len(wordings)))
    return asyncio.run(_model_outcomes(model, drawn, max_usd))


async def _model_outcomes(model: ModelRef, wordings: Sequence[Wording], max_usd: float) -> list[Outcome]:
    settings = Settings.from_environ()
    factory = Factory(keys_of(settings), settings.cache_dir, AT_ONCE, lambda path: Path(path).read_text("utf-8"))
    caller = Caller(
        factory.provider, CallPolicy(AT_ONCE, budget=Budget(max_usd=max_usd)), random.Random(0), factory.price
    )
    asker = Asker(caller, model, Params(max_output_tokens=2_000))
    try:
        return list(await asyncio.gather(*(_model_outcome(wording, asker) for wording in wordings)))
    finally:
        await factory.close()


async def _model_outcome(wording: Wording, asker: Asker) -> Outcome:
    """By the first rule that has a check that holds; plain sentences are not read."""
    subject = subject_of(Prompt((Message("system", f"You answer customers of a shop. {wording['text']}"),)))
    try:
        rules = (await find_rules(subject, asker, LEVELS["medium"])).value
    except CannotEvaluate:
        rules = ()
    checked = next((rule for rule in rules if rule.check is not None), None)
    return outcome_of(wording, None if checked is None else compile_rule(checked))
