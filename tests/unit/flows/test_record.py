"""What a record leaves out, and that reports do without it."""

import json

import pytest

from gate.domain.record import RunRecord
from gate.domain.sample import ArmName
from gate.domain.suite import RunPolicy
from gate.engine.assess import Assessor
from gate.engine.samples import SampleTable
from gate.flows.collect import Collection
from gate.flows.record import Finished, record
from gate.report.markdown import render
from gate.store.run_folder import dump_run
from tests.support.finished import CREATED, finished, resolved
from tests.support.runs import suite, take


def test_a_suite_of_whose_prompt_cache_nothing_is_known_has_its_verdict_all_the_same() -> None:
    one = suite([{}] * 12)
    samples = SampleTable.holding(take(one, lambda *_: 1.0))
    assessment = Assessor((one,), RunPolicy(), 1).assess(samples)
    made = record(Finished(resolved([one]), Collection(samples), assessment, {}, 1, CREATED, 1.0))
    assert made.suites[0].cache is None
    assert "cacheable prefix" not in render(made)
    assert made.notes == ["What the change does to the prompt cache of support could not be found out."]


def test_every_scorer_is_in_the_record_and_one_without_them_is_still_read() -> None:
    one = suite([{}] * 12)
    made = finished([one], lambda case, arm, _: 1.0 if arm is ArmName.BASELINE or case.id > "c003" else 0.0)
    (row,) = made.suites[0].scorers
    assert (row.name, row.weight, row.required, row.n) == ("contains", 1.0, False, 12)
    assert (row.baseline, row.candidate, row.mean) == pytest.approx((1.0, 8 / 12, -4 / 12))
    older = json.loads(dump_run(made))
    del older["suites"][0]["scorers"]
    assert RunRecord.model_validate(older).suites[0].scorers == []
    assert "By scorer" not in render(RunRecord.model_validate(older))
