"""The toolbox of one conversation, over sources that do as they are told."""

import asyncio
import itertools
import json
from dataclasses import replace

import pytest

from gate.agents.interface import AgentFailed
from gate.agents.masks import Masks
from gate.agents.toolbox import ConversationToolbox, Injection, RecordedTools, ToolOutput, ToolRules, ToolSource
from gate.config.tools import RecordedTool, ToolAnswer
from gate.limits import TOOL_TEXT_CHARS
from gate.record.transcript import ToolUse
from gate.values import JsonValue
from tests.agents.sources import Scripted, tool

RULES = ToolRules(
    injection=Injection({"token": "s3cr3t"}, frozenset({"session_id"})),
    masks=Masks(("s3cr3t",)),
)
PLAIN = ToolRules()
SESSION = "0123456789"


def names(*sources: ToolSource, rules: ToolRules = PLAIN) -> list[str]:
    return [one.name for one in asyncio.run(ConversationToolbox(sources, rules).tools())]


def refusal(*sources: ToolSource, rules: ToolRules = PLAIN) -> str:
    with pytest.raises(AgentFailed) as caught:
        names(*sources, rules=rules)
    assert caught.value.attempts == 0
    return caught.value.reason


def used(source: ToolSource, name: str, arguments: str, rules: ToolRules = PLAIN) -> ToolUse:
    async def work() -> ToolUse:
        box = ConversationToolbox((source,), rules)
        await box.tools()
        return await box.call(name, arguments, SESSION)

    return asyncio.run(work())


def test_tools_of_several_sources_in_their_order() -> None:
    one, other = Scripted((tool("b"), tool("a"))), Scripted((tool("c"),), label="the yard")
    assert names(one, other) == ["b", "a", "c"]
    assert names(one, other, rules=replace(PLAIN, only=("c", "b"))) == ["b", "c"]
    assert names() == []


def test_what_is_wrong_is_told_of_each_source() -> None:
    broken = [Scripted((), fault=f"the MCP server {name} ended", label=name) for name in ("a", "b")]
    assert refusal(broken[0], Scripted((tool("c"),)), broken[1]) == "the MCP server a ended; the MCP server b ended"


def test_a_source_that_cannot_be_had_leaves_no_other_half_open() -> None:
    async def main() -> None:
        slow = Scripted((tool("a"),), door=asyncio.Event())
        opening = asyncio.create_task(ConversationToolbox((Scripted((), fault="ended"), slow), PLAIN).tools())
        # Long enough for the first to fail.
        for _ in range(10):
            await asyncio.sleep(0)
        assert not opening.done()
        assert slow.door is not None
        slow.door.set()
        with pytest.raises(AgentFailed, match="^ended$"):
            await opening
        assert slow.opened == 1
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(main())


def test_whoever_gives_up_leaves_no_source_half_open() -> None:
    async def main() -> None:
        slow = Scripted((tool("a"),), door=asyncio.Event())
        opening = asyncio.create_task(ConversationToolbox((Scripted((), fault="ended"), slow), PLAIN).tools())
        await asyncio.sleep(0)
        opening.cancel()
        with pytest.raises(asyncio.CancelledError):
            await opening
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(main())


def test_a_name_of_two_sources_is_a_mistake_unless_it_is_left_out() -> None:
    one, other = Scripted((tool("a"), tool("b"))), Scripted((tool("a"),), label="the yard")
    assert refusal(one, other) == "both the shop and the yard have a tool named 'a'; leave one out"
    assert names(one, other, rules=replace(PLAIN, only=("b",))) == ["b"]


def test_two_names_that_a_model_could_not_tell_apart_are_a_mistake() -> None:
    said = refusal(Scripted((tool("a.b"), tool("a/b"))))
    assert said == "two tools have one name for the model, 'a_b': 'a.b' of the shop and 'a/b' of the shop"
    assert refusal(Scripted((tool(""),))) == "the shop has a tool without a name"


def test_words_of_the_configuration_that_stand_for_nothing_are_mistakes() -> None:
    shop = Scripted((tool("a", token={}), tool("b")))
    said = refusal(shop, rules=replace(PLAIN, only=("a", "c", "d")))
    assert said == "'only' names 'c', 'd', and no source has such a tool; there are: 'a', 'b'"
    said = refusal(shop, rules=RULES)
    assert said == "'inject' names 'session_id', and no tool takes such an argument"
    assert names(shop, rules=replace(PLAIN, only=("b",), injection=Injection({"token": "x"}))) == ["b"]


