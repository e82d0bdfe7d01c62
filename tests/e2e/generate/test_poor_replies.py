"""What a failed or poor run saves, and how the next run uses it."""

import json
from collections.abc import Callable

import pytest

from tests.e2e.generate.desk import RULES, Desk
from tests.support.model_server import Behaviour
from tests.support.prompt_reader import reader, stage_of

Twist = Callable[[str], str]


def twisted(desk: Desk, stage: str, twist: Twist) -> None:
    """Change the model's reply in one stage."""

    def judgement(system: str, user: str) -> str:
        said = reader(system, user)
        return twist(said) if stage_of(system) == stage else said

    desk.server.behaviour = Behaviour(judgement=judgement)


def well(desk: Desk) -> None:
    """Restore the model's replies."""
    desk.server.behaviour = Behaviour(judgement=reader)


def wrong_ids(said: str) -> str:
    return said.replace('"R', '"X')


def one_test(said: str) -> str:
    return json.dumps({"tests": json.loads(said)["tests"][:1]})


def all_invalid(said: str) -> str:
    return said.replace("true", "false")


@pytest.mark.parametrize(("stage", "twist"), [("tests", one_test)])
def test_poor_replies_are_not_cached(desk: Desk, stage: str, twist: Twist) -> None:
    twisted(desk, stage, twist)
    assert desk.generate("--effort", "low", "--out", "a").code == 0
    assert len(desk.cases("a/cases.yaml")) < 4 * RULES
    well(desk)
    healed = desk.generate("--effort", "low", "--out", "b")
    assert healed.code == 0, healed.err
    assert len(desk.cases("b/cases.yaml")) == 4 * RULES
    paid, again = desk.paid("--effort", "low", "--out", "c")
    assert (paid, again.code) == (0, 0)
    assert len(desk.cases("c/cases.yaml")) == 4 * RULES


def test_the_specification_is_saved_even_without_tests(desk: Desk) -> None:
    twisted(desk, "validity", all_invalid)
    made = desk.generate("--effort", "low")
    assert made.code == 3
    assert set(desk.files()) == {"prompts/shop.md", "evals/shop/spec.yaml"}
    assert len(desk.spec().rules) == RULES
    for name in ("evals/shop/spec.yaml", ".gate/generate/shop/summary.md"):
        assert name in made.err
    found = json.loads((desk.root / ".gate/generate/shop/generation.json").read_text(encoding="utf-8"))
    assert len(found["discarded"]) == 4 * RULES
    assert all("breaks the input specification" in one["why"] for one in found["discarded"])
    summary = (desk.root / ".gate/generate/shop/summary.md").read_text(encoding="utf-8")
    assert "no usable test is left" in summary and f"Discarded: {4 * RULES} tests" in summary


def test_a_link_in_place_of_a_summary_is_not_followed(desk: Desk) -> None:
    elsewhere = desk.root / "elsewhere"
    elsewhere.mkdir()
    (desk.root / ".gate/generate").mkdir(parents=True)
    (desk.root / ".gate/generate/shop").symlink_to(elsewhere)
    made = desk.generate("--effort", "min")
    assert made.code == 2, made
    assert list(elsewhere.iterdir()) == []
