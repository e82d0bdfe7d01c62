"""Scorers that move in opposite directions: the mean hides it, the verdict and the report do not."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gate.record.comparison import Verdict
from tests.support.command import Outcome, gate
from tests.support.example import cases
from tests.support.findings import texts
from tests.support.model_server import Behaviour, ModelServer
from tests.support.repository import make, write

WORDS = ("alpha", "beta", "gamma")
CONFIG = """\
version: 1
defaults: {{model: "own:m", samples: {samples}}}
policy: {{{policy}}}
suites:
  - {{name: bot, prompt: bot.md, cases: bot.jsonl, slices: [tier], scorers: [{scorers}]}}
{more}providers: {{own: {{api: openai, base_url: "{url}/v1"}}}}
"""
OTHER = "  - {name: faq, prompt: faq.md, cases: bot.jsonl, scorers: [contains: {value: alpha}]}\n"

Answer = Callable[[bool, int, bool], set[str]]
"""The words of an answer, by whether the prompt is the new one, the number of the case, and whether it is gold."""


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


def compare(
    folder: Path, server: ModelServer, answer: Answer, weights: tuple[int, ...], count: int = 40, **settings: object
) -> Outcome:
    scorers = ", ".join(
        f"contains: {{value: {word}, name: says {word}, weight: {weight}}}"
        for word, weight in zip(WORDS, weights, strict=False)
    )
    chosen = {"samples": 1, "policy": "", "scorers": scorers, "more": "", **settings}
    files = {"gate.yaml": CONFIG.format(url=server.url, **chosen), "bot.md": "Help.\n", "faq.md": "Help.\n"}
    rows = [json.loads(row) for row in cases(count).splitlines()]
    asked = "".join(json.dumps({key: row[key] for key in row if key != "expected"}) + "\n" for row in rows)
    repo = make(folder, {**files, "bot.jsonl": asked})

    def answer_text(system: str, user: str) -> str:
        number = int(user.rpartition("answer=word")[2])
        return " ".join(sorted(answer("new" in system, number, "gold" in user)))

    server.behaviour = Behaviour(answer=answer_text)
    write(repo, {"bot.md": "Help, new.\n", "faq.md": "Help, new.\n"})
    return gate("diff", "--base", "main", "--json", cwd=repo)


def swap(new: bool, number: int, gold: bool) -> set[str]:
    return {"beta"} if new else {"alpha"}


OPPOSED: dict[str, tuple[Answer, tuple[int, ...]]] = {
    "every case": (swap, (1, 1)),
    "the other way round": (lambda new, number, gold: swap(not new, number, gold), (1, 1)),
    "a third of the cases": (lambda new, number, gold: swap(new and number % 3 == 0, number, gold), (1, 1)),
    "one falls and two rise": (lambda new, number, gold: {"beta", "gamma"} if new else {"alpha"}, (2, 1, 1)),
    "one rises and two fall": (lambda new, number, gold: {"alpha"} if new else {"beta", "gamma"}, (2, 1, 1)),
    "weights": (lambda new, number, gold: swap(new, number, gold) if number % 2 else {"alpha", "beta"}, (3, 3)),
    "better on the whole": (swap, (1, 3)),
    "a slice": (lambda new, number, gold: swap(new and gold, number, gold), (1, 1)),
    "slices against each other": (lambda new, number, gold: swap(new is gold, number, gold), (1, 1)),
}


@pytest.mark.parametrize("case", OPPOSED)
def test_both_are_named_and_hold(tmp_path: Path, server: ModelServer, case: str) -> None:
    answer, weights = OPPOSED[case]
    outcome = compare(tmp_path, server, answer, weights)
    record = outcome.record
    assert (outcome.code, record.verdict) == (0, Verdict.HOLD), texts(record)
    pair = record.suites[0].opposed
    assert pair is not None
    assert pair.drop < 0.0 < pair.rise
    report = (tmp_path / ".gate/last/report.md").read_text()
    for name in (pair.worse, pair.better):
        assert name in texts(record)[0]
        assert f"`{name}`" in report.splitlines()[0]
    assert "scored the same" not in report
    assert "no case changed" not in report


@pytest.mark.parametrize(
    "settings",
    [
        {"samples": 3},
        {"policy": "method: percentile"},
        {"more": OTHER.replace("alpha", "e")},
    ],
    ids=str,
)
def test_with_any_setting(tmp_path: Path, server: ModelServer, settings: dict[str, object]) -> None:
    outcome = compare(tmp_path, server, swap, (1, 1), **settings)
    assert (outcome.code, outcome.record.verdict) == (0, Verdict.HOLD), texts(outcome.record)
    assert "says alpha" in texts(outcome.record)[0]


def test_fail_on_hold_makes_it_red(tmp_path: Path, server: ModelServer) -> None:
    assert compare(tmp_path, server, swap, (1, 1), policy="fail_on: hold").code == 1


def test_cases_that_changed_places_did_not_score_the_same(tmp_path: Path, server: ModelServer) -> None:
    """No scorer moved on the whole, so nothing is wrong; but scores did change."""
    outcome = compare(tmp_path, server, lambda new, number, gold: swap(new == (number % 4 < 2), number, gold), (1, 1))
    assert outcome.record.verdict is Verdict.PASS
    report = (tmp_path / ".gate/last/report.md").read_text()
    assert "scored the same" not in report
    assert "no case changed" not in report


@pytest.mark.parametrize("count", [6, 40])
def test_a_few_swapped_cases_are_noise(tmp_path: Path, server: ModelServer, count: int) -> None:
    outcome = compare(tmp_path, server, lambda new, number, gold: swap(new and number < 2, number, gold), (1, 1), count)
    assert outcome.record.suites[0].opposed is None
    assert not any("says alpha" in reason for reason in texts(outcome.record))
