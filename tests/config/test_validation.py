"""Errors of a model: all at once, with their places, in plain words."""

from typing import Annotated, Literal

from pydantic import Field, field_validator, model_validator

from gate.config.documents import read_json, read_jsonl, read_yaml
from gate.config.validation import FileModel, validate, value_error, value_errors
from tests.config.texts import errors


class _Policy(FileModel):
    fail_on: Literal["block", "hold"] = "block"
    confidence: float = Field(default=0.95, gt=0.5, le=0.999, examples=[0.95])
    margin: float | None = Field(default=None, ge=0, lt=1)
    stop: str | list[str] = ""
    slices: Annotated[tuple[str, ...], Field(strict=False)] = ()

    @model_validator(mode="after")
    def _consistent(self) -> "_Policy":
        if "all" in self.slices:
            raise value_errors((("slices", self.slices.index("all")), "is everything", "leave it out"))
        return self


class _Suite(FileModel):
    meant = {"prompts": "prompt"}
    name: str = Field(pattern=r"\S", max_length=10, examples=["support"])
    prompt: str
    samples: int = Field(default=3, ge=1, le=100)
    policy: _Policy = _Policy()

    @field_validator("name")
    @classmethod
    def _plain(cls, name: str) -> str:
        if "/" in name:
            raise value_error("must not hold '/'", "use '-'")
        return name


class _File(FileModel):
    suites: list[_Suite] = Field(min_length=1)


BAD = """suitez: 3
suites:
  - name: 5
    prompts: a
    samples: many
    policy:
  - name: much too long
    prompt: a
    samples: 1000
    policy: {fail_on: warn, confidence: 1, slices: x, margin: 1, stop: 3}
  - 3
  - name: a/b
    prompt: a
    policy: {slices: [one, 2]}
  - name: " "
    prompt: a
    policy:
      slices:
        - one
        - all
"""

SAID = """\
gate.yaml:1: unknown key 'suitez' (did you mean 'suites'?)
gate.yaml:3: 'prompt' is missing in suites[0]
gate.yaml:3: suites[0].name must be text, not 5 (put it in quotes)
gate.yaml:4: unknown key 'prompts' in suites[0] (did you mean 'prompt'?)
gate.yaml:5: suites[0].samples must be a whole number, not 'many'
gate.yaml:7: suites[1].name is longer than 10 characters (for example name: support)
gate.yaml:9: suites[1].samples must be less than or equal to 100, not 1000
gate.yaml:10: suites[1].policy.confidence must be less than or equal to 0.999, not 1 (for example confidence: 0.95)
gate.yaml:10: suites[1].policy.fail_on must be block or hold, not 'warn'
gate.yaml:10: suites[1].policy.margin must be less than 1, not 1
gate.yaml:10: suites[1].policy.slices must be a list, not 'x' (write it as [one, two])
gate.yaml:10: suites[1].policy.stop must be text or a list, not 3 (put it in quotes)
gate.yaml:11: suites[2] must be a mapping, not 3
gate.yaml:12: suites[3].name must not hold '/' (use '-')
gate.yaml:14: suites[3].policy.slices[1] must be text, not 2 (put it in quotes)
gate.yaml:15: suites[4].name is blank (for example name: support)
gate.yaml:20: suites[4].policy.slices[1] is everything (leave it out)"""


def test_every_error_of_a_yaml_file() -> None:
    assert errors(lambda: validate(_File, read_yaml(BAD, "gate.yaml"))) == SAID


def test_an_empty_value_is_not_given() -> None:
    found = validate(_Suite, read_yaml("name: a\nprompt: b\nsamples:\npolicy:\n", "f.yaml"))
    assert (found.samples, found.policy) == (3, _Policy())


def test_errors_of_json_and_json_lines() -> None:
    assert errors(lambda: validate(_File, read_json('{"suites": []}', "g.json"))) == "g.json: suites is empty"
    line = read_jsonl('\n{"name": "a", "prompt": "x", "policy": {"margin": true}}', "c.jsonl")[0]
    assert errors(lambda: validate(_Suite, line)) == ("c.jsonl:2: policy.margin must be a number, not true")
    part = read_json('{"cases": [{"name": "a"}]}', "c.json").part("cases", 0)
    assert errors(lambda: validate(_Suite, part)) == "c.json: 'prompt' is missing in cases[0]"
