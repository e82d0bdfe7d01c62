"""`shard.json`, schema `prompt-gate/shard/1`: what one part of a run had to evaluate, and how far it got.

The samples are next to it in `samples.jsonl`. Shards are put together by `gate merge` where they agree on what they
evaluated.
"""

from typing import Annotated, Literal, Self

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, NonNegativeInt, model_validator
from pydantic_core import PydanticCustomError

from gate.limits import SHARDS
from gate.record.findings.catalogue import AnyFinding
from gate.record.parts import CallsRecord
from gate.values import Amount, Count, JsonValue, SampleCount, digest

Text = Annotated[str, Field(max_length=4096)]
Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Commit = Annotated[str, Field(pattern=r"^([0-9a-f]{40}|[0-9a-f]{64})$")]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


class NamedCommit(_Model):
    """A commit, and the ref by which the user named it."""

    ref: Text
    sha: Commit


class GitInputs(_Model):
    """Git mode: two commits; without a head it is the working tree."""

    mode: Literal["git"] = "git"
    base: NamedCommit
    head: NamedCommit | None
    config: Text
    suites: list[Text]
    everything: bool


class FileInputs(_Model):
    """File mode: the options of `gate diff` as typed."""

    mode: Literal["files"] = "files"
    baseline: Text
    candidate: Text
    cases: Text
    scorers: list[Text]
    criteria: str | None
    model: Text | None
    baseline_model: Text | None
    candidate_model: Text | None


class SuiteDigest(_Model):
    """One suite as it was read: SHA-256 of prompt, model and parameters of each arm, and of the eval set."""

    name: Text
    baseline: Digest | None
    candidate: Digest
    exam: Digest
    samples: SampleCount


class Evaluation(_Model):
    """What all shards of one run have in common, to the letter."""

    tool_version: Text
    of: int = Field(ge=1, le=SHARDS)
    seed: NonNegativeInt
    inputs: Annotated[GitInputs | FileInputs, Field(discriminator="mode")]
    samples: SampleCount | None
    policy: Digest
    suites: list[SuiteDigest]

    @property
    def identity(self) -> str:
        """SHA-256 of all of it."""
        content: JsonValue = self.model_dump(mode="json")
        return digest(content)


class ShardBudget(_Model):
    """The limits of this shard: its part of the run's calls and dollars, and the run's minutes."""

    max_calls: Count | None
    max_usd: Amount | None
    max_minutes: Amount | None


class ShardRecord(_Model):
    """One shard: `unfinished` is why samples are missing, and is null where none is.

    `samples` counts the lines of `samples.jsonl`, failed samples included; it is null until the shard has ended.
    """

    # The key in the file is `schema`; pydantic keeps that name for itself.
    schema_id: Literal["prompt-gate/shard/1"] = Field(default="prompt-gate/shard/1", alias="schema")
    identity: Digest
    number: int = Field(ge=1, le=SHARDS)
    evaluation: Evaluation
    budget: ShardBudget
    created: AwareDatetime
    duration_s: Amount
    unfinished: AnyFinding | None
    samples: Count | None
    calls: CallsRecord
    spent_usd: Amount | None

    @property
    def name(self) -> str:
        """`3/10`."""
        return f"{self.number}/{self.evaluation.of}"

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.number > self.evaluation.of:
            raise PydanticCustomError("no_such_shard", "the shard {name} cannot be", {"name": self.name})
        if self.identity != self.evaluation.identity:
            raise PydanticCustomError("edited", "identity is not that of the evaluation below it: it was edited")
        return self
