"""The prompt cache in a report: a finding where something measured rose, else facts."""

import pytest

from gate.record.comparison import CacheComparison, Estimate, State, Verdict
from gate.record.run import RunRecord
from gate.report.view.calls import FINDINGS_SHOWN, cache_advice, cache_findings
from gate.report.view.report import facts, report_view
from gate.report.view.text import Code, Text
from tests.golden import runs
from tests.golden.builders import cache, comparison, cost, latency, prefix, run, suite


def said(text: Text) -> str:
    return "".join(piece.text if isinstance(piece, Code) else piece for piece in text)


def told(record: CacheComparison, **axes: object) -> RunRecord:
    overall = comparison("overall", State.NOISE, 120, 0.84, (0.0, -0.05, 0.05))
    return run(Verdict.PASS, [suite(overall, [], [], cache=record, **axes)], ["Nothing regressed."])


def fact(record: CacheComparison, label: str) -> str:
    return said(next(found.text for found in facts(told(record)) if found.label == label))


def test_the_sentence() -> None:
    assert [said(found) for found in cache_findings(runs.hold_cache())] == [
        "{{ date }} moved to line 1: the cacheable prefix falls from about 1,900 to 12 tokens; "
        "measured cost +212 %, latency +61 %, p95 +840 ms"
    ]
    assert report_view(runs.hold_cache()).notes[0] == cache_findings(runs.hold_cache())[0]
    assert said(next(cache_advice(runs.hold_cache()))).startswith("Put {{ date }} behind the text that is the same")


@pytest.mark.parametrize(
    ("candidate", "moved", "start"),
    [
        (prefix(12, 3, "slices.tier"), False, "{{ slices.tier }} now stands at line 3: "),
        (
            prefix(12, 3, "", place={"message": 2, "line": 3, "variable": ""}),
            False,
            "the first part that differs between cases now stands at line 3 of message 2: ",
        ),
        (
            prefix(12, 3, "", place={"message": 1, "line": 3, "variable": "date", "file": "prompts/tone.j2"}),
            True,
            "{{ date }} moved to line 3 of prompts/tone.j2: ",
        ),
        (prefix(12, 1, "", place=None), False, "the requests have another start: "),
    ],
)
def test_other_sentences(candidate: object, moved: bool, start: str) -> None:
    made = told(cache(candidate=candidate, moved=moved))
    assert said(cache_findings(made)[0]).startswith(start)


def test_without_a_measured_rise_it_is_a_fact_only() -> None:
    level = told(cache(), cost=cost((0.03, -0.01, 0.07)), latency=latency((0.02, -0.1, 0.1)))
    assert cache_findings(level) == ()
    assert list(cache_advice(level)) == []
    assert any(found.label == "cacheable prefix" for found in facts(level))


def test_a_prefix_that_did_not_shrink_explains_no_rise() -> None:
    assert cache_findings(told(cache(shrank=False))) == ()


def test_an_axis_that_was_not_compared_is_not_told() -> None:
    local = told(cache(), cost=cost(None), latency=latency((0.4, 0.2, 0.6)))
    assert said(cache_findings(local)[0]).endswith("; measured latency +40 %")


def test_times_that_did_not_rise_are_not_told() -> None:
    chance = Estimate(value=0.01, lower=-0.02, upper=0.03)
    made = told(cache(), cost=cost((0.5, 0.4, 0.6)), latency=latency((0.0, -0.1, 0.1), p95_change=chance))
    assert said(cache_findings(made)[0]).endswith("; measured cost +50 %")


def test_prefixes_and_what_ends_them() -> None:
    assert fact(cache(), "cacheable prefix") == (
        "baseline about 1,900 of 2,000 tokens, up to {{ date }} at line 41; "
        "candidate about 12 of 2,000 tokens, up to {{ date }} at line 1"
    )
    assert fact(cache(candidate=prefix(1_934, 41, "date")), "cacheable prefix").endswith("line 41, in both arms")


def test_one_case_and_unknown_tokens_are_said() -> None:
    text = fact(cache(candidate=prefix(12, 1, "date", requests=1, measured=False)), "cacheable prefix")
    assert text.endswith(
        "12 of 2,000 tokens (at four characters a token), up to {{ date }} at line 1, "
        "as the prompt tells, for one case cannot"
    )


@pytest.mark.parametrize(
    ("obstacle", "why"),
    [
        ("too short", "candidate: the model caches prefixes of 1,024 tokens and more"),
        ("not asked for", "candidate: the provider has to be asked, with prompt_cache: true"),
        ("differs before the mark", "candidate: the system message, behind which the cache mark stands, differs"),
    ],
)
def test_why_nothing_is_cached(obstacle: str, why: str) -> None:
    assert fact(cache(candidate=prefix(12, 1, "date", obstacle=obstacle)), "not cached").startswith(why)


def test_cached_tokens_with_their_intervals() -> None:
    assert fact(cache(), "read from the prompt cache") == (
        "93 % [90 %, 96 %] of the baseline's input tokens, 0 % of the candidate's: −93 [−96, −90] percentage points"
    )


def test_samples_of_one_case_that_read_each_other_are_named() -> None:
    repeats = Estimate(value=0.62, lower=0.6, upper=0.64)
    assert "samples of one case read each other" in fact(cache(candidate_share=repeats), "read from the prompt cache")


@pytest.mark.parametrize(("usd", "price"), [(0.0008, ", about $0.00080"), (None, "")])
def test_what_is_encoded_once(usd: float | None, price: str) -> None:
    text = fact(cache(shrank=False, fresh_tokens=1_934, fresh_usd=usd), "encoded anew")
    once = f"about 1,900 tokens of the candidate's prefix, once for each deployment{price}"
    assert text == f"{once}; no part of what each call costs"


def test_many_suites_do_not_fill_the_first_lines() -> None:
    base = runs.hold_cache()
    suites = [base.suites[0].model_copy(update={"name": f"s{number}"}) for number in range(9)]
    made = base.model_copy(update={"suites": suites})
    assert len(cache_findings(made)) == FINDINGS_SHOWN
    assert said(cache_findings(made)[0]).startswith("s0: {{ date }} moved")
    assert len(list(cache_advice(made))) == 1


def test_p95_of_few_samples_is_not_to_be_trusted() -> None:
    few = {found.label: said(found.text) for found in facts(runs.hold_cache())}["latency"]
    assert "p95 +840 ms [+410 ms, +1.3 s] are shown only" in few
    assert few.endswith("p95 is not to be trusted: it needs about 1,000 samples per arm, not 358 samples")
    assert report_view(runs.hold_cache()).axes[0].latency.endswith("p95 +840 ms [+410 ms, +1.3 s] (rough)")


def test_p95_of_many_samples_stands() -> None:
    base = runs.hold_cache()
    axis = base.suites[0].latency
    many = {arm: getattr(axis, arm).model_copy(update={"calls": 1_000}) for arm in ("baseline", "candidate")}
    made = base.model_copy(
        update={"suites": [base.suites[0].model_copy(update={"latency": axis.model_copy(update=many)})]}
    )
    assert "trusted" not in {found.label: said(found.text) for found in facts(made)}["latency"]
    assert report_view(made).axes[0].latency.endswith("[+410 ms, +1.3 s]")


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
    assert "the cacheable prefix falls from about 1,900 to 12 tokens" in said(finding)
    assert said(finding).endswith("was not measured, for whole requests were still in the provider's cache")
    cold = one.model_copy(update=axes)
    assert cache_findings(base.model_copy(update={"suites": [cold]})) == ()
