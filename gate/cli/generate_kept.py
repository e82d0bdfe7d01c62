"""What a generation leaves: the specification, the cases, and a summary, as soon as there is something to keep."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from gate.bootstrap.foreseeing import Found, Wanted
from gate.bootstrap.generated_files import keep, keep_for_reading, lying, reading_folder, write_back
from gate.bootstrap.generating import Done
from gate.cli.generate_options import SMALL, GenerateOptions, folder_of
from gate.cli.generate_suite import suite_of
from gate.domain.promptspec import Specification
from gate.flows.generate_files import NewFiles, Place, new_files
from gate.inputs.ownsettings import own_model
from gate.report.generation import as_json as generation_json
from gate.report.generation import report as generation
from gate.report.markdown import sheet as sheet_markdown
from gate.testgen.compile.compile import told
from gate.testgen.compliance import judge_notes
from gate.testgen.outcomes import Row
from gate.testgen.output_rules import NAMED
from gate.testgen.written.suite import suite_models

SUMMARY = "summary.md"
FIGURES = ("evaluation.md", "judge.svg", "code.svg", "either.svg")


@dataclass(slots=True)
class Kept:
    """The files of one command.

    Args:
        options: as typed.
        wanted: models.
        found: the prompt, and the specification that there was before.
        files: for the user, once they are written.
        begun: they are.
    """

    options: GenerateOptions
    wanted: Wanted
    found: Found
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
        self.files = new_files(done.made, self.found.given, place, lying)
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
        if wanted.guests:
            warnings.append(f"Asked at {wanted.params.base_url}, too: {', '.join(map(str, wanted.guests))}.")
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
            suite=self._suite(made.specification, self.files.cases.path) if self.files.cases else "",
        )

    def _suite(self, specification: Specification, cases: Path) -> str:
        wanted, own = self.wanted, own_model(self.found.version.prompt.unused)
        tested = wanted.evaluation.models if wanted.evaluation is not None else ()
        models = suite_models(own, tested, wanted.reference, wanted.judge)
        return suite_of(self.options.prompt, cases, specification, replace(models, servers=wanted.servers))
