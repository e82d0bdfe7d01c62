"""Finished runs, built by hand, one for each kind of report."""

import functools
from datetime import UTC, datetime

from gate.config.policy import Budget, RunPolicy
from gate.engine.without_evaluation import (
    failed_record,
    not_evaluated_record,
    overridden_record,
    skipped_record,
    waive,
    with_override,
)
from gate.errors import GateError, InputErrors, MissingKey, Problem
from gate.record.comparison import ArmAxis, Estimate, State, Verdict
from gate.record.findings.notes import PromptUntested
from gate.record.findings.skipped import PullRequestClosed
from gate.record.findings.unfinished import ErrorInBase, SamplesMissing
from gate.record.parts import ExamRecord
from gate.record.run import CaseRecord, CoverageRecord, MissingReason, MissingRecord, OverrideRecord, RunRecord
from gate.resolve.resolved import Resolved
from tests.golden.agents import agents
from tests.golden.builders import arm, cache, case, comparison, cost, latency, output, run, scorer, suite
from tests.golden.checks import check_block, check_missing, check_rubric, check_unfinished
from tests.golden.deleted import only_deleted, with_deletion
from tests.golden.edited_exams import exam_edited, exam_only
from tests.golden.hostile import hostile
from tests.golden.judged_runs import judged, lost_pairs
from tests.golden.kept_answers import reused, unanswered, unfinished
from tests.golden.new_prompts import new_block, new_hold, new_pass
from tests.golden.promised import promised, uncompared
from tests.golden.stopped import fallen, lower, required, slower, stopped, unmoved

_COMMIT = "a81d06c3f2" * 4
_NOW = datetime(2026, 11, 20, 9, 30, tzinfo=UTC)
_MISTAKES = (
    Problem("gate.yaml", 9, "'cases' is missing in suite 'faq'", "for example cases: evals/faq.jsonl"),
    Problem("gate.yaml", 12, "unknown key '@everyone' in suite 'faq'"),
)
_IN_BASE = ErrorInBase(base="origin/main", label="skip-prompt-diff")
_SET = OverrideRecord(label="skip-prompt-diff", by="olivia", at="2026-11-20T09:12:00Z", commit=_COMMIT)
_GIVEN = _SET.model_copy(
    update={"role": "triage", "reason": "The old answers @were wrong; see <b>#12</b>, `tick` and ::error::x"}
)
_BOT = "The label skip-prompt-diff was set by dependabot[bot], a bot, and does not count."
_REFUSED = OverrideRecord(
    label="skip-prompt-diff", by="dependabot[bot]", at=_SET.at, commit=_COMMIT, counted=False, why_not=_BOT
)
_GERMAN = "Wie kann ich meine Rechnung als PDF herunterladen?\nIch finde den Knopf nicht mehr."
_GOOD = "Öffnen Sie Konto › Rechnungen und wählen Sie bei der Rechnung „PDF herunterladen“."
_BAD = "You can download invoices from the account page.\n\nLet me know if you need anything else!"


@functools.cache
def runs() -> dict[str, RunRecord]:
    """All of them, by the name of their golden files."""
    return {
        "block": block(),
        "ship": ship(),
        "pass": passed(),
        "hold-cost": hold_cost(),
        "hold-cache": hold_cache(),
        "hold-suspect": hold_suspect(),
        "inconclusive": inconclusive(),
        "several-suites": several_suites(),
        "too-few": too_few(),
        "local-model": local_model(),
        "many-slices": many_slices(),
        "percentile": percentile(),
        "margin": margin(),
        "gone": with_deletion(passed()),
        "promises": promised(passed()),
        "promises-uncompared": uncompared(passed()),
        "deleted": only_deleted(),
        "skipped": skipped_record(untouched("support", "triage"), _NOW),
        "skipped-override": overridden_record(_SET, _NOW),
        "override-run": waive(block(), "override", _GIVEN),
        "override-refused": with_override(block(), _REFUSED),
        "advisory": waive(block(), "advisory"),
        "advisory-mistakes": waive(failed_record(InputErrors(_MISTAKES), _COMMIT, _NOW), "advisory", _REFUSED),
        "mistakes": failed_record(
            InputErrors(_MISTAKES), _COMMIT, _NOW, in_base=ErrorInBase(base="origin/main", label="skip-prompt-diff")
        ),
        "no-key": failed_record(
            MissingKey("openai:m needs a key, and OPENAI_API_KEY is not set", "export OPENAI_API_KEY=…"), _COMMIT, _NOW
        ),
        "hostile": hostile(),
        "new-block": new_block(),
        "new-hold": new_hold(),
        "new-pass": new_pass(),
        "new-beside": new_beside(),
        "reused": reused(),
        "unfinished": unfinished(),
        "unanswered": unanswered(),
        "exam-edited": exam_edited(),
        "exam-only": exam_only(),
        "agents": agents(),
        "judged": judged(),
        "lost-pairs": lost_pairs(),
        "check-block": check_block(),
        "check-unfinished": check_unfinished(),
        "check-missing": check_missing(),
        "check-rubric": check_rubric(),
        "carried": carried(),
        "stopped": stopped(),
        "required": required(),
        "hold-latency": slower(),
        "pass-unmoved": unmoved(),
        "pass-lower": lower(),
        "closed": not_evaluated_record(PullRequestClosed(), _COMMIT, _NOW),
        "setup": failed_record(
            GateError("label-scope: commit needs another event", "set label-scope: pull-request in the workflow"),
            _COMMIT,
            _NOW,
            setup=True,
        ),
    }


