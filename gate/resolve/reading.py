"""Reads the files of both sides of a comparison, and collects every error in them."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from gate.cases import reading as case_files
from gate.cases.case import Case
from gate.config.documents import decode, quoted
from gate.config.gatefile import Config, RuleComparisonOptions, SuiteConfig, load, parse_partly
from gate.config.models import ModelRef
from gate.config.targets import ToolLoop
from gate.config.values import file_part, is_python, is_store, prompt_parts
from gate.errors import GateError, InputErrors, Problem
from gate.prompts import reading
from gate.prompts.files import FileSource, PromptBuilder, absent_part, file_of, missing, names_like, source_place
from gate.prompts.version import TODAY, Library, PlaceholderRules, Prompt, PromptVersion
from gate.record.findings.unfinished import PromptDeleted
from gate.resolve.case_keys import CaseReaders, unread_keys
from gate.resolve.code import (
    NamedFilesReader,
    arm_of,
    built_version,
    case_with_code,
    incomplete,
    is_code,
    with_code_place,
)
from gate.resolve.contradicting import contradicting_scorers
from gate.resolve.exam import (
    ExamChanges,
    ExamEdit,
    JudgeDefault,
    ScoringRules,
    SuiteWithEdits,
    build,
    changes,
    edit_of,
    with_quotes,
    with_simulated_users,
)
from gate.resolve.missing_files import path_hint
from gate.resolve.own_settings import arms_with_edits
from gate.resolve.pairing import Pair, Sides, is_there, pair, stored
from gate.resolve.tool_names import idle_names, misspelt_tools
from gate.resolve.trust import forbidden, foreign_scorers, model_fault, of_suite, replaced, unfit
from gate.suite import Arm, Exam, Suite

if TYPE_CHECKING:
    from gate.config.specification import Specification

Parsed = TypeVar("Parsed")

_BOTH_SIDES = "a comparison needs a version of the prompt on both sides"


@dataclass(frozen=True, slots=True)
class _Begun:
    """A suite before the change's own prompt is read."""

    pair: Pair
    cases: tuple[Case, ...] | None
    head_cases: tuple[Case, ...] | None
    baseline: PromptVersion | None = None


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads files of both sides and collects every error; a case file of several suites is read once a side."""

    sides: Sides
    config_path: str
    problems: list[Problem]
    absent: str = _BOTH_SIDES
    _parsed_cases: dict[tuple[bool, str], tuple[Case, ...] | InputErrors | None] = field(default_factory=dict)
    _texts: dict[str, tuple[str, tuple[Case, ...]]] = field(default_factory=dict)

    def raise_problems(self) -> None:
        if self.problems:
            raise InputErrors(self.problems)

    def configs(self) -> tuple[Config | None, Config | None]:
        """The head's and the base's configuration; one that is the same on both sides is parsed once."""
        old, new = (source.read(self.config_path) for source in (self.sides.base, self.sides.head))
        base = self._config(self.sides.base, old) if old != new else None
        head = self._config(self.sides.head, new)
        return head, head if old == new else base

    def _config(self, source: FileSource, data: bytes | None) -> Config | None:
        where = _at(source, self.config_path)
        if data is None:
            return None
        return self._parsed(lambda: load(decode(data, where), where))

    def parse_partly(self) -> Config | None:
        """What can be read of a head configuration that has errors, which are noted already.

        Of a suite with an error only its prompt and its cases are checked here; other problems might only follow from
        the error.
        """
        text = decode(self.sides.head.read(self.config_path) or b"", self.config_path)
        config = self._parsed(lambda: parse_partly(text, self.config_path))
        for suite in config.suites if config is not None else ():
            if not suite.sound:
                self._look_at(suite)
        return config

    def _look_at(self, suite: SuiteConfig) -> None:
        called = replace(suite, name=suite.name or f"on line {suite.line}")
        if suite.prompt and not suite.is_pattern:
            self._version(self.sides.head, called, None)
        if suite.cases:
            self._cases(self.sides.head, called)

    def completed(self, config: Config | None, source: FileSource) -> Config | None:
        """A configuration with the contents of the files that its scorers and tools name."""
        if config is None:
            return None
        return NamedFilesReader(source, self.config_path, partial(_at, source), self.problems).of(config)

    def edits(self, read: Sequence[SuiteWithEdits], names: set[str], base: Config) -> tuple[ExamEdit, ...]:
        """The change's edits of exams that it did not bring."""
        taken = set(names)

        def fit(suite: Suite) -> str:
            return unfit(self.sides, suite, base)

        found = [self._parsed(partial(edit_of, one, taken, fit)) for one in read]
        self.raise_problems()
        return tuple(edit for edit in found if edit is not None)

    def suites(self, pairs: Sequence[Pair], base: Config | None) -> list[SuiteWithEdits]:
        """The suites, without those that have a problem.

        All prompts of the merge target come first: code of the change may alter the machine, which must not affect
        them.
        """
        begun = [self._begun(one) for one in pairs]
        found = [self._finished(one, base) for one in begun if one is not None]
        return [suite for suite in found if suite is not None]

    def _begun(self, pair: Pair) -> _Begun | None:
        cases = self._cases(pair.source, pair.exam)
        head_cases = self._head_cases(pair) if cases is not None else None
        if self.sides.stranger and is_code(pair):
            self._refuse_code(pair)
            return None
        begun = _Begun(pair, cases, head_cases)
        if pair.new_prompt:
            return begun
        return replace(begun, baseline=self._version(self.sides.base, pair.exam, self._asked(begun)))

    def _finished(self, begun: _Begun, base: Config | None) -> SuiteWithEdits | None:
        pair, cases, head_cases, baseline = begun.pair, begun.cases, begun.head_cases, begun.baseline
        candidate = self._version(self.sides.head, pair.current, self._asked(begun))
        if (baseline is None and not pair.new_prompt) or candidate is None or cases is None or head_cases is None:
            return None
        if message := model_fault(pair, base):
            hint = "a fork could make up answers that always pass, and a model file is in the repository's folder"
            self.problems.append(Problem(_at(self.sides.head, self.config_path), pair.current.line, message, hint))
            return None
        if self.sides.stranger and (message := forbidden(pair.current.name, pair.current.target, base)):
            hint = "review it, then push it to a branch of this repository"
            self.problems.append(Problem(_at(self.sides.head, self.config_path), pair.current.line, message, hint))
            return None
        led = pair.exam.conversing, pair.exam.placeholders
        rules = ScoringRules(pair.exam.scorers, pair.exam.slices, pair.exam.policy, pair.exam.threshold, *led)
        judge = JudgeDefault(_model(pair.exam), pair.exam.params)
        exam = self._parsed(
            lambda: self._placed(self._built(build(cases, rules, pair.source.label, judge), pair), pair)
        )
        if exam is None:
            return None
        if self.sides.stranger and pair.own_exam and any(spec.kind == "database" for spec in exam.all_scorers()):
            message = f"suite {pair.current.name} adds a scorer that queries a database"
            hint = "its query only runs after the change is merged"
            self.problems.append(Problem(_at(self.sides.head, self.config_path), pair.current.line, message, hint))
            return None
        after = arm_of(self.sides, self.sides.head, pair.current, candidate)
        before = None if baseline is None else arm_of(self.sides, self.sides.base, pair.exam, baseline)
        if before is not None:
            arms = before, after
            if (edited := self._parsed(lambda: arms_with_edits(*arms))) is None:
                return None
            before, after = edited
        if idle := tuple(self._idle(begun, before, after)):
            self.problems.extend(idle)
            return None
        suite = Suite(
            name=pair.current.name,
            baseline=before,
            candidate=after,
            exam=with_quotes(exam, pair.source),
            samples=pair.exam.samples,
            own_exam=pair.own_exam,
            promises=self._promises(pair),
        )
        hint = f"suite {suite.name} uses it as a model or judge, on both sides; change it in a separate pull request"
        for path in replaced(self.sides, of_suite(suite)):
            self.problems.append(Problem(path, 0, "the change replaces this file, or its path contains a link", hint))
        label = self.sides.head.label
        delta = ExamChanges() if head_cases is cases else changes(cases, head_cases)
        return SuiteWithEdits(pair, suite, delta, head_cases, label, judge, _compared(pair, suite))

    def _idle(self, begun: _Begun, baseline: Arm | None, candidate: Arm) -> Iterator[Problem]:
        """What checks nothing, in what the change leaves behind: it may be the one that removes it."""
        config, cases = begun.pair.current, begun.head_cases or ()
        place = _at(self.sides.head, self.config_path), config.line
        if baseline is not None and (problem := _made_otherwise(baseline.version, candidate.version)):
            yield problem
        if not begun.pair.left_out:
            settings = config.name, config.scorers, config.threshold, config.conversing
            yield from unread_keys(CaseReaders(*settings, (candidate,)), cases)
            yield from misspelt_tools(config.scorers, cases, [arm for arm in (baseline, candidate) if arm is not None])
            yield from contradicting_scorers((config.name, *place), config.scorers, cases)
        if isinstance(candidate.target, ToolLoop):
            yield from (
                Problem(*place, f"suite {config.name}: {message}", hint)
                for message, hint in idle_names(candidate.target)
            )

    def _promises(self, pair: Pair) -> RuleComparisonOptions | None:
        """The comparison of promises: only the base decides on it, and its specification counts."""
        wanted = pair.exam.promises
        if wanted is None or pair.own_exam or pair.new_prompt:
            return None
        found = self._specification(pair.source, wanted.spec) if wanted.spec else None
        promises = wanted.completed(_model(pair.exam), pair.exam.params)
        paths = replaced(self.sides, (promises.model, promises.judge))
        unable = f"the change replaces {paths[0]}, or its path contains a link" if paths else ""
        return replace(promises, specification=found, unable=unable)

    def _specification(self, source: FileSource, path: str) -> "Specification | None":
        from gate.config.specification_file import parse_specification  # few suites compare promises

        where, data = _at(source, path), source.read(path)
        if data is None:
            hint = "gate generate writes one; or remove promises.spec to extract it automatically"
            self.problems.append(Problem(where, 0, "this file does not exist", hint))
            return None
        return self._parsed(lambda: parse_specification(decode(data, where), where))

    def _asked(self, begun: _Begun) -> tuple[Case, ...] | None:
        """The cases that a prompt is built for; None where anything is wrong so far, so that no code runs in vain."""
        if begun.cases is None or begun.head_cases is None or self.problems:
            return None
        return (*begun.cases, *begun.head_cases)

    def deletions(self, suites: Sequence[SuiteConfig]) -> tuple[PromptDeleted, ...]:
        """One for each prompt, with the cases of all suites that examine it."""
        counts: dict[str, int | None] = {}
        for suite in suites:
            known, more = counts.get(suite.prompt, 0), self._count(suite)
            counts[suite.prompt] = None if known is None or more is None else known + more
        if not counts:
            return ()
        from gate.resolve.renames import likely_successor  # few changes remove a prompt

        base, head = self.sides.base, self.sides.head
        return tuple(
            PromptDeleted(prompt=path, ref=base.label, cases=count, likely=likely_successor(base, head, path))
            for path, count in counts.items()
        )

    def is_same_prompt(self, pair: Pair) -> bool:
        """Is the prompt the same on both sides, by the text that a model gets? A function's is not known."""
        if is_code(pair):
            return False
        before, after = (
            self._version(source, config, None)
            for source, config in ((self.sides.base, pair.exam), (self.sides.head, pair.current))
        )
        return before is not None and after is not None and _content(before) == _content(after)

    def _count(self, suite: SuiteConfig) -> int | None:
        """Cases of the base; None where they cannot be read: that is the base's error, and nothing depends on it."""
        try:
            cases = self._case_file(self.sides.base, suite.cases)
        except GateError:
            return None
        return len(cases) if isinstance(cases, tuple) else None

    def _head_cases(self, pair: Pair) -> tuple[Case, ...] | None:
        """The head's cases, to report changes; a suite that was left out may have lost its cases too."""
        cases = pair.current.cases
        if pair.left_out and not is_store(cases) and self.sides.head.read(cases) is None:
            return ()
        return self._cases(self.sides.head, pair.current)

    def _built(self, exam: Exam, pair: Pair) -> Exam:
        """The exam, with the store of its cases if they are in one."""
        kept = stored(self.sides.stored_suites, pair.exam.cases)
        return exam if kept is None else replace(exam, store=kept.label, store_digest=kept.digest)

    def _placed(self, exam: Exam, pair: Pair) -> Exam:
        file = _at(self.sides.head, self.config_path)
        where = partial(Problem, file, pair.current.line)
        return with_code_place(with_simulated_users(exam), self.sides, pair.source, where)

    def _refuse_code(self, pair: Pair) -> None:
        prompt = pair.current.prompt if is_python(pair.current.prompt) else pair.exam.prompt
        message = f"suite {pair.current.name}: {prompt} is code, and code does not run for a change from a fork"
        hint = "review it, then push it to a branch of this repository"
        self.problems.append(Problem(_at(self.sides.head, self.config_path), pair.current.line, message, hint))

    def _version(self, source: FileSource, config: SuiteConfig, cases: Sequence[Case] | None) -> PromptVersion | None:
        if not is_there(source, config.prompt):
            gone = source is self.sides.head and file_of(self.sides.base, config.prompt) is not None
            need = "set its new path in the suite" if gone else self.absent
            like = names_like(source, config.prompt) or self._path_hint(source, config.prompt)
            hint = "; ".join(filter(None, (like, f"suite {config.name} uses it", need)))
            message = f"{missing(source, config.prompt)} {source_place(source)}"
            self.problems.append(Problem(config.prompt, 0, message, hint))
            return None
        if is_python(config.prompt):
            return None if cases is None else self._parsed(lambda: built_version(self.sides, source, config, cases))
        prompt = self._parsed(lambda: self._prompt(source, config))
        return None if prompt is None else PromptVersion(config.prompt, source.label, source.sha, prompt)

    def _path_hint(self, source: FileSource, prompt: str) -> str:
        path = file_part(absent_part(source, prompt)) if not is_store(prompt) else prompt
        return "" if source.fingerprint(path) is not None else path_hint((source,), path, self.config_path)

    def _prompt(self, source: FileSource, config: SuiteConfig) -> Prompt | None:
        """The prompt of one side, from its file or files."""
        named, rules = partial(_at, source), _placeholder_rules(config)
        if not config.roles:
            library = Library(config.prompt, source.read, named)
            return reading.read_named(source, config.prompt, named, rules, library)
        parts = [(part, reading.read_named(source, part, named, rules, None)) for part in prompt_parts(config.prompt)]
        return reading.as_messages([(named(part), found) for part, found in parts if found is not None])

    def _cases(self, source: FileSource, config: SuiteConfig) -> tuple[Case, ...] | None:
        cases = self._case_file(source, config.cases)
        if cases is None:
            hint = self._path_hint(source, config.cases) or "create it"
            hint += f", or fix 'cases' of suite {config.name}"
            self.problems.append(Problem(config.cases, 0, f"there is no such case file {source_place(source)}", hint))
        if isinstance(cases, InputErrors):
            self.problems.extend(cases.problems)
            return None
        if cases is not None and (kept := stored(self.sides.stored_suites, config.cases)):
            if found := foreign_scorers(cases, config, kept.label):
                self.problems.extend(found)
                return None
        return cases

    def is_blank(self, source: FileSource, path: str) -> bool:
        """Is it a case file with rows to fill in, of which none is filled in?"""
        found = self._case_file(source, path)
        return isinstance(found, InputErrors) and {one.message for one in found.problems} == {case_files.NOT_FILLED_IN}

    def _case_file(self, source: FileSource, path: str) -> tuple[Case, ...] | InputErrors | None:
        """The cases, or the errors in them; None where there is no such file."""
        key = source is self.sides.head, path
        if key not in self._parsed_cases:
            try:
                found = self._case_text(source, path)
                parsed = None if found is None else self._from_text(path, *found)
                if parsed and not is_store(path):
                    parsed = case_files.with_images(parsed, Library(path, source.read, partial(_at, source)))
                self._parsed_cases[key] = parsed and tuple(case_with_code(case, source) for case in parsed)
            except InputErrors as errors:
                self._parsed_cases[key] = errors
        return self._parsed_cases[key]

    def _from_text(self, path: str, text: str, name: str) -> tuple[Case, ...]:
        """The cases in a text, parsed once if the file is the same on both sides."""
        if path not in self._texts or self._texts[path][0] != text:
            self._texts[path] = text, case_files.parse(text, name)
        return self._texts[path][1]

    def _case_text(self, source: FileSource, path: str) -> tuple[str, str] | None:
        """The cases as text, and their name for messages; None where there is no such file."""
        if kept := stored(self.sides.stored_suites, path):
            return kept.text, kept.label
        data, where = source.read(path), _at(source, path)
        return None if data is None else (decode(data, where), where)

    def _parsed(self, parse: Callable[[], Parsed]) -> Parsed | None:
        try:
            return parse()
        except InputErrors as errors:
            self.problems.extend(errors.problems)
            return None


