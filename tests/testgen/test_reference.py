"""Expected outputs are a reference model's, or there are none."""

import asyncio

from gate.config.specification import GeneratedTest
from gate.record.transcript import Failed
from gate.testgen.generate import with_expected


def test_an_answer_is_expected_and_no_answer_is_a_note() -> None:
    async def answer(test: GeneratedTest) -> str | Failed:
        return Failed("no budget left") if test.id == "b" else f"answer to {test.input}"

    tests = [GeneratedTest(name, "rule", input=name) for name in "abc"]
    found = asyncio.run(with_expected(tests, answer))
    assert [test.expected for test in found.tests] == ["answer to a", None, "answer to c"]
    assert found.notes == ("no expected output (no budget left): b",)
