"""What a generation leaves: the specification, the cases, and a summary, as soon as there is something to keep."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from gate.bootstrap.foreseeing import Wanted
from gate.bootstrap.generated_files import keep, keep_for_reading, lying, reading_folder, write_back
from gate.bootstrap.generating import Done
from gate.cli.generate_options import SMALL, GenerateOptions, folder_of
from gate.domain.promptspec import Specification
from gate.flows.generate_files import NewFiles, Place, new_files, stem
from gate.report import generation, generation_json, sheet_markdown
from gate.testgen.compile.compile import told
from gate.testgen.compliance import judge_notes
from gate.testgen.outcomes import Row
from gate.testgen.output_rules import NAMED
from gate.testgen.written.suite import SuiteFiles, SuiteModels, suite_yaml

SUMMARY = "summary.md"
FIGURES = ("evaluation.md", "judge.svg", "code.svg", "either.svg")


@dataclass(slots=True)
class Kept:
    """The files of one command.

    Args:
        options: as typed.
        wanted: models.
        given: the specification that there was before.
        files: for the user, once they are written.
        begun: they are.
    """

    options: GenerateOptions
    wanted: Wanted
    given: Specification | None
    files: NewFiles = field(default_factory=NewFiles, init=False)
    begun: bool = field(default=False, init=False)

    @property
    def folder(self) -> Path:
        """Of what is for a reader's information."""
        return reading_folder(folder_of(self.options))

    def keep(self, done: Done) -> None:
        """Write what was made, before any of it is run; figures of an earlier run go.

        Raises:
            GateError: it cannot be written.
        """
        place = Place(folder_of(self.options), self.options.form)
        self.files = new_files(done.made, self.given, place, lying)
        keep(self.files.all)
        if self.options.write_back and done.made.tests:
            write_back(Path(self.options.prompt), done.made.tests)
        keep_for_reading(self.folder, dict.fromkeys(FIGURES))
        self.summarise(done)
        self.begun = True

    def summarise(self, done: Done) -> tuple[generation.Outcome, str]:
        """Write summary and JSON.

        Returns:
            What they tell, and the JSON.
        """
        outcome = self._outcome(done)
        rows: Sequence[Row] | None = None if done.evaluated is None else done.evaluated.rows
        document = generation_json.dump(outcome, done.effort, rows)
        summary = sheet_markdown.render(generation.summary_sheet(outcome))
        keep_for_reading(self.folder, {SUMMARY: summary, "generation.json": document})
        return outcome, document

    def told(self) -> str:
        """Where it is, for somebody whose run ended early."""
        written = [str(file.path) for file in self.files.all]
        return f"kept: {', '.join([*written, str(self.folder / SUMMARY)])}"

    def _outcome(self, done: Done) -> generation.Outcome:
        made, wanted = done.made, self.wanted
        warnings = judge_notes(wanted.judge, wanted.generator, wanted.evaluation.models if wanted.evaluation else ())
        if wanted.generator.provider == "local":
            warnings.append(SMALL)
        if made.notes and done.effort.reused:
            warnings.append("Some answers are those of an earlier run; --refresh asks for all of them anew.")
        if len(made.left_out) > NAMED:
            warnings.append(f"{self.folder}/generation.json names all rules that were left out.")
        if made.failure is not None:
            warnings.insert(0, f"There are no tests: {made.failure.message} ({made.failure.hint}).")
        return generation.Outcome(
            prompt=self.options.prompt,
            specification=made.specification,
            compiled=[(one, told(one)) for one in made.compiled],
            tests=made.tests,
            discarded=made.discarded,
            notes=made.notes,
            warnings=warnings,
            written=[file.told for file in self.files.all],
            diversity=made.diversity,
            left_out=made.left_out,
            spent=generation.spent_told(done.effort),
            suite=self._suite(done, self.files.cases.path) if self.files.cases else "",
        )

    def _suite(self, done: Done, cases: Path) -> str:
        """A configuration in the folder that the command runs in."""
        prompt = Path(self.options.prompt)
        files = SuiteFiles(stem(self.options.prompt), *(_from_here(path) for path in (prompt, cases)))
        models = SuiteModels(self.wanted.reference, self.wanted.judge)
        return suite_yaml(files, models, done.made.specification.rules, done.made.compiled)


def _from_here(path: Path) -> Path:
    here, whole = Path.cwd(), Path(os.path.abspath(path))
    return whole.relative_to(here) if whole.is_relative_to(here) else whole
