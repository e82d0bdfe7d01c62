"""The files that a generation writes: cases for review, a suite to copy, and their names."""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from gate.cases.files import changed, line_of
from gate.cases.reading import LINES_ENDINGS, YAML_ENDINGS, documents
from gate.config.documents import quoted, read_yaml
from gate.config.models import ModelRef
from gate.config.scorer import ScorerSpec
from gate.config.specification import CompiledRule, GeneratedTest, OutputRule, Specification
from gate.config.specification_file import specification_text
from gate.config.values import pointer_of
from gate.config.yaml_editing import dumped, lines_of, rewritten
from gate.errors import GateError, InputErrors, Problem
from gate.files import path_complaint
from gate.limits import YAML_NODES
from gate.prompts.reading import TEST_DATA
from gate.testgen.questions import rendered_template
from gate.values import JsonValue

OBSOLETE = "obsolete"
"""Marks tests of removed rules."""
_RESERVED = frozenset({"id", "input", "expected"})


def case_rows(tests: Sequence[GeneratedTest]) -> list[dict[str, JsonValue]]:
    """The tests as cases; each has an input, turns or variables."""
    return [_row(test) for test in tests]


def fits_yaml(tests: Sequence[GeneratedTest]) -> bool:
    """Are the tests few enough for one YAML file?"""
    return 1 + sum(_values(row) for row in case_rows(tests)) <= YAML_NODES


def cases_yaml(tests: Sequence[GeneratedTest]) -> str:
    """A case file in YAML, one paragraph per test; see `fits_yaml`."""
    return "\n".join(dumped([row]) for row in case_rows(tests))


def cases_jsonl(tests: Sequence[GeneratedTest]) -> str:
    """A case file in JSON Lines."""
    return "".join(line_of(row) for row in case_rows(tests))


def with_more_tests(text: str, tests: Sequence[GeneratedTest], file: str) -> str:
    """A case file with more tests at its end; existing ids are left out.

    Args:
        file: its path; the ending decides the format.

    Raises:
        InputErrors: the file cannot be read.
        GateError: it is of another form, or written in a way that cannot be changed safely.
    """
    known = {row.get("id") for row in _rows(text, file)}
    new = {test.id: row for test, row in zip(tests, case_rows(tests), strict=True) if test.id not in known}
    return changed(text, file, new) if new else text


def is_generated(text: str, file: str) -> bool:
    """Does a case file have generated tests?

    Args:
        file: its path; the ending decides the format.

    Raises:
        InputErrors: the file cannot be read.
        GateError: it holds no list of cases.
    """
    return file.lower().endswith((*LINES_ENDINGS, *YAML_ENDINGS)) and any(map(_rule_of, _rows(text, file)))


def with_obsolete_rules(text: str, rules: Collection[str], file: str) -> str:
    """A case file in which the generated tests of these rules are marked `obsolete: true`.

    Args:
        file: its path; the ending decides the format.

    Raises:
        InputErrors: the file cannot be read.
        GateError: it is of another form, or written in a way that cannot be changed safely.
    """
    gone = [row for row in _rows(text, file) if _rule_of(row) in rules and row.get(OBSOLETE) is not True]
    return changed(text, file, {str(row["id"]): {**row, OBSOLETE: True} for row in gone}) if gone else text


def with_test_data(text: str, tests: Sequence[GeneratedTest], file: str = "the prompt file") -> str:
    """A `.prompt.yml` with tests at the end of its `testData`; the rest is unchanged.

    Existing ids are not added again, even if a person edited the test.

    Args:
        file: for messages.

    Raises:
        InputErrors: the file is no YAML that the gate reads.
        GateError: it cannot be added to, or a test has several turns, which such a file cannot hold.
    """
    hint = "write the tests to a case file instead"
    data = read_yaml(text.removeprefix("\ufeff"), file).data
    if not isinstance(data, dict):
        raise GateError(f"{file} is not a prompt file of GitHub Models", hint)
    present = data.get(TEST_DATA)
    if present is not None and not isinstance(present, list):
        raise GateError(f"{TEST_DATA} in {file} is not a list", hint)
    present = present or []
    known = {str(row["id"]) for row in present if isinstance(row, dict) and "id" in row}
    rows: list[JsonValue] = [_datum(test, file, hint) for test in tests if test.id not in known]
    return rewritten(text, file, {**data, TEST_DATA: [*present, *rows]}) if rows else text


def _datum(test: GeneratedTest, file: str, hint: str) -> dict[str, JsonValue]:
    if test.turns:
        raise GateError(f"{test.id} has several turns, which {file} cannot hold", hint)
    row: dict[str, JsonValue] = {"id": test.id}
    if test.input:
        row["input"] = test.input
    # A variable with a reserved name must not become the expected answer or the id.
    row |= {name: value for name, value in test.vars.items() if name not in _RESERVED}
    if test.expected is not None:
        row["expected"] = test.expected
    return row