def test_a_token_is_for_one_server() -> None:
    shop, yard = Scripted((tool("a", token={}),)), Scripted((tool("b", token={}),), label="the yard")
    given = Injection({"token": "s3cr3t"})
    said = "'inject' has a secret for 'token', which tools of the shop and the yard take"
    hint = "put the name of the server before it that may have it: name.token"
    assert refusal(shop, yard, rules=ToolRules(injection=given)) == f"{said}; {hint}"
    assert names(shop, yard, rules=ToolRules(only=("a",), injection=given)) == ["a"]
    assert names(shop, yard, rules=ToolRules(injection=Injection(sessions=frozenset({"token"})))) == ["a", "b"]
    schema: dict[str, JsonValue] = {"type": "object", "properties": {"token": {}}}
    taken = RecordedTool(name="c", description="C.", parameters=schema, answers=[ToolAnswer(result="")])
    assert names(shop, RecordedTools.of((taken,)), rules=ToolRules(injection=given)) == ["a", "c"]


def test_each_server_gets_what_is_put_in_for_it() -> None:
    async def work() -> None:
        box = ConversationToolbox((shop, yard, field), ToolRules(injection=given))
        assert [one.parameters["properties"] for one in await box.tools()] == [{}, {}, {"token": {}}]
        for name in "abc":
            await box.call(name, '{"token": "mine"}', SESSION)

    shop, yard = Scripted((tool("a", token={}),)), Scripted((tool("b", token={}),), label="the yard")
    field = Scripted((tool("c", token={}),), label="the field")
    apart = {"the shop": Injection({"token": "s3cr3t"}), "the yard": Injection(sessions=frozenset({"token"}))}
    given = Injection(apart=apart)
    asyncio.run(work())
    assert [one.called[0][1]["token"] for one in (shop, yard, field)] == ["s3cr3t", SESSION, "mine"]
    said = refusal(replace(shop, tools=(tool("a"),)), yard, rules=ToolRules(injection=given))
    assert said == "'inject' names 'token', and no tool of the shop takes such an argument"


def test_too_many_tools_are_a_mistake() -> None:
    sources = [Scripted(tuple(tool(f"{letter}{number}") for number in range(101)), label=letter) for letter in "ab"]
    assert refusal(*sources) == "there are 202 tools, and a model is told of 200: name them under 'only'"


def test_a_description_has_a_bound_and_is_clean() -> None:
    said = refusal(Scripted((tool("a", "x" * (TOOL_TEXT_CHARS + 1)),)))
    assert said == "the shop: the description of its tool 'a' is longer than 16,384 characters"
    box = ConversationToolbox((Scripted((tool("a", "\x1b[31mred\0 s3cr3t"),)),), ToolRules(masks=Masks(("s3cr3t",))))
    assert asyncio.run(box.tools())[0].description == "red [token]"


def test_no_name_tells_a_secret() -> None:
    masked = ToolRules(masks=Masks(("s3cr3t",)))
    assert refusal(Scripted((tool("s3cr3t"),)), rules=masked) == "the shop has a tool whose name holds a secret"
    assert refusal(Scripted((tool("get-czNjcjN0"),)), rules=masked) == "the shop has a tool whose name holds a secret"
    wide = replace(tool("s3cr3t"), description="x" * 1_000_000)
    assert refusal(Scripted((wide,)), rules=masked) == "the shop has a tool whose name holds a secret"
    said = refusal(Scripted((tool("s3cr3t"),)), rules=replace(masked, only=("a",)))
    assert said == "'only' names 'a', and no source has such a tool; there are: '[token]'"
    use = used(Scripted((tool("a"),)), "s3cr3t", "{}", masked)
    assert (use.name, use.result) == ("[token]", "there is no tool '[token]'; there are: 'a'")


def test_what_is_put_in_is_neither_recorded_nor_taken_from_the_model() -> None:
    shop = Scripted((tool("a", token={}, session_id={}, city={}),))
    use = used(shop, "a", '{"city":"Rome",  "token": "mine", "session_id": 3}', RULES)
    assert shop.called == [("a", {"city": "Rome", "token": "s3cr3t", "session_id": SESSION})]
    assert use.arguments == '{"city": "Rome"}'
    assert use.result == '{"city": "Rome", "session_id": "[session]", "token": "[token]"}'


def test_arguments_are_recorded_as_the_model_wrote_them() -> None:
    shop = Scripted((tool("a"),))
    assert used(shop, "a", '{"city":   "R\\u006fme"}').arguments == '{"city":   "R\\u006fme"}'
    assert used(shop, "a", "").arguments == ""
    assert shop.called == [("a", {"city": "Rome"}), ("a", {})]


