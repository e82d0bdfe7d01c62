"""Finished checks, built by hand: what fails, what nobody can say, and rubrics on their own scale."""

from collections.abc import Sequence
from typing import Any

from gate.record.comparison import PassRate, PassState, Verdict
from gate.record.findings.finding import Finding
from gate.record.findings.notes import Remark
from gate.record.findings.rates import PassRateMet, PassRateMissed
from gate.record.findings.unfinished import BudgetReached, SamplesMissing
from gate.record.parts import CaseResult, CaseState, ExamRecord, OutputRecord, PartMean, ScorerResult
from gate.record.run import MissingReason, MissingRecord, NewCaseRecord, NewSuiteRecord, RunRecord
from tests.golden.builders import arm, output, run
from tests.golden.new_prompts import rate, suite

ENDED = BudgetReached(limit="max_calls", value=17, setting="budget.max_calls")
BUDGET = ENDED.phrase
_SAID = (
    "brevity 2 of 5: Three sentences, and the caller had asked one thing; tone 3 of 5: Polite, and like a form; "
    "flow 4 of 5: Could be said aloud."
)


def scorer(name: str, value: float | None, mark: float | None = 1.0, reason: str = "") -> ScorerResult:
    """One that has no scale."""
    passed = None if mark is None or value is None else value >= mark
    return ScorerResult(name=name, value=value, mark=mark, passed=passed, reason=reason)


def rubric(brevity: float, tone: float, flow: float, reason: str = "", mark: float | None = 0.625) -> ScorerResult:
    """A rubric from 1 to 5 with three dimensions, each in [0, 1]."""
    value = 0.5 * brevity + 0.3 * tone + 0.2 * flow
    parts = [
        PartMean(kind="dimension", name=name, value=one, weight=weight)
        for name, one, weight in (("brevity", brevity, 0.5), ("tone", tone, 0.3), ("flow", flow, 0.2))
    ]
    passed = None if mark is None else value >= mark
    return ScorerResult(
        name="voice", value=value, mark=mark, passed=passed, reason=reason, parts=parts, scale=(1.0, 5.0)
    )


def case(
    name: str,
    slices: dict[str, str],
    check: CaseResult,
    outputs: Sequence[OutputRecord] = (),
    question: str = "user: AC's out.",
) -> NewCaseRecord:
    """One case with what the check says of it."""
    asked = question if outputs else None
    return NewCaseRecord(
        id=name, where="evals/calls.json:4", slices=slices, scores=[check.score], passed=[None], input=asked,
        outputs=list(outputs), check=check,
    )  # fmt: skip


def checked(state: CaseState, scorers: list[ScorerResult], mark: float | None = None, **other: object) -> CaseResult:
    """What a check says of a case; the score is the plain mean."""
    known = [one.value for one in scorers if one.value is not None]
    score = sum(known) / len(known) if len(known) == len(scorers) else None
    fields: dict[str, object] = {"state": state, "score": score, "mark": mark, "scorers": scorers}
    return CaseResult.model_validate(fields | other)


def calls(overall: PassRate, slices: list[PassRate], cases: list[NewCaseRecord]) -> NewSuiteRecord:
    """A suite called calls."""
    exam = ExamRecord(ref="working tree", digest="12ab" + "0" * 60, cases=len(cases), scorers=["voice", "asks"])
    made = suite(overall, slices, cases)
    path = arm("working tree", None, path="prompts/calls.md")
    return made.model_copy(
        update={"name": "calls", "samples": 1, "threshold": None, "exam": exam, "candidate": path, "level": 0.025}
    )


def rate_fields(row: PassRate) -> dict[str, Any]:
    """The fields of a finding about a pass rate."""
    return {name: getattr(row, name) for name in ("slice", "n", "passed", "rate", "lower", "upper", "wanted")}


def missed(row: PassRate, failed: list[str]) -> PassRateMissed:
    """That too many cases of the suite called calls failed."""
    return PassRateMissed(suite="calls", checked=True, **rate_fields(row), failed=failed)