def _row(test: GeneratedTest) -> dict[str, JsonValue]:
    row: dict[str, JsonValue] = {"id": test.id}
    if told := _told(test):
        row["description"] = told
    if test.turns:
        row["rounds"] = [{"prompt": turn} for turn in test.turns]
    elif test.input:
        row["input"] = test.input
    if test.vars:
        row["vars"] = dict(test.vars)
    if test.expected is not None:
        row["expected"] = test.expected
    named = {"rule": test.rule, "kind": test.kind, "scenario": test.scenario or ""}
    row["slices"] = {name: value for name, value in named.items() if value}
    return row


def _told(test: GeneratedTest) -> str:
    """For the reviewer: what a good answer does, and the reason for the test."""
    parts = (("A good answer", test.behaviour), ("Why", test.reasoning))
    return "\n".join(f"{name}: {text.strip()}" for name, text in parts if text.strip())


def _values(value: JsonValue) -> int:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + sum(map(_values, inner))


def _rows(text: str, file: str) -> list[dict[str, JsonValue]]:
    if not file.lower().endswith((*LINES_ENDINGS, *YAML_ENDINGS)):
        hint = "use a case file that ends in .jsonl or .yaml"
        raise GateError(f"tests cannot be added to {file}", hint)
    text, problems = text.removeprefix("\ufeff"), list[Problem]()
    if file.lower().endswith(YAML_ENDINGS) and not isinstance(read_yaml(text, file).data, (list, type(None))):
        raise GateError(f"{file} is not a list of cases", "begin each case with '- '")
    found = [one.data for one in documents(text, file, problems) if isinstance(one.data, dict)]
    if problems:
        raise InputErrors(problems)
    return found


def _rule_of(row: Mapping[str, JsonValue]) -> str:
    """The rule that a generated case was made for; empty for other cases, whatever their slices say."""
    slices, name = row.get("slices"), row.get("id")
    if not isinstance(slices, dict) or not isinstance(name, str):
        return ""
    rule, kind = slices.get("rule"), slices.get("kind")
    made = isinstance(rule, str) and kind in ("rule", "inverse") and name.startswith(f"{rule}-{kind}-")
    return rule if made and isinstance(rule, str) else ""


SUITE_SLICES = ("rule", "kind")
JUDGE_NAME = "rules"
"""The name of the judge; no rule id equals it."""
SuiteOrigin: TypeAlias = Literal["prompt", "tested", "generator"]
_ORIGINS: dict[SuiteOrigin, str] = {
    "prompt": "the model from the prompt's file",
    "tested": "the first model of --evaluate",
    "generator": "the model of this command",
}
_OPENING = re.compile(r"\{(?=\{)")


@dataclass(frozen=True, slots=True)
class SuitePaths:
    """The files of a suite, by paths relative to the folder of the configuration."""

    name: str
    prompt: Path
    cases: Path


@dataclass(frozen=True, slots=True)
class SuiteModels:
    """The models of a suite.

    Args:
        origin: where the model under test was taken from.
    """

    answering: ModelRef
    judge: ModelRef
    origin: SuiteOrigin = "generator"


def suite_models(own: ModelRef | None, tested: Sequence[ModelRef], reference: ModelRef, judge: ModelRef) -> SuiteModels:
    """The models of a suite; the prompt's own model answers, else the first that was tested, else the reference."""
    if own is not None:
        return SuiteModels(own, judge, "prompt")
    return SuiteModels(tested[0], judge, "tested") if tested else SuiteModels(reference, judge)


def suite_yaml(
    files: SuitePaths, models: SuiteModels, rules: Sequence[OutputRule], compiled: Sequence[CompiledRule]
) -> str:
    """A `gate.yaml` with one suite: code checks the rules that it can, and a judge gets the others.

    Returns:
        The text; empty if a file's path cannot be written in a configuration.
    """
    paths = [path.as_posix() for path in (files.prompt, files.cases)]
    if any(map(path_complaint, paths)):
        return ""
    by_code = {one.rule for one in compiled}
    scorers: list[JsonValue] = [_entry(spec) for one in compiled for spec in one.scorers]
    if others := [untemplated(" ".join(rule.text.split())) for rule in rules if rule.id not in by_code]:
        criteria = rendered_template("suite_criteria", {"rules": others})
        told: dict[str, JsonValue] = {"name": JUDGE_NAME, "model": str(models.judge), "criteria": criteria}
        scorers.append({"judge": told})
    suite: dict[str, JsonValue] = {
        "name": files.name,
        "prompt": paths[0],
        "cases": paths[1],
        "model": str(models.answering),
        "slices": [*SUITE_SLICES],
        "scorers": scorers,
    }
    lines = lines_of({"version": 1, "suites": [suite]})
    place = next(place for place, line in enumerate(lines) if line.startswith("    model: "))
    lines.insert(place, f"    # {_ORIGINS[models.origin]}; replace it with your production model")
    return "\n".join(lines) + "\n"


