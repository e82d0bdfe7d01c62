"""What the record of a run holds, and what it leaves out."""

import json
from collections.abc import Sequence
from dataclasses import replace

import pytest

from gate.cases.case import Case
from gate.config.policy import RunPolicy
from gate.config.targets import CommandAgent, HttpAgent, Target, ToolLoop
from gate.engine.arrays import SampleGrid
from gate.engine.decide import Assessor
from gate.engine.evaluate import RunResult, record, reuse_record
from gate.engine.record_parts import (
    ALL_CHARS,
    FOUND_CHARS,
    LONGEST_TEXT,
    PROMPT_CHARS,
    SAID_CHARS,
    TEXT_CHARS,
    TEXTS_KEPT,
    TOOLS_KEPT,
    TURNS_KEPT,
    USED_CHARS,
    output_record,
    prompt_texts,
    shortened,
    transcript_record,
)
from gate.messages import Message, Parts
from gate.messages import Part as PromptFile
from gate.prompts.version import FunctionTexts, Prompt
from gate.record.comparison import Verdict
from gate.record.findings.notes import PromptCacheUncompared
from gate.record.findings.unfinished import BudgetReached
from gate.record.parts import DriftRecord, OutputRecord
from gate.record.run import RunRecord
from gate.record.transcript import (
    STEP_LIMIT,
    ArmName,
    Cost,
    Dollars,
    Effort,
    Failed,
    HarnessCalls,
    Observation,
    Origin,
    Part,
    Reply,
    Sample,
    Score,
    ToolUse,
    Transcript,
    Turn,
    Unpriced,
    Unscored,
    Usage,
)
from gate.report.markdown.report import render_report
from gate.report.view.conversations import conversation_view
from gate.store.run_folder import dump_run
from gate.store.sql.retention import redacted
from gate.suite import Suite
from tests.support.large_run import answered_run
from tests.support.run_records import CREATED, finished, resolved
from tests.support.runs import reply, suite, table_of, take


def test_a_suite_of_whose_prompt_cache_nothing_is_known_has_its_verdict_all_the_same() -> None:
    one = suite([{}] * 12)
    samples = table_of(take(one, lambda *_: 1.0))
    assessment = Assessor((one,), RunPolicy(), 1).assess(samples)
    made = record(RunResult(resolved([one]), samples, assessment, {}, 1, CREATED, 1.0))
    assert made.suites[0].cache is None
    assert "cacheable prefix" not in render_report(made)
    assert made.findings[-1] == PromptCacheUncompared(suite="support")


def spending(*costs: Cost | None, target: Target | None = None) -> RunRecord:
    """The record of a run over suites of which each answer has this price, or failed before anything was called."""
    suites = [suite([{}] * 3, name=f"s{place}") for place in range(len(costs))]
    suites = [replace(one, candidate=replace(one.candidate, target=target)) for one in suites]
    samples = []
    for one, cost in zip(suites, costs, strict=True):
        for sample in take(one, lambda *_: 1.0):
            answered = replace(sample, reply=replace(reply(), cost=cost or Dollars(0.0)))
            samples.append(
                answered if cost else replace(sample, reply=Failed("no", 0), scores=(), score=Unscored("no"))
            )
    table = table_of(samples)
    assessment = Assessor(tuple(suites), RunPolicy(), 1).assess(table)
    return record(RunResult(resolved(suites), table, assessment, {}, 1, CREATED, 1.0))


def test_suites_in_which_nothing_with_a_price_was_called_add_nothing_to_the_dollars() -> None:
    paid, unknown, free = Dollars(0.5), Unpriced("unknown"), Unpriced("n/a")
    assert spending(paid, None, free).spent_usd == 3.0
    assert spending(paid, unknown).spent_usd is None
    assert spending(free, None).spent_usd is None
    assert ", $3.00, " in render_report(spending(paid, None))


def test_an_agent_that_does_not_tell_its_cost_is_no_model_without_a_price() -> None:
    unknown, agent = Unpriced("unknown"), CommandAgent(run=("./agent",))
    assert "unknown: the agent does not report its cost (cost_usd)" in render_report(spending(unknown, target=agent))
    assert "unknown: at least one model has no known price" in render_report(spending(unknown))


