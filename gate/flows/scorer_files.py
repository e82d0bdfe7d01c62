"""Rubrics, judge prompts and code that `gate.yaml` names are read into the scorers, from the side that names them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from gate.config.gatefile import Config, SuiteConfig
from gate.config.rubrics import parse_rubric
from gate.config.scorerspec import ScorerSpec
from gate.domain.jsonvalue import JsonValue
from gate.errors import InputErrors, Problem
from gate.flows.scorer_code import with_code
from gate.inputs.limits import PROMPT_CHARS
from gate.inputs.parts import TEMPLATE_ENDINGS
from gate.inputs.problems import one_problem, quoted
from gate.inputs.sandbox import BadTemplate
from gate.inputs.source import FileSource
from gate.inputs.templates import compile_template
from gate.inputs.text import decode


@dataclass(frozen=True, slots=True)
class ScorerFiles:
    """Reads what the scorers of one side name.

    What is read becomes a part of the scorers' options, so that whatever knows those knows the files' contents: the
    exam's digest, what a change edits of its exam, the trials of that.

    Args:
        source: the side.
        config: path of its `gate.yaml`.
        named: a path as the user should read it.
        problems: gets every mistake.
    """

    source: FileSource
    config: str
    named: Callable[[str], str]
    problems: list[Problem]
    _known: dict[tuple[str, str], Mapping[str, JsonValue]] = field(default_factory=dict)

    def of(self, config: Config) -> Config:
        """The configuration with scorers that are complete."""
        if not any(spec.files or spec.coded for suite in config.suites for spec in suite.scorers):
            return config
        return replace(config, suites=tuple(map(self._suite, config.suites)))

    def _suite(self, suite: SuiteConfig) -> SuiteConfig:
        # Without errors in it the configuration has one line for each scorer.
        lines = suite.scorer_lines or (suite.line,) * len(suite.scorers)
        return replace(suite, scorers=tuple(map(self._spec, suite.scorers, lines)))

    def _spec(self, spec: ScorerSpec, line: int) -> ScorerSpec:
        try:
            spec = with_code(spec, self.source)
        except InputErrors as errors:
            self.problems.extend(errors.problems)
        found: dict[str, JsonValue] = dict(spec.options)
        for option in ("file", "template"):
            path = spec.options.get(option)
            if spec.judged and isinstance(path, str):
                if (option, path) not in self._known:
                    self._known[option, path] = self._read(option, path, line)
                found |= self._known[option, path]
        return replace(spec, options=found)

    def _read(self, option: str, path: str, line: int) -> Mapping[str, JsonValue]:
        try:
            return self._parsed(option, path, line)
        except InputErrors as errors:
            self.problems.extend(errors.problems)
            return {}

    def _parsed(self, option: str, path: str, line: int) -> Mapping[str, JsonValue]:
        data, where = self.source.read(path), self.named(path)
        if data is None:
            what = "rubric" if option == "file" else "judge prompt"
            hint = "write the file, or name another one, as a path from the root of the repository"
            said = f"there is no {what} {quoted(path)} at {self.source.label}"
            raise one_problem(self.named(self.config), line, said, hint)
        text = decode(data, where)
        if len(text) > PROMPT_CHARS:
            raise one_problem(where, 0, f"is longer than {PROMPT_CHARS:,} characters")
        if option == "file":
            return parse_rubric(text, where)
        _check_prompt(text, path, where)
        return {"instructions": text}


def _check_prompt(text: str, path: str, where: str) -> None:
    if not text.strip():
        raise one_problem(where, 0, "is an empty judge prompt", "write what the judge has to look for")
    if not path.lower().endswith(TEMPLATE_ENDINGS):
        return
    try:
        compile_template(text)
    except BadTemplate as error:
        raise one_problem(where, error.line, error.message) from None
