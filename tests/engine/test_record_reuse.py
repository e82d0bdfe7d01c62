"""What the record says of known answers and of how replies ended."""

from collections.abc import Sequence
from dataclasses import replace

from gate.config.policy import RunPolicy
from gate.config.targets import HttpAgent, ToolLoop
from gate.engine.collect import Collection, Drift
from gate.engine.decide import Assessor
from gate.engine.run_json import Finished, record, reuse_record
from gate.engine.samples import SampleTable
from gate.record.run import RunRecord
from gate.record.sample import STEP_LIMIT, ArmName, Origin, Reply, Sample, Score
from gate.suite import Suite
from tests.support.finished import CREATED, resolved
from tests.support.runs import reply, suite, take

_EARLIER = Origin("earlier", CREATED.timestamp() - 200_000, reused=True)
_NOW = Origin("now", CREATED.timestamp())


def _samples(one: Suite, fresh: int) -> list[Sample]:
    """The baseline is known but for the first cases, the candidate is new."""

    def answer(arm: ArmName, position: int) -> Reply:
        known = arm is ArmName.BASELINE and position >= fresh
        return replace(reply(), origin=_EARLIER if known else _NOW)

    return take(one, lambda *_: 1.0, answer)


def _record(one: Suite, samples: Sequence[Sample], drift: Drift | None = None) -> RunRecord:
    found = Collection(SampleTable.holding(samples), drift={} if drift is None else {one.name: drift})
    assessment = Assessor((one,), RunPolicy(), 1).assess(SampleTable.holding(samples))
    return record(Finished(resolved([one]), found, assessment, {}, 1, CREATED, 1.0))


def test_known_answers_are_counted_for_each_arm_with_the_age_of_the_oldest() -> None:
    one = suite([{}] * 50)
    samples = _samples(one, 32)
    samples[-2] = replace(samples[-2], reply=replace(reply(), origin=replace(_EARLIER, at=_EARLIER.at - 3_600)))
    found = _record(one, samples, Drift(32)).suites[0].reuse
    assert found is not None
    assert found.baseline is not None
    assert (found.baseline.reused, found.baseline.fresh) == (18, 32)
    assert (found.candidate.reused, found.candidate.fresh) == (0, 50)
    assert found.pairs == 32
    assert found.oldest == "2026-11-18T00:56:40+00:00"
    assert found.drift is not None
    assert (found.drift.pairs, found.drift.reason) == (32, None)


def test_answers_that_were_all_asked_anew_leave_the_reason_behind() -> None:
    one = suite([{}] * 12)
    found = _record(one, _samples(one, 12), Drift(12, "the model behind the name changed: a became b")).suites[0].reuse
    assert found is not None
    assert found.drift is not None
    assert found.drift.reason == "the model behind the name changed: a became b"
    assert found.oldest is None


def test_opinions_of_judges_count_on_their_own() -> None:
    one = suite([{}] * 12)
    samples = [replace(s, scores=(Score("judge", 1.0, reused=1),)) for s in _samples(one, 12)]
    found = _record(one, samples).suites[0].reuse
    assert found is not None
    assert found.opinions == 24


def test_a_new_prompt_has_no_baseline_to_reuse() -> None:
    one = replace(suite([{}] * 12), baseline=None)
    samples = [s for s in _samples(one, 0) if s.arm is ArmName.CANDIDATE]
    known = [replace(s, reply=replace(reply(), origin=_EARLIER)) for s in samples]
    found = reuse_record(one, SampleTable.holding(known))
    assert found is not None
    assert (found.baseline, found.candidate.reused, found.pairs) == (None, 12, 0)


def test_endings_are_counted_for_each_arm() -> None:
    one = suite([{}] * 12)
    samples = _samples(one, 12)
    ends = [("length", "Open the"), ("refusal", "No."), ("stop", ""), ("length", "")]
    for place, (stop, text) in enumerate(ends):
        samples[2 * place + 1] = replace(
            samples[2 * place + 1], reply=replace(reply(), stop_reason=stop, text=text), score=0.0
        )
    made = _record(one, samples).suites[0]
    candidate, baseline = made.candidate, made.baseline
    assert (candidate.replies, candidate.cut_off, candidate.refused, candidate.empty) == (12, 1, 1, 2)
    assert (baseline.replies, baseline.cut_off, baseline.refused, baseline.empty) == (12, 0, 0, 0)
    fallen = {case.id: case.candidate_outputs[0].ending for case in made.cases if case.candidate_outputs}
    assert fallen == {"c000": "cut off", "c001": "refused", "c002": "empty", "c003": "empty"}


def test_conversations_that_were_ended_at_the_step_limit_are_told_with_it() -> None:
    one = suite([{}] * 12)
    one = replace(one, candidate=replace(one.candidate, target=ToolLoop(fixtures="tools.yaml", max_steps=7)))
    samples = _samples(one, 12)
    for place in (1, 3):
        ended = replace(reply(), text="", stop_reason=STEP_LIMIT)
        samples[place] = replace(samples[place], reply=ended, score=0.0)
    made = _record(one, samples).suites[0]
    assert (made.candidate.step_limited, made.candidate.max_steps, made.candidate.empty) == (2, 7, 0)
    assert (made.baseline.step_limited, made.baseline.max_steps) == (0, None)


def test_an_agent_that_is_asked_again_the_next_time_is_told_of() -> None:
    one = suite([{}] * 12)
    one = replace(one, candidate=replace(one.candidate, target=HttpAgent(url="http://agent")))
    made = _record(one, _samples(one, 12)).suites[0]
    assert (made.baseline.remembered, made.candidate.remembered) == (True, False)


def test_why_a_run_ended_early_is_kept() -> None:
    one = suite([{}] * 12)
    samples = _samples(one, 12)
    assessment = Assessor((one,), RunPolicy(), 1).assess(
        SampleTable.holding(samples), "the budget of 5 calls is used up"
    )
    done = Finished(resolved([one]), Collection(SampleTable.holding(samples)), assessment, {}, 1, CREATED, 1.0)
    made = record(replace(done, unfinished="the budget of 5 calls is used up"))
    assert made.unfinished == "the budget of 5 calls is used up"
