"""Whose choice an agent is: a change from outside has no programs, and sends nothing to new places."""

from dataclasses import replace

import pytest

from gate.config.gatefile import Config, load
from gate.domain.message import Message
from gate.domain.model import ModelRef, Params
from gate.domain.prompt import Prompt, PromptVersion
from gate.domain.suite import Arm, Exam, Suite
from gate.domain.target import (
    CommandAgent,
    ConversationModel,
    Conversing,
    FixtureTool,
    HttpAgent,
    PythonAgent,
    Server,
    Target,
    ToolLoop,
)
from gate.flows import strangers
from gate.flows.agents import elsewhere, forbidden

SHOP = Server("shop", "streamable-http", url="https://shop.example/mcp", headers=(("Authorization", "SHOP_AUTH"),))
BANK = Server("bank", "sse", url="https://bank.example/mcp", headers=(("Authorization", "BANK_AUTH"),))
LOOP = ToolLoop(servers=(SHOP, BANK), inject=(("token", "SESSION_TOKEN"),), only=("get_listings",))
AGENT = HttpAgent("https://agent.example/chat", (("Authorization", "AGENT_AUTH"),))


def base(*targets: Target) -> Config:
    one = "{prompt: p.md, cases: c.jsonl, model: 'fake:echo', scorers: [contains], name: "
    text = "version: 1\nsuites:\n" + "".join(f"  - {one}s{number}}}\n" for number in range(len(targets)))
    found = load(text, "gate.yaml")
    suites = (replace(suite, target=target) for suite, target in zip(found.suites, targets, strict=True))
    return replace(found, suites=tuple(suites))


@pytest.mark.parametrize(
    "target",
    [PythonAgent("a:b"), CommandAgent(("a",)), ToolLoop(servers=(Server("s", "stdio", command=("python", "s.py")),))],
)
def test_no_program_runs_for_a_change_from_outside_not_even_the_merge_targets(target: Target) -> None:
    assert "runs programs" in forbidden("s", target, base(target))


@pytest.mark.parametrize("target", [LOOP, AGENT])
def test_what_a_suite_of_the_merge_target_sends_where_may_be_sent_there(target: Target) -> None:
    assert forbidden("s", target, base(LOOP, AGENT)) == ""
    assert forbidden("s", target, None) != ""
    assert elsewhere("s", target, base(LOOP, AGENT)) == ""


@pytest.mark.parametrize(
    "target",
    [
        replace(AGENT, url="https://evil.example"),
        replace(AGENT, headers=(("Authorization", "OPENAI_API_KEY"),)),
        replace(AGENT, headers=(*AGENT.headers, ("X", "SHOP_AUTH"))),
        HttpAgent("https://evil.example"),
        replace(LOOP, inject=(("token", "OPENAI_API_KEY"),)),
        replace(LOOP, servers=(replace(SHOP, headers=BANK.headers), replace(BANK, headers=SHOP.headers))),
        replace(LOOP, servers=(replace(SHOP, url="https://evil.example"), BANK)),
        replace(LOOP, servers=(SHOP, BANK, replace(BANK, url="https://evil.example", headers=()))),
        ToolLoop(fixtures="tools.yaml", inject=(("token", "OPENAI_API_KEY"),)),
        ToolLoop(servers=(Server("s", "streamable-http", url=AGENT.url, headers=AGENT.headers),)),
    ],
)
def test_nothing_else_is_sent_anywhere(target: Target) -> None:
    assert "no suite of the merge target has the same one" in forbidden("s", target, base(LOOP, AGENT))


@pytest.mark.parametrize(
    "target",
    [
        replace(LOOP, only=()),
        replace(LOOP, only=("delete_listing",)),
        replace(LOOP, max_steps=100),
        replace(LOOP, tool_timeout_s=3600.0),
        replace(LOOP, parallel=False),
        replace(LOOP, fixtures="tools.yaml"),
        replace(LOOP, tools=(FixtureTool("get_listings", "Other.", "{}"),)),
        replace(LOOP, servers=(replace(SHOP, transport="sse"), BANK)),
        replace(LOOP, servers=(SHOP,)),
        replace(AGENT, timeout_s=3600.0),
    ],
)
def test_an_agent_that_reaches_anything_is_the_merge_targets_in_all_that_it_may_do(target: Target) -> None:
    assert "no suite of the merge target has the same one" in forbidden("s", target, base(LOOP, AGENT))


def test_recorded_tools_and_a_model_alone_reach_nobody() -> None:
    recorded = ToolLoop(fixtures="tools.yaml", only=("get_listings",), max_steps=100)
    assert forbidden("s", recorded, base(AGENT)) == forbidden("s", None, base(AGENT)) == ""
    assert forbidden("s", recorded, None) == ""


def test_whoever_may_push_is_told_of_new_addresses_and_variables() -> None:
    other = replace(AGENT, url="https://other.example")
    assert elsewhere("s", other, base(AGENT)) == (
        "s talks to, or uses, 'https://other.example' in this change, which the merge target does not."
    )
    assert elsewhere("s", other, None) == ""


@pytest.mark.parametrize("who", ["followups", "user"])
def test_who_talks_with_an_agent_is_asked_where_the_merge_target_asks(who: str) -> None:
    model, params = ModelRef("openai", "m"), Params(base_url="https://evil.example/v1")
    talking = Conversing(**{who: ConversationModel(model=model, params=params)})
    version = PromptVersion("p.md", "head", None, Prompt((Message("system", "Help."),)))
    arm, exam = Arm(version, model, Params()), Exam("head", "0", (), (), conversing=talking)
    (said,) = strangers.refused([Suite("s", None, arm, exam, own_exam=True)], base(AGENT))
    assert "who talks with the agent of suite s is openai:m at https://evil.example/v1" in said


def test_recorded_tools_are_free_also_where_they_are_given_the_session() -> None:
    recorded = ToolLoop(fixtures="tools.yaml", inject=(("session_id", "$session"),))
    assert forbidden("s", recorded, base(LOOP, AGENT)) == forbidden("s", recorded, None) == ""