def cases() -> list[CaseRecord]:
    """Two cases that fell, one that did not move, one that rose."""
    same = [output(i, _GOOD, 1.0, "Answers in German and names the menu.") for i in range(3)]
    english = [output(i, _BAD, 0.0, "The question is German, the answer English.") for i in range(3)]
    mixed = [
        output(0, "Ja, bis zu 30 Tage.", 1.0),
        output(1, "Yes, within 30 days.", 0.0, "The answer is not in German."),
        output(2, None, None, failure="time-out after 120 s, 4 requests"),
    ]
    short = [output(i, "Ja, bis zu 30 Tage nach dem Kauf.", 1.0) for i in range(3)]
    fine = [output(i, "Yes.", 1.0) for i in range(3)]
    wrong = [output(i, "No.", 0.0) for i in range(3)]
    return [
        case("en-001", {"lang": "en", "tier": "free"}, "Is there a free plan?", "Yes.", (fine, fine)),
        case("de-017", {"lang": "de", "tier": "enterprise"}, _GERMAN, {"menu": "Rechnungen"}, (same, english)),
        case("de-004", {"lang": "de", "tier": "free"}, "Kann ich zurückgeben?", "30 Tage", (short, mixed)),
        case("en-009", {"lang": "en", "tier": "free"}, "Do you ship to Iceland?", "Yes.", (wrong, fine)),
    ]


def untouched(*names: str) -> Resolved:
    """A change that touches none of these suites, and a text that no suite tests."""
    coverage = CoverageRecord(suites=len(names), compared=0, same=len(names), files=5)
    notes = (PromptUntested(paths=["app/bot.py::SYSTEM"]),)
    return Resolved((), {}, names, notes, RunPolicy(), Budget(), _COMMIT, coverage=coverage)


def block() -> RunRecord:
    """One suite, two dimensions, one slice that fell and pulled `overall` down."""
    overall = comparison("overall", State.REGRESSION, 120, 0.842, (-0.118, -0.191, -0.046))
    slices = [
        comparison("lang=en", State.NOISE, 84, 0.857, (0.010, -0.055, 0.075), cases_needed=3_510),
        comparison("lang=de", State.REGRESSION, 36, 0.806, (-0.417, -0.560, -0.270)),
        comparison("tier=free", State.SUSPECT, 70, 0.831, (-0.090, -0.190, 0.011), cases_needed=96),
        comparison("tier=pro", State.NOISE, 38, 0.868, (-0.061, -0.180, 0.058), familiar_fail=True, cases_needed=150),
        comparison("tier=enterprise", State.NOISE, 12, 0.833, (-0.417, None, None), cases_needed=31),
    ]
    exam = ExamRecord(
        ref="origin/main",
        digest="77aa10b4c2de" + "0" * 52,
        cases=120,
        scorers=["contains", "judge"],
        added=["de-101", "de-102"],
        edited=["en-009"],
    )
    scorers = [scorer("contains", 0.5, 120, (0.886, 0.833)), scorer("judge", 0.5, 120, (0.798, 0.615))]
    return run(Verdict.BLOCK, [suite(overall, slices, cases(), exam=exam, scorers=scorers)])


def carried() -> RunRecord:
    """As `block`, with a dozen cases that carry the fall."""
    base = block()
    return base.model_copy(update={"suites": [base.suites[0].model_copy(update={"cases": [*cases(), *fallen()]})]})


def ship() -> RunRecord:
    """Better overall, and nothing suspect."""
    overall = comparison("overall", State.IMPROVEMENT, 120, 0.742, (0.118, 0.046, 0.191))
    slices = [
        comparison("lang=en", State.IMPROVEMENT, 84, 0.740, (0.131, 0.040, 0.222)),
        comparison("lang=de", State.NOISE, 36, 0.750, (0.088, -0.030, 0.206), cases_needed=70),
    ]
    cheaper = cost((-0.213, -0.260, -0.164))
    return run(Verdict.SHIP, [suite(overall, slices, cases()[:1], cost=cheaper)])