def test_every_scorer_is_in_the_record() -> None:
    one = suite([{}] * 12)
    made = finished([one], lambda case, arm, _: 1.0 if arm is ArmName.BASELINE or case.id > "c003" else 0.0)
    (row,) = made.suites[0].scorers
    assert (row.name, row.weight, row.required, row.n) == ("contains", 1.0, False, 12)
    assert (row.baseline, row.candidate, row.mean) == pytest.approx((1.0, 8 / 12, -4 / 12))


def test_what_was_said_of_rounds_is_told_one_by_one_the_lowest_first() -> None:
    rounds = tuple(
        Part("round", f"round {number}", value, reason=said)
        for number, value, said in ((1, 0.9, "knows it"), (2, 0.25, "forgot it"), (3, 1.0, ""))
    )
    scores = (
        Score("calm", 0.5, "is loud"),
        Score("judge", 0.7, "round 2: forgot it", parts=rounds),
        Score("older", 0.1, "round 1: no", parts=tuple(replace(part, reason="") for part in rounds)),
    )
    told = output_record(Sample("s", "c", ArmName.CANDIDATE, 0, reply(), scores, 0.5)).reasons
    assert [reason.line for reason in told] == [
        "older: round 1: no",
        "judge: round 2: 0.25: forgot it",
        "calm: is loud",
        "judge: round 1: 0.9: knows it",
    ]


def test_the_cases_of_a_slice_that_fell_are_kept_with_their_answers_before_larger_falls() -> None:
    one = suite([{"lang": "de"}] * 30 + [{"lang": "en"}] * 60)
    cases = one.exam.cases

    def score(case: Case, arm: ArmName, _: int) -> float:
        place = cases.index(case)
        after = 0.5 if place < 30 else 0.0 if place < 50 else 1.0
        before = 1.0 if place < 50 or place >= 70 else 0.0
        return before if arm is ArmName.BASELINE else after

    samples = table_of(take(one, score))
    assessment = Assessor((one,), RunPolicy(), 1).assess(samples)
    made = record(RunResult(resolved([one]), samples, assessment, {}, 1, CREATED, 1.0)).suites[0]
    states = {row.slice: row.state.value for row in made.quality.slices}
    assert states == {"lang=de": "regression", "lang=en": "noise"}
    kept = [row for row in made.cases if row.baseline_outputs and row.delta is not None and row.delta < 0]
    assert kept and all(row.slices["lang"] == "de" for row in kept)


KEY = "sk-" + "a1" * 30


def test_messages_files_and_built_texts_are_kept() -> None:
    files = Parts("p.j2", (PromptFile("rules.md", "Be kind."),))
    kept, more = prompt_texts(
        Prompt((Message("system", "{% include 'rules.md' %}"), Message("user", "Hi")), parts=files)
    )
    assert [(one.kind, one.name, one.text) for one in kept] == [
        ("message", "system", "{% include 'rules.md' %}"),
        ("message", "user", "Hi"),
        ("file", "rules.md", "Be kind."),
    ]
    assert more == 0
    built = FunctionTexts({"b": "two", "a": "one", "c": Failed("no"), "d": "four"})
    kept, more = prompt_texts(Prompt((), built=built))
    assert [(one.kind, one.name, one.text) for one in kept] == [("built", "1", "one"), ("built", "2", "two")]
    assert more == 2


def test_long_and_many_texts_are_cut_and_counted() -> None:
    kept, more = prompt_texts(Prompt(tuple(Message("user", "x" * TEXT_CHARS) for _ in range(TEXTS_KEPT + 5))))
    assert sum(len(one.text) for one in kept) == PROMPT_CHARS
    assert [one.cut for one in kept] == [False, False, True]
    assert more == TEXTS_KEPT + 5 - 3


def test_keys_are_masked_also_across_a_cut() -> None:
    kept, _ = prompt_texts(Prompt((Message("system", "x" * (TEXT_CHARS - 20) + f" {KEY}"), Message("user", KEY))))
    assert not any("sk-a1" in one.text for one in kept)


def test_an_answer_that_is_cut_within_a_key_shows_no_half_of_it() -> None:
    said = shortened("x" * (LONGEST_TEXT - 8) + f" {KEY} and more")
    assert "sk-" not in said and said.endswith("characters)")
    assert shortened(KEY) == KEY, "what is whole is masked where it is shown"


