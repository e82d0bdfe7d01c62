"""The prompt cache in a report: a finding where something measured rose, else facts."""

import pytest

from gate.record.comparison import CacheComparison, Estimate, State, Verdict
from gate.record.findings.finding import plain
from gate.record.run import RunRecord
from gate.report.view.calls import FINDINGS_SHOWN, cache_advice, cache_findings
from gate.report.view.report import facts
from tests.golden import runs
from tests.golden.builders import cache, comparison, cost, latency, prefix, run, suite


def told(record: CacheComparison, **axes: object) -> RunRecord:
    overall = comparison("overall", State.NOISE, 120, 0.84, (0.0, -0.05, 0.05))
    return run(Verdict.PASS, [suite(overall, [], [], cache=record, **axes)])


def fact(record: CacheComparison, label: str) -> str:
    return plain(next(found.text for found in facts(told(record)) if found.label == label))


@pytest.mark.parametrize(
    ("candidate", "moved", "start"),
    [
        (prefix(12, 3, "slices.tier"), False, "{{ slices.tier }} is now at line 3: "),
        (
            prefix(12, 3, "", place={"message": 2, "line": 3, "variable": ""}),
            False,
            "the first part that differs between cases is now at line 3 of message 2: ",
        ),
        (
            prefix(12, 3, "", place={"message": 1, "line": 3, "variable": "date", "file": "prompts/tone.j2"}),
            True,
            "{{ date }} moved to line 3 of prompts/tone.j2: ",
        ),
        (prefix(12, 1, "", place=None), False, "the requests start differently: "),
    ],
)
def test_other_sentences(candidate: object, moved: bool, start: str) -> None:
    made = told(cache(candidate=candidate, moved=moved))
    assert plain(cache_findings(made)[0]).startswith(start)


def test_without_a_measured_rise_it_is_a_fact_only() -> None:
    level = told(cache(), cost=cost((0.03, -0.01, 0.07)), latency=latency((0.02, -0.1, 0.1)))
    assert cache_findings(level) == ()
    assert list(cache_advice(level)) == []
    assert any(found.label == "cacheable prefix" for found in facts(level))


@pytest.mark.parametrize(
    ("obstacle", "why"),
    [
        ("too short", "candidate: the model only caches prefixes of at least 1,024 tokens"),
        ("not asked for", "candidate: caching is off; set prompt_cache: true"),
        ("differs before the mark", "candidate: the system message, which is the part to cache, differs"),
    ],
)
def test_why_nothing_is_cached(obstacle: str, why: str) -> None:
    assert fact(cache(candidate=prefix(12, 1, "date", obstacle=obstacle)), "not cached").startswith(why)


def test_many_suites_do_not_fill_the_first_lines() -> None:
    base = runs.hold_cache()
    suites = [base.suites[0].model_copy(update={"name": f"s{number}"}) for number in range(9)]
    made = base.model_copy(update={"suites": suites})
    assert len(cache_findings(made)) == FINDINGS_SHOWN
    assert plain(cache_findings(made)[0]).startswith("s0: {{ date }} moved")
    assert len(list(cache_advice(made))) == 1


def test_a_rerun_on_a_warm_cache_keeps_the_finding() -> None:
    """Pushing again within minutes must not make it go away."""
    base = runs.hold_cache()
    one = base.suites[0]
    assert one.cache is not None
    flat = {"change": 0.0, "lower": 0.0, "upper": 0.0, "exceeded": False}
    axes = {"cost": one.cost.model_copy(update=flat), "latency": one.latency.model_copy(update=flat)}
    share = Estimate(value=0.97, lower=0.96, upper=0.98)
    warm = one.cache.model_copy(update={"candidate_share": share})
    (finding,) = cache_findings(base.model_copy(update={"suites": [one.model_copy(update={**axes, "cache": warm})]}))
    assert "the cacheable prefix shrinks from about 1,900 to 12 tokens" in plain(finding)
    assert plain(finding).endswith("was not measured because the provider still had whole requests in its cache")
    cold = one.model_copy(update=axes)
    assert cache_findings(base.model_copy(update={"suites": [cold]})) == ()
