"""How the verdict was reached: method, arms, exam, gaps, calls and money, one line each."""

from collections import Counter
from collections.abc import Iterator, Sequence

from gate.errors import Interrupted
from gate.record.comparison import ArmAxis, AxisComparison, State, Verdict
from gate.record.parts import ArmRecord, ExamRecord
from gate.record.run import ExamChangeRecord, MethodRecord, NewSuiteRecord, RunRecord, SuiteRecord
from gate.report import numbers
from gate.report.view import checks, pass_rates
from gate.report.view.calls import UsageRow, cache_facts, cost_facts, reuse_facts
from gate.report.view.comparisons import CALLS_FOR_P95, p95_change, p95_is_trusted
from gate.report.view.endings import ending_facts
from gate.report.view.headline import exit_code_words
from gate.report.view.scorers import judge_fact, jury_facts, position_facts
from gate.report.view.slices import LONGEST_SENTENCE, Code, Fact, Text, run_slices, short_line, suite_label

MARGINS_NAMED = 5

_ALONE = {"percentile": "percentile bootstrap, the familiar rule", "t": "t test", "mcnemar": "exact McNemar test"}
_CORRECTIONS = {"bonferroni": "Bonferroni", "holm": "Holm"}


def method_facts(run: RunRecord) -> Iterator[Fact]:
    """Method, promise, margin and seed."""
    yield Fact("Method", _name(run.method), brief=True)
    if run.method.samples_taken is not None:
        yield Fact("Early stopping", (_early(run),), brief=True)
    yield Fact("False blocks", (_promise(run.method),), brief=True)
    yield Fact("Margin", (_margins(run),))
    yield Fact("Seed", (Code(str(run.seed)),))


def _name(used: MethodRecord) -> Text:
    slices = numbers.counted(used.slices_tested, "slice")
    if used.name in _ALONE:
        correction = f", with the {_CORRECTIONS[used.correction]} correction" if used.correction != "none" else ""
        given = "; its intervals take the number of cases that turned as given" if used.name == "mcnemar" else ""
        return (f"{_ALONE[used.name]} (", Code(used.name), f"), each of {slices} alone{correction}{given}")
    flips = f" with {numbers.counted(used.flips, 'sign flip')}" if used.flips else ""
    breakage = ", and its breakage channel, which asks whether any case changed at all" if used.breakage else ""
    return ("joint sign-flip test (", Code(used.name), f") of {slices} together{flips}, overall included{breakage}")


def _early(run: RunRecord) -> str:
    """How many samples the comparison rests on, and why not more."""
    used = run.method
    planned, taken = used.samples_planned or 0, used.samples_taken or 0
    told = f"{numbers.counted(planned, 'sample')} per case planned"
    if taken >= planned:
        return f"{told}; no earlier look at the results ended the run"
    fell = any(named.record.blocking and named.record.state is State.REGRESSION for named in run_slices(run))
    why = "a regression was beyond doubt" if fell else "nothing looked like a change"
    return f"{told}, {taken} taken: {why}; {numbers.counted(used.spared, 'sample')} saved"


def _promise(used: MethodRecord) -> str:
    rate = numbers.percent(used.alpha)
    if used.name == "maxt" and used.breakage:
        return (
            f"if this change altered no case at all, the chance of a block is at most {rate}, all slices taken "
            "together; a harmless change that alters single cases is blocked more often"
        )
    if used.name == "maxt":
        return f"if this change did nothing, the chance of a block is at most {rate}, all slices taken together"
    if used.correction != "none":
        return {
            "percentile": f"about {rate} for all slices together where each has many cases, more where they are small",
            "t": f"about {rate} for all slices together; weak where many cases tie",
            "mcnemar": f"at most {rate} for all slices together",
        }[used.name]
    if used.name == "percentile":
        return f"about {rate} for one slice of many cases; not for a small slice, and not for several slices together"
    least = "about" if used.name == "t" else "at most"
    together = numbers.percent(min(1.0, used.alpha * used.slices_tested))
    return f"{least} {rate} for each slice alone, so up to {together} for all of them together"


def _margins(run: RunRecord) -> str:
    slices = run_slices(run)
    margins = sorted({named.record.margin for named in slices})
    if not margins or margins == [0.0]:
        return "none; a slice is a regression when its whole interval lies below zero"
    means = "a slice is a regression when its whole interval lies below its margin"
    if len(margins) == 1:
        return f"{numbers.delta(-margins[0])} for every slice; {means}"
    counts = Counter(named.record.margin for named in slices)
    usual = max(margins, key=lambda margin: counts[margin])
    others = [named for named in slices if named.record.margin != usual]
    told = [f"{numbers.delta(-named.record.margin)} for {short_line(named.full)}" for named in others[:MARGINS_NAMED]]
    more = f" and {len(others) - MARGINS_NAMED:,} others" if len(others) > MARGINS_NAMED else ""
    return short_line(f"{numbers.delta(-usual)}, {', '.join(told)}{more}; {means}", LONGEST_SENTENCE)