def test_a_secret_that_the_model_has_from_elsewhere_is_not_recorded() -> None:
    shop = Scripted((tool("a", token={}, session_id={}),))
    use = used(shop, "a", f'{{"city": "s3cr3t {SESSION}"}}', RULES)
    assert use.arguments == '{"city": "[token] [session]"}'


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("[1]", "it is a list"),
        ("null", "it is nothing"),
        ('"x"', "it is 'x'"),
        ("{", "invalid JSON at column 2: Expecting property name enclosed in double quotes"),
        ('{"a": NaN}', "NaN is not a JSON number"),
        ('{"a": 1, "a": 2}', "the key 'a' is given twice"),
        ('{"a": "\\ud800"}', "half of a surrogate pair (\\ud800 to \\udfff) is not text"),
        ("[" * 100_000, "nested more than 64 levels deep"),
        ('{"a":' * 65 + "1" + "}" * 65, "nested more than 64 levels deep"),
    ],
)
def test_arguments_that_are_no_object_are_a_failed_call(arguments: str, said: str) -> None:
    shop = Scripted((tool("a"),))
    use = used(shop, "a", arguments)
    assert (use.failed, use.result) == (True, f"the arguments are no JSON object: {said}")
    assert shop.called == []


def test_a_tool_that_is_not_there_is_a_failed_call() -> None:
    use = used(Scripted((tool("a"), tool("b"))), "c", "{}")
    assert use == ToolUse("c", "{}", "there is no tool 'c'; there are: 'a', 'b'", failed=True, missing=True)
    assert used(Scripted((tool("a"),)), "c", "[]").missing
    assert used(Scripted(()), "c", "{}").result == "there is no tool 'c'; there are none"
    many = used(Scripted(tuple(tool(f"t{number:02}") for number in range(30))), "c", "{}")
    assert many.result.endswith("'t19' and 10 more")


def test_a_tool_that_is_left_out_is_not_there() -> None:
    shop = Scripted((tool("a"), tool("b")))
    assert used(shop, "b", "{}", replace(PLAIN, only=("a",))).result == "there is no tool 'b'; there are: 'a'"
    assert shop.called == []


def test_time_is_bounded_and_measured() -> None:
    late = used(Scripted((tool("a"),), pause_s=600), "a", "{}", replace(PLAIN, timeout_s=0.01))
    assert (late.failed, late.result) == (True, "the tool took longer than 0.01 s")
    ticks = itertools.count(10.0, 2.5)
    assert used(Scripted((tool("a"),)), "a", "{}", ToolRules(clock=lambda: next(ticks))).latency_s == 2.5


def test_a_failure_is_the_tools_own() -> None:
    use = used(
        Scripted((tool("a"),), lambda _: ToolOutput("no s3cr3t\0", failed=True)),
        "a",
        "{}",
        ToolRules(masks=RULES.masks),
    )
    assert (use.failed, use.result) == (True, "no [token]")


def test_a_closed_box_has_no_tools() -> None:
    async def work() -> str:
        box = ConversationToolbox((Scripted((tool("a"),)),), PLAIN)
        await box.tools()
        await box.close()
        await box.close()
        return (await box.call("a", "{}", SESSION)).result

    assert asyncio.run(work()) == "there is no tool 'a'; there are none"


def recorded() -> RecordedTools:
    answers = [
        ToolAnswer(arguments={"city": "Rome"}, result="two flats"),
        ToolAnswer(arguments={"city": "Oslo"}, result="too cold", error=True),
    ]
    schema: dict[str, JsonValue] = {"type": "object", "properties": {"city": {}, "token": {}}}
    return RecordedTools.of((RecordedTool(name="get", description="Gets.", parameters=schema, answers=answers),))


@pytest.mark.parametrize(
    ("arguments", "failed", "result"),
    [
        ({"city": "Rome"}, False, "two flats"),
        ({"city": "Rome", "limit": 3}, False, "two flats"),
        ({"city": "Oslo"}, True, "too cold"),
        ({"city": "rome"}, True, "there is no recorded answer for these arguments"),
        ({}, True, "there is no recorded answer for these arguments"),
    ],
)
def test_recorded_tools_give_the_first_answer_that_fits(
    arguments: dict[str, object], failed: bool, result: str
) -> None:
    rules = ToolRules(injection=Injection({"token": "s3cr3t"}))
    use = used(recorded(), "get", json.dumps(arguments), rules)
    assert (use.failed, use.result) == (failed, result)


def test_recorded_tools_and_those_of_a_server_are_one_toolbox() -> None:
    assert names(Scripted((tool("a"),)), recorded()) == ["a", "get"]
    both = refusal(Scripted((tool("get"),)), recorded())
    assert both == "both the shop and the recorded tools have a tool named 'get'; leave one out"
