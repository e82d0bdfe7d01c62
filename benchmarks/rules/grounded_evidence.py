"""Counts how often code accepts evidence as stating a rule word for word.

    python -m benchmarks.rules.grounded_evidence

The rules are those of `evals/promptpex` and of the mutants' prompts, with the evidence that people and models gave.
Each rule is also tested with the evidence of every other rule of its prompt.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from ruamel.yaml import YAML

from benchmarks.paths import DATA, ROOT
from gate.config.specification import OutputRule
from gate.testgen.prompt_under_test import Passages
from gate.testgen.specification.grounding import grounding_by_words


@dataclass(frozen=True, slots=True)
class Quoted:
    """A prompt with its rules: text and evidence of each."""

    prompt: str
    rules: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Taken:
    """How often evidence is accepted.

    Args:
        own, of_own: accepted rules with their own evidence, and all of these.
        other, of_other: the same with evidence of another rule of the prompt.
        contradicted: rules rejected because their own evidence seems to state another number.
    """

    own: int
    of_own: int
    other: int
    of_other: int
    contradicted: int


def prompts() -> Iterator[Quoted]:
    """All of them, in order of their files."""
    yaml = YAML(typ="safe")
    for path in sorted((ROOT / "evals" / "promptpex").glob("*/spec.yaml")):
        rules = tuple((rule["rule"], rule.get("evidence", "")) for rule in yaml.load(path)["rules"])
        yield Quoted(next(path.parent.glob("prompt.*")).read_text(encoding="utf-8"), rules)
    for path in sorted((DATA / "spec_mutants").glob("*.yaml")):
        for one in yaml.load(path):
            yield Quoted(one["text"], tuple((rule["text"], rule["evidence"]) for rule in one["rules"]))


def taken() -> Taken:
    """Count."""
    own, other = list[str](), list[str]()
    for one in prompts():
        passages = Passages(one.prompt)
        for text, evidence in one.rules:
            own.append(grounding_by_words(OutputRule("R1", text, evidence), passages))
            foreign = [words for _, words in one.rules if words != evidence]
            other += [grounding_by_words(OutputRule("R1", text, words), passages) for words in foreign]
    return Taken(own.count("verbatim"), len(own), other.count("verbatim"), len(other), own.count("ungrounded"))


if __name__ == "__main__":
    found = taken()
    print(f"own evidence accepted word for word: {found.own} of {found.of_own}; the judge decides about the others")
    print(f"own evidence wrongly rejected for another number: {found.contradicted} of {found.of_own}")
    print(f"evidence of another rule wrongly accepted: {found.other} of {found.of_other}")
