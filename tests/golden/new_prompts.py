"""Runs with prompts that the change brings, built by hand."""

from gate.record.comparison import ArmAxis, PassRate, PassState, Verdict
from gate.record.findings.notes import PromptNew, Remark
from gate.record.parts import CallsRecord, ExamRecord, OutputRecord
from gate.record.run import NewCaseRecord, NewSuiteRecord, RunRecord
from gate.record.transcript import Usage
from tests.golden.builders import NO_SPENDING, arm, output, run

_NOTE = PromptNew(prompt="prompts/refunds.md", base="origin/main")
_ASKED = "Wie lange habe ich Zeit?\nIch habe gestern bestellt."


def rate(
    name: str, state: PassState, n: int, span: tuple[float, float, float], wanted: float | None, **other: object
) -> PassRate:
    """One slice: rate, lower, upper."""
    share, lower, upper = span
    fields: dict[str, object] = {
        "slice": name,
        "n": n,
        "units": n,
        "passed": share * n,
        "rate": share,
        "lower": lower,
        "upper": upper,
        "wanted": wanted,
        "state": state,
        "doubtful": state is PassState.UNPROVEN,
        "blocking": wanted is not None and state is not PassState.TOO_FEW,
        "advisory": False,
    }
    return PassRate.model_validate(fields | other)


def suite(overall: PassRate, slices: list[PassRate], cases: list[NewCaseRecord]) -> NewSuiteRecord:
    """A suite called refunds."""
    usage = Usage(input_tokens=40_620, cache_read_tokens=0, cache_write_tokens=0, output_tokens=9_102)
    return NewSuiteRecord(
        name="refunds",
        samples=3,
        candidate=arm("working tree", None, path="prompts/refunds.md"),
        exam=ExamRecord(ref="working tree", digest="12ab" + "0" * 60, cases=overall.n, scorers=["contains", "judge"]),
        threshold=0.8,
        overall=overall,
        slices=slices,
        level=0.025 / max(1, sum(rate.blocking for rate in (overall, *slices))),
        spending=NO_SPENDING,
        cost=ArmAxis(mean=0.000_061_2, p50=0.00006, p95=0.00009, usage=usage),
        latency=ArmAxis(mean=0.71, p50=0.64, p95=1.32, usage=None),
        priced=True,
        cases=cases,
        calls=CallsRecord(made=540, cached=0, retried=1, failed=0),
        spent_usd=0.0331,
    )


def case(name: str, slices: dict[str, str], outputs: list[OutputRecord]) -> NewCaseRecord:
    """One case, its scores taken from its answers; an answer passes at 0.8."""
    scores = [one.score for one in outputs]
    return NewCaseRecord(
        id=name,
        where="evals/refunds.jsonl:4",
        slices=slices,
        scores=scores,
        passed=[None if score is None else score >= 0.8 for score in scores],
        input=_ASKED,
        expected="30 Tage",
        outputs=outputs,
    )


def cases() -> list[NewCaseRecord]:
    """One that fails, one that fails in part, one that passes."""
    english = [output(index, "You have 30 days.", 0.5, "judge: The answer is not in German.") for index in range(3)]
    mixed = [
        output(0, "30 Tage ab Kauf.", 1.0),
        output(1, "Fragen Sie den Händler.", 0.0, "contains: does not contain “30 Tage”"),
        output(2, None, None, failure="time-out after 120 s, 4 requests"),
    ]
    fine = [output(index, "30 Tage ab Kauf.", 1.0) for index in range(3)]
    return [
        case("de-002", {"lang": "de", "tier": "free"}, english),
        case("de-007", {"lang": "de", "tier": "pro"}, mixed),
        case("de-009", {"lang": "de", "tier": "pro"}, fine),
    ]


def new_block() -> RunRecord:
    """A new prompt that fails in one language."""
    overall = rate("overall", PassState.UNPROVEN, 60, (0.833, 0.667, 0.926), 0.9)
    slices = [
        rate("lang=en", PassState.MET, 38, (1.0, 0.905, 1.0), 0.9),
        rate("lang=de", PassState.MISSED, 22, (0.545, 0.298, 0.772), 0.9),
        rate("tier=pro", PassState.UNPROVEN, 31, (0.903, 0.701, 0.974), 0.9, doubtful=False),
        rate("tier=vip", PassState.TOO_FEW, 4, (0.75, 0.2, 0.97), 0.9),
        rate("tone=formal", PassState.MISSED, 20, (0.5, 0.25, 0.75), 0.9, blocking=False, advisory=True),
    ]
    record = run(Verdict.BLOCK, [], more=[_NOTE], new=[suite(overall, slices, cases())])
    return record.model_copy(update={"method": record.method.model_copy(update={"rates_judged": 4})})


def new_hold() -> RunRecord:
    """A new prompt for which no threshold is set."""
    overall = rate("overall", PassState.NO_THRESHOLD, 60, (0.933, 0.841, 0.974), None)
    slices = [rate("lang=en", PassState.NO_THRESHOLD, 38, (1.0, 0.908, 1.0), None)]
    return run(Verdict.HOLD, [], more=[_NOTE], new=[suite(overall, slices, cases()[1:])])


def new_pass() -> RunRecord:
    """A new prompt that is good enough."""
    overall = rate("overall", PassState.MET, 120, (0.975, 0.929, 0.991), 0.9)
    record = run(Verdict.PASS, [], more=[_NOTE], new=[suite(overall, [], cases()[2:])])
    return record.model_copy(update={"method": record.method.model_copy(update={"rates_judged": 1})})


def hostile_new(attacks: tuple[str, ...], count: int = 2) -> RunRecord:
    """New prompts of which every text from outside tries to be something else."""

    def text(place: int) -> str:
        return attacks[place % len(attacks)]

    span = (0.5, 0.3, 0.7)
    rows = [rate(f"t={attack}", PassState.MISSED, 40, span, 0.9) for attack in attacks]
    everything = "\n".join(attacks)
    found = [
        case(
            text(place),
            {"t": text(place + 1)},
            [output(0, everything, 0.0, text(place + 2)), output(1, None, None, failure=text(place + 3))],
        ).model_copy(update={"input": text(place + 4), "expected": text(place + 5)})
        for place in range(5)
    ]
    made = suite(rate("overall", PassState.MISSED, 80, span, 0.9), rows, found).model_copy(
        update={
            "candidate": arm(text(0), None, path=text(1), model=text(2)),
            "exam": ExamRecord(ref=text(3), digest=text(4), cases=80, scorers=list(attacks)),
            "cost_note": text(5),
        }
    )
    several = [made.model_copy(update={"name": f"{text(number)}{number}"}) for number in range(count)]
    return run(Verdict.BLOCK, [], more=[Remark(message=attack) for attack in attacks], new=several)
