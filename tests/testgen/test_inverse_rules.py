"""Inverse rules: each belongs to its rule, and what is missing is asked for once more, and nothing else is."""

import asyncio
from collections.abc import Mapping

import pytest

from gate.calls.interface import Request
from gate.config.specification import OutputRule
from gate.record.transcript import Failed
from gate.testgen.questions import StageResult
from gate.testgen.specification.extraction import find_inverse_rules
from gate.values import JsonValue
from tests.support.scripted_models import (
    Script,
    ScriptedModel,
    asked_rules,
    asker,
    inverted,
)


def rules(count: int) -> list[OutputRule]:
    return [OutputRule(f"R{number}", f"It keeps demand {number}.") for number in range(1, count + 1)]


def inverses(*pairs: tuple[str, str]) -> dict[str, JsonValue]:
    return {"inverses": [{"id": name, "inverse": text} for name, text in pairs]}


def found(script: Script, count: int = 2) -> tuple[StageResult[Mapping[str, str]], ScriptedModel]:
    model = ScriptedModel({"inverse": script})
    return asyncio.run(find_inverse_rules(rules(count), asker(model), "Be brief.")), model


@pytest.mark.parametrize(
    "first",
    [
        inverses(("R1", "It breaks demand 1.")),
        inverses(("R1", "It breaks demand 1."), ("R2", "It breaks it."), ("R2", "It does not keep it.")),
        inverses(("R1", "It breaks demand 1."), ("R2", "")),
    ],
)
def test_what_is_missing_wrong_or_there_twice_is_asked_for_once_more(first: dict[str, JsonValue]) -> None:
    result, model = found([first, inverses(("R1", "Not asked for."), ("R2", "It breaks demand 2."))])
    assert result == StageResult({"R1": "It breaks demand 1.", "R2": "It breaks demand 2."})
    assert [list(asked_rules(request)) for request in model.requests] == [["R1", "R2"], ["R2"]]
    assert "could not be used: it had no inverse" in model.requests[1].messages[1].content


def test_one_batch_that_fails_takes_no_other_with_it() -> None:
    def answer(request: Request) -> Failed | dict[str, JsonValue]:
        return Failed("503") if "R21" in asked_rules(request) else inverted(request)

    result, _ = found(answer, 41)
    assert set(result.value) == {f"R{number}" for number in (*range(1, 21), 41)}
    assert result.notes == ("no inverse of R21 to R40: 503",)


def test_a_poor_answer_that_is_known_does_not_stay_for_ever() -> None:
    poor = ScriptedModel({"inverse": inverses(("X1", "Not asked for."))})
    assert asyncio.run(find_inverse_rules(rules(2), asker(poor))).value == {}
    good = ScriptedModel(known=poor.known)
    assert set(asyncio.run(find_inverse_rules(rules(2), asker(good))).value) == {"R1", "R2"}
    assert len(good.requests) == 1, "the second request alone"
    later = ScriptedModel(known=good.known)
    assert set(asyncio.run(find_inverse_rules(rules(2), asker(later))).value) == {"R1", "R2"}
    assert later.requests == [], "the good answer has taken the place of the poor one"
