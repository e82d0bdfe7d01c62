"""The toolbox of one conversation, over sources that do as they are told."""

import asyncio
import itertools
import json
from dataclasses import replace

import pytest

from gate.agents.conversation_tools import ConversationToolbox, Injection, RecordedTools, ToolRules, ToolSource
from gate.agents.interface import AgentFailed
from gate.agents.masks import Masks
from gate.config.targets import RecordedTool, ToolAnswer
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


def test_a_name_of_two_sources_is_told_apart() -> None:
    one, other = Scripted((tool("a"), tool("b"))), Scripted((tool("a"),), label="the yard")
    assert names(one, other) == ["shop_a", "b", "yard_a"]
    assert names(one, other, rules=replace(PLAIN, only=("b",))) == ["b"]
    assert names(one, other, rules=replace(PLAIN, only=("a",))) == ["shop_a", "yard_a"]
    assert names(one, other, rules=replace(PLAIN, only=("yard.a", "shop.b"))) == ["b", "yard_a"]
    said = refusal(one, other, rules=replace(PLAIN, only=("yard.b",)))
    assert said == "'only' lists 'yard.b', which no source has; there are: 'b', 'shop.a', 'yard.a'"

    async def work() -> tuple[str, str]:
        box = ConversationToolbox((one, other), PLAIN)
        await box.tools()
        uses = [await box.call(name, "{}", SESSION) for name in ("shop_a", "yard_a")]
        return uses[0].name, uses[1].name

    assert asyncio.run(work()) == ("shop.a", "yard.a")
    assert (len(one.called), len(other.called)) == (1, 1)


def test_a_tool_that_no_model_can_use_is_left_out_and_named() -> None:
    bad = (("c", "has a schema that does not describe an object"),)
    shop = Scripted((tool("a"), tool("wide", "x" * 100_000), tool("")), unusable=bad)
    box = ConversationToolbox((shop,), PLAIN)
    assert [one.name for one in asyncio.run(box.tools())] == ["a"]
    assert box.notes == (
        "Left out a tool. The shop: the description of its tool 'wide' is longer than 16,384 characters",
        "Left out a tool. The shop: it has a tool without a name",
        "Left out a tool. The shop: its tool 'c' has a schema that does not describe an object",
    )
    chosen = ConversationToolbox((shop,), replace(PLAIN, only=("a",)))
    assert len(asyncio.run(chosen.tools())) == 1 and chosen.notes == ()
    said = "the shop: its tool 'c' has a schema that does not describe an object"
    assert refusal(shop, rules=replace(PLAIN, only=("a", "c"))) == said
    assert refusal(Scripted((), unusable=bad)) == said


def test_two_names_that_a_model_could_not_distinguish_are_an_error() -> None:
    said = refusal(Scripted((tool("a.b"), tool("a/b"))))
    assert said == "two tools have the same name for the model, 'a_b': 'a.b' of the shop and 'a/b' of the shop"
    assert refusal(Scripted((tool(""),))) == "the shop: it has a tool without a name"


def test_words_of_the_configuration_that_match_nothing_are_errors() -> None:
    shop = Scripted((tool("a", token={}), tool("b")))
    said = refusal(shop, rules=replace(PLAIN, only=("a", "c", "d")))
    assert said == "'only' lists 'c', 'd', which no source has; there are: 'a', 'b'"
    said = refusal(shop, rules=RULES)
    assert said == "'inject' sets 'session_id', and no tool has such an argument"
    assert names(shop, rules=replace(PLAIN, only=("b",), injection=Injection({"token": "x"}))) == ["b"]


@pytest.mark.threat("token-server")
def test_a_token_is_for_one_server() -> None:
    shop, yard = Scripted((tool("a", token={}),)), Scripted((tool("b", token={}),), label="the yard")
    given = Injection({"token": "s3cr3t"})
    said = "'inject' has a secret for 'token', which tools of the shop and the yard take"
    hint = "write the server that may get the secret in front: SERVER.token"
    assert refusal(shop, yard, rules=ToolRules(injection=given)) == f"{said}; {hint}"
    assert names(shop, yard, rules=ToolRules(only=("a",), injection=given)) == ["a"]
    assert names(shop, yard, rules=ToolRules(injection=Injection(sessions=frozenset({"token"})))) == ["a", "b"]
    schema: dict[str, JsonValue] = {"type": "object", "properties": {"token": {}}}
    taken = RecordedTool(name="c", description="C.", parameters=schema, answers=[ToolAnswer(result="")])
    assert names(shop, RecordedTools.of((taken,)), rules=ToolRules(injection=given)) == ["a", "c"]


