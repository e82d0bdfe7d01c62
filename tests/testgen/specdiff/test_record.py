"""A comparison as a part of the record."""

import asyncio

from gate.config.specification import Specification
from gate.record.parts import RuleChange, SpecDiff
from gate.report.markdown import report as markdown
from gate.report.view.exam import promise_tables
from gate.testgen.specdiff.carryover import carry_over, joined_specification
from gate.testgen.specdiff.comparison import promises_record
from gate.testgen.specdiff.diff import DiffMeans, PromptVersion, spec_diff
from tests.testgen.specdiff.specs import PROMPT, rule, spec, version

OLD = rule("R1", "Be brief.", "brief")


def test_a_judge_that_decided_nothing_is_not_named() -> None:
    assert promises_record("support", SpecDiff((RuleChange("removed", OLD, None),)), "openai:m").judge == ""


def test_a_dropped_limit_reaches_the_comment_as_a_dropped_promise_with_its_evidence() -> None:
    text = PROMPT.replace("Answer in at most 80 words. ", "")
    head = joined_specification(spec(), carry_over(spec(), PROMPT, text), Specification("new", ""))
    diff = asyncio.run(spec_diff(version(), PromptVersion(head, text), DiffMeans(lineage=True)))
    (table,) = promise_tables([promises_record("support", diff)])
    shown = markdown.report_template("specdiff.md.j2").render(part=table)
    assert "1 dropped, 6 unchanged" in shown
    assert "In the old prompt: “Answer in at most 80 words.”" in shown
