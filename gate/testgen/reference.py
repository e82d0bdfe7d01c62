"""Expected outputs: what a reference model answers to the prompt under test itself."""

from collections import defaultdict
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from gate.calls.together import together
from gate.domain.absence import Failed
from gate.domain.promptspec import GeneratedTest
from gate.testgen.found import noted
from gate.testgen.source import Made

Answer: TypeAlias = Callable[[GeneratedTest], Coroutine[Any, Any, str | Failed]]
"""The output of the prompt under test, with a reference model, for one test."""


async def with_expected(tests: Sequence[GeneratedTest], answer: Answer) -> Made:
    """The tests with a reference model's answers; one without an answer has no expected output, and a note.

    An expected output is what one model said once. It is no truth: a person reads it before it counts.

    Args:
        tests: to be answered side by side.
        answer: asks the reference model.
    """
    replies = await together(map(answer, tests))
    problems: dict[str, list[str]] = defaultdict(list)
    answered: list[GeneratedTest] = []
    for test, reply in zip(tests, replies, strict=True):
        if isinstance(reply, Failed):
            problems[f"no expected output ({reply.reason})"].append(test.id)
        answered.append(test if isinstance(reply, Failed) else replace(test, expected=reply))
    return Made(tuple(answered), noted(problems))