def _at(source: FileSource, path: str) -> str:
    """A path for the user: working-tree files by their plain path, others with their ref."""
    return path if source.sha is None else f"{source.label}:{path}"


def _placeholder_rules(config: SuiteConfig) -> PlaceholderRules:
    """The placeholders of a text inside a file: those that the suite fills in itself stay."""
    return PlaceholderRules(config.template, frozenset((TODAY, *(config.placeholders or {}))), config.nunjucks)


def _compared(pair: Pair, suite: Suite) -> bool:
    """Is there anything to compare or to test? If only the exam changed, both arms are the same."""
    if suite.baseline is None or pair.own_exam:
        return True
    arms = (suite.baseline, suite.candidate)
    if incomplete([arm.version for arm in arms]):
        return True
    versions = [_content(arm.version) for arm in arms]
    settings = [(arm.model, arm.params, arm.target, arm.code or arm.place) for arm in arms]
    return versions[0] != versions[1] or settings[0] != settings[1]


def _made_otherwise(before: PromptVersion, after: PromptVersion) -> Problem | None:
    """A value that other code makes on the two sides, for which the cases give the same: nothing would be compared."""
    old, new = before.prompt, after.prompt
    both = dict(old.made).keys() & dict(new.made).keys()
    differing = sorted({name for name, _ in {*old.made} ^ {*new.made}} & both)
    if not differing:
        return None
    names = ", ".join(map(quoted, differing))
    message = f"the change edits the code that makes {names}, for which the cases give values; it would not be tested"
    hint = (
        "write what it makes into the text, or let a Python function build the prompt (prompt: python:module:FUNCTION)"
    )
    return Problem(after.path, 0, message, hint)


