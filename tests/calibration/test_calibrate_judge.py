"""What labels and judgements become."""

from dataclasses import replace

import numpy as np
import pytest

from gate.calibration.judge import answers_needed
from gate.calibration.judge_agreement import RepeatedScores
from gate.cases.case import Case
from gate.messages import Message
from gate.record.calibration import (
    ConsistencyRecord,
    FigureRecord,
    JudgeCalibrationRecord,
    NoFigure,
    dump_calibration,
    load,
)
from gate.record.transcript import Score, Unscored
from tests.support.labelled import by_jury, calibration, judged, labels


def coins(n: int, share: float, seed: int = 0) -> list[float]:
    return (np.random.default_rng(seed).random(n) < share).astype(float).tolist()


def agreed(found: JudgeCalibrationRecord) -> float:
    assert found.agreement is not None
    return found.agreement.share.value


def test_a_judge_that_errs_one_time_in_ten() -> None:
    truth = coins(200, 0.6)
    found = calibration(
        labels([[one] for one in truth]), judged(200, 1, lambda a, _: truth[a] if a % 10 else 1 - truth[a])
    )
    assert agreed(found) == pytest.approx(0.9)
    assert found.agreement is not None
    assert isinstance(found.agreement.kappa, FigureRecord)
    assert found.agreement.kappa.value == pytest.approx(0.79, abs=0.03)
    assert found.agreement.always_pass == pytest.approx(np.mean(truth))
    assert (found.labels.answers, found.labels.units, found.judging.judged) == (200, 200, 200)
    assert len(found.disagreements) == 10
    assert {abs(one.people - one.judge) for one in found.disagreements} == {1.0}
    assert not any("passes everything" in one for one in found.limits)


def test_a_judge_that_passes_everything_is_seen_through() -> None:
    found = calibration(labels([[one] for one in coins(100, 0.9)]), judged(100, 1, lambda a, i: 1.0))
    text = " ".join(found.limits)
    assert "A judge that always passes would agree with people on" in text
    assert found.agreement is not None
    assert isinstance(found.agreement.kappa, FigureRecord)
    assert found.agreement.kappa.value == 0.0
    assert found.agreement.failed_right == 0


def test_what_has_no_score_is_counted_by_its_reason_and_held_against_the_judge() -> None:
    truth = coins(40, 0.5)

    def says(answer: int, index: int) -> float | Unscored:
        return Unscored("the judge refused") if answer < 4 else truth[answer]

    found = calibration(labels([[one] for one in truth]), judged(40, 2, says), repeats=2)
    assert found.judging.unscored == {"the judge refused": 8}
    assert found.judging.judged == 36
    assert found.agreement is not None
    assert (found.agreement.share.value, found.agreement.worst) == (1.0, 0.9)
    assert "4 of 40 answers have no score" in found.limits[0]
    assert "would be 90 %" in found.limits[0]


def test_a_judge_that_never_gave_a_score() -> None:
    found = calibration(labels([[1.0], [0.0]]), judged(2, 1, lambda a, i: Unscored("no")))
    assert found.agreement is None
    assert found.limits == ["The judge scored no answer, so nothing is known about it."]
    assert load(dump_calibration(found)) == found


def test_repeats_show_a_judge_that_wavers_and_every_one_counts() -> None:
    """Of 40 answers 10 get 0.6 and 0.8 in turns, around the threshold."""
    found = calibration(
        labels([[1.0]] * 20 + [[0.0]] * 20),
        judged(40, 4, lambda a, i: (0.6 if i % 2 else 0.8) if a < 10 else float(a < 20)),
        repeats=4,
    )
    assert isinstance(found.consistency, ConsistencyRecord)
    assert found.consistency.flips.value == 0.25
    assert found.consistency.two_differ == pytest.approx(0.25 * 2 / 3)
    assert found.consistency.widest == pytest.approx(0.2)
    assert agreed(found) == pytest.approx(1 - 0.25 / 2)


def test_people_who_disagree_are_the_ceiling() -> None:
    rows = [[1.0, 1.0, None], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0], [1.0, None, None]] * 10
    found = calibration(labels(rows), judged(40, 1, lambda a, i: float(a % 4 != 2)))
    assert found.people is not None
    assert found.people.answers == 30
    assert found.people.share == pytest.approx((1 + 1 / 3 + 1) / 3)
    assert found.labels.people == 3
    # One judgement with one person: on the split answer it agrees with one of three.
    assert agreed(found) == pytest.approx((1 + 1 / 3 + 1 + 1) / 4)
    assert not any("One person labelled" in one for one in found.limits)


