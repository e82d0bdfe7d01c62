"""Finished runs that had answers already, whose replies ended badly, or that ended early."""

from gate.record.comparison import ArmAxis, State, Verdict
from gate.record.findings.notes import BudgetTooLow, SamplesRepeat
from gate.record.findings.unfinished import BudgetReached, ServiceFailed
from gate.record.parts import ArmReuseRecord, DriftRecord, ReuseRecord
from gate.record.run import CallsRecord, MissingReason, MissingRecord, RunRecord
from tests.golden.builders import arm, case, comparison, cost, latency, output, run, suite

_REFUSAL = "I'm sorry, but I can't help with invoices of other people."
_LONG = "Open Account, then Invoices. Every invoice has a menu with three entries, of which the first"


def reuse(**other: object) -> ReuseRecord:
    """Most of the baseline was known, and holds."""
    fields: dict[str, object] = {
        "baseline": ArmReuseRecord(reused=330, fresh=30),
        "candidate": ArmReuseRecord(reused=0, fresh=359),
        "oldest": "2026-11-18T07:12:00+00:00",
        "pairs": 30,
        "drift": DriftRecord(pairs=30, reason=None),
        "opinions": 330,
    }
    return ReuseRecord.model_validate(fields | other)


def reused() -> RunRecord:
    """Two suites: one on known answers, with replies that were cut off and refused; in the other the model changed."""
    counted = {"replies": 360, "cut_off": 12, "refused": 9}
    support = suite(
        comparison("support/overall", State.SUSPECT, 120, 0.842, (-0.041, -0.086, 0.004), cases_needed=150),
        [comparison("support/lang=de", State.NOISE, 36, 0.806, (0.009, -0.109, 0.127))],
        [
            case(
                "en-031",
                {"lang": "en"},
                "Can I download my partner's invoices?",
                "Yes, as a member of the same account.",
                (
                    [output(i, "Yes, if you share one account.", 1.0) for i in range(3)],
                    [
                        output(0, _REFUSAL, 0.0).model_copy(update={"ending": "refused"}),
                        output(1, _LONG, 0.0).model_copy(update={"ending": "cut off"}),
                        output(2, "Yes, if you share one account.", 1.0),
                    ],
                ),
            )
        ],
        baseline=arm(replies=360, cut_off=1),
        candidate=arm("working tree", None, digest="f21d3cb2aa01" + "0" * 52, **counted),
        calls=CallsRecord(made=779, cached=660, retried=3, failed=1),
        latency=latency((0.02, -0.05, 0.09), n=30),
        reuse=reuse(),
    )
    changed = DriftRecord(
        pairs=30, reason="the model behind the name changed: gpt-4o-mini-2024-07-18 became gpt-4o-mini-2026-11-19"
    )
    triage = suite(
        comparison("triage/overall", State.NOISE, 60, 0.917, (0.004, -0.061, 0.069), mde=0.09),
        [],
        [],
        name="triage",
        baseline=arm(path="prompts/triage.j2", replies=180),
        candidate=arm("HEAD", "a81d06c3f2", path="prompts/triage.j2", replies=180, empty=1),
        reuse=reuse(
            baseline=ArmReuseRecord(reused=0, fresh=180),
            candidate=ArmReuseRecord(reused=0, fresh=180),
            oldest=None,
            pairs=179,
            drift=changed,
            opinions=0,
        ),
    )
    calls = CallsRecord(made=1_859, cached=660, retried=6, failed=1)
    return run(Verdict.HOLD, [support, triage], calls=calls, more=[SamplesRepeat(suite="triage", samples=3)])


def unfinished() -> RunRecord:
    """The budget was used up half-way."""
    overall = comparison("overall", State.NOISE, 71, 0.842, (-0.020, -0.101, 0.061), cases_needed=460)
    made = suite(
        overall,
        [],
        [],
        calls=CallsRecord(made=500, cached=220, retried=3, failed=0),
        reuse=reuse(
            baseline=ArmReuseRecord(reused=220, fresh=25),
            candidate=ArmReuseRecord(reused=0, fresh=175),
            oldest="2026-11-20T08:57:30+00:00",
            pairs=25,
            drift=DriftRecord(pairs=25, reason=None),
            opinions=0,
        ),
    )
    missing = MissingRecord(
        samples=300,
        total=720,
        best=Verdict.INCONCLUSIVE,
        worst=Verdict.INCONCLUSIVE,
        reasons=[MissingReason(reason="never taken", samples=300)],
        cases=[f"en-{number:03}" for number in range(60)],
    )
    low = BudgetTooLow(
        setting="budget.max_calls",
        value="500",
        need="needs 800 calls (220 more are cached)",
        certain=True,
        early=False,
        cached=True,
    )
    return run(
        Verdict.INCONCLUSIVE,
        [made],
        [BudgetReached(limit="max_calls", value=500, setting="budget.max_calls"), low],
        missing=missing,
        calls=CallsRecord(made=500, cached=220, retried=3, failed=0),
    )


def unanswered() -> RunRecord:
    """The service was not there, so that no answer was had at all."""
    error = "the connection to api.example.com failed: [Errno 111] Connect call failed ('192.0.2.7', 443)"
    ended = ServiceFailed(seconds=7, error=error)
    unknown = {"baseline": None, "candidate": None, "mean": None, "mde": None}
    names = ("overall", "lang=de", "lang=en")
    rows = (comparison(name, State.TOO_FEW, 0, 0.0, (0.0, None, None)) for name in names)
    overall, *slices = (row.model_copy(update=unknown) for row in rows)
    arms = dict.fromkeys(("baseline", "candidate"), ArmAxis(mean=None, p50=None, p95=None, usage=None))
    nothing = cost(None, reason="no case was answered by both arms", **arms)
    made = suite(overall, slices, [], cost=nothing, latency=latency(None, reason="no times were measured", **arms))
    calls = CallsRecord(made=0, cached=0, retried=11, failed=80)
    missing = MissingRecord(
        samples=720, total=720, best=None, worst=None, reasons=[MissingReason(reason=ended.phrase, samples=720)]
    )
    update = {"missing": missing, "calls": calls, "spent_usd": None}
    return run(Verdict.INCONCLUSIVE, [made], [ended], exit_code=3, **update)