def _content(version: PromptVersion) -> tuple[str, str]:
    return version.path, version.prompt.digest


def _model(config: SuiteConfig) -> ModelRef:
    if config.model is None:
        raise GateError(f"suite {config.name} has no model", "set one in the suite, or under defaults")
    return config.model


def prompt_at(
    source: FileSource, config: SuiteConfig, cases: Sequence[Case], builder: PromptBuilder | None
) -> PromptVersion:
    """The prompt of one suite as one side has it; nothing else is read there.

    Args:
        cases: that a prompt which is a function is built for.

    Raises:
        InputErrors: there is no such prompt, or something is wrong with it.
    """
    reader = Reader(Sides(source, source, builder=builder), "", [], absent="it had another name then, or none")
    found = reader._version(source, config, cases)
    if found is None:
        raise InputErrors(reader.problems)
    return found


def suite_configs(source: FileSource, config: str) -> dict[str, SuiteConfig]:
    """The suites of a configuration by their names, one for each file that a pattern matches.

    Raises:
        InputErrors: errors in the configuration.
    """
    reader = Reader(Sides(source, source), config, [])
    found, _ = reader.configs()
    reader.raise_problems()
    return (
        {} if found is None else {one.current.name: one.current for one in pair(reader.sides, found, found, ()).pairs}
    )
