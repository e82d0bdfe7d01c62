"""Commands for the configuration: `gate init`, `validate` and `schema`; and `gate demo`. Loads click only."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gate.cli.options import config_option, json_option, quiet_option

INIT_EXAMPLES = """\b
Examples:
  gate init
  gate init --prompt prompts/support.md --prompt app/prompts.py::SYSTEM_PROMPT
  gate init --prompt promptfooconfig.yaml
  gate init --all --dry-run
"""


@click.command(epilog=INIT_EXAMPLES)
@click.option(
    "--prompt",
    "prompts",
    multiple=True,
    metavar="PATH",
    help="Prompt file, FILE.py::NAME, or another tool's configuration; repeatable.",
)
@click.option("--all", "everything", is_flag=True, help="Use every prompt found, not only the first five.")
@click.option("--model", metavar="MODEL", help="Model to test.  [default: by the API key that is set]")
@click.option("--cases", metavar="FILE", help="Case file.  [default: search for one]")
@click.option("--generate", is_flag=True, help="Let the model draft missing cases; costs calls.")
@config_option
@click.option("--action", metavar="OWNER/REPO@COMMIT", help="Your copy of the action, for the workflow.")
@click.option("--no-workflow", is_flag=True, help="Do not write a workflow.")
@click.option("--yes", "-y", is_flag=True, help="Accept all defaults without asking.")
@click.option("--dry-run", is_flag=True, help="Print what would be written; write nothing.")
@json_option
@quiet_option("Print only the paths of written files.")
def init(**options: Any) -> None:
    """Set up Prompt Gate in a repository.

    Finds prompts in files, code and configuration, and writes gate.yaml, case files and a GitHub workflow. On a
    terminal it asks which prompts to test; otherwise it uses the first five. Cases come from the repository; where
    there are none, you get a case file to fill in. Existing files are not overwritten.

    Exit codes: 0 done, 2 no prompt found or usage error.
    """
    from gate.cli.init import InitOptions, execute

    execute(InitOptions(**options))


if TYPE_CHECKING:
    from collections.abc import Sequence

    from gate.scaffold.validate import ConfigurationReport, FileRemark

SCHEMA = "prompt-gate/validation/1"

VALIDATE_EXAMPLES = """\b
Examples:
  gate validate
  gate validate --ref origin/main
  gate validate --config services/bot/gate.yaml --json
