"""The example's server as a process of its own, over streamable HTTP, for a model of the other interface."""

from tests.e2e.property_agent.estate import COMMAND, CONFIG, Estate, served


def test_cases_pass(estate: Estate) -> None:
    transport, model = "streamable-http", "anthropic:claude-haiku-4-5"
    with served(estate, transport) as url:
        estate.change(CONFIG, COMMAND, f"{{url: '{url}', transport: {transport}}}")
        outcome = estate.gate("check", "--model", model, "--case", "all_listings", "--case", "after_a_break", "--json")
    assert outcome.code == 0, outcome.err + outcome.out
    assert outcome.record.new[0].candidate.model == model
    assert {case.check.state for case in outcome.record.new[0].cases if case.check} == {"passed"}
    assert {entry.path for entry in estate.models.ledger if "landlords" in entry.system} == {"/v1/messages"}
    assert estate.count("conversations") == 2