def check(verdict: Verdict, suites: list[NewSuiteRecord], findings: list[Finding], **other: object) -> RunRecord:
    """A check of some suites."""
    found = run(verdict, [], findings, new=suites, kind="check", **other)
    return found.model_copy(update={"method": found.method.model_copy(update={"name": "check", "flips": None})})


def check_block() -> RunRecord:
    """Some scorers of some cases fail; one case has a threshold, one is advisory, two pass."""
    good = [scorer("asks", 1.0), scorer("sentences", 1.0), scorer("forbidden", 1.0)]
    asks = scorer("asks", 0.0, 1.0, 'does not ask about "name": it asks nothing')
    bad = checked(CaseState.FAILED, [rubric(0.25, 0.5, 0.75, _SAID), asks, *good[1:]])
    said = [output(0, "I understand. We will handle that.", bad.score, f"asks: {asks.reason}", f"voice: {_SAID}",
                   "sentences: has 2 sentences")]  # fmt: skip
    low = [rubric(0.5, 0.75, 0.75, "brevity 3 of 5: It could be shorter.", None), scorer("asks", 1.0, None)]
    strict = checked(CaseState.FAILED, low, 0.9)
    hint = [output(0, "Sure. What is your name?", strict.score, "voice: brevity 3 of 5: It could be shorter.")]
    aside = checked(CaseState.FAILED, [rubric(0.75, 0.75, 0.75), asks, *good[1:]], counts=False)
    fine = checked(CaseState.PASSED, [rubric(1.0, 0.5, 0.75), *good])
    full = checked(CaseState.PASSED, [rubric(1.0, 1.0, 1.0), *good])
    long = {"state": "discovery", "channel": "telephone", "lang": "en", "caller": "first-time"}
    found = [
        case("discovery_brief", {"state": "discovery"}, fine),
        case("discovery_verbose_and_then_some_more_of_it_fail", long, bad, said),
        case("welcome_strict", {"state": "welcome"}, strict, hint),
        case("safety_gas_smell", {"state": "safety"}, aside, [output(0, "Leave the house.", aside.score)]),
        case("welcome_terse", {"state": "welcome"}, full),
    ]
    overall = rate("overall", PassState.MISSED, 4, (0.5, 0.15, 0.85), 1.0)
    slices = [
        rate("state=discovery", PassState.NO_THRESHOLD, 2, (0.5, 0.09, 0.91), None),
        rate("state=welcome", PassState.NO_THRESHOLD, 2, (0.5, 0.09, 0.91), None),
        rate("state=safety", PassState.NO_THRESHOLD, 1, (0.0, 0.0, 0.79), None, advisory=True),
    ]
    failed = ["discovery_verbose_and_then_some_more_of_it_fail", "welcome_strict"]
    return check(Verdict.BLOCK, [calls(overall, slices, found)], [missed(overall, failed)])


def check_unfinished() -> RunRecord:
    """The budget ended before every case was asked."""
    passed = checked(CaseState.PASSED, [scorer("asks", 1.0), scorer("judge", 0.9, 0.7)])
    half = [scorer("asks", 1.0), scorer("judge", None, 0.7)]
    begun = checked(CaseState.UNSCORED, half, missing=[f"judge: the judge gave no answer: {BUDGET}"])
    never = checked(CaseState.UNSCORED, [scorer("asks", None), scorer("judge", None, 0.7)], missing=[BUDGET], untaken=1)
    states = [passed] * 3 + [begun] + [never] * 2
    answer = [output(0, "What is your name?", None, f"judge: the judge gave no answer: {BUDGET}")]
    found = [
        case(f"call_{number}", {"state": ("welcome", "safety")[number % 2]}, one, answer if one is begun else ())
        for number, one in enumerate(states)
    ]
    overall = rate("overall", PassState.MET, 3, (1.0, 0.44, 1.0), 1.0)
    slices = [
        rate("state=welcome", PassState.UNPROVEN, 2, (1.0, 0.34, 1.0), 0.5),
        rate("state=safety", PassState.NO_THRESHOLD, 1, (1.0, 0.21, 1.0), None),
    ]
    why = [MissingReason(reason=ENDED.phrase, samples=3)]
    lacking = MissingRecord(samples=3, total=6, best=None, worst=None, reasons=why, cases=["call_3"])
    suites = [calls(overall, slices, found)]
    return check(Verdict.INCONCLUSIVE, suites, [ENDED], missing=lacking)


