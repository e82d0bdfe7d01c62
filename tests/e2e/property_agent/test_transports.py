"""The same exam over streamable HTTP and SSE, with the server as a process of its own."""

import pytest

from tests.e2e.property_agent.estate import COMMAND, CONFIG, Estate, served


@pytest.mark.parametrize("transport", ["streamable-http", "sse"])
def test_all_cases_pass(transport: str, estate: Estate) -> None:
    with served(estate, transport) as url:
        estate.change(CONFIG, COMMAND, f"{{url: '{url}', transport: {transport}}}")
        outcome = estate.gate("check", "--json")
    assert outcome.code == 0, outcome.err + outcome.out
    assert {case.check.state for case in outcome.record.new[0].cases if case.check} == {"passed"}
    assert estate.count("conversations") == 20


def test_a_server_that_goes_away_is_no_score(estate: Estate) -> None:
    with served(estate, "streamable-http") as url:
        estate.change(CONFIG, COMMAND, f"{{url: '{url}'}}")
    outcome = estate.gate("check", "--case", "all_listings", "--json")
    assert outcome.code == 3, outcome.out
    (case,) = outcome.record.new[0].cases
    assert case.check is not None
    assert case.check.state == "unscored"
    assert "the MCP server property" in outcome.out
