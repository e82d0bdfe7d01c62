"""The action's inputs: read, bounded, and all mistakes told at once."""

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.environment.action import Inputs, unknown_inputs
from gate.errors import InputErrors
from tests.support.github_action import declared_inputs


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


def test_the_defaults_of_the_action_are_those_of_the_code() -> None:
    declared = declared_inputs()
    env = {f"INPUT_{name.upper()}": value for name, value in declared.items() if name != "github-token"}
    assert Inputs.from_environ(env)[0] == Inputs()
    assert {name.replace("-", "_") for name in declared} == set(Inputs.__slots__)
    assert declared["github-token"] == "${{ github.token }}"


ALL: dict[str, tuple[str, object]] = {
    "github_token": (" t0ken ", "t0ken"),
    "key": ("bot, German", "bot, German"),
    "config": ("./teams/a/gate.yaml", "teams/a/gate.yaml"),
    "working_directory": ("./apps/bot/", "apps/bot"),
    "range": ("main..v1.2", "main..v1.2"),
    "max_calls": ("10", 10),
    "max_cost_usd": ("0.5", 0.5),
    "max_minutes": ("1.5", 1.5),
    "concurrency": ("8", 8),
    "fail_on": ("hold", "hold"),
    "on_missing_secrets": ("skip", "skip"),
    "skip_label": ("[ok]", "[ok]"),
    "label_scope": ("commit", "commit"),
    "override_by": ("not-author", "not-author"),
    "on_skip": ("run", "run"),
    "push_to": ("https://gate.example.org", "https://gate.example.org"),
}


def test_all_inputs() -> None:
    assert list(ALL) == [one.name for one in dataclasses.fields(Inputs)]
    read = inputs(**{name: text for name, (text, _) in ALL.items()})
    assert read == Inputs(**{name: value for name, (_, value) in ALL.items()})


@pytest.mark.parametrize(
    ("config", "folder", "key", "path", "optional"),
    [
        ("gate.yaml", "", "gate.yaml", "gate.yaml", False),
        ("./gate.yaml", "./", "gate.yaml", "gate.yaml", False),
        ("a//gate.yaml", "", "a/gate.yaml", "a/gate.yaml", False),
        ("gate.yaml", "apps/bot/", "apps/bot/gate.yaml", "gate.yaml", False),
        ("optional", "apps/bot", "apps/bot/gate.yaml", "gate.yaml", True),
        ("optional:./b/g.yaml", "", "b/g.yaml", "b/g.yaml", True),
    ],
)
def test_one_configuration_is_one_gate_however_its_path_is_written(
    config: str, folder: str, key: str, path: str, optional: bool
) -> None:
    read = inputs(config=config, working_directory=folder)
    assert (read.gate_key, read.config_path, read.config_optional) == (key, path, optional)
    assert inputs(config=config, working_directory=folder, key="mine").gate_key == "mine"


@pytest.mark.parametrize(
    ("text", "ends"), [("", ("", "")), ("a..b", ("a", "b")), ("a..", ("a", "")), ("..b", ("", "b"))]
)
def test_a_range(text: str, ends: tuple[str, str]) -> None:
    assert inputs(range=text).ends == ends


@pytest.mark.parametrize("text", ["main", "a...b"])
def test_what_is_no_range(text: str) -> None:
    assert complaints(range=text) == [f"range: {text!r} is not BASE..HEAD"]


@pytest.mark.parametrize(("text", "folder"), [("", ""), (".", ""), ("./", ""), ("a/b/", "a/b"), ("./a", "a")])
def test_the_working_directory(text: str, folder: str) -> None:
    assert inputs(working_directory=text).working_directory == folder


def test_inputs_that_the_action_does_not_have() -> None:
    env = {f"INPUT_{name}": "x" for name in ("FAIL-ONN", "DISABLE-COMMENT", "ZZZ", "FAIL-ON", "GITHUB-TOKEN")}
    assert unknown_inputs({**env, "PATH": "x"}) == [
        "There is no input 'disable-comment'; it has no effect.",
        "There is no input 'fail-onn'; it has no effect. Did you mean fail-on?",
        "There is no input 'zzz'; it has no effect.",
    ]


def test_the_token_does_not_show() -> None:
    assert "t0ken" not in repr(inputs(github_token="t0ken"))
    assert all("t0ken" not in line for line in complaints(github_token="t0ken", concurrency="x"))


@pytest.mark.parametrize("value", ["", " ", "\n"])
def test_an_empty_input_counts_as_absent(value: str) -> None:
    assert inputs(**dict.fromkeys(Inputs.__slots__, value)) == Inputs()


def test_all_errors_are_reported_at_once() -> None:
    found = complaints(
        config="../gate.yaml",
        working_directory="..",
        label_scope="branch",
        override_by="me",
        on_skip="maybe",
        on_missing_secrets="ignore",
        fail_on="never",
        max_calls="many",
        max_cost_usd="-1",
        max_minutes="0",
        concurrency="0",
    )
    names = ("concurrency", "config", "fail-on", "label-scope", "max-calls", "max-cost-usd", "max-minutes")
    names = (*names, "on-missing-secrets", "on-skip", "override-by", "working-directory")
    assert [line.partition(":")[0] for line in found] == list(names)


@pytest.mark.parametrize("path", ["../x", "a/../../x", "/etc/x", ".git/x", "a\\b", "C:/x", ".", "a\x1bb", "x" * 1025])
def test_a_path_stays_inside_the_repository(path: str) -> None:
    (line,) = complaints(config=path)
    assert line.startswith("config: the path ")
    assert line.isprintable()


@pytest.mark.parametrize("value", ["nan", "inf", "-inf", "1e400", "-0.1", "1000001", "0x10", "five", "1,5", "1" * 5000])
def test_a_sum_that_is_invalid(value: str) -> None:
    (line,) = complaints(max_cost_usd=value)
    assert "is not a number from 0 to 1,000,000" in line
    assert len(line) < 200


@pytest.mark.parametrize("value", ["nan", "inf", "1.5", "1e3", "0", "-1", "10000001", "five", "1" * 5000])
def test_a_count_that_is_invalid(value: str) -> None:
    (line,) = complaints(max_calls=value)
    assert "is not a whole number from 1 to 10,000,000" in line


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
