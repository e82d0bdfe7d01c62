"""What the page takes from samples: only those of the run, and no more text than it shows."""

from dataclasses import replace

import pytest

from gate.record.transcript import ArmName, Origin, Reply, Sample, Score, Unscored
from gate.report.page.cases import GatheredSamples
from gate.report.page.samples import ANSWER_CHARS, REASON_CHARS, SampleBounds, gather_samples
from tests.support.large_run import answered_run
from tests.support.runs import table_of

RUN, TAKEN = answered_run(12, 9)


def gathered(*samples: Sample) -> GatheredSamples:
    return gather_samples(RUN, table_of(samples))


def reply_of(sample: Sample) -> Reply:
    assert isinstance(sample.reply, Reply)
    return sample.reply


def test_every_time_and_price_is_taken() -> None:
    found = gathered(*TAKEN)
    assert (found.seen, found.strange) == (72, 0)
    for arm in ArmName:
        assert list(found.seconds["support"].values[arm]) == [
            reply_of(one).latency_s for one in TAKEN if one.arm is arm
        ]
    case = [reply_of(one).cost.amount for one in TAKEN if one.case_id == "c003" and one.arm is ArmName.CANDIDATE]
    pair = found.dollars["support"].pairs["support", "c003"]
    assert pair[1] == pytest.approx(sum(case) / 3)


def test_what_was_known_before_or_warmed_a_cache_up_has_no_time() -> None:
    one, other, *_ = TAKEN
    old = replace(one, reply=replace(reply_of(one), origin=Origin(reused=True)))
    found = gathered(old, replace(other, warmup=True))
    assert (found.seen, found.seconds) == (2, {})


@pytest.mark.parametrize(
    "strange",
    [
        replace(TAKEN[0], case_id="gone"),
        replace(TAKEN[0], index=7),
        replace(TAKEN[0], score=0.5),
        replace(TAKEN[0], score=Unscored("503")),
    ],
    ids=["case", "index", "score", "no score"],
)
def test_samples_of_another_run_are_counted_and_not_shown(strange: Sample) -> None:
    found = gathered(strange)
    assert (found.seen, found.strange) == (0, 1)
    assert not any(kept.samples for kept in found.answers.values())


def test_samples_of_trials_beside_the_run_are_left_out() -> None:
    found = gathered(replace(TAKEN[0], suite="support (added cases)"), TAKEN[1])
    assert (found.seen, found.strange) == (1, 0)


def test_long_texts_are_cut_before_they_are_kept() -> None:
    long = "word " * 100_000
    scores = (Score("judge", TAKEN[0].score, long),)
    found = gathered(replace(TAKEN[0], reply=replace(reply_of(TAKEN[0]), text=long), scores=scores))
    (kept,) = (kept for kept in found.answers.values() if kept.samples)
    assert len(reply_of(kept.samples[0]).text) < 1.1 * ANSWER_CHARS
    assert len(kept.samples[0].scores[0].reason) < 1.1 * REASON_CHARS
    assert "494,000 characters left out" in reply_of(kept.samples[0]).text


def test_a_key_across_a_cut_is_masked() -> None:
    key = "sk-" + "a1" * 30
    text = "x" * (ANSWER_CHARS // 2 - 10) + f" {key} " + "y" * 50_000
    found = gathered(replace(TAKEN[0], reply=replace(reply_of(TAKEN[0]), text=text)))
    (kept,) = (kept for kept in found.answers.values() if kept.samples)
    assert "sk-a1" not in reply_of(kept.samples[0]).text


def test_no_more_is_kept_than_there_is_room_for() -> None:
    found = gather_samples(RUN, table_of(TAKEN), SampleBounds(samples=10))
    assert found.seen == 10
    found = gather_samples(RUN, table_of(TAKEN), SampleBounds(cases=3, answers=4))
    assert [(len(kept.samples), kept.left_out) for kept in found.answers.values()] == [(4, 2)] * 3
    found = gather_samples(RUN, table_of(TAKEN), SampleBounds(chars=1))
    assert sum(len(kept.samples) for kept in found.answers.values()) == 1