def passed() -> RunRecord:
    """A harmless rewording."""
    overall = comparison("overall", State.NOISE, 120, 0.842, (0.003, -0.052, 0.058), mde=0.074)
    slices = [
        comparison("lang=en", State.NOISE, 84, 0.857, (0.0, -0.055, 0.055)),
        comparison("lang=de", State.NOISE, 36, 0.806, (0.009, -0.090, 0.108), cases_needed=42_000),
    ]
    return run(Verdict.PASS, [suite(overall, slices, [])])


def hold_cost() -> RunRecord:
    """Better, and dearer than allowed."""
    base = ship().suites[0]
    dear = cost((0.31, 0.24, 0.38), exceeded=True)
    return run(Verdict.HOLD, [base.model_copy(update={"cost": dear})])


def hold_cache() -> RunRecord:
    """The date moved ahead of the rules, and no request shares anything with another any more."""
    slower = latency(
        (0.61, 0.48, 0.75),
        exceeded=True,
        baseline=ArmAxis(mean=0.71, p50=0.64, p95=1.32, usage=None, calls=360),
        candidate=ArmAxis(mean=1.16, p50=1.03, p95=2.16, usage=None, calls=358),
        p50_change=Estimate(value=0.39, lower=0.33, upper=0.45),
        p95_change=Estimate(value=0.84, lower=0.41, upper=1.32),
    )
    dear = cost((2.12, 1.95, 2.3), exceeded=True)
    base = passed().suites[0]
    return run(Verdict.HOLD, [base.model_copy(update={"cost": dear, "latency": slower, "cache": cache()})])


def hold_suspect() -> RunRecord:
    """One slice may have fallen, and a hold fails the run."""
    overall = comparison("overall", State.NOISE, 120, 0.842, (-0.031, -0.083, 0.021), cases_needed=340)
    slices = [
        comparison("lang=en", State.NOISE, 84, 0.857, (0.0, -0.055, 0.055)),
        comparison("lang=de", State.SUSPECT, 36, 0.806, (-0.102, -0.210, 0.006), cases_needed=41, familiar_fail=True),
        comparison("tone=formal", State.REGRESSION, 20, 0.9, (-0.2, -0.35, -0.05), blocking=False, advisory=True),
    ]
    record = run(Verdict.HOLD, [suite(overall, slices, cases()[2:3])], exit_code=1)
    return record.model_copy(update={"method": record.method.model_copy(update={"fail_on": "hold"})})


def inconclusive() -> RunRecord:
    """Samples are missing, and they could change the verdict."""
    overall = comparison("overall", State.NOISE, 118, 0.842, (-0.040, -0.101, 0.021), cases_needed=260)
    slices = [comparison("lang=de", State.NOISE, 34, 0.806, (-0.078, -0.201, 0.045), cases_needed=80)]
    missing = MissingRecord(
        samples=31,
        total=720,
        best=Verdict.PASS,
        worst=Verdict.BLOCK,
        reasons=[
            MissingReason(reason="HTTP 503 from api.example.com after 5 requests", samples=29),
            MissingReason(reason="time-out after 120 s", samples=2),
        ],
    )
    lacking = SamplesMissing(severity="undecided", samples=31, total=720, best=Verdict.PASS, worst=Verdict.BLOCK)
    stalled = latency(None, reason="no times were measured")
    made = suite(overall, slices, cases()[2:3], latency=stalled, cost=cost(None, reason="the price is unknown"))
    return run(Verdict.INCONCLUSIVE, [made], [lacking], missing=missing, spent_usd=None)


def several_suites() -> RunRecord:
    """Two suites; one of them fell, and its cases come in groups."""
    first = suite(
        comparison("support/overall", State.NOISE, 120, 0.842, (0.003, -0.060, 0.066), mde=0.09),
        [comparison("support/lang=de", State.NOISE, 36, 0.806, (0.009, -0.109, 0.127))],
        [],
    )
    second = suite(
        comparison("triage/overall", State.REGRESSION, 60, 0.917, (-0.150, -0.268, -0.032), units=20),
        [
            comparison("triage/topic=billing", State.REGRESSION, 30, 0.933, (-0.300, -0.489, -0.111), units=12),
            comparison("triage/topic=login", State.IMPROVEMENT, 30, 0.90, (0.060, 0.002, 0.118), units=11),
        ],
        [cases()[1].model_copy(update={"slices": {"topic": "billing"}})],
        name="triage",
        baseline=arm(path="prompts/triage.j2"),
        candidate=arm("HEAD", "a81d06c3f2", path="prompts/triage.j2", params={"temperature": 0.2}),
        latency=latency((0.37, 0.28, 0.47), exceeded=True),
        scorers=[
            scorer("contains", 0.5, 60, (0.967, 0.789), (0.967, 0.789)),
            scorer("judge", 0.5, 59, (0.911, 0.894)),
        ],
    )
    return run(Verdict.BLOCK, [first, second])


