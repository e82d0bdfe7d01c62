"""What a record leaves out, and that reports do without it."""

from gate.domain.suite import RunPolicy
from gate.engine.assess import Assessor
from gate.engine.samples import SampleTable
from gate.flows.collect import Collection
from gate.flows.record import Finished, record
from gate.report.markdown import render
from tests.support.finished import CREATED, resolved
from tests.support.runs import suite, take


def test_a_suite_of_whose_prompt_cache_nothing_is_known_has_its_verdict_all_the_same() -> None:
    one = suite([{}] * 12)
    samples = SampleTable.holding(take(one, lambda *_: 1.0))
    assessment = Assessor((one,), RunPolicy(), 1).assess(samples)
    made = record(Finished(resolved([one]), Collection(samples), assessment, {}, 1, CREATED, 1.0))
    assert made.suites[0].cache is None
    assert "cacheable prefix" not in render(made)
    assert made.notes == ["What the change does to the prompt cache of support could not be found out."]
