"""Suites and samples with known scores, for tests of everything after sampling."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from gate.cases.case import Case
from gate.config.models import ModelRef, Params
from gate.config.policy import SuitePolicy
from gate.config.scorer import ScorerSpec
from gate.engine.samples import SampleTable
from gate.messages import Message
from gate.prompts.version import Prompt, PromptVersion
from gate.record.transcript import ArmName, Dollars, Failed, Reply, Sample, Score, Unscored, Usage
from gate.suite import Arm, Exam, Suite

ScoreOf = Callable[[Case, ArmName, int], float | None]


def arm(text: str = "Be kind.", model: str = "fake:m") -> Arm:
    """An arm with a plain prompt."""
    provider, name = model.split(":", 1)
    version = PromptVersion("prompts/p.md", "main", "a" * 40, Prompt((Message("system", text),)))
    return Arm(version, ModelRef(provider, name), Params())


def suite(
    slices: Sequence[Mapping[str, str]],
    *,
    name: str = "support",
    samples: int = 1,
    policy: SuitePolicy | None = None,
    clusters: Sequence[str | None] | None = None,
) -> Suite:
    """A suite with one case for each entry of `slices`."""
    named = clusters or [None] * len(slices)
    cases = tuple(
        Case(
            f"c{i:03}",
            input=f"question {i}",
            expected="yes",
            slices=dict(row),
            cluster=named[i],
            where=f"cases.jsonl:{i + 1}",
        )
        for i, row in enumerate(slices)
    )
    dimensions = tuple(dict.fromkeys(key for row in slices for key in row))
    scorers = (ScorerSpec("contains", "contains", {"value": "{{ expected }}"}),)
    exam = Exam("main", "e" * 64, cases, scorers, dimensions, policy or SuitePolicy())
    return Suite(name, arm(), arm("Be brief."), exam, samples)


def reply(cost: float = 0.001, latency_s: float | None = 0.5) -> Reply:
    """A reply with known price and time."""
    return Reply("yes", "m-1", Usage(20, 0, 0, 3), Dollars(cost), latency_s, 1, "stop")


def take(suite: Suite, score_of: ScoreOf, reply_of: Callable[[ArmName, int], Reply] | None = None) -> list[Sample]:
    """Every sample of a suite; a score of None is a failed call."""
    out = []
    for position, case in enumerate(suite.exam.cases):
        for name in ArmName:
            for index in range(suite.samples):
                score = score_of(case, name, index)
                answer = reply_of(name, position) if reply_of else reply()
                sample = Sample(suite.name, case.id, name, index, answer)
                if score is None:
                    sample = replace(
                        sample, reply=Failed("503 from the service", 6), score=Unscored("503 from the service")
                    )
                else:
                    sample = replace(sample, scores=(Score("contains", score),), score=score)
                out.append(sample)
    return out


def table_of(samples: Iterable[Sample]) -> SampleTable:
    """A table of samples that are read from a list."""
    kept = list(samples)
    table = SampleTable(kept.__getitem__)
    for place, sample in enumerate(kept):
        table.add(sample, place)
    return table
