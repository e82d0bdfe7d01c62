"""The runner's variables and the action's inputs: read, bounded, and all mistakes told at once."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.errors import GateError, InputErrors
from gate.settings.action import Inputs, Runner
from tests.support.github_action import declared_inputs

SHA = "0123456789abcdef0123456789abcdef01234567"
NEEDED = {
    "GITHUB_EVENT_NAME": "pull_request",
    "GITHUB_EVENT_PATH": "/github/workflow/event.json",
    "GITHUB_REPOSITORY": "acme/support-bot",
    "GITHUB_SHA": SHA,
}
WHOLE = {
    **NEEDED,
    "GITHUB_WORKSPACE": "/github/workspace",
    "GITHUB_API_URL": "https://ghe.example.com/api/v3",
    "GITHUB_SERVER_URL": "https://ghe.example.com",
    "GITHUB_RUN_ID": "4711",
    "GITHUB_STEP_SUMMARY": "/github/summary",
    "GITHUB_OUTPUT": "/github/output",
}


def inputs(**given: str) -> Inputs:
    """Inputs as the runner passes them: capitals, hyphens kept."""
    found, problems = Inputs.from_environ(
        {f"INPUT_{name.upper().replace('_', '-')}": value for name, value in given.items()}
    )
    problems.check()
    return found


def complaints(**given: str) -> list[str]:
    with pytest.raises(InputErrors) as caught:
        inputs(**given)
    assert {problem.file for problem in caught.value.problems} == {"action inputs"}
    return [problem.message for problem in caught.value.problems]


def test_the_whole_environment_of_a_runner() -> None:
    assert Runner.from_environ(WHOLE) == Runner(
        event_name="pull_request",
        event_path=Path("/github/workflow/event.json"),
        repository="acme/support-bot",
        sha=SHA,
        workspace=Path("/github/workspace"),
        api_url="https://ghe.example.com/api/v3",
        run_url="https://ghe.example.com/acme/support-bot/actions/runs/4711",
        summary=Path("/github/summary"),
        output=Path("/github/output"),
    )


@pytest.mark.parametrize("empty", [{}, dict.fromkeys(WHOLE.keys() - NEEDED.keys(), "")])
def test_what_a_runner_may_leave_out(empty: dict[str, str]) -> None:
    runner = Runner.from_environ({**NEEDED, **empty})
    assert (runner.workspace, runner.api_url, runner.run_url) == (Path(), "https://api.github.com", "")
    assert (runner.summary, runner.output) == (None, None)


def test_a_run_on_github_itself() -> None:
    runner = Runner.from_environ({**NEEDED, "GITHUB_RUN_ID": "5"})
    assert runner.run_url == "https://github.com/acme/support-bot/actions/runs/5"


@pytest.mark.parametrize("value", ["", None])
def test_outside_a_workflow_all_that_is_missing_is_named(value: str | None) -> None:
    env = {} if value is None else dict.fromkeys(NEEDED, value)
    with pytest.raises(GateError) as caught:
        Runner.from_environ(env)
    assert all(name in caught.value.message for name in NEEDED)
    assert "gate diff --base" in caught.value.hint
    with pytest.raises(GateError, match="gate action needs GITHUB_SHA"):
        Runner.from_environ({**NEEDED, "GITHUB_SHA": ""})


@pytest.mark.parametrize(
    "name", ["support-bot", "a/b/c", "a/", "/b", "a b/c", "ünï/c", "a/b?x", "a/b#c", "a/b\n", "../.."]
)
def test_a_repository_that_is_none(name: str) -> None:
    with pytest.raises(GateError, match="GITHUB_REPOSITORY is"):
        Runner.from_environ({**NEEDED, "GITHUB_REPOSITORY": name})


@pytest.mark.parametrize("sha", ["main", SHA[:-1], SHA + "0", SHA.upper(), f"{SHA}\n", "--" + SHA[2:]])
def test_a_commit_that_is_none(sha: str) -> None:
    with pytest.raises(GateError, match="GITHUB_SHA is"):
        Runner.from_environ({**NEEDED, "GITHUB_SHA": sha})


@pytest.mark.parametrize("url", ["nonsense", "ftp://api.github.com", "https://", "https://a b", "file:///etc/passwd"])
def test_an_address_of_the_api_that_is_none(url: str) -> None:
    with pytest.raises(GateError, match="GITHUB_API_URL is"):
        Runner.from_environ({**NEEDED, "GITHUB_API_URL": url})


@pytest.mark.parametrize(
    "change",
    [
        {"GITHUB_SERVER_URL": "javascript:alert(1)"},
        {"GITHUB_SERVER_URL": "https://x) [y](https://evil.example"},
        {"GITHUB_RUN_ID": "5)"},
        {"GITHUB_RUN_ID": "5\n\n# x"},
        {"GITHUB_RUN_ID": "<b>"},
    ],
)
def test_an_address_that_would_break_a_link_is_left_out(change: dict[str, str]) -> None:
    assert Runner.from_environ({**WHOLE, **change}).run_url == ""


def test_no_inputs() -> None:
    assert Inputs.from_environ({})[0] == Inputs()
    assert Inputs() == Inputs(
        None, "gate.yaml", None, "skip-prompt-diff", "update", "", None, None, None, None, True, 64, ".gate/action"
    )


def test_the_defaults_of_the_action_are_those_of_the_code() -> None:
    declared = declared_inputs()
    env = {f"INPUT_{name.upper()}": value for name, value in declared.items() if name != "github-token"}
    assert Inputs.from_environ(env)[0] == Inputs()
    assert {name.replace("-", "_") for name in declared} == set(Inputs.__slots__)
    assert declared["github-token"] == "${{ github.token }}"


def test_all_inputs() -> None:
    read = inputs(
        github_token=" t0ken ",
        config="teams/a/gate.yaml",
        fail_on="hold",
        skip_label="[ok]",
        comment_mode="off",
        comment_key="a",
        max_calls="10",
        max_cost_usd="0.5",
        max_minutes="1.5",
        max_output_tokens="300",
        cache="off",
        concurrency="8",
        out="build/gate",
    )
    limits = (10, 0.5, 1.5, 300)
    assert read == Inputs("t0ken", "teams/a/gate.yaml", "hold", "[ok]", "off", "a", *limits, False, 8, "build/gate")


def test_the_token_does_not_show() -> None:
    assert "t0ken" not in repr(inputs(github_token="t0ken"))
    assert all("t0ken" not in line for line in complaints(github_token="t0ken", concurrency="x"))


@pytest.mark.parametrize("value", ["", " ", "\n"])
def test_an_empty_input_counts_as_absent(value: str) -> None:
    assert inputs(**dict.fromkeys(Inputs.__slots__, value)) == Inputs()


def test_all_mistakes_are_told_at_once() -> None:
    found = complaints(
        config="../gate.yaml",
        fail_on="never",
        comment_mode="create",
        max_calls="many",
        max_cost_usd="-1",
        max_minutes="0",
        max_output_tokens="-3",
        cache="maybe",
        concurrency="0",
        out="/tmp/out",
    )
    limits = ("max-calls", "max-cost-usd", "max-minutes", "max-output-tokens")
    names = ("cache", "comment-mode", "concurrency", "config", "fail-on", *limits, "out")
    assert [line.partition(":")[0] for line in found] == list(names)


@pytest.mark.parametrize("name", ["config", "out"])
@pytest.mark.parametrize("path", ["../x", "a/../../x", "/etc/x", ".git/x", "a\\b", "C:/x", ".", "a\x1bb", "x" * 1025])
def test_a_path_stays_inside_the_repository(name: str, path: str) -> None:
    (line,) = complaints(**{name: path})
    assert line.startswith(f"{name}: the path ")
    assert line.isprintable()


@pytest.mark.parametrize("value", ["HOLD", "none", "ship", "block,hold"])
def test_fail_on_is_one_of_two(value: str) -> None:
    assert complaints(fail_on=value) == [f"fail-on: {value!r} is no choice"]
    assert inputs(fail_on="block").fail_on == "block"


@pytest.mark.parametrize("value", ["nan", "inf", "-inf", "1e400", "-0.1", "1000001", "0x10", "five", "1,5", "1" * 5000])
def test_a_sum_that_is_none(value: str) -> None:
    (line,) = complaints(max_cost_usd=value)
    assert "is not a number from 0 to 1,000,000" in line
    assert len(line) < 200


@pytest.mark.parametrize("value", ["nan", "inf", "1.5", "1e3", "0", "-1", "10000001", "five", "1" * 5000])
def test_a_count_that_is_none(value: str) -> None:
    (line,) = complaints(max_calls=value)
    assert "is not a whole number from 1 to 10,000,000" in line


@pytest.mark.parametrize(("value", "seen"), [("0", 0.0), ("0.5", 0.5), ("5e0", 5.0), ("1000000", 1_000_000.0)])
def test_a_sum(value: str, seen: float) -> None:
    assert inputs(max_cost_usd=value).max_cost_usd == seen


@pytest.mark.parametrize(("name", "least", "most"), [("max_calls", 1, 10_000_000), ("concurrency", 1, 1024)])
def test_the_ends_of_a_range(name: str, least: int, most: int) -> None:
    assert [getattr(inputs(**{name: str(value)}), name) for value in (least, most)] == [least, most]
    for value in (least - 1, most + 1):
        assert len(complaints(**{name: str(value)})) == 1


@given(st.dictionaries(st.sampled_from(Inputs.__slots__), st.text(max_size=20)))
def test_any_inputs_are_read_or_refused(given: dict[str, str]) -> None:
    try:
        read = inputs(**given)
    except InputErrors as error:
        assert all(problem.message.isprintable() for problem in error.problems)
    else:
        assert 1 <= read.concurrency <= 1024
        assert ".." not in read.out.split("/")
