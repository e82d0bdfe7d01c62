"""The files of a generation: specification, cases, and a summary for a reader."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from gate.config.documents import decode
from gate.config.specification import GeneratedTest, Specification
from gate.errors import GateError
from gate.files import make_gate_folder, read_bounded, rewrite, write_all_new, write_whole
from gate.generation.model_calls import FOLDER
from gate.generation.tests import GenerationRequest, GenerationResult, GenerationSource
from gate.git.places import DiskSource, own_folder
from gate.limits import FILE_BYTES
from gate.prompts.reading import own_model
from gate.report.markdown.report import render_sheet
from gate.report.sheets.generation import GenerationOutcome, generation_json, generation_sheet
from gate.testgen.evaluation.trials import judge_notes
from gate.testgen.files import (
    NewFile,
    NewFiles,
    SuiteModels,
    SuitePaths,
    file_stem,
    new_files,
    suite_models,
    suite_yaml,
    with_test_data,
)
from gate.testgen.rules.compiler import compile_rules, compiled_summary
from gate.values import NAMES_SHOWN

SMALL = "A small local model writes poor rules and tests. Check them, or use a larger model."
SUMMARY = "summary.md"
FIGURES = ("evaluation.md", "judge.svg", "code.svg", "either.svg")


@dataclass(slots=True)
class WrittenFiles:
    """The files of one command.

    Args:
        source: the prompt, and the specification that there was before.
        files: for the user, once they are written.
        begun: they are.
    """

    request: GenerationRequest
    source: GenerationSource
    files: NewFiles = field(default_factory=NewFiles, init=False)
    begun: bool = field(default=False, init=False)

    @property
    def folder(self) -> Path:
        """The folder of reports."""
        return reading_folder(self.request.folder)

    def keep(self, result: GenerationResult) -> None:
        """Write the results before the tests run; figures of an earlier run are deleted.

        Raises:
            GateError: it cannot be written.
        """
        generated = result.generated
        self.files = new_files(generated, self.source.given, self.request.folder, file_content)
        keep_files(self.files.all)
        if self.request.write_back and generated.tests:
            write_back(Path(self.request.prompt), generated.tests)
        keep_for_reading(self.folder, dict.fromkeys(FIGURES))
        self.summarise(result)
        self.begun = True

    def summarise(self, result: GenerationResult) -> GenerationOutcome:
        """Write the summary and the JSON document."""
        outcome = self._outcome(result)
        summary, document = render_sheet(generation_sheet(outcome)), generation_json(outcome)
        keep_for_reading(self.folder, {SUMMARY: summary, "generation.json": document})
        return outcome

    def saved_line(self) -> str:
        """The written files, for a run that ended early."""
        written = [str(file.path) for file in self.files.all]
        return f"saved: {', '.join([*written, str(self.folder / SUMMARY)])}"

    def _outcome(self, result: GenerationResult) -> GenerationOutcome:
        generated, request = result.generated, self.request
        warnings = judge_notes(request.judge, request.generator, request.tested)
        if request.generator.provider == "local":
            warnings.append(SMALL)
        if len(generated.left_out) > NAMES_SHOWN:
            warnings.append(f"{self.folder}/generation.json lists all rules that were left out.")
        if generated.failure is not None:
            warnings.insert(0, f"No tests were generated: {generated.failure.message} ({generated.failure.hint}).")
        return GenerationOutcome(
            prompt=self.request.prompt,
            generated=generated,
            checks=[compiled_summary(compiled) for compiled in generated.compiled],
            warnings=warnings,
            written=[file.told for file in self.files.all],
            effort=result.effort,
            suite=self._suite(generated.specification, self.files.cases.path) if self.files.cases else "",
            evaluation=None if result.evaluated is None else result.evaluated.rows,
        )

    def _suite(self, specification: Specification, cases: Path) -> str:
        request, own = self.request, own_model(self.source.version.prompt.unused)
        models = suite_models(own, request.tested, request.generator, request.judge)
        return suite_of(self.request.prompt, cases, specification, models)


def suite_of(prompt: str, cases: Path, specification: Specification, models: SuiteModels) -> str:
    """The suite for a gate.yaml in the current folder; empty if its paths cannot be written."""
    files = SuitePaths(file_stem(prompt), _from_here(Path(prompt)), _from_here(cases))
    return suite_yaml(files, models, specification.rules, compile_rules(specification.rules))


def _from_here(path: Path) -> Path:
    here, whole = Path.cwd(), Path(os.path.abspath(path))
    return whole.relative_to(here) if whole.is_relative_to(here) else whole


def file_content(path: Path) -> bytes | None:
    """The content of a file; empty if it cannot be read, None if there is no file."""
    try:
        return read_bounded(path, FILE_BYTES) or b""
    except (FileNotFoundError, NotADirectoryError):
        return b"" if path.is_symlink() else None
    except OSError:
        return b""


def keep_files(files: Sequence[NewFile]) -> None:
    """Write files that do not exist yet; all of them or none.

    Raises:
        GateError: one of them cannot be written.
    """
    write_all_new({file.path: file.text for file in files if not file.there})


def reading_folder(cases: Path) -> Path:
    """The folder for the summary of a generation: `evals/shop` gives `shop`, and `exams/one` gives `exams-one`."""
    own, whole = own_folder(), Path(os.path.abspath(cases))
    root = Path(os.path.abspath(own)).parent
    inside = whole.relative_to(root) if whole.is_relative_to(root) else whole.relative_to(whole.anchor)
    parts = inside.parts[1:] if inside.parts[:1] == ("evals",) and len(inside.parts) > 1 else inside.parts
    return own / FOLDER / ("-".join(parts) or "here")


def keep_for_reading(folder: Path, texts: Mapping[str, str | None]) -> None:
    """Write information for a reader, which is no part of the exam.

    Args:
        folder: created where it is missing.
        texts: by file name; an earlier file of that name is replaced, or removed with None.

    Raises:
        GateError: it cannot be written.
    """
    make_gate_folder(folder.parent)
    if folder.is_symlink():
        raise GateError(f"{folder} is a symbolic link", "remove it")
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise GateError(f"cannot write to {folder}: {error.strerror}", "remove what is in the way") from None
    for name, text in texts.items():
        if text is None:
            (folder / name).unlink(missing_ok=True)
        else:
            write_whole(folder / name, text)


def write_back(prompt: Path, tests: Sequence[GeneratedTest]) -> None:
    """Add tests to the test data of a `.prompt.yml`, and change nothing else in it.

    Raises:
        GateError: it cannot be added to, or written.
    """
    data = DiskSource().read(str(prompt))
    rewrite(prompt, with_test_data(decode(data or b"", str(prompt)), tests, str(prompt)))
