"""Whose choice an agent is: a change from outside has no programs, and sends nothing to new places."""

from dataclasses import replace
from typing import Any, TypeVar

import pytest
from pydantic import BaseModel

from gate.config.gatefile import Config, load
from gate.config.models import ModelRef, Params
from gate.config.targets import (
    CommandAgent,
    ConversationModel,
    ConversationOptions,
    HttpAgent,
    PythonAgent,
    Server,
    Target,
    ToolLoop,
    parse_tools,
)
from gate.messages import Message
from gate.prompts.version import Prompt, PromptVersion
from gate.resolve import trust
from gate.resolve.trust import forbidden, new_addresses
from gate.suite import Arm, Exam, Suite

SHOP = Server(url="https://shop.example/mcp", headers={"Authorization": "SHOP_AUTH"})
BANK = Server(url="https://bank.example/mcp", transport="sse", headers={"Authorization": "BANK_AUTH"})
LOOP = ToolLoop(servers={"shop": SHOP, "bank": BANK}, inject={"token": "SESSION_TOKEN"}, only=("get_listings",))
AGENT = HttpAgent(url="https://agent.example/chat", headers={"Authorization": "AGENT_AUTH"})
LISTINGS = "tools: [{name: get_listings, description: Other., answers: [{result: none}]}]"
C = TypeVar("C", bound=BaseModel)


def changed(model: C, **fields: Any) -> C:
    return model.model_copy(update=fields)


def base(*targets: Target) -> Config:
    one = "{prompt: p.md, cases: c.jsonl, model: 'fake:echo', scorers: [contains], name: "
    text = "version: 1\nsuites:\n" + "".join(f"  - {one}s{number}}}\n" for number in range(len(targets)))
    found = load(text, "gate.yaml")
    suites = (replace(suite, target=target) for suite, target in zip(found.suites, targets, strict=True))
    return replace(found, suites=tuple(suites))


@pytest.mark.threat("fork-agent-program")
@pytest.mark.parametrize(
    "target",
    [
        PythonAgent(function="a:b"),
        CommandAgent(run=("a",)),
        ToolLoop(servers={"s": Server(command=("python", "s.py"))}),
    ],
)
def test_no_program_runs_for_a_change_from_outside_not_even_the_merge_targets(target: Target) -> None:
    assert "runs programs" in forbidden("s", target, base(target))


@pytest.mark.parametrize("target", [LOOP, AGENT])
def test_what_a_suite_of_the_merge_target_sends_where_may_be_sent_there(target: Target) -> None:
    assert forbidden("s", target, base(LOOP, AGENT)) == ""
    assert forbidden("s", target, None) != ""
    assert new_addresses("s", target, base(LOOP, AGENT)) is None


@pytest.mark.threat("fork-agent-program")
@pytest.mark.parametrize(
    "target",
    [
        changed(AGENT, url="https://evil.example"),
        changed(AGENT, headers={"Authorization": "OPENAI_API_KEY"}),
        changed(AGENT, headers={**AGENT.headers, "X": "SHOP_AUTH"}),
        HttpAgent(url="https://evil.example"),
        changed(LOOP, inject={"token": "OPENAI_API_KEY"}),
        changed(
            LOOP, servers={"shop": changed(SHOP, headers=BANK.headers), "bank": changed(BANK, headers=SHOP.headers)}
        ),
        changed(LOOP, servers={"shop": changed(SHOP, url="https://evil.example"), "bank": BANK}),
        changed(LOOP, servers={**LOOP.servers, "evil": Server(url="https://evil.example")}),
        ToolLoop(fixtures="tools.yaml", inject={"token": "OPENAI_API_KEY"}),
        ToolLoop(servers={"s": Server(url=AGENT.url, headers=AGENT.headers)}),
    ],
)
def test_nothing_else_is_sent_anywhere(target: Target) -> None:
    assert "no suite of the base branch has the same agent" in forbidden("s", target, base(LOOP, AGENT))


@pytest.mark.threat("fork-agent-more")
@pytest.mark.parametrize(
    "target",
    [
        changed(LOOP, only=()),
        changed(LOOP, only=("delete_listing",)),
        changed(LOOP, max_steps=100),
        changed(LOOP, timeout_s=3600.0),
        changed(LOOP, parallel=False),
        changed(LOOP, fixtures="tools.yaml"),
        LOOP.with_recorded(parse_tools(LISTINGS, "tools.yaml")),
        changed(LOOP, servers={"shop": changed(SHOP, transport="sse"), "bank": BANK}),
        changed(LOOP, servers={"shop": SHOP}),
        changed(AGENT, timeout_s=3600.0),
    ],
)
def test_an_agent_that_reaches_anything_is_the_merge_targets_in_all_that_it_may_do(target: Target) -> None:
    assert "no suite of the base branch has the same agent" in forbidden("s", target, base(LOOP, AGENT))


def test_recorded_tools_and_a_model_alone_reach_nobody() -> None:
    recorded = ToolLoop(fixtures="tools.yaml", only=("get_listings",), max_steps=100)
    assert forbidden("s", recorded, base(AGENT)) == forbidden("s", None, base(AGENT)) == ""
    assert forbidden("s", recorded, None) == ""


def test_whoever_may_push_is_told_about_new_addresses_and_variables() -> None:
    other = changed(AGENT, url="https://other.example")
    found = new_addresses("s", other, base(AGENT))
    assert found is not None
    assert found.addresses == ["https://other.example"]
    assert new_addresses("s", other, None) is None


@pytest.mark.threat("fork-agent-program")
@pytest.mark.parametrize("who", ["followups", "user"])
def test_who_talks_with_an_agent_is_asked_where_the_merge_target_asks(who: str) -> None:
    talking = ConversationOptions(**{who: ConversationModel(model=ModelRef("evil", "m"))})
    version = PromptVersion("p.md", "head", None, Prompt((Message("system", "Help."),)))
    arm, exam = Arm(version, ModelRef("openai", "m"), Params()), Exam("head", "0", (), (), conversing=talking)
    (said,) = trust.refused_changes([Suite("s", None, arm, exam, own_exam=True)], base(AGENT))
    assert "the model that plays the user in suite s is evil:m" in said
