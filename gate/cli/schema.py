"""`gate schema`: the JSON Schemas of the files that the gate reads and writes."""

import json
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path

import click

SCHEMAS: Mapping[str, str] = {
    "gate.yaml": "gate.config.gatefile:config_schema",
    "case": "gate.cases.schema:case_schema",
    "cases": "gate.cases.schema:cases_schema",
    "rubric": "gate.cases.schema:rubric_schema",
    "tools": "gate.config.toolfile:tools_schema",
    "labels": "gate.cases.schema:labels_schema",
    "specification": "gate.testgen.written.specification:specification_schema",
    "run.json": "gate.domain.record:run_schema",
    "sample": "gate.store.samples:sample_schema",
    "rows.jsonl": "gate.report.outputs.rows:row_schema",
    "generation.json": "gate.report.generation.as_json:generation_schema",
}
"""Names, and the functions that make the schemas: `--help` loads none of their modules."""

EPILOG = """\b
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


@click.command(epilog=EPILOG)
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