"""


@click.command(epilog=VALIDATE_EXAMPLES)
@config_option
@click.option("--ref", metavar="REF", help="Check this commit.  [default: the working tree]")
@json_option
@quiet_option("Print nothing if there are no errors.")
def validate(config: str, ref: str | None, as_json: bool, quiet: bool) -> None:
    """Check the configuration and its files for errors.

    Reads gate.yaml, prompts, cases, scorers and rubrics, and puts every case into its prompt. Lists all errors, each
    with file and line. It calls no model and needs no key.

    Exit codes: 0 no errors, 2 errors.
    """
    from gate.errors import InputErrors
    from gate.scaffold.validate import validate_configuration

    found = validate_configuration(config, ref)
    if as_json:
        click.echo(json.dumps(_document(found), indent=2, ensure_ascii=False))
        raise click.exceptions.Exit(2 if found.problems else 0)
    if found.problems:
        raise InputErrors(found.problems)
    if not quiet:
        for line in validation_lines(found):
            click.echo(line)


def validation_lines(found: "ConfigurationReport") -> list[str]:
    """Lines about the suites, and notes."""
    from gate.config.documents import printable
    from gate.values import counted, listed

    suites, waiting = found.suites, found.waiting
    at = "" if found.label == "working tree" else f" at {found.label}"
    ready = f", {counted(len(suites), 'suite')} ready to run" if waiting else ""
    lines = [f"{found.config}{at} has no errors{ready}."] if suites or not waiting else []
    for one in suites[:_SHOWN]:
        slices = f" in {counted(one.slices, 'slice')}" if one.slices else ""
        cases = f"{counted(one.count, 'case')}{slices} from {one.cases}"
        lines.append(f"  {one.name}: {one.prompt}; {cases}; scored by {', '.join(one.scorers)}; model {one.model}")
    if len(suites) > _SHOWN:
        lines.append(f"  and {len(suites) - _SHOWN:,} more suites")
    if waiting:
        lines += [
            f"Empty case files: {listed(waiting)}.",
            "Write real inputs of your users into them; until then, gate diff refuses a change of these prompts.",
        ]
    gathered = _gathered(found.remarks)
    remarks = [f"note: {remark}" for remark in gathered[:_SHOWN]]
    if len(gathered) > _SHOWN:
        remarks.append(f"and {len(gathered) - _SHOWN:,} more notes")
    return [printable(line) for line in (*lines, *remarks)]


def _gathered(remarks: "Sequence[FileRemark]") -> list[str]:
    """Equal remarks of several files become one."""
    from gate.values import listed

    files: dict[str, list[str]] = {}
    for remark in remarks:
        files.setdefault(remark.text, []).extend([remark.file] if remark.file else [])
    found = []
    for said, of in files.items():
        found.append(f"{listed(of)}: {said}" if of else said)
    return found


_SHOWN = 20


def _document(found: "ConfigurationReport") -> dict[str, object]:
    document = asdict(found)
    problems = [{**asdict(one), "where": one.where} for one in found.problems]
    return {"schema": SCHEMA, "valid": not found.problems, **document, "problems": problems}


SCHEMAS: Mapping[str, str] = {
    "gate.yaml": "gate.config.gatefile:config_schema",
    "case": "gate.cases.forms:case_schema",
    "cases": "gate.cases.forms:cases_schema",
    "rubric": "gate.config.rubrics:rubric_schema",
    "tools": "gate.config.targets:tools_schema",
    "labels": "gate.cases.labels:labels_schema",
    "specification": "gate.config.specification_file:specification_schema",
    "run.json": "gate.record.run:run_schema",
    "sample": "gate.store.run_folder:sample_schema",
    "rows.jsonl": "gate.report.exports.rows:row_schema",
    "backtest.json": "gate.record.backtest:backtest_schema",
    "generation.json": "gate.report.sheets.generation:generation_schema",
}
"""Names and the functions that make the schemas. `--help` loads none of their modules."""

SCHEMA_EXAMPLES = """\b
Names:
  gate.yaml        configuration
  case             one case: a line of a .jsonl file
  cases            a YAML or JSON case file
  rubric           a rubric file
  tools            a file of recorded tools
  labels           a line of a label file, for gate calibrate --judge
  specification    the spec.yaml of gate generate
  run.json         the record of a run
  sample           a line of samples.jsonl
  rows.jsonl       a line of gate report --format jsonl
  backtest.json    the record of gate backtest
  generation.json  the record of gate generate

\b
Example:
  gate schema gate.yaml --out evals/schemas/gate.schema.json
"""


@click.command(epilog=SCHEMA_EXAMPLES)
@click.argument("name", type=click.Choice(tuple(SCHEMAS)), metavar="NAME")
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="Write to this file.")
def schema(name: str, out: Path | None) -> None:
    """Print a JSON Schema for editors and other programs.

    docs/reference.md shows how to use it in an editor.
    """
    text = json.dumps(_made(name), indent=2, ensure_ascii=False)
    if out is None:
        click.echo(text)
        return
    from gate.errors import GateError

    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        raise GateError(f"cannot write to {out}: {error.strerror}", "give another file with --out") from None


def _made(name: str) -> object:
    module, _, function = SCHEMAS[name].partition(":")
    return getattr(import_module(module), function)()


DEMO_EXAMPLES = """\b
Example:
  pip install '.[demo]' && gate demo
"""


@click.command(epilog=DEMO_EXAMPLES)
@click.option(
    "--dir",
    "directory",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="FOLDER",
    help="Where to create the sample repository.  [default: a temporary folder]",
)
def demo(directory: Path | None) -> None:
    """Watch the gate block a bad prompt change, on a local model.

    Creates a sample repository with two changes of a prompt. The first removes the examples: the gate blocks it. The
    second rewords the prompt: the gate lets it pass. It needs no key and no network. The model (Gemma 3 270M, 253 MB)
    comes with the extra `demo`.
    """
    import tempfile

    from gate.cli.output import print_run, run_progress
    from gate.demo.tour import DemoServices, play
    from gate.environment.settings import Settings

    root = directory or Path(tempfile.mkdtemp(prefix="prompt-gate-demo-"))
    services = DemoServices(
        say=lambda text: click.echo(text),
        show=lambda run, folder: print_run(run, "terminal", folder),
        progress=lambda: run_progress(quiet=False),
        settings=Settings.from_environ(),
    )
    if not play(root, services):
        click.echo("\nThe verdicts differ from the expected ones (BLOCK, then no BLOCK).", err=True)
        raise click.exceptions.Exit(1)
    click.echo("\nThe gate blocks the first change and lets the second one pass. In your repository: gate init")
