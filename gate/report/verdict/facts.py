"""How the verdict was reached: method, promise, arms, exam, gaps, calls and money, one line each."""

from collections.abc import Iterator, Sequence

from gate.domain.comparison import ArmAxis, AxisComparison
from gate.domain.record import RunRecord
from gate.domain.record_compared import SuiteRecord
from gate.domain.record_exam import ExamChangeRecord
from gate.domain.record_new import NewSuiteRecord
from gate.domain.record_parts import ArmRecord, ExamRecord
from gate.domain.verdict import Verdict
from gate.errors import Interrupted
from gate.report import numbers
from gate.report.alone import check_words, rates
from gate.report.calls.cache import cache_facts
from gate.report.calls.endings import ending_facts
from gate.report.calls.reuse import reuse_facts
from gate.report.calls.spending import costs
from gate.report.compared.axes import CALLS_FOR_P95, p95, trusted
from gate.report.parts.whole import Code, Fact, Text, UsageRow
from gate.report.scorers.juries import judge_fact, jury_facts
from gate.report.scorers.position import position_facts
from gate.report.slices import LONGEST_SENTENCE, short, suite_label
from gate.report.verdict.aside import exit_code
from gate.report.verdict.method import method

IDS_NAMED = 8
REASONS_SHOWN = 20
DIGEST_SHOWN = 12


def facts(run: RunRecord) -> tuple[Fact, ...]:
    """Every fact of a run, the method first."""
    if not run.evaluated:
        return () if run.verdict is Verdict.SKIPPED else tuple(_unevaluated(run))
    compared = method(run) if any(suite.quality.overall.n for suite in run.suites) else ()
    suites = (fact for suite in run.suites for fact in _suite(run, suite))
    new = (fact for suite in run.new for fact in _new(run, suite))
    answers = (*jury_facts(run), *reuse_facts(run), *ending_facts(run))
    alone = check_words.method(run) if run.kind == "check" else rates.method(run)
    return (*_reasons(run), *compared, *alone, *suites, *new, *answers, *_ending(run))


def usage(run: RunRecord) -> tuple[UsageRow, ...]:
    """Tokens of each kind, money and time: two rows for each suite."""
    rows = []
    for suite in run.suites:
        label = short(suite_label(run, suite))
        prefix = f"{label}: " if label else ""
        rows.append(_usage_row(f"{prefix}baseline", suite.cost.baseline, suite.latency.baseline))
        rows.append(_usage_row(f"{prefix}candidate", suite.cost.candidate, suite.latency.candidate))
    return (*rows, *rates.usage(run))


def _reasons(run: RunRecord) -> Iterator[Fact]:
    reasons = [reason for reason in run.reasons if not rates.advised(run, reason)]
    for reason in reasons[:REASONS_SHOWN]:
        yield Fact("Reason", (short(reason, LONGEST_SENTENCE),))
    if (more := len(reasons) - REASONS_SHOWN) > 0:
        yield Fact("Reasons", (f"and {more:,} more; the record of the run has them all",))


def _suite(run: RunRecord, suite: SuiteRecord) -> Iterator[Fact]:
    label = short(suite_label(run, suite))
    prefix = f"{label}: " if label else ""
    yield Fact(f"{prefix}baseline", _arm(suite.baseline))
    yield Fact(f"{prefix}candidate", _arm(suite.candidate))
    yield from _exam(prefix, suite.exam, _samples(run, suite))
    if suite.latency.compared:
        yield Fact(f"{prefix}latency", (_latency(suite.latency),))
    yield from position_facts(prefix, suite)
    if suite.cache is not None:
        yield from cache_facts(prefix, suite.cache)
    if suite.cost_note:
        yield Fact(f"{prefix}cost", (short(suite.cost_note, LONGEST_SENTENCE),))


def _samples(run: RunRecord, suite: SuiteRecord) -> str:
    """Empty where the line on early stopping says it already."""
    told = suite.samples == run.method.samples_planned
    return "" if told else f", {numbers.counted(suite.samples, 'sample')} per case and arm"


def _new(run: RunRecord, suite: NewSuiteRecord) -> Iterator[Fact]:
    prefix = f"{short(suite.name)}: "
    yield Fact(f"{prefix}{'' if run.kind == 'check' else 'new '}prompt", _arm(suite.candidate))
    yield from _exam(prefix, suite.exam, f", {numbers.counted(suite.samples, 'sample')} per case")
    if suite.cost_note:
        yield Fact(f"{prefix}cost", (short(suite.cost_note, LONGEST_SENTENCE),))


def _exam(prefix: str, exam: ExamRecord, samples: str) -> Iterator[Fact]:
    scorers = short(", ".join(exam.scorers), LONGEST_SENTENCE) or "none"
    size, digest = numbers.counted(exam.cases, "case"), Code(exam.digest[:DIGEST_SHOWN])
    kept: Text = (" of ", _code(exam.store)) if exam.store else ()
    told = (size, *kept, " at ", _code(exam.ref), ", digest ", digest, f"{samples}, scored by {scorers}")
    yield Fact(f"{prefix}exam", told)
    for judge in exam.judges:
        yield judge_fact(prefix, judge)
    yield from _changes(prefix, exam)


