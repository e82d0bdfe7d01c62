"""Whatever a model replies, no stage breaks, and none makes more than was asked for."""

import asyncio
import json
from collections import Counter
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from gate.errors import CannotEvaluate
from gate.testgen.effort import EffortSettings
from gate.testgen.evaluation.trials import write_control_cases
from gate.testgen.generate import generate_tests
from gate.testgen.questions import GenerationSetup
from tests.support.scripted_tests import SUBJECT, ScriptedTests, specification

SPEC = specification(2, "sentence", "word")
SETTINGS = EffortSettings(2, 3, expansions=1)
WORDS = st.sampled_from(["S1", "S2", "T1", "sentence", "word", "edge", "boundary", "", "x", "\0", "Some text."])
ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=8,
)
PARTS = st.lists(st.fixed_dictionaries({"name": WORDS, "text": WORDS | ANY}), max_size=3)
ITEM = st.fixed_dictionaries(
    {},
    optional={
        "statement": WORDS,
        "reasoning": WORDS,
        "scenario": WORDS,
        "components": PARTS | ANY,
        "behaviour": WORDS,
        "id": WORDS,
        "reason": WORDS | ANY,
        "valid": st.booleans() | ANY,
    },
)
KEYS = ("tests", "verdicts", "inputs", "components", "reasoning", "behaviour")
BENT = st.dictionaries(st.sampled_from(KEYS), st.lists(ITEM | ANY, max_size=4) | ANY)


@given(st.lists(st.none() | BENT | st.text(max_size=40), min_size=1, max_size=6))
def test_arbitrary_replies(replies: list[Any]) -> None:
    def bend(number: int, good: dict[str, Any]) -> Any:
        said = replies[number % len(replies)]
        return good if said is None else said if isinstance(said, str) else json.dumps({**good, **said})

    model = ScriptedTests(dict.fromkeys(("tests", "expansion", "validity", "control"), bend))
    try:
        found = asyncio.run(generate_tests(SUBJECT, SPEC, GenerationSetup(model.asker(), model.asker(), SETTINGS)))
    except CannotEvaluate:
        pass
    else:
        tests = [*found.tests, *(one.test for one in found.discarded)]
        assert len({test.id for test in tests}) == len(tests)
        assert max(Counter((test.rule, test.kind) for test in tests).values()) <= SETTINGS.tests_per_rule
        assert all(set(test.components) == {"sentence", "word"} and test.said.strip() for test in tests)
    controls = asyncio.run(write_control_cases(SUBJECT, 3, SETTINGS, model.asker())).tests
    assert len(controls) <= 3
    assert len(model.requests) < 120
