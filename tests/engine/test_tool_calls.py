"""What agents did in their conversations, before and after."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from gate.cases.case import Persona
from gate.config.models import ModelRef
from gate.config.targets import ConversationModel, ConversationOptions
from gate.engine.arrays import SampleGrid
from gate.engine.tool_calls import LONGEST_NAME, MOST_CALLS, MOST_CASES, MOST_TOOLS, talks, tool_difference
from gate.record.comparison import ArmConversations, ChangedCalls, ToolChange
from gate.record.transcript import ArmName, Failed, Reply, Sample, ToolUse, Transcript, Turn, Unscored
from gate.suite import Suite
from tests.support.runs import reply, suite, table_of

BEFORE, AFTER = ArmName
HEARS = ConversationOptions(followups=ConversationModel(model=ModelRef("fake", "d")))
Says = Callable[[int, ArmName, int], Reply | Failed]


def tool_change(tool: str, baseline: int, candidate: int, stopped: int, started: int) -> ToolChange:
    return ToolChange(tool=tool, baseline=baseline, candidate=candidate, stopped=stopped, started=started)


def used(*names: str, asks: int = 0, failed: int = 0) -> Reply:
    """A conversation with calls of these tools, of which the first few failed, and questions that were answered."""
    uses = tuple(ToolUse(name, "{}", "", place < failed) for place, name in enumerate(names))
    turns = (Turn(0, "hi", "case", "yes?", uses), *[Turn(0, "so", "follow-up", "yes")] * asks)
    return replace(reply(), transcript=Transcript("s", turns))


def grid(one: Suite, says: Says) -> SampleGrid:
    taken = [
        Sample(one.name, case.id, arm, index, says(place, arm, index), (), Unscored("no"))
        for place, case in enumerate(one.exam.cases)
        for arm in one.arms
        for index in range(one.samples)
    ]
    return SampleGrid(one, table_of(taken))


def heard(one: Suite) -> Suite:
    """The suite with a detector of questions."""
    return replace(one, exam=replace(one.exam, conversing=HEARS))


def of_cases(before: Sequence[Reply | Failed], after: Sequence[Reply | Failed]) -> Says:
    return lambda place, arm, index: (before if arm is BEFORE else after)[place]


def rows(
    slices: Sequence[Mapping[str, str]], before: Sequence[Reply | Failed], after: Sequence[Reply | Failed]
) -> SampleGrid:
    return grid(suite(slices), of_cases(before, after))


def test_a_tool_that_is_not_there_is_called_no_longer() -> None:
    lost = ToolUse("look", "{}", "there is no tool 'look'", failed=True, missing=True)
    tried = replace(reply(), transcript=Transcript("s", (Turn(0, "hi", "case", "yes?", (lost,)),)))
    both = rows([{}], [used("look")], [tried])
    found, told = tool_difference(both), talks(both)
    assert found is not None
    assert found.slices[0].tools == (tool_change("look", 1, 0, 1, 0),)
    assert told is not None
    assert (told.candidate.calls, told.candidate.failed_calls) == (1, 1), "one that failed is one of those made"


def test_what_an_agent_does_not_tell_is_no_difference() -> None:
    silent = replace(reply(), transcript=Transcript("s", (Turn(0, "hi", "case", "yes", tools_told=False),)))
    found = rows([{}, {}], [used("look")] * 2, [used("look"), silent])
    told = talks(found)
    assert tool_difference(found) is None
    assert told is not None and told.baseline is not None
    assert [(arm.turns, arm.calls, arm.failed_calls) for arm in (told.baseline, told.candidate)] == [
        (1, None, None)
    ] * 2


def test_a_tool_that_is_called_no_longer_is_counted_in_each_slice() -> None:
    tiers = [{"tier": "enterprise"}, {"tier": "enterprise"}, {"tier": "free"}, {"tier": "free"}]
    before = [used("find", "price")] * 3 + [used("find")]
    after = [used("find"), used("find", "sum"), used("find", "price"), used("find")]
    found = tool_difference(rows(tiers, before, after))
    assert found is not None
    overall, enterprise = found.slices
    assert (overall.slice, overall.n, overall.changed) == ("overall", 4, 2)
    price, total, find = (
        tool_change("price", 3, 1, 2, 0),
        tool_change("sum", 0, 1, 0, 1),
        tool_change("find", 4, 4, 0, 0),
    )
    assert overall.tools == (price, total, find)
    assert (enterprise.slice, enterprise.n, enterprise.changed) == ("tier=enterprise", 2, 2)
    assert enterprise.tools == (tool_change("price", 2, 0, 2, 0), total)
    assert found.cases == (
        ChangedCalls(case="c000", baseline=("find", "price"), candidate=("find",)),
        ChangedCalls(case="c001", baseline=("find", "price"), candidate=("find", "sum")),
    )


def test_most_samples_of_a_case_decide_and_a_tie_says_nothing() -> None:
    def says(place: int, arm: ArmName, index: int) -> Reply:
        """The baseline always calls it; the candidate in none, one, two or all of four samples."""
        return used("find") if arm is BEFORE or index < (0, 1, 2, 3)[place] else used()

    found = tool_difference(grid(suite([{}] * 4, samples=4), says))
    assert found is not None
    assert found.slices[0].tools == (tool_change("find", 4, 1, 2, 0),)
    assert found.slices[0].changed == 2


def test_a_simulated_user_hears_nothing_of_questions_and_its_cases_count_for_no_share() -> None:
    one = heard(suite([{}] * 2))
    cases = (replace(one.exam.cases[0], user=Persona("a landlord", "to know")), one.exam.cases[1])
    one = replace(one, exam=replace(one.exam, cases=cases))
    found = talks(grid(one, of_cases([used()] * 2, [used(), used(asks=1)])))
    assert found is not None and (found.n, found.candidate.turns, found.candidate.asking) == (2, 1.5, 1.0)


def test_turns_questions_back_and_failures_are_means_by_case() -> None:
    before = [used("a", "b", failed=1), used()]
    after = [used("a", asks=2), used(asks=1)]
    found = talks(grid(heard(suite([{}] * 2)), of_cases(before, after)))
    assert found is not None
    assert found.baseline == ArmConversations(turns=1.0, followups=0.0, asking=0.0, calls=1.0, failed_calls=0.5)
    assert found.candidate == ArmConversations(turns=2.5, followups=1.5, asking=1.0, calls=0.5, failed_calls=0.0)
    assert (found.n, found.more_asking, found.less_asking) == (2, 2, 0)


def test_what_an_agent_makes_up_has_an_end() -> None:
    names = [f"{'x' * 300}{number}" for number in range(MOST_TOOLS + 9)]
    count = MOST_CASES + 3
    found = tool_difference(rows([{}] * count, [used()] * count, [used(*names)] * count))
    assert found is not None
    assert len(found.slices[0].tools) == MOST_TOOLS and len(found.cases) == MOST_CASES
    assert len(found.cases[0].candidate) == MOST_CALLS + 1
    assert found.cases[0].candidate[-1] == f"… {len(names) - MOST_CALLS} more"
    assert {len(tool.tool) for tool in found.slices[0].tools} == {LONGEST_NAME}
