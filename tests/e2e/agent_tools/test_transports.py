"""One real MCP server over all transports: the same tools, the same results, the same failures."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from gate.agents.masks import RESULT_CHARS
from gate.config.targets import Server
from tests.e2e.agent_tools.kits import SESSION, WEB, called, failure, kit, listings, opened, reached, service

INJECT = {"token": "PROPERTY_TOKEN", "session_id": "$session"}
Named = dict[str, Server]


@pytest.fixture(scope="module", params=("stdio", *WEB))
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Named]:
    if request.param == "stdio":
        yield listings(tmp_path_factory.mktemp("python"), env=("PROPERTY_TOKEN",))
        return
    with service(request.param) as (url, _):
        yield reached(request.param, url)


@pytest.mark.threat("tool-token")
def test_what_is_put_in_arrives_and_comes_back_as_a_word(server: Named, tmp_path: Path) -> None:
    async def echoed() -> list[object]:
        async with kit(tmp_path, server, inject=INJECT) as made:
            box = await opened(made)
            mine = await called(box, "echo", text="hi")
            forged = await called(box, "echo", text="hi", token="mine", session_id="other")
            long = await called(box, "echo", text="x" * 3)
            return [mine, forged, long.result]

    mine, forged, long = asyncio.run(echoed())
    assert mine.result == forged.result == "hi [token] [session]"
    assert mine.arguments == forged.arguments == '{"text": "hi"}'
    assert not mine.failed
    assert long == "xxx [token] [session]"


@pytest.mark.parametrize("server", ["stdio", "streamable-http"], indirect=True)
def test_results_are_text_and_one_of_five_megabytes_is_cut_with_a_word_about_it(server: Named, tmp_path: Path) -> None:
    async def results() -> list[str]:
        async with kit(tmp_path, server, inject=INJECT) as made:
            box = await opened(made)
            uses = [
                await called(box, "get_listings", city="Rome"),
                await called(box, "ugly"),
                await called(box, "picture"),
                await called(box, "long", size=5_000_000),
            ]
            assert not any(use.failed for use in uses)
            return [use.result for use in uses]

    flats, ugly, picture, long = asyncio.run(results())
    assert flats.count("Beach House") == 1 and flats.count("Rome") == 2
    assert ugly == "red red  fine\nnext"
    assert picture == "a house\n[image image/png, 42 bytes]"
    assert long == "x" * RESULT_CHARS + "\n[cut: these are the first 50,000 of 5,000,000 characters]"


@pytest.mark.parametrize("server", ["stdio", "streamable-http"], indirect=True)
def test_a_tool_that_fails_or_takes_too_long_costs_its_own_call_alone(server: Named, tmp_path: Path) -> None:
    async def failing() -> list[tuple[bool, str]]:
        async with kit(tmp_path, server, timeout_s=1.0) as made:
            box = await opened(made)
            uses = await asyncio.gather(
                called(box, "slow", seconds=600),
                called(box, "echo", wrong=1),
                called(box, "missing"),
                box.call("slow", "[0.01]", SESSION),
                called(box, "slow", seconds=0.01),
            )
            again = await called(box, "slow", seconds=0.01)
            return [(use.failed, use.result) for use in (*uses, again)]

    late, wrong, missing, odd, well, again = asyncio.run(failing())
    assert late == (True, "the tool took longer than 1 s")
    assert wrong[0] and "text" in wrong[1]
    assert missing[0] and missing[1].startswith("there is no tool 'missing'; there are: 'broken', 'count'")
    assert odd == (True, "the arguments are not a JSON object: it is a list")
    assert well == again == (False, "done")


def test_a_server_that_dies_ends_the_conversations_under_way(tmp_path: Path) -> None:
    async def died() -> tuple[str, str, str]:
        async with kit(tmp_path, listings(tmp_path, env=("PROPERTY_TOKEN",))) as made:
            box, other = await opened(made), await opened(made)
            waiting = asyncio.create_task(failure(other, "slow", seconds=600))
            await called(other, "slow", seconds=0.01)
            return await failure(box, "die"), await waiting, await failure(other, "count")

    said = "the MCP server listings ended (exit code 3); its last output: the database is gone [token]"
    assert asyncio.run(died()) == (said,) * 3