IDS_NAMED = 8
REASONS_SHOWN = 20
DIGEST_SHOWN = 12


def facts(run: RunRecord) -> tuple[Fact, ...]:
    """All facts of a run, the method first."""
    if not run.evaluated:
        return () if run.verdict is Verdict.SKIPPED else tuple(_unevaluated(run))
    compared = method_facts(run) if any(suite.quality.overall.n for suite in run.suites) else ()
    suites = (fact for suite in run.suites for fact in _suite(run, suite))
    new = (fact for suite in run.new for fact in _new(run, suite))
    answers = (*jury_facts(run), *reuse_facts(run), *ending_facts(run))
    alone = checks.check_method(run) if run.kind == "check" else pass_rates.rate_method(run)
    return (*_reasons(run), *compared, *alone, *suites, *new, *answers, *_ending(run))


def usage_rows(run: RunRecord) -> tuple[UsageRow, ...]:
    """Tokens of each kind, money and time: two rows for each suite."""
    rows = []
    for suite in run.suites:
        label = short_line(suite_label(run, suite))
        prefix = f"{label}: " if label else ""
        rows.append(_usage_row(f"{prefix}baseline", suite.cost.baseline, suite.latency.baseline))
        rows.append(_usage_row(f"{prefix}candidate", suite.cost.candidate, suite.latency.candidate))
    return (*rows, *pass_rates.new_prompt_usage(run))


def _reasons(run: RunRecord) -> Iterator[Fact]:
    reasons = [reason for reason in run.reasons if not pass_rates.advises_rate(run, reason)]
    for reason in reasons[:REASONS_SHOWN]:
        yield Fact("Reason", (short_line(reason, LONGEST_SENTENCE),))
    if (more := len(reasons) - REASONS_SHOWN) > 0:
        yield Fact("Reasons", (f"and {more:,} more; the record of the run has them all",))


def _suite(run: RunRecord, suite: SuiteRecord) -> Iterator[Fact]:
    label = short_line(suite_label(run, suite))
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
        yield Fact(f"{prefix}cost", (short_line(suite.cost_note, LONGEST_SENTENCE),))


def _samples(run: RunRecord, suite: SuiteRecord) -> str:
    """Empty where the line on early stopping already says it."""
    told = suite.samples == run.method.samples_planned
    return "" if told else f", {numbers.counted(suite.samples, 'sample')} per case and arm"


def _new(run: RunRecord, suite: NewSuiteRecord) -> Iterator[Fact]:
    prefix = f"{short_line(suite.name)}: "
    yield Fact(f"{prefix}{'' if run.kind == 'check' else 'new '}prompt", _arm(suite.candidate))
    yield from _exam(prefix, suite.exam, f", {numbers.counted(suite.samples, 'sample')} per case")
    if suite.cost_note:
        yield Fact(f"{prefix}cost", (short_line(suite.cost_note, LONGEST_SENTENCE),))


def _exam(prefix: str, exam: ExamRecord, samples: str) -> Iterator[Fact]:
    scorers = short_line(", ".join(exam.scorers), LONGEST_SENTENCE) or "none"
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
        out += [", answered by ", _code(", ".join(map(short_line, others[:IDS_NAMED])))]
    if arm.params:
        out += [", with ", _code(", ".join(f"{name}={value}" for name, value in arm.params.items()))]
    return tuple(out)


def _code(text: str) -> Code:
    return Code(short_line(text, LONGEST_SENTENCE))


def _unevaluated(run: RunRecord) -> Iterator[Fact]:
    for change in run.exam_changes:
        yield from _changes(f"{short_line(change.suite)}: ", change)
    if run.calls.made or run.calls.cached:
        yield from cost_facts(run)
    yield Fact("Exit code", exit_code_words(run))
    yield from _made_by(run)


def _ending(run: RunRecord) -> Iterator[Fact]:
    missing = run.missing
    if missing.samples:
        why = (
            f": {'; '.join(short_line(reason, LONGEST_SENTENCE) for reason in missing.reasons)}"
            if missing.reasons
            else ""
        )
        yield Fact("Missing", (f"{missing.samples:,} of {numbers.counted(missing.total, 'sample')}{why}",))
        if missing.cases:
            yield Fact("To be asked again", (_listed(missing.cases),))
    if missing.samples and missing.best and missing.worst and run.unfinished is None:
        best = "all good" if run.kind == "check" else "best for the candidate"
        yield Fact("What they could change", (f"{best}: {missing.best}; worst: {missing.worst}",), brief=True)
    yield from cost_facts(run)
    ended: Text = (
        ("interrupted",) if run.exit_code == Interrupted.exit_code else (Code("fail_on"), f": {run.method.fail_on}")
    )
    yield Fact("Exit code", (*exit_code_words(run), " (", *ended, ")"))
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
    shown = f"{judged}{p50} and {p95_change(axis.p95_change)} are shown only"
    if p95_is_trusted(axis):
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
    return f"{len(ids):,} ({', '.join(map(short_line, ids[:IDS_NAMED]))}{f' and {rest:,} more' if rest > 0 else ''})"
