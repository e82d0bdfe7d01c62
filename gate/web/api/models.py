"""What programs are answered, and what they send."""

import hashlib
from datetime import datetime
from typing import Annotated, Literal

from pydantic import AliasPath, BaseModel, ConfigDict, Field, computed_field

from gate.cases.reading import canonical
from gate.record.comparison import Verdict
from gate.record.run import RunRecord
from gate.values import JsonValue

MOST = 2**63 - 1
"""Of what a database takes as the number of a row."""
_DIGEST = "sha256:0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4c3d2e1f0"
_WHEN = "2026-11-23T09:30:00Z"


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, from_attributes=True)


class ServerInfo(_Model):
    """This server, and what the caller may do."""

    service: Literal["prompt-gate"] = "prompt-gate"
    api: Literal[1] = 1
    caller: str = Field(examples=["Ann (token ci)"])
    scopes: list[str] = Field(examples=[["runs:read", "runs:write"]])
    run_bytes: int = Field(description="A run may be as large, samples included.", examples=[536870912])


class Run(_Model):
    """A run in a list."""

    id: int = Field(examples=[12])
    digest: str = Field(examples=[_DIGEST])
    created: datetime = Field(examples=[_WHEN])
    stored: datetime = Field(examples=[_WHEN])
    repository: str = Field(validation_alias=AliasPath("context", "repository"), examples=["acme/shop"])
    branch: str = Field(validation_alias=AliasPath("context", "branch"), examples=["kinder"])
    event: str = Field(validation_alias=AliasPath("context", "event"), examples=["pull_request"])
    pull_request: int | None = Field(validation_alias=AliasPath("context", "pull_request"), examples=[7])
    pushed_by: str = Field(validation_alias=AliasPath("context", "pushed_by"), examples=["Ann (token ci)"])
    commit: str
    verdict: Verdict
    exit_code: int
    waived: str
    kind: str
    suites: list[str] = Field(examples=[["support"]])
    samples: int = Field(description="How many are kept.", examples=[240])
    spent_usd: float | None = Field(examples=[0.42])

    @computed_field(description="Where people look at it.", examples=["/runs/12"])  # type: ignore[prop-decorator]
    @property
    def page(self) -> str:
        """Where people look at it."""
        return f"/runs/{self.id}"


class Runs(_Model):
    """Runs, the newest first; the header Link names the next page."""

    runs: list[Run]


class WholeRun(Run):
    """A run with its record, schema `prompt-gate/run/1`."""

    record: RunRecord


class Pushed(_Model):
    """A run that is in the store; `new` where it was not there before."""

    id: int = Field(examples=[12])
    new: bool
    page: str = Field(examples=["/runs/12"])


class Suite(_Model):
    """The newest version of a suite."""

    name: str = Field(validation_alias="suite", examples=["support"])
    version: int = Field(validation_alias="number", examples=[12])
    label: str = Field(description="As gate.yaml names it.", examples=["store:support@12"])
    digest: str = Field(examples=[_DIGEST])
    cases: int = Field(examples=[40])
    author: str = Field(examples=["Ann"])
    made: datetime = Field(examples=[_WHEN])
    what: str = Field(examples=["edited refund-1"])


class Suites(_Model):
    """All suites, by name."""

    suites: list[Suite]


class NewSuite(BaseModel):
    """A suite that is to begin."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)
    name: str = Field(examples=["support"])


EXAMPLE_CASE: dict[str, JsonValue] = {
    "id": "refund-1",
    "input": "May I still send it back?",
    "expected": "30 days",
    "slices": {"tier": "free"},
}


class Case(_Model):
    """One version of a case; `entry` is the case as it stands in a case file, whatever its form."""

    name: str = Field(examples=["refund-1"])
    version: int = Field(validation_alias="number", examples=[3])
    author: str = Field(examples=["Ann"])
    made: datetime = Field(examples=[_WHEN])
    entry: dict[str, JsonValue] | None = Field(description="Null where the case was archived.", examples=[EXAMPLE_CASE])

    @computed_field(description="For If-Match.", examples=['"3-0f1e2d3c4b5a"'])  # type: ignore[prop-decorator]
    @property
    def etag(self) -> str:
        """Names this version; a suite that was removed and begun again has other ones."""
        said = "" if self.entry is None else canonical(self.entry)
        return f'"{self.version}-{hashlib.sha256(said.encode()).hexdigest()[:12]}"'


class Cases(_Model):
    """Cases in the order of the suite; the header Link names the next page."""

    cases: list[Case]


Whole = Annotated[int, Field(strict=True, ge=1, lt=2**31)]
Short = Annotated[str, Field(max_length=200)]


class Origin(BaseModel):
    """Where a pushed run comes from."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)
    repository: Short = ""
    branch: Short = ""
    event: Annotated[str, Field(pattern="^[a-z_]{1,40}$")] = "local"
    pull_request: Whole | None = None
