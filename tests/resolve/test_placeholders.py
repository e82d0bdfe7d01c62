"""Placeholders are the same for both arms, and only where a suite has some; an exam is all that is in its digest."""

from dataclasses import replace

from gate.cases.case import Case, Persona, Round
from gate.config.models import ModelRef, Params
from gate.config.policy import SuitePolicy
from gate.config.scorer import ScorerSpec
from gate.config.targets import ConversationOptions
from gate.messages import Message
from gate.prompts.version import FunctionTexts, Prompt, PromptVersion
from gate.resolve.exam import JudgeDefault, ScoringRules, build, changes
from gate.resolve.resolved import of_suite
from gate.suite import Arm, Exam, Suite

DAY = "2026-11-22"
CASE = Case(
    "c{today}",
    input="Is it {today}?",
    expected=["{today}", 1],
    criteria="Says {today}.",
    vars={"day": "{today}"},
    rounds=(Round("On {today}?", "Says {locale}.", scorers=(ScorerSpec("contains", "c", {"value": "{today}"}),)),),
    facts="It is {today}.",
    user=Persona("Speaks {locale}", "Know {today}"),
)


def arm(text: str, built: FunctionTexts | None = None) -> Arm:
    messages = () if built else (Message("system", text),)
    return Arm(PromptVersion("p.md", "r", None, Prompt(messages, built=built)), ModelRef("fake", "echo"), Params())


def suite(placeholders: dict[str, str] | None) -> Suite:
    exam = Exam("main", "0", (CASE,), (ScorerSpec("exact", "e", {"value": "{today}"}),), placeholders=placeholders)
    return Suite(
        "s", arm("Today is {today}, {{ today }}, {other}."), arm("", FunctionTexts({"k": "It is {today}."})), exam
    )


def test_both_arms_and_the_exam_have_the_same_texts() -> None:
    found = of_suite(suite({"locale": "de"}), DAY)
    assert found.baseline is not None
    assert found.baseline.version.prompt.messages[0].content == f"Today is {DAY}, {{{{ today }}}}, {{other}}."
    assert found.candidate.version.prompt.built == FunctionTexts({"k": f"It is {DAY}."})
    (case,) = found.exam.cases
    assert (case.id, case.input, case.expected, case.criteria) == (
        "c{today}",
        f"Is it {DAY}?",
        [DAY, 1],
        f"Says {DAY}.",
    )
    assert (case.vars, case.facts, case.user) == ({"day": DAY}, f"It is {DAY}.", Persona("Speaks de", f"Know {DAY}"))
    assert (case.rounds[0].said, case.rounds[0].criteria) == (f"On {DAY}?", "Says de.")
    assert case.rounds[0].scorers[0].options == {"value": DAY}
    assert found.exam.scorers[0].options == {"value": DAY}


def test_how_conversations_are_led_and_every_round_are_part_of_the_exam() -> None:
    rules, judge = ScoringRules((), (), SuitePolicy()), JudgeDefault(ModelRef("fake", "echo"), Params())
    other = replace(CASE, rounds=(replace(CASE.rounds[0], said="Or not?"),))
    made = [
        build(*parts, "main", judge).digest
        for parts in (
            ([CASE], rules),
            ([CASE], replace(rules, conversing=ConversationOptions(score="min"))),
            ([CASE], replace(rules, placeholders={})),
            ([other], rules),
        )
    ]
    assert len(set(made)) == 4
    assert changes([CASE], [other]).edited == (CASE.id,)
    assert not changes([CASE], [replace(CASE, description="For readers")])
