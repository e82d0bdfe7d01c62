"""Bodies of requests and answers."""

import hashlib
from datetime import datetime
from typing import Annotated, Literal

from pydantic import AliasPath, BaseModel, ConfigDict, Field, computed_field

from gate.cases.reading import canonical
from gate.record.comparison import Verdict
from gate.record.run import RunRecord
from gate.values import JsonValue

MOST = 2**63 - 1
"""Largest row id of a database."""
_DIGEST = "sha256:0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4c3d2e1f0"
_WHEN = "2026-11-23T09:30:00Z"


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, from_attributes=True)


class ServerInfo(_Model):
    """This server, and the caller's scopes."""

    service: Literal["prompt-gate"] = "prompt-gate"
    api: Literal[1] = 1
    caller: str = Field(examples=["Ann (token ci)"])
    scopes: list[str] = Field(examples=[["runs:read", "runs:write"]])
    run_bytes: int = Field(description="Largest upload of a run in bytes, samples included.", examples=[536870912])


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
    samples: int = Field(description="Number of stored samples.", examples=[240])
    spent_usd: float | None = Field(examples=[0.42])

    @computed_field(description="Its page in the web interface.", examples=["/runs/12"])
    @property
    def page(self) -> str:
        """Its page in the web interface."""
        return f"/runs/{self.id}"


class Runs(_Model):
    """Runs, newest first; the header Link has the next page."""

    runs: list[Run]


class WholeRun(Run):
    """A run with its record, schema `prompt-gate/run/1`."""

    record: RunRecord


class Pushed(_Model):
    """A stored run; `new` if it was not stored before."""

    id: int = Field(examples=[12])
    new: bool
    page: str = Field(examples=["/runs/12"])


class Suite(_Model):
    """The newest version of a suite."""

    name: str = Field(validation_alias="suite", examples=["support"])
    version: int = Field(validation_alias="number", examples=[12])
    label: str = Field(description="Its name in gate.yaml.", examples=["store:support@12"])
    digest: str = Field(examples=[_DIGEST])
    cases: int = Field(examples=[40])
    author: str = Field(examples=["Ann"])
    made: datetime = Field(examples=[_WHEN])
    what: str = Field(examples=["edited refund-1"])


class Suites(_Model):
    """All suites, by name."""

    suites: list[Suite]


class NewSuite(BaseModel):
    """A suite to create."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)
    name: str = Field(examples=["support"])


EXAMPLE_CASE: dict[str, JsonValue] = {
    "id": "refund-1",
    "input": "May I still send it back?",
    "expected": "30 days",
    "slices": {"tier": "free"},
}


class Case(_Model):
    """One version of a case; `entry` is the case as in a case file."""

    name: str = Field(examples=["refund-1"])
    version: int = Field(validation_alias="number", examples=[3])
    author: str = Field(examples=["Ann"])
    made: datetime = Field(examples=[_WHEN])
    entry: dict[str, JsonValue] | None = Field(description="Null if the case was archived.", examples=[EXAMPLE_CASE])

    @computed_field(description="For If-Match.", examples=['"3-0f1e2d3c4b5a"'])
    @property
    def etag(self) -> str:
        """Identifies this version by its number and content."""
        said = "" if self.entry is None else canonical(self.entry)
        return f'"{self.version}-{hashlib.sha256(said.encode()).hexdigest()[:12]}"'


class Cases(_Model):
    """Cases in the order of the suite; the header Link has the next page."""

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
