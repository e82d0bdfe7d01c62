"""The same exam over streamable HTTP and SSE, with the server as a process of its own."""

from tests.e2e.property_agent.estate import COMMAND, CONFIG, Estate, served


def test_all_cases_pass(estate: Estate) -> None:
    transport = "streamable-http"
    with served(estate, transport) as url:
        estate.change(CONFIG, COMMAND, f"{{url: '{url}', transport: {transport}}}")
        outcome = estate.gate("check", "--json")
    assert outcome.code == 0, outcome.err + outcome.out
    assert {case.check.state for case in outcome.record.new[0].cases if case.check} == {"passed"}
    assert estate.count("conversations") == 20
