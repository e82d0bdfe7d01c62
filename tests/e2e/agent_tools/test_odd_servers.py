"""Servers over stdio that do not do as they should: each is told by what it did, within a bound."""

import asyncio
import sys
from pathlib import Path
from typing import Any

import pytest

from gate.config.targets import Server
from gate.messages import Tool
from tests.e2e.agent_tools.kits import SERVERS, TOKEN, called, failure, kit, odd, opened, reason

LEAKS = ("PROPERTY_TOKEN",)


@pytest.mark.threat("agent-endless")
@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("early", "ended (exit code 7); its last output: no configuration"),
        ("bare", "lists no tools"),
        ("garbled", "sent a reply that is not a valid protocol message (at tools)"),
        (
            "babbling",
            "prints without end to standard output, which only takes protocol messages; "
            "it printed 'still here' to standard output, which only takes protocol messages",
        ),
    ],
)
def test_what_is_wrong_with_a_server_is_said(kind: str, said: str, tmp_path: Path) -> None:
    async def told() -> str:
        async with kit(tmp_path, odd(kind)) as made:
            return await reason(made)

    assert asyncio.run(told()) == f"the MCP server odd {said}"


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("wide", "the MCP server odd: the schema of its tool 'wide' is longer than 65,536 characters"),
        ("listless", "the MCP server odd: its tool 'listless' has a schema that does not describe an object"),
        ("twins", "the MCP server odd has two tools named 'one'"),
    ],
)
def test_tools_that_no_model_can_be_told_of_are_refused(kind: str, said: str, tmp_path: Path) -> None:
    async def told() -> str:
        async with kit(tmp_path, odd(kind)) as made:
            return await reason(made)

    assert asyncio.run(told()) == said


def test_one_bad_tool_does_not_cost_the_others(tmp_path: Path) -> None:
    async def told(**loop: Any) -> tuple[list[str], tuple[str, ...], str]:
        async with kit(tmp_path, odd("mixed"), **loop) as made:
            box = made.toolbox()
            names = [tool.name for tool in await box.tools()]
            return names, box.notes, (await called(box, do="x")).result

    names, notes, result = asyncio.run(told())
    assert (names, result) == (["say"], '["x", null]')
    assert notes == (
        "Left out a tool. The MCP server odd: the schema of its tool 'wide' is longer than 65,536 characters",
        "Left out a tool. The MCP server odd: its tool 'listless' has a schema that does not describe an object",
        "Left out a tool. The MCP server odd: its tool 'loose' is not valid (at inputSchema)",
    )
    assert asyncio.run(told(only=("say",))) == (["say"], (), '["x", null]')


def test_a_server_that_never_answers_is_waited_for_a_bounded_time(tmp_path: Path) -> None:
    async def told() -> list[str]:
        async with kit(tmp_path, odd("mute"), start_s=0.2) as made:
            return [await reason(made) for _ in range(3)]

    assert asyncio.run(told()) == ["the MCP server odd did not answer within 0.2 s"] * 3


@pytest.mark.parametrize("command", [("no-such-program", "x"), (".",)])
def test_a_program_that_cannot_be_started_is_reported(command: tuple[str, ...], tmp_path: Path) -> None:
    async def told() -> str:
        async with kit(tmp_path, {"odd": Server(command=command)}) as made:
            return await reason(made)

    said = asyncio.run(told())
    assert said.startswith(f"the MCP server odd cannot be started: {command[0]}: ")
    assert any(words in said for words in ("No such file", "Permission denied"))


def test_greetings_on_standard_output_are_passed_over(tmp_path: Path) -> None:
    async def told() -> tuple[str, str]:
        async with kit(tmp_path, odd("chatty")) as made:
            box = await opened(made)
            result = (await called(box, do="x")).result
            return result, await failure(box, do="exit")

    result, said = asyncio.run(told())
    assert result == '["x", null]'
    assert said == (
        "the MCP server odd ended (exit code 4); it printed 'Welcome to \\x1b[1mchatty\\x1b[0m!' to standard "
        "output, which only takes protocol messages; its last output: opening the database as / no such file"
    )


