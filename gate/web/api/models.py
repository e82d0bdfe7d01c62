"""What programs are answered, and what they send."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from gate.domain.history import RunRow
from gate.domain.jsonvalue import JsonValue
from gate.domain.stored_suite import CaseVersion, SuiteVersion
from gate.domain.verdict import Verdict

MOST = 2**63 - 1
"""Of what a database takes as the number of a row."""
_DIGEST = "sha256:0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4c3d2e1f0"
_WHEN = "2026-11-23T09:30:00Z"


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True)


class Wrong(_Model):
    """One mistake of several."""

    where: str
    message: str
    hint: str


class Problem(_Model):
    """What went wrong (RFC 9457); `errors` has each mistake of what was sent."""

    type: Literal["about:blank"] = "about:blank"
    title: str
    status: int
    detail: str
    hint: str = ""
    errors: list[Wrong] = []
    request_id: str = Field("", description="As in the header x-request-id; the server's log knows it by that.")


class About(_Model):
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
    repository: str = Field(examples=["acme/shop"])
    branch: str = Field(examples=["kinder"])
    event: str = Field(examples=["pull_request"])
    pull_request: int | None = Field(examples=[7])
    pushed_by: str = Field(examples=["Ann (token ci)"])
    commit: str
    verdict: Verdict
    exit_code: int
    waived: str
    kind: str
    suites: list[str] = Field(examples=[["support"]])
    samples: int = Field(description="How many are kept.", examples=[240])
    spent_usd: float | None = Field(examples=[0.42])
    page: str = Field(description="Where people look at it.", examples=["/runs/12"])

    @classmethod
    def of(cls, row: RunRow) -> "Run":
        """Of the store's."""
        context = row.context
        return cls(
            id=row.id,
            digest=row.digest,
            created=row.created,
            stored=row.stored,
            repository=context.repository,
            branch=context.branch,
            event=context.event,
            pull_request=context.pull_request,
            pushed_by=context.pushed_by,
            commit=row.commit,
            verdict=row.verdict,
            exit_code=row.exit_code,
            waived=row.waived,
            kind=row.kind,
            suites=list(row.suites),
            samples=row.samples,
            spent_usd=row.spent_usd,
            page=f"/runs/{row.id}",
        )


class Runs(_Model):
    """Runs, the newest first; the header Link names the next page."""

    runs: list[Run]


class WholeRun(Run):
    """A run with its record, schema `prompt-gate/run/1`."""

    record: dict[str, JsonValue]


class Pushed(_Model):
    """A run that is in the store; `new` where it was not there before."""

    id: int = Field(examples=[12])
    new: bool
    page: str = Field(examples=["/runs/12"])


class Suite(_Model):
    """The newest version of a suite."""

    name: str = Field(examples=["support"])
    version: int = Field(examples=[12])
    label: str = Field(description="As gate.yaml names it.", examples=["store:support@12"])
    digest: str = Field(examples=[_DIGEST])
    cases: int = Field(examples=[40])
    author: str = Field(examples=["Ann"])
    made: datetime = Field(examples=[_WHEN])
    what: str = Field(examples=["edited refund-1"])

    @classmethod
    def of(cls, one: SuiteVersion) -> "Suite":
        """Of the store's."""
        return cls(
            name=one.suite,
            version=one.number,
            label=one.label,
            digest=one.digest,
            cases=one.cases,
            author=one.author,
            made=one.made,
            what=one.what,
        )


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
    version: int = Field(examples=[3])
    etag: str = Field(description="For If-Match.", examples=['"3-0f1e2d3c4b5a"'])
    author: str = Field(examples=["Ann"])
    made: datetime = Field(examples=[_WHEN])
    entry: dict[str, JsonValue] | None = Field(description="Null where the case was archived.", examples=[EXAMPLE_CASE])

    @classmethod
    def of(cls, one: CaseVersion, etag: str) -> "Case":
        """Of the store's."""
        entry = None if one.entry is None else dict(one.entry)
        return cls(name=one.name, version=one.number, etag=etag, author=one.author, made=one.made, entry=entry)


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