def too_few() -> RunRecord:
    """So few cases that nothing can be decided, in file mode."""
    overall = comparison("overall", State.TOO_FEW, 6, 0.833, (-0.167, None, None), mde=None)
    slices = [
        comparison("lang=en", State.TOO_FEW, 4, 0.75, (-0.25, None, None), mde=None),
        comparison("lang=de", State.TOO_FEW, 2, 1.0, (0.0, None, None), mde=None),
    ]
    made = suite(
        overall,
        slices,
        cases()[1:2],
        baseline=arm("file", None, path="old prompt.md"),
        candidate=arm("file", None, path="new.md"),
        exam=ExamRecord(ref="file", digest="77aa10b4c2de" + "0" * 52, cases=6, scorers=["contains"]),
    )
    return run(Verdict.HOLD, [made])


def local_model() -> RunRecord:
    """A model without a price."""
    base = block().suites[0]
    free = cost(None, applicable=False, reason="the model has no price (it runs locally)")
    model = {"model": "local:gemma3-270m", "returned_models": ["gemma3-270m"], "params": {}}
    update = {
        "cost": free,
        "baseline": arm(**model),
        "candidate": arm("HEAD", "a81d06c3f2", **model),
        "cases": cases()[2:3],
        "spent_usd": None,
    }
    return run(Verdict.BLOCK, [base.model_copy(update=update)], spent_usd=None)


def many_slices() -> RunRecord:
    """Forty slices: two fell, one is suspect, most show nothing."""
    overall = comparison("overall", State.SUSPECT, 800, 0.842, (-0.022, -0.047, 0.003), cases_needed=980)
    slices = [
        comparison("topic=refunds", State.REGRESSION, 41, 0.854, (-0.195, -0.352, -0.038)),
        comparison("topic=tax", State.REGRESSION, 38, 0.868, (-0.211, -0.371, -0.051)),
        comparison("lang=pt", State.SUSPECT, 30, 0.8, (-0.133, -0.280, 0.014), cases_needed=34),
        comparison("lang=ja", State.TOO_FEW, 7, 0.714, (-0.143, None, None), mde=None),
    ]
    for number in range(36):
        mean = (number % 9 - 4) / 200
        change = (mean, mean - 0.15, mean + 0.15)
        slices.append(comparison(f"topic={number:02}", State.NOISE, 20 + number, 0.85, change, cases_needed=900))
    return run(Verdict.BLOCK, [suite(overall, slices, cases())])


def margin() -> RunRecord:
    """A sure fall that the policy tolerates everywhere but in one slice."""
    overall = comparison("overall", State.NOISE, 400, 0.842, (-0.012, -0.020, -0.004), margin=0.02, mde=0.03)
    slices = [
        comparison("tier=free", State.NOISE, 200, 0.831, (-0.013, -0.024, -0.002), margin=0.02),
        comparison("tier=pro", State.NOISE, 150, 0.868, (0.004, -0.012, 0.020), margin=0.02, cases_needed=900),
        comparison("tier=trial", State.NOISE, 40, 0.811, (-0.034, -0.065, -0.003), margin=0.02),
        comparison("tier=enterprise", State.SUSPECT, 50, 0.833, (-0.031, -0.064, 0.002), margin=0.0, cases_needed=80),
    ]
    return run(Verdict.HOLD, [suite(overall, slices, [])])


def new_beside() -> RunRecord:
    """A new prompt that is not shown to be good enough, beside a comparison that found nothing."""
    found = new_hold()
    return passed().model_copy(update={"verdict": Verdict.HOLD, "findings": found.findings, "new": found.new})


def percentile() -> RunRecord:
    """The familiar rule by the user's wish."""
    base = block()
    rows = base.suites[0].quality
    method = base.method.model_copy(update={"name": "percentile", "flips": None})
    quality = rows.model_copy(
        update={"slices": [row.model_copy(update={"method": "percentile"}) for row in rows.slices]}
    )
    return base.model_copy(
        update={"method": method, "suites": [base.suites[0].model_copy(update={"quality": quality})]}
    )