def untemplated(text: str) -> str:
    """The text of a rule (untrusted), changed so that a scorer does not take it for a template."""
    return _OPENING.sub("{ ", text)


def _entry(spec: ScorerSpec) -> JsonValue:
    """A scorer as a configuration has it."""
    options: dict[str, JsonValue] = {**spec.options, "name": spec.name, "required": spec.required}
    if spec.weight != 1:
        options["weight"] = spec.weight
    if spec.negate:
        options["negate"] = True
    return {spec.kind: options}


if TYPE_CHECKING:
    from gate.testgen.generate import GeneratedTests

SPECIFICATION_FILE = "spec.yaml"
COMPLETED_NOTE = (
    f"the completed specification; if you agree, copy it over {SPECIFICATION_FILE}, the only one that is read"
)
NAME_ENDINGS = (
    ".prompt.yml",
    ".prompt.yaml",
    ".prompty",
    ".j2",
    ".jinja",
    ".jinja2",
    ".md",
    ".txt",
    ".yaml",
    ".yml",
    ".json",
)


@dataclass(frozen=True, slots=True)
class NewFile:
    """A file to write.

    Args:
        path: free, or of a file with the same text.
        there: the file already exists with these bytes.
    """

    path: Path
    text: str
    what: str
    there: bool = False

    @property
    def told(self) -> str:
        """The file in one line."""
        return f"{self.path}: {self.what}{' (unchanged)' if self.there else ''}"


@dataclass(frozen=True, slots=True)
class NewFiles:
    """All files to write; `cases` is None without tests, `spec` if the given specification is complete."""

    cases: NewFile | None = None
    spec: NewFile | None = None

    @property
    def all(self) -> tuple[NewFile, ...]:
        """In the order in which they are shown."""
        return tuple(file for file in (self.spec, self.cases) if file is not None)


def file_stem(prompt: str) -> str:
    """The name of a prompt's file without the endings that prompts have; of a text inside a file its own name.

    Raises:
        GateError: nothing is left.
    """
    pointer = pointer_of(prompt)
    name = Path(prompt).name if pointer is None else re.sub(r"[^\w.-]+", "-", pointer.name)
    while ending := next((one for one in NAME_ENDINGS if name.lower().endswith(one) and len(name) > len(one)), ""):
        name = name[: -len(ending)]
    if not name.strip("."):
        raise GateError(f"no folder name can be made from {quoted(prompt)}", "choose a folder with --out")
    return name


def new_files(
    made: "GeneratedTests", given: Specification | None, folder: Path, lying: Callable[[Path], bytes | None]
) -> NewFiles:
    """The files to write.

    Args:
        given: the existing specification.
        lying: reads the file of a path; None if the path is free.
    """
    spec: NewFile | None = None
    if given is None or _more(made.specification, given):
        text = specification_text(made.specification, made.compiled)
        what = "the specification; read and edit it" if given is None else COMPLETED_NOTE
        spec = _free(NewFile(folder / SPECIFICATION_FILE, text, what), lying)
    if not made.tests:
        return NewFiles(spec=spec)
    yaml = fits_yaml(made.tests)
    path = folder / ("cases.yaml" if yaml else "cases.jsonl")
    text = cases_yaml(made.tests) if yaml else cases_jsonl(made.tests)
    cases = NewFile(path, text, "the cases; review them before you use them")
    return NewFiles(_free(cases, lying), spec)


def _more(made: Specification, given: Specification) -> bool:
    """Does the new specification have rules, inputs or questions that the given one lacks?"""
    return made.digest != given.digest or made.questions != given.questions


def _free(file: NewFile, lying: Callable[[Path], bytes | None]) -> NewFile:
    """The file at its path, or at the first of `cases-2.yaml`, `cases-3.yaml`, … that is free or has the same text."""
    path = file.path
    for number in range(1, 1000):
        found = path if number == 1 else path.with_stem(f"{path.stem}-{number}")
        there = lying(found)
        if there is None or there == file.text.encode():
            return replace(file, path=found, there=there is not None)
    raise GateError(f"{path} and 998 similar files already exist", "choose another folder with --out")