def test_a_run_says_what_its_prompts_said_and_a_store_can_take_words_out() -> None:
    run, _ = answered_run(12, 9)
    assert "Keep to two sentences." in run.suites[0].baseline.prompt[0].text
    assert "Keep to one short sentence." in run.suites[0].candidate.prompt[0].text
    clean = json.loads(redacted(dump_run(run).encode(), lambda text: text.replace("sentence", "[redacted]")))
    assert "one short [redacted]." in clean["suites"][0]["candidate"]["prompt"][0]["text"]
    assert "sentence" not in json.dumps(clean["suites"][0]["candidate"]["prompt"])


_EARLIER = Origin("earlier", CREATED.timestamp() - 200_000, reused=True)
_NOW = Origin("now", CREATED.timestamp())


def _samples(one: Suite, fresh: int) -> list[Sample]:
    """The baseline is known but for the first cases, the candidate is new."""

    def answer(arm: ArmName, position: int) -> Reply:
        known = arm is ArmName.BASELINE and position >= fresh
        return replace(reply(), origin=_EARLIER if known else _NOW)

    return take(one, lambda *_: 1.0, answer)


def _record(one: Suite, samples: Sequence[Sample], drift: DriftRecord | None = None) -> RunRecord:
    assessment = Assessor((one,), RunPolicy(), 1).assess(table_of(samples))
    known = {} if drift is None else {one.name: drift}
    return record(RunResult(resolved([one]), table_of(samples), assessment, {}, 1, CREATED, 1.0, drift=known))


def test_known_answers_are_counted_for_each_arm_with_the_age_of_the_oldest() -> None:
    one = suite([{}] * 50)
    samples = _samples(one, 32)
    samples[-2] = replace(samples[-2], reply=replace(reply(), origin=replace(_EARLIER, at=_EARLIER.at - 3_600)))
    found = _record(one, samples, DriftRecord(pairs=32, reason=None)).suites[0].reuse
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
    drift = DriftRecord(pairs=12, reason="the model behind the name changed: a became b")
    found = _record(one, _samples(one, 12), drift).suites[0].reuse
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
    table = table_of(known)
    found = reuse_record(SampleGrid(one, table), table)
    assert found is not None
    assert (found.baseline, found.candidate.reused, found.pairs) == (None, 12, 0)


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
    ended = BudgetReached(limit="max_calls", value=5, setting="budget.max_calls")
    assessment = Assessor((one,), RunPolicy(), 1).assess(table_of(samples), ended)
    assert assessment.decision.verdict is not Verdict.INCONCLUSIVE
    lacking = Assessor((one,), RunPolicy(), 1).assess(table_of(samples[:-1]), ended)
    made = record(RunResult(resolved([one]), table_of(samples[:-1]), lacking, {}, 1, CREATED, 1.0))
    assert made.unfinished == ended


KEY_OF_RECORD_CONVERSATIONS = "sk-" + "a1" * 30


def sample(talk: Transcript) -> Sample:
    scores = (Score("judge", 1.0, cost=Dollars(0.5)), Score("contains", 1.0), Score("tone", 1.0, cost=Dollars(0.25)))
    return Sample("s", "c", ArmName.CANDIDATE, 0, replace(reply(0.125), transcript=talk), scores, 1.0)


def test_the_whole_conversation_is_kept_with_what_it_cost() -> None:
    use = ToolUse("find", '{"a": 1}', "gone", failed=True, latency_s=0.5)
    talk = Transcript(
        session="secret-session",
        turns=(
            Turn(0, "hi", "case", "which?", (use,), 2, Usage(10, 5, 1, 3), Dollars(0.125), 1.5, "stop"),
            Turn(0, "that one", "follow-up", "yes", stop_reason="step limit"),
        ),
        revived=(0,),
        aside=HarnessCalls(2, Dollars(0.0625), ("no verdict",)),
        observations=(Observation("stored", ((1,), (2,))), Observation("other", None, "no such table")),
        user_end="max_turns",
    )
    kept = output_record(sample(talk)).transcript
    assert kept is not None
    first, second = kept.turns
    assert first.tools[0].model_dump() == {
        "name": "find", "arguments": '{"a": 1}', "result": "gone", "failed": True, "latency_s": 0.5,
    }  # fmt: skip
    assert (first.steps, first.input_tokens, first.output_tokens, first.usd, first.latency_s) == (2, 16, 3, 0.125, 1.5)
    assert (second.by, second.stop_reason, second.usd) == ("follow-up", "step limit", None)
    assert (kept.agent_usd, kept.aside_usd, kept.judge_usd) == (0.125, 0.0625, 0.75)
    assert kept.user_end == "max_turns"
    assert (kept.revived, kept.aside_calls, kept.missed) == ([0], 2, ["no verdict"])
    assert [(one.rows, one.error) for one in kept.observations] == [(2, ""), (None, "no such table")]
    assert "secret-session" not in kept.model_dump_json()


