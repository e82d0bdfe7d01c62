"""`gate schema`: the JSON Schemas of the files that the gate reads and writes."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import click

NAMES = ("gate.yaml", "case", "cases", "rubric", "run.json", "sample", "rows.jsonl", "generation.json")

EPILOG = """\b
Names:
  gate.yaml        the configuration
  case             one case: a line of a .jsonl file
  cases            a list of cases, or one, in YAML or JSON
  rubric           the file of a rubric
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
@click.argument("name", type=click.Choice(NAMES))
@click.option(
    "--out", type=click.Path(path_type=Path, dir_okay=False), help="Write it to this file, over an older one."
)
def schema(name: str, out: Path | None) -> None:
    """Print a JSON Schema, for editors and for other programs.

    \b
    Example:
      gate schema gate.yaml > gate.schema.json
    """
    text = json.dumps(_SCHEMAS[name](), indent=2, ensure_ascii=False)
    if out is None:
        click.echo(text)
        return
    from gate.errors import GateError

    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        raise GateError(f"cannot write to {out}: {error.strerror}", "name another file with --out") from None


def _config() -> Mapping[str, object]:
    from gate.inputs.schema import config_schema

    return config_schema()


def _case() -> Mapping[str, object]:
    from gate.inputs.caseschema import case_schema

    return case_schema()


def _cases() -> Mapping[str, object]:
    from gate.inputs.caseschema import cases_schema

    return cases_schema()


def _rubric() -> Mapping[str, object]:
    from gate.inputs.caseschema import rubric_schema

    return rubric_schema()


def _run() -> Mapping[str, object]:
    from gate.domain.record import RunRecord

    return RunRecord.model_json_schema(by_alias=True)


def _sample() -> Mapping[str, object]:
    from gate.store.samples import sample_schema

    return sample_schema()


def _row() -> Mapping[str, object]:
    from gate.report.outputs.rows import row_schema

    return row_schema()


def _generation() -> Mapping[str, object]:
    from gate.report.generation.schema import generation_schema

    return generation_schema()


_SCHEMAS: Mapping[str, Callable[[], Mapping[str, object]]] = {
    **{"gate.yaml": _config, "case": _case, "cases": _cases, "rubric": _rubric},
    **{"run.json": _run, "sample": _sample, "rows.jsonl": _row, "generation.json": _generation},
}