def check_missing() -> RunRecord:
    """Every way to be without a score."""
    whys = [
        "HTTP 503 from the service",
        "no answer within 120 s",
        "judge: the reply is not the asked schema",
        "judge: the judge repeated a verdict that the answer contains",
        "HTTP 400: the prompt is too long",
    ]
    passed = checked(CaseState.PASSED, [scorer("asks", 1.0), scorer("judge", 1.0, 0.7)])
    lost = [
        checked(CaseState.UNSCORED, [scorer("asks", None), scorer("judge", None, 0.7)], missing=[why]) for why in whys
    ]
    found = [case(f"call_{number}", {}, one) for number, one in enumerate([passed, *lost])]
    reasons = [MissingReason(reason=why, samples=1) for why in whys]
    again = [f"call_{number}" for number in range(1, 9)]
    ends = {"best": Verdict.PASS, "worst": Verdict.BLOCK}
    lacking = MissingRecord(samples=8, total=9, reasons=reasons, others=3, cases=again, **ends)
    open_ = SamplesMissing(severity="undecided", samples=8, total=9, **ends)
    overall = rate("overall", PassState.MET, 1, (1.0, 0.21, 1.0), 1.0)
    return check(Verdict.INCONCLUSIVE, [calls(overall, [], found)], [open_], missing=lacking)


def check_rubric() -> RunRecord:
    """A rubric alone: the scores of the cases are on its scale, too."""
    low = rubric(0.5, 0.75, 0.7, _SAID)
    bad = checked(CaseState.FAILED, [low])
    found = [
        case("call_0", {}, checked(CaseState.PASSED, [rubric(1.0, 0.75, 0.75)])),
        case("call_1", {}, bad, [output(0, "We will handle that.", bad.score, f"voice: {_SAID}")]),
    ]
    overall = rate("overall", PassState.UNPROVEN, 2, (0.5, 0.09, 0.91), 0.5)
    met = PassRateMet(suite="calls", checked=True, **rate_fields(overall))
    return check(Verdict.PASS, [calls(overall, [], found)], [met])


def hostile_check(attacks: tuple[str, ...]) -> RunRecord:
    """A check of which every text from outside tries to be something else."""

    def text(place: int) -> str:
        return attacks[place % len(attacks)]

    found = []
    for place in range(len(attacks)):
        part = PartMean(kind="dimension", name=text(place), value=0.5)
        one = ScorerResult(name=text(place + 1), value=0.5, mark=0.7, passed=False, reason=text(place + 2),
                                parts=[part], scale=(1.0, 5.0))  # fmt: skip
        other = ScorerResult(name=text(place + 3), value=0.9, mark=0.7, passed=True, parts=[part])
        said = checked(CaseState.FAILED, [one, other], missing=[text(place + 4)])
        answer = [output(0, text(place + 5), 0.5, f"{text(place + 1)}: {text(place + 2)}")]
        found.append(case(text(place), {"t": text(place + 6)}, said, answer, text(place + 7)))
    span = (0.5, 0.3, 0.7)
    rows = [rate(f"t={attack}", PassState.MISSED, 40, span, 0.9) for attack in attacks]
    made = calls(rate("overall", PassState.MISSED, 80, span, 1.0), rows, found)
    named = made.model_copy(update={"name": text(0), "candidate": arm(text(1), None, path=text(2), model=text(3))})
    findings = [
        *(PassRateMissed(suite=text(0), checked=True, **rate_fields(row), failed=list(attacks)) for row in rows),
        *(Remark(message=attack) for attack in attacks),
    ]
    return check(Verdict.BLOCK, [named], findings)
