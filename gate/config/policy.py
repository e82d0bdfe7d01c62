"""Rules for the verdict, the budget of a run, and the use of cached answers."""

from typing import Any, Literal, Self

from pydantic import Field, PrivateAttr, field_validator, model_validator

from gate.config.validation import FileModel, value_error, value_errors
from gate.config.values import Names
from gate.values import exact_dollars

MethodName = Literal["maxt", "percentile"]


Limit = Literal["max_calls", "max_usd", "max_minutes", "max_output_tokens"]


class SlicePolicy(FileModel):
    """Rules for one slice in place of those of the suite."""

    meant = {"tolerance": "margin", "min_score": "min_pass_rate", "threshold": "min_pass_rate"}

    margin: float | None = Field(
        default=None, ge=0, lt=1, examples=[0.02], description="Drop of the mean score that is tolerated."
    )
    min_pass_rate: float | None = Field(
        default=None,
        gt=0,
        lt=1,
        examples=[0.9],
        description="Share of cases that must pass for a new prompt.",
    )


class SuitePolicy(SlicePolicy):
    """Rules for the verdict of one suite."""

    meant = {**SlicePolicy.meant, "margins": "slices", "slice": "slices", "thresholds": "slices"}

    margin: float = Field(
        default=0.0, ge=0, lt=1, examples=[0.02], description="Drop of the mean score that is tolerated."
    )
    max_cost_increase: float = Field(
        default=0.10,
        ge=0,
        le=10,
        examples=[0.10],
        description="Allowed increase of the mean cost, as a share.",
    )
    max_latency_increase: float = Field(
        default=0.20,
        ge=0,
        le=10,
        examples=[0.20],
        description="Allowed increase of the latency, as a share.",
    )
    required: Names = Field(default=(), description="Slices that make the run INCONCLUSIVE if they have too few cases.")
    advisory: Names = Field(default=(), description="Slices that are shown but never block.")
    slices: dict[str, SlicePolicy] = Field(default={}, description="Other values for single slices, by name.")

    @field_validator("slices", mode="before")
    @classmethod
    def _empty(cls, value: Any) -> Any:
        return {key: inner or {} for key, inner in value.items()} if isinstance(value, dict) else value

    @model_validator(mode="after")
    def _either(self) -> Self:
        both = [at for at, name in enumerate(self.advisory) if name in self.required]
        if both:
            errors = ((("advisory", at), "is both required and advisory", "keep it in one of the two") for at in both)
            raise value_errors(*errors)
        return self

    def margin_of(self, name: str) -> float:
        """The allowed drop of one slice, by its name within the suite."""
        own = self.slices.get(name, SlicePolicy()).margin
        return self.margin if own is None else own

    def wanted_rate(self, name: str) -> float | None:
        """The pass rate that a slice must reach; None if any is fine."""
        own = self.slices.get(name, SlicePolicy()).min_pass_rate
        return self.min_pass_rate if own is None else own


class RunPolicy(FileModel):
    """Rules for the verdict of the whole run."""

    meant = {
        **{"fail-on": "fail_on", "alpha": "confidence"},
        **dict.fromkeys(("margin", "min_pass_rate", "slices", "required", "advisory"), "policy of a suite"),
        **dict.fromkeys(("max_cost_increase", "max_latency_increase"), "policy of a suite"),
    }

    confidence: float = Field(
        default=0.95,
        gt=0.5,
        le=0.999,
        examples=[0.95],
        description="One-sided alpha is (1 - confidence) / 2, for all slices together.",
    )
    fail_on: Literal["block", "hold"] = Field(
        default="block", description="Verdict that exits with 1: BLOCK, or HOLD as well."
    )
    method: MethodName = Field(
        default="maxt",
        description="maxt tests all slices together; percentile tests each slice separately.",
    )
    breakage: bool = Field(default=False, description="With maxt, also test whether any case changed.")
    early_stop: bool = Field(
        default=True,
        description="Stop calling the model when the verdict is clear.",
    )
    mode: Literal["enforce", "advisory"] = Field(
        default="enforce",
        description="advisory only reports; no pull request fails.",
    )

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.breakage and not self.joint:
            raise value_error(
                f"has a contradiction: breakage needs the method maxt, not {self.method}", "remove one of the two"
            )
        return self

    @property
    def alpha(self) -> float:
        return (1.0 - self.confidence) / 2.0

    @property
    def joint(self) -> bool:
        """The method tests all slices together."""
        return self.method == "maxt"


class Budget(FileModel):
    """Limits that are checked before each call; a run that reaches one is INCONCLUSIVE."""

    meant = {"max_tokens": "max_output_tokens"}

    max_calls: int | None = Field(default=None, ge=1, le=10_000_000, description="Model calls of one run.")
    max_usd: float | None = Field(default=None, ge=0, le=1_000_000, description="Dollars of one run.")
    max_minutes: float | None = Field(default=None, gt=0, le=10_000, description="Minutes of one run.")
    max_output_tokens: int | None = Field(default=None, ge=1, le=1_000_000, description="Tokens of one reply.")
    _set_by: dict[Limit, str] = PrivateAttr(default_factory=dict)
    """For limits that `budget` in gate.yaml did not set: the name of the setting that did."""

    def setting(self, limit: Limit) -> str:
        """The setting that set a limit, for messages: `budget.max_calls`, `the input max-calls`."""
        return self._set_by.get(limit, f"budget.{limit}")

    def lowered(self, limit: Limit, value: float, setting: str) -> Self:
        """The budget with one limit replaced.

        Args:
            value: a whole number if the limit is one.
            setting: name of its setting in messages.
        """
        changed = self.model_copy(update={limit: value})
        changed._set_by = {**self._set_by, limit: setting}
        return changed

    def limited(self, limit: Limit, value: float | None, setting: str) -> Self:
        """As `lowered`, but only if there is a value below the current limit."""
        own: float | None = getattr(self, limit)
        return self if value is None or (own is not None and own <= value) else self.lowered(limit, value, setting)

    def by_options(self, max_calls: int | None, max_usd: float | None) -> Self:
        """The budget with the limits of `--max-calls` and `--max-usd`, if given."""
        budget = self if max_calls is None else self.lowered("max_calls", max_calls, "--max-calls")
        return budget if max_usd is None else budget.lowered("max_usd", max_usd, "--max-usd")

    @property
    def usd_said(self) -> str:
        """The limit of dollars for messages; call it only if there is one."""
        return f"{self.setting('max_usd')} is {exact_dollars(self.max_usd or 0.0)}"


class CachePolicy(FileModel):
    """Which cached answers may be reused."""

    meant = {"max_age": "max_age_days", "max_size": "max_mb"}

    max_age_days: float = Field(default=7.0, ge=0, le=90, description="Oldest answer to reuse; 0 reuses none.")
    same_model: bool = Field(
        default=True,
        description="Reuse an answer only while the provider reports the same model id.",
    )
    max_mb: int = Field(
        default=512,
        ge=1,
        le=100_000,
        description="Size of the cache; the least recently used answers are deleted.",
    )