def test_a_disagreement_has_its_question_and_the_reason_of_the_judgement_nearest_to_the_score() -> None:
    found = labels([[1.0], [1.0]])
    asked = Case("talk", "", messages=(Message("user", "Hi"), Message("user", "Price?")), cluster="prices")
    rows = (replace(found.rows[0], case=asked), found.rows[1])
    said = [
        RepeatedScores({place: Score("judge", value, reason) for place, (value, reason) in enumerate(judgements)})
        for judgements in ([(0.9, "fine"), (0.1, "poor"), (0.0, "bad")], [(0.0, "bad")])
    ]
    first, second = calibration(replace(found, rows=rows), said, repeats=3).disagreements
    assert (second.id, second.cluster, second.question, second.reason) == ("talk", "prices", "Price?", "poor")
    assert (first.cluster, first.question, first.reason) == ("", "question 1", "bad")


def test_grades_are_compared_as_grades_and_as_passes() -> None:
    grades = [place / 49 for place in range(50)]
    found = calibration(
        labels([[one] for one in grades], graded=True), judged(50, 1, lambda a, i: min(1.0, grades[a] + 0.1))
    )
    assert found.grades is not None
    assert found.grades.apart == pytest.approx(np.mean([min(1.0, g + 0.1) - g for g in grades]))
    assert isinstance(found.grades.above, FigureRecord)
    assert found.grades.above.lower > 0.05


def test_answers_to_one_question_are_one_unit() -> None:
    truth = coins(60, 0.5)
    apart = labels([[one] for one in truth])
    rows = tuple(
        replace(row, case=replace(row.case, input=f"question {place // 4}")) for place, row in enumerate(apart.rows)
    )
    says = judged(60, 1, lambda a, i: truth[a] if a % 6 else 1 - truth[a])
    alone, together = calibration(apart, says), calibration(replace(apart, rows=rows), says)
    assert (alone.labels.units, together.labels.units) == (60, 15)
    assert alone.agreement is not None
    assert together.agreement is not None
    assert together.agreement.share.lower < alone.agreement.share.lower


def test_each_judge_of_a_jury_against_people_and_among_themselves() -> None:
    truth = coins(80, 0.5)
    found = calibration(
        labels([[one] for one in truth]),
        by_jury(80, [lambda a: truth[a], lambda a: truth[a] if a % 4 else 1 - truth[a], lambda a: truth[a]]),
    )
    assert found.jury is not None
    assert [one.share.value for one in found.jury.members] == [1.0, 0.75, 1.0]
    # Of the three pairs of judges two differ on a quarter of the answers.
    assert found.jury.share.value == pytest.approx(1 - 2 / 3 / 4)
    assert found.jury.kappa is None


def test_a_jury_of_two_has_a_kappa() -> None:
    truth = coins(80, 0.5)
    two = by_jury(80, [lambda a: truth[a], lambda a: truth[a] if a % 4 else 1 - truth[a]])
    jury = calibration(labels([[one] for one in truth]), two).jury
    assert jury is not None and isinstance(jury.kappa, FigureRecord)
    assert jury.share.value == 0.75
    assert jury.kappa.value == pytest.approx(0.5, abs=0.05)
    same = calibration(labels([[1.0]] * 9), by_jury(9, [lambda a: 1.0, lambda a: 1.0])).jury
    assert same is not None and isinstance(same.kappa, NoFigure)


def test_slices_tell_where_the_judge_is_off() -> None:
    found = labels([[1.0]] * 40)
    rows = tuple(
        replace(row, case=replace(row.case, slices={"tier": "gold" if place < 10 else "free"}))
        for place, row in enumerate(found.rows)
    )
    said = calibration(replace(found, rows=rows), judged(40, 1, lambda a, i: float(a >= 10)))
    assert [(one.name, one.answers, one.units, one.share.value) for one in said.slices] == [
        ("tier=free", 30, 30, 1.0),
        ("tier=gold", 10, 10, 0.0),
    ]


def test_the_answers_that_a_narrow_interval_takes() -> None:
    assert answers_needed(0.9) == 139
    assert answers_needed(1.0) == answers_needed(0.97) == 73
