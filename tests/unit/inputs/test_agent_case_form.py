"""What tells a test of an agent from a case of the plain form."""

import json

import pytest

from gate.errors import InputErrors
from gate.inputs import cases


@pytest.mark.parametrize(
    "more",
    [{}, {"description": "the plainest"}, {"facts": {"city": "Rome"}}, {"slices": {"tier": "free"}}, {"rounds": None}],
    ids=str,
)
def test_a_name_and_a_prompt_are_enough(more: dict[str, object]) -> None:
    entry = {"name": "all", "prompt": "What are my listings?", **{k: v for k, v in more.items() if v is not None}}
    (case,) = cases.parse(json.dumps([entry]), "cases.json")
    assert (case.id, case.input) == ("all", "What are my listings?")


@pytest.mark.parametrize("more", [{}, {"description": "nothing"}, {"slices": {"tier": "free"}}], ids=str)
def test_one_that_has_a_name_alone_is_told_that_a_prompt_is_missing(more: dict[str, object]) -> None:
    with pytest.raises(InputErrors) as caught:
        cases.parse(json.dumps([{"name": "none", **more}]), "cases.json")
    assert "'prompt' is missing" in str(caught.value)
    assert "did you mean" not in str(caught.value)


def test_a_plain_case_with_a_prompt_in_it_is_told_what_it_lacks() -> None:
    with pytest.raises(InputErrors) as caught:
        cases.parse(json.dumps([{"id": "a", "prompt": "What?"}]), "cases.json")
    assert "'input' is missing" in str(caught.value)
