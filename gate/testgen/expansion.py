"""Inputs made richer and harder, valid and about the same statement as before."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace

from gate.domain.absence import Failed
from gate.domain.jsonvalue import JsonValue
from gate.domain.promptspec import GeneratedTest
from gate.testgen.asking import Asker, Question, text_of
from gate.testgen.assembly import shown
from gate.testgen.found import noted
from gate.testgen.frames import TEXT, framed, object_schema
from gate.testgen.source import Made, Source


async def expanded(source: Source, tests: tuple[GeneratedTest, ...], generator: Asker) -> Made:
    """The tests after `settings.expansions` rounds; where a round gives nothing usable, a test keeps its input.

    Args:
        source: the prompt and its specification.
        tests: what to expand, in one request for each test and round.
        generator: writes the inputs.
    """
    problems: dict[str, list[str]] = defaultdict(list)
    for turn in range(source.settings.expansions):
        replies = await generator.ask_all([_question(source, test, turn) for test in tests])
        for test, reply in zip(tests, replies, strict=True):
            if isinstance(reply, Failed):
                problems[f"not made harder ({reply.reason})"].append(test.id)
        tests = tuple(test if isinstance(reply, Failed) else reply for test, reply in zip(tests, replies, strict=True))
    return Made(tests, noted(problems))


def _question(source: Source, test: GeneratedTest, turn: int) -> Question[GeneratedTest]:
    rule = source.specification.rule(test.rule)
    statement = "" if rule is None else rule.inverse if test.kind == "inverse" else rule.text
    texts = shown(test)
    view = {**source.view(statement, *(text for _, text in texts)), "statement": statement, "input": texts}
    extra = source.settings.instructions.get("expansion", "")
    schema: dict[str, Mapping[str, JsonValue]] = {
        "reasoning": dict(TEXT),
        **source.shape.schema(),
        "behaviour": dict(TEXT),
    }

    def read(found: Mapping[str, JsonValue]) -> GeneratedTest:
        told = replace(test, reasoning=text_of(found, "reasoning"), behaviour=text_of(found, "behaviour"))
        return source.shape.fill(told, source.shape.read(found))

    return Question(
        "expansion", lambda problem: framed("expansion", view, extra, problem), object_schema(schema), read, turn
    )