@pytest.mark.threat("tool-token")
def test_no_name_tells_a_secret() -> None:
    masked = ToolRules(masks=Masks(("s3cr3t",)))
    assert refusal(Scripted((tool("s3cr3t"),)), rules=masked) == "the shop has a tool whose name contains a secret"
    assert (
        refusal(Scripted((tool("get-czNjcjN0"),)), rules=masked) == "the shop has a tool whose name contains a secret"
    )
    wide = replace(tool("s3cr3t"), description="x" * 1_000_000)
    assert refusal(Scripted((wide,)), rules=masked) == "the shop has a tool whose name contains a secret"
    said = refusal(Scripted((tool("s3cr3t"),)), rules=replace(masked, only=("a",)))
    assert said == "'only' lists 'a', which no source has; there are: '[token]'"
    use = used(Scripted((tool("a"),)), "s3cr3t", "{}", masked)
    assert (use.name, use.result) == ("[token]", "there is no tool '[token]'; there are: 'a'")


def test_what_is_put_in_is_neither_recorded_nor_taken_from_the_model() -> None:
    shop = Scripted((tool("a", token={}, session_id={}, city={}),))
    use = used(shop, "a", '{"city":"Rome",  "token": "mine", "session_id": 3}', RULES)
    assert shop.called == [("a", {"city": "Rome", "token": "s3cr3t", "session_id": SESSION})]
    assert use.arguments == '{"city": "Rome"}'
    assert use.result == '{"city": "Rome", "session_id": "[session]", "token": "[token]"}'


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("[1]", "it is a list"),
        ("{", "invalid JSON at column 2: Expecting property name enclosed in double quotes"),
        ('{"a": 1, "a": 2}', "the key 'a' is set twice"),
    ],
)
def test_arguments_that_are_no_object_are_a_failed_call(arguments: str, said: str) -> None:
    shop = Scripted((tool("a"),))
    use = used(shop, "a", arguments)
    assert (use.failed, use.result) == (True, f"the arguments are not a JSON object: {said}")
    assert shop.called == []


def test_a_tool_that_is_not_there_is_a_failed_call() -> None:
    use = used(Scripted((tool("a"), tool("b"))), "c", "{}")
    assert use == ToolUse("c", "{}", "there is no tool 'c'; there are: 'a', 'b'", failed=True, missing=True)
    assert used(Scripted((tool("a"),)), "c", "[]").missing
    assert used(Scripted(()), "c", "{}").result == "there is no tool 'c'; there are none"
    many = used(Scripted(tuple(tool(f"t{number:02}") for number in range(30))), "c", "{}")
    assert many.result.endswith("'t19' and 10 more")


def test_time_is_bounded_and_measured() -> None:
    late = used(Scripted((tool("a"),), pause_s=600), "a", "{}", replace(PLAIN, timeout_s=0.01))
    assert (late.failed, late.result) == (True, "the tool took longer than 0.01 s")
    ticks = itertools.count(10.0, 2.5)
    assert used(Scripted((tool("a"),)), "a", "{}", ToolRules(clock=lambda: next(ticks))).latency_s == 2.5


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
        ({"city": "Rome", "limit": 3}, False, "two flats"),
        ({"city": "Oslo"}, True, "too cold"),
        ({"city": "rome"}, True, "there is no recorded answer for these arguments"),
    ],
)
def test_recorded_tools_give_the_first_answer_that_fits(
    arguments: dict[str, object], failed: bool, result: str
) -> None:
    rules = ToolRules(injection=Injection({"token": "s3cr3t"}))
    use = used(recorded(), "get", json.dumps(arguments), rules)
    assert (use.failed, use.result) == (failed, result)
