"""The promises of a prompt before and after, where a reviewer reads them."""

import io

import pytest
from pydantic import ValidationError
from rich.console import Console

from gate.cli.output import LogStream
from gate.record.parts import ChangeState, InputChange
from gate.record.run import PromiseRecord, PromisesRecord, PromiseTrialRecord
from gate.report.markdown import report as markdown
from gate.report.terminal import report as terminal_specdiff
from gate.report.view.exam import (
    CHANGE_WORDS,
    ROWS_SHOWN,
    ROWS_UNFOLDED,
    PromiseTable,
    fewer_rows,
    promise_tables,
)
from gate.report.view.report import report_view
from tests.golden import runs
from tests.support.attacks import Attack, batches
from tests.support.rendering import harm, on_github, stacks

DROPPED = PromiseRecord(
    state="removed",
    rule="R1",
    before="The answer has at most 80 words.",
    evidence="Answer in at most 80 words.",
)


def record(*changes: PromiseRecord, **fields: object) -> PromisesRecord:
    return PromisesRecord.model_validate({"suite": "support", "changes": changes, **fields})


def promise(state: ChangeState, place: int = 2, text: str = "some words") -> PromiseRecord:
    return PromiseRecord(state=state, rule=f"R{place}", before=text, after=text, evidence=text, reason=text)


def comment(*records: PromisesRecord) -> str:
    form = markdown.report_template("specdiff.md.j2")
    return "".join(form.render(part=table) for table in promise_tables(records))


def printed(table: PromiseTable) -> str:
    out = io.StringIO()
    console = Console(file=LogStream(out), width=100, force_terminal=False, _environ={})
    for line in terminal_specdiff.promise_lines(table):
        console.print(line, highlight=False)
    return out.getvalue()


@pytest.mark.parametrize("state", list(CHANGE_WORDS))
def test_only_what_is_given_up_gets_a_box(state: ChangeState) -> None:
    assert ("- [ ]" in comment(record(promise(state)))) == (state in ("removed", "loosened", "changed", "unknown"))


def test_what_matters_most_comes_first_and_other_words_are_folded_away() -> None:
    states: tuple[ChangeState, ...] = ("reworded", "added", "unknown", "removed", "loosened")
    (table,) = promise_tables([record(*(promise(state, n) for n, state in enumerate(states)))])
    assert [row.state for row in table.rows] == ["removed", "loosened", "unknown", "added"]
    assert [row.state for row in table.folded] == ["reworded"]
    assert table.brief == "1 dropped, 1 loosened, 1 not known, 1 new, 1 reworded"


def test_a_table_becomes_shorter_and_says_so() -> None:
    (table,) = promise_tables([record(*(promise("added", n) for n in range(ROWS_SHOWN + 5)))])
    assert (len(table.rows), len(table.rows) + len(table.folded), table.more) == (ROWS_UNFOLDED, ROWS_SHOWN, 5)
    short = fewer_rows(table, 2)
    assert (len(short.rows), short.more) == (2, ROWS_SHOWN + 3)
    assert f"And {ROWS_SHOWN + 3} more" in markdown.report_template("specdiff.md.j2").render(part=short)
    assert fewer_rows(table, 0).brief == table.brief


def full(text: str) -> PromisesRecord:
    """Every text of it is this one."""
    changes = [
        PromiseRecord(state=state, rule=text, before=text, after=text, evidence=text, new_evidence=text, reason=text)
        for state in CHANGE_WORDS
        if state != "unchanged"
    ]
    gone = PromiseRecord(state="removed", rule=text, before=text, evidence=text, reason=text)
    inputs = [InputChange(state="changed", component=text, before=text, after=text)]
    return PromisesRecord(suite=text, changes=[*changes, gone], inputs=inputs, notes=[text], judge=text)


@pytest.mark.threat("rule-list")
@pytest.mark.parametrize("batch", [pytest.param(one, id=one[0].kind) for one in batches()[7::12]])
def test_no_text_changes_the_shape_of_the_comment_or_reaches_the_terminal(batch: tuple[Attack, ...]) -> None:
    other = record(DROPPED)
    plain = {some: on_github(comment(full("word" if some else " "), other)) for some in (True, False)}
    for attack in batch[::3]:
        made = full(attack.encodable)
        text = comment(made, other)
        assert on_github(text) == plain[bool(attack.encodable.strip())], attack.id
        assert not stacks(text), attack.id
        assert not harm(printed(promise_tables([made, other])[0])), attack.id


@pytest.mark.parametrize(("kept", "scored", "tests"), [(1, 0, 4), (3, 2, 4), (4, 5, 4)])
@pytest.mark.parametrize("arm", ["baseline", "candidate"])
def test_a_trial_that_counts_more_parts_than_wholes_is_none(arm: str, kept: int, scored: int, tests: int) -> None:
    counts = {name: 0 for name in ("baseline_kept", "baseline_scored", "candidate_kept", "candidate_scored")}
    counts |= {f"{arm}_kept": kept, f"{arm}_scored": scored}
    with pytest.raises(ValidationError, match="more tests are kept or scored than there are"):
        PromiseTrialRecord(rule="R1", tests=tests, **counts)


def trial(rule: str, kept: int, scored: int = 4) -> PromiseTrialRecord:
    return PromiseTrialRecord(
        rule=rule, tests=4, baseline_kept=2, baseline_scored=4, candidate_kept=kept, candidate_scored=scored
    )


def test_a_new_promise_that_no_answer_keeps_has_a_sign() -> None:
    text = comment(record(promise("added", 2), trials=[trial("R2", 0)]))
    assert (
        "⚠️ 4 tests for this rule: the old prompt keeps it in 2 of 4 [15%, 85%], the new one in 0 of 4 [0%, 49%]" in text
    )
    assert "few tests" in text
    for kept, scored in ((1, 4), (0, 0)):
        assert "⚠️" not in comment(record(promise("added", 2), trials=[trial("R2", kept, scored)]))


def test_the_next_steps_name_what_is_open() -> None:
    said = record(DROPPED, promise("loosened", 3), promise("added", 4), trials=[trial("R4", 0), trial("R5", 1)])
    run = runs.passed().model_copy(update={"promises": [said]})
    first, second, *others = ["".join(map(str, step)) for step in report_view(run).steps]
    assert first == "Confirm or revert R1, R3: the prompt drops or weakens these rules."
    assert second == "Fix R4: no answer of the new prompt keeps this new rule."
    assert any("Merge if you want the change" in step for step in others)
    quiet = run.model_copy(update={"promises": [record(promise("reworded"))]})
    assert not any("Confirm" in "".join(map(str, step)) for step in report_view(quiet).steps)
    many = run.model_copy(update={"promises": [record(*(promise("removed", place) for place in range(1, 9)))]})
    assert "R1, R2, R3, R4, R5 and 3 more" in "".join(map(str, report_view(many).steps[0]))