def _changes(prefix: str, exam: ExamRecord | ExamChangeRecord) -> Iterator[Fact]:
    kinds = (
        ("added", exam.added),
        ("removed", exam.removed),
        ("edited", exam.edited),
        ("marked obsolete", exam.obsolete),
    )
    if told := "; ".join(f"{verb} {_listed(ids)}" for verb, ids in kinds if ids):
        yield Fact(f"{prefix}exam changes", (told,), brief=True)


def _arm(arm: ArmRecord) -> Text:
    out: list[str | Code] = [_code(arm.path), " at ", _code(arm.ref)]
    if arm.sha and arm.sha != arm.ref:
        out += [" (", Code(arm.sha[:DIGEST_SHOWN]), ")"]
    out += [", prompt digest ", Code(arm.digest[:DIGEST_SHOWN]), ", model ", _code(arm.model)]
    others = [name for name in arm.returned_models if not arm.model.endswith(f":{name}")]
    if others:
        out += [", answered by ", _code(", ".join(map(short, others[:IDS_NAMED])))]
    if arm.params:
        out += [", with ", _code(", ".join(f"{name}={value}" for name, value in arm.params.items()))]
    return tuple(out)


def _code(text: str) -> Code:
    return Code(short(text, LONGEST_SENTENCE))


def _unevaluated(run: RunRecord) -> Iterator[Fact]:
    for change in run.exam_changes:
        yield from _changes(f"{short(change.suite)}: ", change)
    if run.calls.made or run.calls.cached:
        yield from costs(run)
    yield Fact("Exit code", exit_code(run))
    yield from _made_by(run)


def _ending(run: RunRecord) -> Iterator[Fact]:
    missing = run.missing
    if missing.samples:
        why = f": {'; '.join(short(reason, LONGEST_SENTENCE) for reason in missing.reasons)}" if missing.reasons else ""
        yield Fact("Missing", (f"{missing.samples:,} of {numbers.counted(missing.total, 'sample')}{why}",))
        if missing.cases:
            yield Fact("To be asked again", (_listed(missing.cases),))
    if missing.samples and missing.best and missing.worst and run.unfinished is None:
        best = "all good" if run.kind == "check" else "best for the candidate"
        yield Fact("What they could change", (f"{best}: {missing.best}; worst: {missing.worst}",), brief=True)
    yield from costs(run)
    ended: Text = (
        ("interrupted",) if run.exit_code == Interrupted.exit_code else (Code("fail_on"), f": {run.method.fail_on}")
    )
    yield Fact("Exit code", (*exit_code(run), " (", *ended, ")"))
    yield from _made_by(run)


def _made_by(run: RunRecord) -> Iterator[Fact]:
    commit: Text = (", commit ", Code(run.commit[:DIGEST_SHOWN])) if run.commit else ()
    yield Fact("Made by", (f"Prompt Gate {run.tool_version}, {run.created}", *commit))


def _latency(axis: AxisComparison) -> str:
    judged = f"judged by the mean ratio per case over {numbers.counted(axis.n, 'case')}; "
    if axis.p50_change is None or axis.p95_change is None:
        return f"{judged}p50 and p95 are shown only, since p95 needs about 1,000 samples"
    span = numbers.duration_interval(axis.p50_change.lower, axis.p50_change.upper)
    p50 = f"p50 {numbers.duration_change(axis.p50_change.value)} {span}"
    shown = f"{judged}{p50} and {p95(axis.p95_change)} are shown only"
    if trusted(axis):
        return shown
    fewest = numbers.counted(min(axis.baseline.calls, axis.candidate.calls), "sample")
    return f"{shown}, and p95 is not to be trusted: it needs about {CALLS_FOR_P95:,} samples per arm, not {fewest}"


def _usage_row(arm: str, cost: ArmAxis, latency: ArmAxis) -> UsageRow:
    spent = cost.usage
    kinds = (
        (spent.input_tokens, spent.cache_read_tokens, spent.cache_write_tokens, spent.output_tokens)
        if spent
        else (None, None, None, None)
    )
    read, cached, written, said = (numbers.NOTHING if kind is None else numbers.tokens(kind) for kind in kinds)
    return UsageRow(
        arm=arm,
        tokens=(read, cached, written, said),
        cost=numbers.dollars(cost.mean),
        p50=numbers.duration(latency.p50),
        p95=numbers.duration(latency.p95),
    )


def _listed(ids: Sequence[str]) -> str:
    rest = len(ids) - IDS_NAMED
    return f"{len(ids):,} ({', '.join(map(short, ids[:IDS_NAMED]))}{f' and {rest:,} more' if rest > 0 else ''})"