@pytest.mark.parametrize(
    ("seen", "found"),
    [
        (Observation("kept", ((0,),), columns=("count",)), "0"),
        (Observation("q", (("ä", None), ("b", 2)), columns=("name", "n")), '{"name": "ä", "n": null}'),
        (Observation("q", (("a", 1),)), '["a", 1]'),
        (Observation("q", ()), ""),
        (Observation("q", None, "no such table"), ""),
        (Observation("q", ((f"key {KEY}",),)), '"key ⟨API key⟩"'),
        (Observation("q", (("x" * 999,),)), '"' + "x" * (FOUND_CHARS - 1) + "… (1,001 characters)"),
    ],
)
def test_what_a_database_held_is_told_and_not_only_in_how_many_rows(seen: Observation, found: str) -> None:
    kept = transcript_record(sample(Transcript("s", (Turn(0, "hi", "case", "yes"),), observations=(seen,))))
    assert kept is not None and kept.observations[0].found == found


def test_one_that_broke_off_is_kept_with_what_it_cost() -> None:
    said = Transcript("s", (Turn(0, "hi", "case", "", steps=0, stop_reason="failed"),))
    failed = Failed("gone", 1, Effort(2, cost=Dollars(0.5), aside_calls=1, aside_cost=Dollars(0.25)), said)
    kept = transcript_record(Sample("s", "c", ArmName.CANDIDATE, 0, failed))
    assert kept is not None and (kept.agent_usd, kept.turns[0].stop_reason) == (0.5, "failed")


def test_long_texts_are_cut_and_what_is_not_kept_is_counted() -> None:
    use = ToolUse("x" * 999, "a" * 1_999, "r" * 1_999)
    turn = Turn(0, "q" * 4_999, "case", "y" * 4_999, (use,) * (TOOLS_KEPT + 3))
    kept = transcript_record(sample(Transcript("s", (turn,) * (TURNS_KEPT + 2))))
    assert kept is not None
    assert (len(kept.turns), kept.more_turns) == (TURNS_KEPT, 2)
    assert (len(kept.turns[0].tools), kept.turns[0].more_tools) == (TOOLS_KEPT, 3)
    assert kept.turns[0].said == "q" * SAID_CHARS + "… (4,999 characters)"
    assert kept.turns[0].tools[0].result == "r" * USED_CHARS + "… (1,999 characters)"
    words = [one.said + one.answer + "".join(u.name + u.arguments + u.result for u in one.tools) for one in kept.turns]
    assert sum(word.count(letter) for word in words for letter in "qy") <= ALL_CHARS
    assert kept.turns[-1].said == "… (4,999 characters)"


def test_what_is_counted_is_counted_before_it_is_cut() -> None:
    fine, gone = ToolUse("find", "{}", "1"), ToolUse("find", "{}", "gone", failed=True)
    turn = Turn(0, "hi", "case", "yes?", (fine,) * TOOLS_KEPT + (gone,) * 3)
    many = (turn, *[Turn(0, "so", "follow-up", "yes", (gone,))] * TURNS_KEPT)
    kept = transcript_record(sample(Transcript("s", many)))
    assert kept is not None
    assert (kept.calls, kept.failed_calls, kept.followups) == (TOOLS_KEPT * 2 + 3, TURNS_KEPT + 3, TURNS_KEPT)
    shown = conversation_view(OutputRecord(index=0, text="yes", failure=None, score=1.0, reasons=[], transcript=kept))
    assert shown is not None
    assert shown.brief == "51 turns, 103 tool calls (53 failed), 50 answered automatically"


def test_a_key_is_masked_before_it_could_be_cut_in_half() -> None:
    place = USED_CHARS - 10
    talk = Transcript(
        "s", (Turn(0, "hi", "case", "yes", (ToolUse("find", "{}", "." * place + " " + KEY_OF_RECORD_CONVERSATIONS),)),)
    )
    kept = transcript_record(sample(talk))
    assert kept is not None
    assert "sk-" not in kept.model_dump_json()