def test_names_that_no_provider_takes_are_reported_as_others_and_recorded_as_they_are(tmp_path: Path) -> None:
    async def told() -> tuple[list[str], str, str]:
        async with kit(tmp_path, odd("dotted")) as made:
            box = made.toolbox()
            names = [tool.name for tool in await box.tools()]
            use = await called(box, "flats_list_all", do="x")
            return names, use.name, use.result

    assert asyncio.run(told()) == (["flats_list_all", "x" * 64], "flats.list/all", '["x", null]')


@pytest.mark.threat("tool-token")
def test_secrets_reach_neither_the_model_nor_a_reason(tmp_path: Path) -> None:
    async def told() -> tuple[tuple[Tool, ...], str, str, str]:
        async with kit(tmp_path, odd("leaky", env=LEAKS)) as made:
            box = made.toolbox()
            tools = await box.tools()
            use = await called(box, do="raise", **{"with": f"wrong key {TOKEN}"})
            return tools, use.result, use.arguments, await failure(box, do="shout")

    tools, result, arguments, said = asyncio.run(told())
    assert TOKEN not in f"{tools}{result}{arguments}{said}"
    assert tools[0].description == "Uses [token]."
    assert result == "LookupError: wrong key [token]"
    assert arguments == '{"do": "raise", "with": "wrong key [token]"}'
    assert said.endswith(" / opening the database as [token] / no such file")
    assert len(said) < 400


@pytest.mark.parametrize(
    ("gift", "result"),
    [
        ({"content": []}, (False, "(nothing)")),
        (
            {"content": [{"type": "text", "text": "two flats"}], "structuredContent": {"flats": [1, 2]}},
            (False, 'two flats\n{"flats": [1, 2]}'),
        ),
    ],
)
def test_whatever_a_tool_gives_is_a_result(
    gift: dict[str, object], result: tuple[bool, str] | None, tmp_path: Path
) -> None:
    async def told() -> tuple[bool, str]:
        async with kit(tmp_path, odd("fine")) as made:
            box = await opened(made)
            use = await called(box, do="give", **{"with": gift})
            assert (await called(box, do="x")).result == '["x", null]'
            return use.failed, use.result

    found = asyncio.run(told())
    assert found == result if result else found[0]


def test_a_server_that_was_lost_is_started_once_more(tmp_path: Path) -> None:
    deed = "exit"
    said = "ended (exit code 4); its last output: opening the database as / no such file"

    async def told() -> list[str]:
        async with kit(tmp_path, odd("fine")) as made:
            first, bystander = await opened(made), await opened(made)
            reasons = [await failure(first, do=deed), await failure(first, do="x"), await failure(bystander, do="x")]
            later = await opened(made)
            assert (await called(later, do="x")).result == '["x", null]'
            assert await failure(bystander, do="x") == reasons[0]
            return [*reasons, await failure(later, do=deed), await reason(made), await reason(made)]

    assert asyncio.run(told()) == [f"the MCP server odd {said}"] * 6


@pytest.mark.threat("agent-environment")
def test_a_program_gets_no_variables_but_those_it_is_to_have(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-not-for-servers")
    report = "import os, sys; sys.stderr.write(' '.join(sorted(os.environ)) + '\\n' + os.getcwd())"

    async def told() -> str:
        server = {"odd": Server(command=(sys.executable, "-c", report), env=LEAKS)}
        async with kit(tmp_path / "scratch", server) as made:
            return await reason(made)

    names = "HOME LANG LC_ALL PATH PROMPT_GATE_SERVER PROPERTY_TOKEN PYTHONDONTWRITEBYTECODE PYTHONNOUSERSITE TMPDIR"
    assert asyncio.run(told()) == f"the MCP server odd ended (exit code 0); its last output: {names} / {SERVERS}"
